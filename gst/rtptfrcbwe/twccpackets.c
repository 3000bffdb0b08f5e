/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event of rtpsession, see twccpackets.h. */
#include "twccpackets.h"

#include <tfrc/reports.h>

#define EVENT_NAME "RTPTWCCPackets"

gboolean
gst_tfrc_twcc_packets_is_event (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM
      && gst_event_has_name (event, EVENT_NAME);
}

/* Returns FALSE for an entry of a packet that was not sent, or that lacks a field. */
static gboolean
read_packet (const GstStructure *entry, GstTfrcTwccPacket *packet)
{
  guint seq, size;
  guint64 sent_ns, arrival_ns;
  gboolean lost;

  if (!gst_structure_get_uint (entry, "seqnum", &seq) || seq > G_MAXUINT16
      || !gst_structure_get_uint (entry, "size", &size) || size == 0 || size > G_MAXUINT16
      || !gst_structure_get_uint64 (entry, "local-ts", &sent_ns)
      || !GST_CLOCK_TIME_IS_VALID (sent_ns) || !gst_structure_get_boolean (entry, "lost", &lost))
    return FALSE;
  *packet =
      (GstTfrcTwccPacket){ .seq = (guint16) seq, .size_bytes = (guint16) size, .sent_ns = sent_ns };
  if (lost)
    return TRUE;
  if (!gst_structure_get_uint64 (entry, "remote-ts", &arrival_ns)
      || arrival_ns > TFRC_REPORTED_ARRIVAL_MOST_NS)
    return FALSE;
  packet->arrived = TRUE;
  packet->arrival_ns = arrival_ns;
  return TRUE;
}

static void
add_entry (GArray *packets, const GValue *value)
{
  GstTfrcTwccPacket packet;

  if (value && GST_VALUE_HOLDS_STRUCTURE (value) && packets->len < TFRC_ARRIVALS_PACKETS
      && read_packet (gst_value_get_structure (value), &packet))
    g_array_append_val (packets, packet);
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS
/* rtpsession has a GValueArray, which GLib has deprecated. */
static void
add_value_array (GArray *packets, const GValue *value)
{
  const GValueArray *array = g_value_get_boxed (value);

  for (guint i = 0; array && i < array->n_values; i++)
    add_entry (packets, &array->values[i]);
}

GArray *
gst_tfrc_twcc_packets_read (GstEvent *event)
{
  GArray *packets = g_array_new (FALSE, FALSE, sizeof (GstTfrcTwccPacket));
  const GValue *value = gst_structure_get_value (gst_event_get_structure (event), "packets");

  if (value && G_VALUE_HOLDS (value, g_value_array_get_type ()))
    add_value_array (packets, value);
  return packets;
}
G_GNUC_END_IGNORE_DEPRECATIONS
