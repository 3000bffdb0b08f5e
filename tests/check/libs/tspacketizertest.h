/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packetizer, and the payloads that it has handed out */
#ifndef TSPACKETIZERTEST_H
#define TSPACKETIZERTEST_H

#include <gst/check/gstcheck.h>
#include <string.h>
#include "gst/tfrcsink/tspacketizer.h"

#define PACKET GST_TFRC_TS_PACKET_BYTES
#define PAYLOAD GST_TFRC_TS_PAYLOAD_BYTES
#define SYNC 0x47
#define EVERYTHING G_MAXUINT

static GstTfrcTsPacketizer packetizer;
static GstTfrcPacketPool *pool;
static GByteArray *output;
static GArray *sizes;         /* sizes of payloads, gsize */
static GByteArray *classes;   /* of payloads */
static GArray *dues;          /* due times of payloads, guint64 */
static guint payloads_wanted; /* after this number the packetizer is stopped */

static inline void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_ts_packetizer_init (&packetizer, pool);
  output = g_byte_array_new ();
  sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
  classes = g_byte_array_new ();
  dues = g_array_new (FALSE, FALSE, sizeof (guint64));
  payloads_wanted = EVERYTHING;
}

static inline void
teardown (void)
{
  gst_tfrc_ts_packetizer_clear (&packetizer);
  gst_tfrc_packet_pool_free (pool);
  g_byte_array_unref (output);
  g_array_unref (sizes);
  g_byte_array_unref (classes);
  g_array_unref (dues);
}

static inline gboolean
take_packet (GstTfrcPacket *packet, guint64 due_ns, gpointer user)
{
  gsize size = gst_tfrc_packet_get_payload_bytes (packet);

  fail_unless (size > 0 && size <= PAYLOAD && size % PACKET == 0);
  g_byte_array_append (output, gst_tfrc_packet_payload (packet), (guint) size);
  g_byte_array_append (classes, &gst_tfrc_packet_get_importance (packet)->class, 1);
  gst_tfrc_packet_unref (packet);
  g_array_append_val (sizes, size);
  g_array_append_val (dues, due_ns);
  return sizes->len < payloads_wanted;
}

static inline GstTfrcTsResult
push_at (const guint8 *data, gsize size, guint64 due_ns)
{
  return gst_tfrc_ts_packetizer_push (&packetizer, data, size, due_ns, take_packet, &packetizer);
}

static inline GstTfrcTsResult
push (const GByteArray *bytes)
{
  return push_at (bytes->data, bytes->len, 0);
}

static inline void
finish (void)
{
  gst_tfrc_ts_packetizer_finish (&packetizer, take_packet, &packetizer);
}

/* Each byte of a packet except the first has a number, and none is a sync byte. */
static inline void
append_packets (GByteArray *stream, guint first, guint n, guint stride)
{
  for (guint i = first; i < first + n; i++) {
    guint8 packet[204];

    for (guint j = 0; j < stride; j++) {
      packet[j] = (guint8) (i * 7 + j);
      if (packet[j] == SYNC)
        packet[j] = 0;
    }
    packet[0] = SYNC;
    g_byte_array_append (stream, packet, stride);
  }
}

static inline void
append_garbage (GByteArray *stream, guint n, guint8 value)
{
  while (n-- > 0)
    g_byte_array_append (stream, &value, 1);
}

static inline GByteArray *
packets_new (guint n)
{
  GByteArray *stream = g_byte_array_new ();

  append_packets (stream, 0, n, PACKET);
  return stream;
}

static inline void
assert_output (const GByteArray *expected)
{
  fail_unless_equals_int (output->len, expected->len);
  fail_unless (memcmp (output->data, expected->data, expected->len) == 0);
}

/* All packets came out in full payloads. Only the last payload may be shorter. */
static inline void
assert_payloads (guint packets)
{
  fail_unless_equals_int (sizes->len, (packets + GST_TFRC_TS_PACKETS - 1) / GST_TFRC_TS_PACKETS);
  for (guint i = 0; i + 1 < sizes->len; i++)
    fail_unless_equals_int (g_array_index (sizes, gsize, i), PAYLOAD);
}

#endif
