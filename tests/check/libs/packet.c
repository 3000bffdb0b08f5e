/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and their pool, see gst/queue/packet.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "allocations.h"
#include "gst/queue/outbox.h"
#include "gst/tfrcsink/tspacketizer.h"

#define STEADY 200 /* packets that wait in the queue */

/* Calls of GLib's allocators from the code under test come here, too. */
gpointer __real_g_malloc (gsize size);
gpointer __real_g_malloc_n (gsize n, gsize size);
gpointer __real_g_slice_alloc (gsize size);
#pragma GCC visibility push(default) /* as in allocations.h */
gpointer __wrap_g_malloc (gsize size);
gpointer __wrap_g_malloc_n (gsize n, gsize size);
gpointer __wrap_g_slice_alloc (gsize size);
#pragma GCC visibility pop

gpointer
__wrap_g_malloc (gsize size)
{
  allocations++;
  return __real_g_malloc (size);
}

gpointer
__wrap_g_malloc_n (gsize n, gsize size)
{
  allocations++;
  return __real_g_malloc_n (n, size);
}

gpointer
__wrap_g_slice_alloc (gsize size)
{
  allocations++;
  return __real_g_slice_alloc (size);
}

static GstTfrcPacketPool *pool;

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
}

static void
teardown (void)
{
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcPacketPoolStats
stats (void)
{
  GstTfrcPacketPoolStats result;

  gst_tfrc_packet_pool_get_stats (pool, &result);
  return result;
}

GST_START_TEST (a_packet_has_room_for_a_payload)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  memset (gst_tfrc_packet_payload (packet), 0xff, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);
  gst_tfrc_packet_unref (packet);
}

GST_END_TEST;

GST_START_TEST (a_packet_comes_back_with_its_last_reference)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  gst_tfrc_packet_set_payload_bytes (packet, 188);
  fail_unless (gst_tfrc_packet_ref (packet) == packet);
  gst_tfrc_packet_unref (packet);
  fail_unless_equals_int (stats ().in_use, 1);
  gst_tfrc_packet_unref (packet);
  fail_unless_equals_int (stats ().in_use, 0);
  fail_unless_equals_int (stats ().free, 1);

  fail_unless (gst_tfrc_packet_pool_take (pool) == packet);
  fail_unless_equals_int (gst_tfrc_packet_get_payload_bytes (packet), 0);
  fail_unless_equals_uint64 (stats ().allocated, 1);
  gst_tfrc_packet_unref (packet);
  gst_tfrc_packet_unref (NULL);
}

GST_END_TEST;

GST_START_TEST (a_packet_from_the_pool_is_of_unknown_importance)
{
  const GstTfrcImportance importance = { GST_TFRC_CLASS_AUDIO, 7, 3 };
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  gst_tfrc_packet_set_importance (packet, &importance);
  fail_unless_equals_int (gst_tfrc_packet_get_importance (packet)->class, GST_TFRC_CLASS_AUDIO);
  gst_tfrc_packet_unref (packet);
  fail_unless (gst_tfrc_packet_pool_take (pool) == packet);
  fail_unless_equals_int (gst_tfrc_packet_get_importance (packet)->class, GST_TFRC_CLASS_UNKNOWN);
  fail_unless_equals_int (gst_tfrc_packet_get_importance (packet)->picture, 0);
  fail_unless_equals_int (gst_tfrc_packet_get_importance (packet)->group, 0);
  gst_tfrc_packet_unref (packet);
}

GST_END_TEST;

GST_START_TEST (packets_outlive_their_pool)
{
  GstTfrcPacketPool *other = gst_tfrc_packet_pool_new ();
  GstTfrcPacket *first = gst_tfrc_packet_pool_take (other);
  GstTfrcPacket *second = gst_tfrc_packet_pool_take (other);

  gst_tfrc_packet_pool_free (other);
  gst_tfrc_packet_payload (first)[0] = 1;
  gst_tfrc_packet_unref (first);
  gst_tfrc_packet_payload (second)[0] = 2;
  gst_tfrc_packet_unref (second);
}

