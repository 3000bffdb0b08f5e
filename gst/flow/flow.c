/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of all flows, see flow.h. */
#include "flow.h"

#include <string.h>

void
gst_tfrc_flow_init (GstTfrcFlow *flow, const GstTfrcFlowClass *klass)
{
  memset (flow, 0, sizeof *flow);
  flow->klass = klass;
  gst_tfrc_deadline_node_init (&flow->node);
}

void
gst_tfrc_flow_hold (GstTfrcFlow *flow)
{
  flow->stay = GST_TFRC_FLOW_WAITS;
}

gboolean
gst_tfrc_flow_release (GstTfrcFlow *flow)
{
  gboolean was_held = flow->stay == GST_TFRC_FLOW_WAITS;

  if (was_held)
    flow->stay = GST_TFRC_FLOW_STAYS;
  return was_held;
}

void
gst_tfrc_flow_pass_on (
    GstTfrcFlow *flow, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  flow->klass->on_datagrams (flow, packets, n, now_ns);
}

GstTfrcNextTimer
gst_tfrc_flow_timers_next (gconstpointer owner, const GstTfrcFlowTimer *timers, guint n)
{
  GstTfrcNextTimer next = { G_MAXUINT64, NULL };

  for (guint i = 0; i < n; i++) {
    guint64 due_ns = timers[i].due_ns (owner);

    if (due_ns < next.due_ns)
      next = (GstTfrcNextTimer){ due_ns, timers[i].name };
  }
  return next;
}

GstTfrcNextTimer
gst_tfrc_next_timer_min (GstTfrcNextTimer a, GstTfrcNextTimer b)
{
  return b.due_ns < a.due_ns ? b : a;
}

/* ---- what a poll hands out ----------------------------------------------- */

/* The rooms are large: only what is added is set. */
void
gst_tfrc_polled_init (GstTfrcPolled *polled)
{
  polled->n = polled->n_control = 0;
}

static GstTfrcDatagram *
add (GstTfrcPolled *polled, guint8 *data, gsize size, const GstTfrcAddress *to)
{
  GstTfrcDatagram *datagram = &polled->datagrams[polled->n++];

  memset (datagram, 0, sizeof *datagram);
  datagram->data = data;
  datagram->size = size;
  datagram->to = *to;
  return datagram;
}

GstTfrcDatagram *
gst_tfrc_polled_add_data (GstTfrcPolled *polled, guint8 *data, gsize size, const GstTfrcAddress *to)
{
  guint n_data = polled->n - polled->n_control;
  GstTfrcDatagram *datagram;

  if (n_data >= GST_TFRC_POLL_DATA)
    return NULL;
  datagram = add (polled, data, size, to);
  datagram->room = &polled->data[n_data];
  return datagram;
}

guint8 *
gst_tfrc_polled_get_room (GstTfrcPolled *polled)
{
  return polled->n_control < GST_TFRC_POLL_CONTROL ? polled->control[polled->n_control].bytes
                                                   : NULL;
}

GstTfrcDatagram *
gst_tfrc_polled_add_control (GstTfrcPolled *polled, gsize size, const GstTfrcAddress *to)
{
  guint8 *room = gst_tfrc_polled_get_room (polled);

  GstTfrcDatagram *datagram = add (polled, room, size, to);

  polled->n_control++;
  datagram->is_control = TRUE;
  return datagram;
}

/* The payload is shared, so it is protected in a copy. */
static void
join_pieces (GstTfrcDatagram *datagram)
{
  guint8 *bytes = datagram->room->bytes;

  memcpy (bytes, datagram->data, datagram->size);
  memcpy (bytes + datagram->size, datagram->payload, datagram->payload_bytes);
  datagram->data = bytes;
  datagram->size += datagram->payload_bytes;
  datagram->payload_bytes = 0;
}

gboolean
gst_tfrc_datagram_seal (GstTfrcDatagram *datagram)
{
  if (datagram->seal == NULL)
    return datagram->size > 0;
  if (datagram->payload_bytes > 0)
    join_pieces (datagram);
  datagram->size = datagram->seal (datagram->seal_user, datagram->data, datagram->size);
  return datagram->size > 0;
}
