/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Damaged streams, and data that is no transport stream, see gst/tfrcsink/tspacketizer.h */
#include "tspacketizertest.h"

/* ---- damage ------------------------------------------------------------- */

/* There is garbage before, between and behind packets. It is random bytes that do not make packets
 * line up. The cuts are random. */
GST_START_TEST (garbage_is_skipped_and_counted)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (guint round = 0; round < 200; round++) {
    GByteArray *stream = g_byte_array_new ();
    GByteArray *wanted = g_byte_array_new ();
    guint64 garbage = 0, runs = 0;
    guint packets = 0, at = 0;

    for (guint part = 0; part < 5; part++) {
      guint skip = g_rand_int_range (rand, part > 0, 1000);
      guint n = g_rand_int_range (rand, 3, 40);

      append_garbage (stream, skip, (guint8) (part ? 0x48 : 0xff));
      append_packets (stream, packets, n, PACKET);
      append_packets (wanted, packets, n, PACKET);
      garbage += skip;
      runs += skip > 0;
      packets += n;
    }
    append_garbage (stream, 100, 0);
    garbage += 100;

    while (at < stream->len) {
      guint size = g_rand_int_range (rand, 1, 3000);

      size = MIN (size, stream->len - at);

      fail_unless_equals_int (push_at (stream->data + at, size, 0), GST_TFRC_TS_OK);
      at += size;
    }
    finish ();
    assert_output (wanted);
    fail_unless_equals_uint64 (packetizer.packets, packets);
    fail_unless_equals_uint64 (packetizer.garbage_bytes, garbage);
    fail_unless_equals_uint64 (packetizer.damages, runs);
    g_byte_array_unref (stream);
    g_byte_array_unref (wanted);
    teardown ();
    setup ();
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (missing_bytes_damage_their_packet_and_lose_the_next)
{
  GByteArray *stream = packets_new (30), *wanted = g_byte_array_new ();

  /* The damaged packet is taken, as its first byte is right. The error shows at the next packet,
   * which is lost, too. */
  g_byte_array_remove_range (stream, 10 * PACKET + 50, 5);
  push (stream);
  finish ();
  append_packets (wanted, 0, 10, PACKET);
  g_byte_array_append (wanted, stream->data + 10 * PACKET, PACKET);
  append_packets (wanted, 12, 18, PACKET);
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, PACKET - 5);
  fail_unless_equals_uint64 (packetizer.damages, 1);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

GST_START_TEST (one_byte_too_many_is_a_damage_that_costs_no_packet)
{
  GByteArray *stream = packets_new (10), *wanted = packets_new (10);

  append_garbage (stream, 1, 0);
  append_packets (stream, 10, 10, PACKET);
  append_packets (wanted, 10, 10, PACKET);
  push (stream);
  finish ();
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 1);
  fail_unless_equals_uint64 (packetizer.damages, 1);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

GST_START_TEST (a_gap_costs_the_packet_that_it_cuts_and_is_no_damage)
{
  GByteArray *stream = packets_new (30), *wanted = packets_new (10);

  push_at (stream->data, 10 * PACKET + 100, 0);
  gst_tfrc_ts_packetizer_gap (&packetizer);
  push_at (stream->data + 12 * PACKET, 18 * PACKET, 0);
  finish ();
  append_packets (wanted, 12, 18, PACKET);
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 100);
  fail_unless_equals_uint64 (packetizer.damages, 0);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

/* As of a source that marks each of its buffers. Sync is found behind three packets. */
GST_START_TEST (a_gap_before_each_packet_keeps_no_sync_from_being_found)
{
  GByteArray *stream = packets_new (14);

  for (guint i = 0; i < 14; i++) {
    gst_tfrc_ts_packetizer_gap (&packetizer);
    push_at (stream->data + i * PACKET, PACKET, 0);
  }
  fail_unless_equals_int (sizes->len, 2);
  assert_output (stream);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (false_sync_bytes_do_not_mislead)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  /* there are pairs of sync bytes at the right distance, but never three */
  append_garbage (stream, 300, 0);
  stream->data[10] = stream->data[10 + PACKET] = SYNC;
  stream->data[70] = stream->data[90] = stream->data[91] = SYNC;
  g_byte_array_append (stream, wanted->data, wanted->len);
  push (stream);
  finish ();
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 300);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

GST_START_TEST (sync_bytes_inside_packets_do_not_mislead)
{
  GByteArray *stream = packets_new (50);

  /* the test starts in the middle of a stream; each packet has a sync byte at byte 40 */
  for (guint i = 0; i < 50; i++)
    stream->data[i * PACKET + 40] = SYNC;
  push (stream);
  finish ();
  assert_output (stream);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* ---- data that is not carried ------------------------------------------- */

GST_START_TEST (packets_of_another_size_are_reported)
{
  const guint strides[] = { 192, 204 };

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    for (guint lead = 0; lead < 10; lead++) {
      GByteArray *stream = g_byte_array_new ();

      /* packets of 192 bytes start with a time stamp of 4 bytes */
      append_garbage (stream, lead, 1);
      append_packets (stream, 0, 20, strides[i]);
      fail_unless_equals_int (push (stream), GST_TFRC_TS_OTHER_PACKET_SIZE);
      fail_unless_equals_int (sizes->len, 0);
      g_byte_array_unref (stream);
      teardown ();
      setup ();
    }
  }
}

GST_END_TEST;

GST_START_TEST (packets_of_another_size_are_reported_for_any_cuts)
{
  GByteArray *stream = g_byte_array_new ();
  GstTfrcTsResult result = GST_TFRC_TS_OK;

  append_packets (stream, 0, 20, 204);
  for (guint at = 0; at < stream->len && result == GST_TFRC_TS_OK; at++)
    result = push_at (stream->data + at, 1, 0);
  fail_unless_equals_int (result, GST_TFRC_TS_OTHER_PACKET_SIZE);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (text_is_no_transport_stream_even_if_it_starts_with_g)
{
  GByteArray *text = g_byte_array_new ();

  while (text->len < GST_TFRC_TS_MAX_GARBAGE_BYTES + 4096)
    g_byte_array_append (text, (const guint8 *) "Gstreamer, ", 11);
  fail_unless_equals_int (push (text), GST_TFRC_TS_NOT_TS);
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.packets, 0);
  g_byte_array_unref (text);
}

GST_END_TEST;

GST_START_TEST (a_short_text_gives_no_packets)
{
  const guint8 text[] = "Garbage, and not much of it";

  fail_unless_equals_int (push_at (text, sizeof text, 0), GST_TFRC_TS_OK);
  finish ();
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, sizeof text);
}

