/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receivers of a sender's stream: one, or, at a listening sender, as many as have been accepted. Each
 * has a flow of its own (gst/flow/sendflow.h), with its own rate, deadline, repairs and keys; a packet of
 * the movie is one piece of memory for all.
 *
 * What the stream is told once (timeline, pause, limits, ...) a flow that comes later is told, too.
 *
 * No clock; all functions with the port's lock. */
#ifndef GST_TFRC_AUDIENCE_H
#define GST_TFRC_AUDIENCE_H

#include "../flow/sendflow.h"
#include "../port/port.h"
#include "../queue/joincache.h"

G_BEGIN_DECLS

/** For audience.c alone */
typedef struct
{
  GstTfrcPort *port;
  GstTfrcTenant *tenant;
  GPtrArray *flows; /* of GstTfrcSendFlow */
  gboolean is_open; /* flows come and go: what they join is kept for them */
  GstTfrcJoinCache joining;

  /* what has been told */
  gint64 timeline_ns;
  gboolean has_timeline, is_paused, is_live, is_untimed;
  GstTfrcSinkLimits limits;
} GstTfrcAudience;

/** Begins without flows, which will be those of this tenant of the port.
 * @param is_open flows may come at any time, and none holds up the others: packets are dropped for a flow
 *   that has no room, and nothing runs ahead */
void gst_tfrc_audience_init (GstTfrcAudience *self, GstTfrcPort *port, GstTfrcTenant *tenant,
    const GstTfrcSinkLimits *limits, gboolean is_open);

/** Frees the flows, which the port has no more. */
void gst_tfrc_audience_clear (GstTfrcAudience *self);

/** Returns the limits that a flow of this audience begins with. */
GstTfrcSinkLimits gst_tfrc_audience_get_limits (const GstTfrcAudience *self);

/** Takes over a flow and adds it to the port. In an open audience the flow gets the packets since the last
 * random access point. */
void gst_tfrc_audience_add (GstTfrcAudience *self, GstTfrcSendFlow *flow, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Removes a flow from the port and frees it. On the loop's thread, but not within a call of the flow; or
 * while the port is stopped. */
void gst_tfrc_audience_remove (GstTfrcAudience *self, GstTfrcSendFlow *flow)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Calls @a func for each flow. No flow may be added or removed meanwhile. */
void gst_tfrc_audience_foreach (
    GstTfrcAudience *self, void (*func) (GstTfrcSendFlow *flow, gpointer user), gpointer user);

/** Gives a packet to each flow of an open audience; takes over the reference. */
void gst_tfrc_audience_push (GstTfrcAudience *self, GstTfrcPacket *packet, guint64 due_ns,
    guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** As the functions of the outbox with these names, for each flow. */
void gst_tfrc_audience_set_timeline (GstTfrcAudience *self, gint64 timeline_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);
void gst_tfrc_audience_set_paused (GstTfrcAudience *self, gboolean paused)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);
void gst_tfrc_audience_set_live (GstTfrcAudience *self, gboolean live, guint64 now_ns)
    GST_TFRC_REQUIRES (gst_tfrc_port_mutex);
void gst_tfrc_audience_set_timed (GstTfrcAudience *self, gboolean timed);

/** As gst_tfrc_send_flow_set_limits(). */
void gst_tfrc_audience_set_limits (GstTfrcAudience *self, const GstTfrcSinkLimits *limits,
    guint64 now_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Drops all packets that wait, and what is kept for those who join.
 * @param count they count as dropped
 * @return how many */
guint gst_tfrc_audience_flush (GstTfrcAudience *self, gboolean count);

/** Has each flow say BYE. */
void gst_tfrc_audience_say_bye (GstTfrcAudience *self) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** The port looks at the deadlines of all flows anew. */
void gst_tfrc_audience_reschedule (GstTfrcAudience *self) GST_TFRC_REQUIRES (gst_tfrc_port_mutex);

/** Returns the latest of gst_tfrc_send_flow_drains_until_ns() of the flows that have a receiver; 0 without
 * any. */
guint64 gst_tfrc_audience_drains_until_ns (const GstTfrcAudience *self);

/** Has every receiver that is there answered the BYE? */
gboolean gst_tfrc_audience_is_bye_answered (const GstTfrcAudience *self);

/** Is another BYE of no use to any flow, as its receiver has answered, or is not there? */
gboolean gst_tfrc_audience_is_goodbye_over (const GstTfrcAudience *self);

/** Is no receiver there? */
gboolean gst_tfrc_audience_is_absent (const GstTfrcAudience *self);

/** Returns the largest R of the flows; 0: unknown. */
guint64 gst_tfrc_audience_get_rtt_ns (const GstTfrcAudience *self);

G_END_DECLS
#endif
