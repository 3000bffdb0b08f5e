/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flow of strangers at a listening sender (flow.h): takes calls, and sends the answers
 * (gst/strangers/callers.h). Whom to serve, the owner decides.
 *
 * Other packets of strangers may be those of a caller that has another address now, behind a NAT that
 * has forgotten the old one, or on another link. They go to the caller with their SSRC, whose flow
 * challenges the new address (sendpaths.h).
 *
 * No socket, no clock, no lock, no thread. */
#ifndef GST_TFRC_CALLFLOW_H
#define GST_TFRC_CALLFLOW_H

#include "../strangers/callers.h"
#include "flow.h"
#include "sendsession.h"

G_BEGIN_DECLS

typedef struct _GstTfrcCallFlow GstTfrcCallFlow;

/** What the owner does; with the port's lock, within on_datagrams() */
typedef struct
{
  /** A caller waits for a decision (GST_TFRC_CALLERS_NEW), was refused (GST_TFRC_CALLERS_FULL), or was accepted
   * earlier and calls again (GST_TFRC_CALLERS_AGAIN). */
  void (*called) (
      gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result, guint64 now_ns);

  /** The caller with this id is no more, because another program has its port. */
  void (*replaced) (gpointer owner, guint64 id);

  /** Takes a packet of an unknown address with the SSRC of a caller.
   * @return FALSE: no caller has this SSRC */
  gboolean (*take) (
      gpointer owner, guint32 ssrc, const GstTfrcReceivedPacket *packet, guint64 now_ns);
} GstTfrcCallFlowOwner;

/** @param methods static
 * @return to be freed with gst_tfrc_call_flow_free() */
GstTfrcCallFlow *gst_tfrc_call_flow_new (const guint8 secret[GST_TFRC_SECRET_BYTES],
    guint32 own_ssrc, guint max_callers, const GstTfrcCallFlowOwner *methods, gpointer owner);

/** NULL is allowed. */
void gst_tfrc_call_flow_free (GstTfrcCallFlow *self);

/** Return the flow for its port, and its callers. */
GstTfrcFlow *gst_tfrc_call_flow_get_base (GstTfrcCallFlow *self);
GstTfrcCallers *gst_tfrc_call_flow_get_callers (GstTfrcCallFlow *self);

/** Returns how many packets were nobody's. */
guint64 gst_tfrc_call_flow_get_foreign (const GstTfrcCallFlow *self);

/** Says in the configuration of a stream whom it serves: a caller's addresses, and the first sample of R. */
void gst_tfrc_call_flow_set_session (
    GstTfrcSendSessionConfig *session, const GstTfrcCaller *caller);

G_END_DECLS
#endif
