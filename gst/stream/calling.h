/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that calls its receiver and tells a stream id (gst/flow/callingflow.h): nothing of the stream leaves until
 * the receiver has accepted.
 *
 * No clock. All functions with the port's lock. */
#ifndef GST_TFRC_CALLING_H
#define GST_TFRC_CALLING_H

#include "../flow/sendflow.h"
#include "../port/port.h"

G_BEGIN_DECLS

typedef struct _GstTfrcCalling GstTfrcCalling;

/** Begins to call. The port has the flow, and does not serve it until the receiver accepts.
 * @param tenant whose flows these are
 * @param flow of the stream, the caller's
 * @param stream_id valid; copied
 * @return to be freed with gst_tfrc_calling_free(); NULL: the system has no random numbers */
GstTfrcCalling *gst_tfrc_calling_new (GstTfrcPort *port, GstTfrcTenant *tenant,
    GstTfrcSendFlow *flow, const gchar *stream_id, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** After the port has stopped. NULL is allowed. */
void gst_tfrc_calling_free (GstTfrcCalling *self);

/** Returns why the receiver has refused the stream; NULL: it has not. Valid as long as @a self, which may be NULL. */
const gchar *gst_tfrc_calling_get_refusal (const GstTfrcCalling *self);

G_END_DECLS
#endif