GST_END_TEST;

GST_START_TEST (the_limit_of_garbage_is_exact)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  append_garbage (stream, GST_TFRC_TS_MAX_GARBAGE_BYTES, 0);
  g_byte_array_append (stream, wanted->data, wanted->len);
  fail_unless_equals_int (push (stream), GST_TFRC_TS_OK);
  finish ();
  assert_output (wanted);

  teardown ();
  setup ();
  append_garbage (stream, GST_TFRC_TS_MAX_GARBAGE_BYTES + 1, 0);
  append_packets (stream, 0, 20, PACKET);
  fail_unless_equals_int (push (stream), GST_TFRC_TS_NOT_TS);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

static Suite *
tspacketizerdamage_suite (void)
{
  Suite *s = suite_create ("tspacketizerdamage");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, garbage_is_skipped_and_counted);
  tcase_add_test (tc, missing_bytes_damage_their_packet_and_lose_the_next);
  tcase_add_test (tc, one_byte_too_many_is_a_damage_that_costs_no_packet);
  tcase_add_test (tc, a_gap_costs_the_packet_that_it_cuts_and_is_no_damage);
  tcase_add_test (tc, a_gap_before_each_packet_keeps_no_sync_from_being_found);
  tcase_add_test (tc, false_sync_bytes_do_not_mislead);
  tcase_add_test (tc, sync_bytes_inside_packets_do_not_mislead);
  tcase_add_test (tc, packets_of_another_size_are_reported);
  tcase_add_test (tc, packets_of_another_size_are_reported_for_any_cuts);
  tcase_add_test (tc, text_is_no_transport_stream_even_if_it_starts_with_g);
  tcase_add_test (tc, a_short_text_gives_no_packets);
  tcase_add_test (tc, the_limit_of_garbage_is_exact);
  return s;
}

GST_CHECK_MAIN (tspacketizerdamage);
