/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's call to a listening sender (callpacket.h): what is asked for, and what has been answered.
 * When a call leaves, the probes say (probes.h), whose place it takes.
 *
 *                   a cookie: calls again at once
 *                  +----+
 *                  v    |     accepted
 *              CALLING -+ ---------------> ACCEPTED
 *                  |  ^                       |
 *          refused |  +-----------------------+ the sender is silent, or has sent nothing yet
 *                  v
 *              REFUSED
 *
 *     transition             function
 *     CALLING -> ACCEPTED    gst_tfrc_call_on_answer()
 *     CALLING -> REFUSED     gst_tfrc_call_on_answer(); for good
 *     ACCEPTED -> CALLING    gst_tfrc_call_again()
 *
 * A sender whose data comes has accepted, too, whether its answer was lost or not: a call leaves only as
 * long as there is no peer. No socket, no clock, no locks. */
#ifndef GST_TFRC_CALL_H
#define GST_TFRC_CALL_H

#include "../io/datagrams.h"
#include "callpacket.h"

G_BEGIN_DECLS

/** Nobody has answered for so long: the application is told, and the calls go on. */
#define GST_TFRC_CALL_UNANSWERED_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** A sender that has accepted and sends nothing yet, as one that is paused, is called again after this time: it takes a
 * caller for gone that it has not heard for 10 s, and knows none any more if it has been started again. */
#define GST_TFRC_CALL_AGAIN_NS (5 * G_GUINT64_CONSTANT (1000000000))

typedef enum
{
  GST_TFRC_CALL_NONE, /**< the receiver calls nobody */
  GST_TFRC_CALL_CALLING,
  GST_TFRC_CALL_ACCEPTED,
  GST_TFRC_CALL_REFUSED
} GstTfrcCallState;

/** For call.c and the functions below alone; all zero: calls nobody */
typedef struct
{
  GstTfrcCallState state;
  GstTfrcCallPacket packet;
  gchar reason[GST_TFRC_REASON_MAX_BYTES + 1];
  guint64 unanswered_ns; /* when the application is told; G_MAXUINT64: not, or has been */
  guint64 accepted_ns;   /* if it is ACCEPTED */
} GstTfrcCall;

/** Begins to call.
 * @param ssrc our own
 * @param number random
 * @param stream_id valid */
void gst_tfrc_call_begin (
    GstTfrcCall *self, guint32 ssrc, guint32 number, const gchar *stream_id, guint64 now_ns);

/** The sender that accepted is silent: it may have forgotten the call. */
void gst_tfrc_call_again (GstTfrcCall *self);

/** Likewise, if GST_TFRC_CALL_AGAIN_NS have passed since it has accepted. */
void gst_tfrc_call_on_time (GstTfrcCall *self, guint64 now_ns);

/** An answer has come from the address that is called. One that is malformed, or to another call, has no
 * effect.
 * @return TRUE if the call is to leave again at once */
gboolean gst_tfrc_call_on_answer (GstTfrcCall *self, const GstTfrcReceivedPacket *packet);

/** Writes the call.
 * @param buffer GST_TFRC_CALL_MAX_BYTES
 * @return bytes written */
gsize gst_tfrc_call_write (const GstTfrcCall *self, guint8 *buffer);

/** Returns when gst_tfrc_call_take_unanswered() will be TRUE. */
guint64 gst_tfrc_call_unanswered_ns (const GstTfrcCall *self);

/** Returns TRUE once: nobody has answered for GST_TFRC_CALL_UNANSWERED_NS. */
gboolean gst_tfrc_call_take_unanswered (GstTfrcCall *self, guint64 now_ns);

static inline GstTfrcCallState
gst_tfrc_call_get_state (const GstTfrcCall *self)
{
  return self->state;
}

/** Returns why the call was refused; "" otherwise. */
static inline const gchar *
gst_tfrc_call_get_reason (const GstTfrcCall *self)
{
  return self->reason;
}

G_END_DECLS
#endif
