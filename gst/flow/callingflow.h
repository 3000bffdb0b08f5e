/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of a sender that calls a receiver (flow.h): the call leaves until the receiver has answered, with the timing
 * of probes (gst/strangers/probes.h), and again when nothing is heard of the receiver that has accepted, which may have
 * forgotten the call. The stream itself is another flow.
 *
 * This flow is the one of strangers, so that answers come here. What else comes is passed on to the stream.
 *
 * No socket, no clock, no lock, no thread. */
#ifndef GST_TFRC_CALLINGFLOW_H
#define GST_TFRC_CALLINGFLOW_H

#include "../common/events.h"
#include "../strangers/call.h"
#include "flow.h"

G_BEGIN_DECLS

/** Nothing has been heard of the receiver for so long since it accepted, or since the last look: it is called again.
 * As long as it takes a sender to consider a receiver lost. */
#define GST_TFRC_CALLING_AGAIN_NS (10 * G_GUINT64_CONSTANT (1000000000))

typedef struct _GstTfrcCallingFlow GstTfrcCallingFlow;

/** What the owner does; with the port's lock, within a call of the flow */
typedef struct
{
  /** The receiver has accepted, for the first time or again. */
  void (*accepted) (gpointer owner);

  /** Returns whether the stream has a receiver that answers. */
  gboolean (*is_heard) (gpointer owner);

  /** Packets have come that are no answers. */
  void (*pass_on) (gpointer owner, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns);
} GstTfrcCallingFlowOwner;

/** Begins to call.
 * @param peer that is called
 * @param ssrc of the sender
 * @param number random
 * @param stream_id valid
 * @param events gets GST_TFRC_EVENT_CALL_REFUSED and GST_TFRC_EVENT_CALL_UNANSWERED; the owner's
 * @param methods static
 * @return to be freed with gst_tfrc_calling_flow_free() */
GstTfrcCallingFlow *gst_tfrc_calling_flow_new (const GstTfrcAddress *peer, guint32 ssrc,
    guint32 number, const gchar *stream_id, GstTfrcEvents *events,
    const GstTfrcCallingFlowOwner *methods, gpointer owner, guint64 now_ns);

/** NULL is allowed. */
void gst_tfrc_calling_flow_free (GstTfrcCallingFlow *self);

/** Return the flow for its port, and the call. */
GstTfrcFlow *gst_tfrc_calling_flow_get_base (GstTfrcCallingFlow *self);
const GstTfrcCall *gst_tfrc_calling_flow_get_call (const GstTfrcCallingFlow *self);

G_END_DECLS
#endif
