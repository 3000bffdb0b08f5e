/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A port from inside: port.c has the turns of the loop, portlife.c how a port begins and ends. */
#ifndef GST_TFRC_PORT_PRIVATE_H
#define GST_TFRC_PORT_PRIVATE_H

#include "../io/demux.h"
#include "port.h"

G_BEGIN_DECLS

struct _GstTfrcPort
{
  gint refs;                         /* atomic */
  GstTfrcSocketConfig socket_config; /* of further sockets, without address */
  GstTfrcEndpoint *rtcp;             /* NULL: RTCP leaves from the socket of the data */
  GstTfrcTurnstile *turnstile;       /* of the loop; NULL: not started */
  gboolean is_given_up;              /* in a child of fork(2): the descriptors are closed */

  GstTfrcPortMutex lock;
  GCond turned; /* a turn of the loop is over: for those who leave */
  /* who wait for that: GLib's broadcast is a system call, even if nobody waits */
  guint n_leaving GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcPortSockets sockets GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GPtrArray *flows GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcFlow *strangers GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  /* the flow of an address and SSRC */
  GstTfrcDemux demux GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  guint64 foreign GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex); /* datagrams of no flow */
  GstTfrcDeadlineQueue deadlines GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcFlow *served GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
  GstTfrcTenants tenants GST_TFRC_GUARDED_BY (gst_tfrc_port_mutex);
};

/** What the loop calls for the sockets of a port. */
extern const GstTfrcEndpointCallbacks gst_tfrc_port_callbacks, gst_tfrc_port_rtcp_callbacks;

/** Sends all that a flow lets leave now. The one function that releases the lock in its middle. */
void gst_tfrc_port_pump (GstTfrcPort *port, GstTfrcFlow *flow, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Has the loop serve the flows of a tenant a last time. */
void gst_tfrc_port_ask_to_leave (GstTfrcPort *port, const GstTfrcTenant *tenant)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Returns whether that has been done, and the tenant is not being told of anything. */
gboolean gst_tfrc_port_has_left (GstTfrcPort *port, const GstTfrcTenant *tenant)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Removes the flows of a tenant. */
void gst_tfrc_port_remove_flows_of (GstTfrcPort *port, const GstTfrcTenant *tenant)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

G_END_DECLS
#endif