GST_END_TEST;

/* Takes @n packets at once and gives them back. */
static void
use_at_once (guint n)
{
  GstTfrcPacket **packets = g_new (GstTfrcPacket *, n);

  for (guint i = 0; i < n; i++)
    packets[i] = gst_tfrc_packet_pool_take (pool);
  for (guint i = 0; i < n; i++)
    gst_tfrc_packet_unref (packets[i]);
  g_free (packets);
}

GST_START_TEST (the_pool_keeps_as_many_packets_as_were_in_use_of_late)
{
  use_at_once (300);
  fail_unless_equals_int (stats ().free, 300);
  /* two intervals in which 10 packets are in use at once */
  for (guint i = 0; i < 3 * GST_TFRC_PACKET_POOL_TRIM_INTERVAL / 10; i++)
    use_at_once (10);
  fail_unless_equals_int (stats ().free, 10);
  fail_unless_equals_uint64 (stats ().allocated, 300);

  gst_tfrc_packet_pool_trim (pool);
  fail_unless_equals_int (stats ().free, 0);
}

GST_END_TEST;

GST_START_TEST (the_pool_is_bounded)
{
  use_at_once (2 * GST_TFRC_PACKET_POOL_MAX_FREE);
  fail_unless (stats ().free <= GST_TFRC_PACKET_POOL_MAX_FREE);
  fail_unless_equals_int (stats ().in_use, 0);
}

GST_END_TEST;

static gboolean
queue_packet (GstTfrcPacket *packet, guint64 due_ns, gpointer user)
{
  gst_tfrc_outbox_push (user, packet, GST_TFRC_RTP_MEDIA, due_ns, due_ns);
  return TRUE;
}

/* Covers the way from the pipeline's bytes to the packet that leaves. */
GST_START_TEST (a_steady_stream_allocates_nothing)
{
  static guint8 bytes[GST_TFRC_TS_PAYLOAD_BYTES];
  GstTfrcTsPacketizer packetizer;
  GstTfrcOutbox outbox;
  unsigned before = 0;

  for (guint i = 0; i < sizeof bytes; i += GST_TFRC_TS_PACKET_BYTES)
    bytes[i] = 0x47;
  gst_tfrc_outbox_init (&outbox, 0);
  gst_tfrc_ts_packetizer_init (&packetizer, pool);
  for (guint i = 0; i < 10000; i++) {
    if (i == 2 * STEADY)
      before = allocations;
    gst_tfrc_ts_packetizer_push (&packetizer, bytes, sizeof bytes, i, queue_packet, &outbox);
    if (i >= STEADY)
      gst_tfrc_outbox_on_left (&outbox, gst_tfrc_outbox_take (&outbox), i);
  }
  fail_unless_equals_int (allocations, before);
  fail_unless (before >= 2 * STEADY);
  fail_unless_equals_uint64 (stats ().allocated, STEADY + 1);
  gst_tfrc_outbox_clear (&outbox);
  gst_tfrc_ts_packetizer_clear (&packetizer);
}

GST_END_TEST;

static Suite *
packet_suite (void)
{
  Suite *s = suite_create ("packet");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_packet_has_room_for_a_payload);
  tcase_add_test (tc, a_packet_comes_back_with_its_last_reference);
  tcase_add_test (tc, a_packet_from_the_pool_is_of_unknown_importance);
  tcase_add_test (tc, packets_outlive_their_pool);
  tcase_add_test (tc, the_pool_keeps_as_many_packets_as_were_in_use_of_late);
  tcase_add_test (tc, the_pool_is_bounded);
  tcase_add_test (tc, a_steady_stream_allocates_nothing);
  return s;
}

GST_CHECK_MAIN (packet);
