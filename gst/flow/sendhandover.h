/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's handovers as its sender sees them: the phase that the feedback tells, and the log of
 * events for the application. The rules of a handover are in lib/tfrc.
 *
 *                    HOn                     HOn over the new link
 *        NORMAL ----------------> OLD_LINK ------------------------> NEW_LINK
 *         ^  |                     |   ^                              |  |  ^
 *         |  |    no HOn: given up |   |   HOn: another handover      |  |  |
 *         |<-|---------------------+   +------------------------------+  |  |
 *         |  |    no HOn: completed                                      |  |
 *         |<-|-----------------------------------------------------------+  |
 *            +--------------------------------------------------------------+
 *                 HOn over the new link: the feedback before was lost
 *
 *   | from               | to       | because of                     | function                             |
 *   |--------------------|----------|--------------------------------|--------------------------------------|
 *   | NORMAL, NEW_LINK   | OLD_LINK | feedback with HOn              | gst_tfrc_send_handover_on_feedback() |
 *   | NORMAL, OLD_LINK   | NEW_LINK | feedback with HOn, over the    | gst_tfrc_send_handover_on_feedback() |
 *   |                    |          | new link                       |                                      |
 *   | NEW_LINK           | NORMAL   | feedback without: completed    | gst_tfrc_send_handover_on_feedback() |
 *   | OLD_LINK           | NORMAL   | feedback without: given up     | gst_tfrc_send_handover_on_feedback() |
 *   | OLD_LINK, NEW_LINK | NORMAL   | the receiver is gone or lost:  | gst_tfrc_send_handover_end()         |
 *   |                    |          | not completed                  |                                      |
 *
 * gst_tfrc_send_handover_check() has what always holds; scripts/gdb-tfrc.py prints a state in gdb.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDHANDOVER_H
#define GST_TFRC_SENDHANDOVER_H

#include "handoverlog.h"

G_BEGIN_DECLS

/** For sendhandover.c alone */
typedef struct
{
  TfrcHandoverPhase phase; /* as the peer's feedback says */
  guint64 completed;
  GstTfrcHandoverLog log;
} GstTfrcSendHandover;

/** @param events gets the events, as in gst_tfrc_handover_log_init() */
void gst_tfrc_send_handover_init (GstTfrcSendHandover *self, GstTfrcEvents *events);

/** Feedback has been used.
 * @param stats of the sender afterwards
 * @param packets_lost as the receiver says
 * @return TRUE if the receiver has begun another phase of a handover: its packets come another way */
gboolean gst_tfrc_send_handover_on_feedback (GstTfrcSendHandover *self,
    const TfrcFeedback *feedback, const TfrcSenderStats *stats, guint64 packets_lost,
    guint64 now_ns);

/** Ends the handover under way, if any: the receiver has left before its end. */
void gst_tfrc_send_handover_end (
    GstTfrcSendHandover *self, const TfrcSenderStats *stats, guint64 packets_lost, guint64 now_ns);

TfrcHandoverPhase gst_tfrc_send_handover_get_phase (const GstTfrcSendHandover *self);

/** Returns the invariant that does not hold, as text; NULL: all hold. For tests and gdb. */
const gchar *gst_tfrc_send_handover_check (const GstTfrcSendHandover *self);

G_END_DECLS
#endif
