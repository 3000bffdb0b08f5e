/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's handovers as its sender sees them: the phase that the feedback tells, and the log of
 * events for the application. The rules of a handover are in lib/tfrc.
 *
 *                       feedback notifies
 *          NORMAL ------------------------> OLD_LINK
 *            ^  ^                               |  feedback over the new link
 *            |  |   notifies no more            v
 *            |  +-------------------------- NEW_LINK
 *            |                                  |
 *            +----------------------------------+
 *              the receiver is gone or lost: not completed
 *
 *     transition                    function
 *     by feedback                   gst_tfrc_send_handover_on_feedback()
 *     gone or lost                  gst_tfrc_send_handover_end()
 *
 * No lock and no clock. */
#ifndef GST_TFRC_SENDHANDOVER_H
#define GST_TFRC_SENDHANDOVER_H

#include "handoverlog.h"

G_BEGIN_DECLS

/** For sendhandover.c alone; all zero at first. */
typedef struct
{
  TfrcHandoverPhase phase; /* as the peer's feedback says */
  guint64 completed;
  GstTfrcHandoverLog log;
} GstTfrcSendHandover;

void gst_tfrc_send_handover_clear (GstTfrcSendHandover *self);

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

/** Do events wait to be taken? */
gboolean gst_tfrc_send_handover_has_event (const GstTfrcSendHandover *self);

/** Takes the oldest event; free it with g_free(). NULL: none. */
GstTfrcHandoverEvent *gst_tfrc_send_handover_take_event (GstTfrcSendHandover *self);

/** Returns how many events nobody gets: not taken in time, or too many. */
guint64 gst_tfrc_send_handover_get_dropped (const GstTfrcSendHandover *self);

G_END_DECLS
#endif
