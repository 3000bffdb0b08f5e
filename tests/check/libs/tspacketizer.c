/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From bytes to payloads of seven transport stream packets, see gst/tfrcsink/tspacketizer.h */
#include "tspacketizertest.h"

/* ---- cuts -------------------------------------------------------------- */

GST_START_TEST (any_cuts_give_the_same_packets)
{
  GRand *rand = g_rand_new_with_seed (1);
  const guint longest[] = { 1, 3, 187, 188, 189, 500, 1316, 4096, 20000 };

  for (guint round = 0; round < 200; round++) {
    guint packets = g_rand_int_range (rand, 1, 200);
    guint cut = longest[round % G_N_ELEMENTS (longest)];
    GByteArray *stream = packets_new (packets);
    gboolean refused = FALSE;
    guint at = 0;

    while (at < stream->len) {
      guint size = g_rand_int_range (rand, 0, cut + 1);

      size = MIN (size, stream->len - at);

      refused |= push_at (stream->data + at, size, 0) != GST_TFRC_TS_OK;
      at += size;
    }
    finish ();
    fail_if (refused);
    assert_output (stream);
    assert_payloads (packets);
    fail_unless_equals_uint64 (packetizer.packets, packets);
    fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
    fail_unless_equals_uint64 (packetizer.damages, 0);
    g_byte_array_unref (stream);
    teardown ();
    setup ();
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (a_payload_leaves_with_its_last_byte)
{
  GByteArray *stream = packets_new (4 * GST_TFRC_TS_PACKETS);

  /* Sync is found: the packetizer need not look ahead any more. */
  fail_unless_equals_int (push_at (stream->data, PAYLOAD, 10), GST_TFRC_TS_OK);
  fail_unless_equals_int (sizes->len, 1);
  push_at (stream->data + PAYLOAD, PAYLOAD - 1, 20);
  fail_unless_equals_int (sizes->len, 1);
  push_at (stream->data + 2 * PAYLOAD - 1, 1, 30);
  fail_unless_equals_int (sizes->len, 2);
  push_at (stream->data + 2 * PAYLOAD, 2 * PAYLOAD, 40);
  fail_unless_equals_int (sizes->len, 4);
  fail_unless_equals_uint64 (g_array_index (dues, guint64, 0), 10);
  fail_unless_equals_uint64 (g_array_index (dues, guint64, 1), 30);
  fail_unless_equals_uint64 (g_array_index (dues, guint64, 2), 40);
  fail_unless_equals_uint64 (g_array_index (dues, guint64, 3), 40);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* ---- streams that are too short for a payload, or for sync -------------- */

GST_START_TEST (short_streams_come_out_at_the_end)
{
  for (guint packets = 1; packets <= 2 * GST_TFRC_TS_PACKETS + 1; packets++) {
    GByteArray *stream = packets_new (packets);

    fail_unless_equals_int (push_at (stream->data, stream->len, 7), GST_TFRC_TS_OK);
    finish ();
    assert_output (stream);
    assert_payloads (packets);
    fail_unless_equals_uint64 (packetizer.packets, packets);
    /* the due time of packets that had to wait for sync, too */
    fail_unless_equals_uint64 (g_array_index (dues, guint64, sizes->len - 1), 7);
    g_byte_array_unref (stream);
    teardown ();
    setup ();
  }
}

GST_END_TEST;

GST_START_TEST (an_empty_stream_gives_nothing)
{
  fail_unless_equals_int (push_at ((const guint8 *) "", 0, 0), GST_TFRC_TS_OK);
  finish ();
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
}

GST_END_TEST;

GST_START_TEST (a_part_of_a_packet_at_the_end_is_garbage)
{
  GByteArray *stream = packets_new (9);

  push_at (stream->data, 8 * PACKET + 100, 0);
  finish ();
  g_byte_array_set_size (stream, 8 * PACKET);
  assert_output (stream);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 100);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (finishing_twice_gives_nothing_more)
{
  GByteArray *stream = packets_new (8);

  push (stream);
  finish ();
  finish ();
  assert_output (stream);
  fail_unless_equals_int (sizes->len, 2);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (another_stream_may_follow_the_end)
{
  GByteArray *stream = packets_new (8), *both = packets_new (8);

  push (stream);
  finish ();
  push (stream);
  finish ();
  append_packets (both, 0, 8, PACKET);
  assert_output (both);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  g_byte_array_unref (stream);
  g_byte_array_unref (both);
}

GST_END_TEST;

/* ---- stopping and resetting --------------------------------------------- */

GST_START_TEST (the_receiver_of_payloads_can_stop_the_packetizer)
{
  GByteArray *stream = packets_new (10 * GST_TFRC_TS_PACKETS);

  payloads_wanted = 2;
  fail_unless_equals_int (push (stream), GST_TFRC_TS_OK);
  fail_unless_equals_int (sizes->len, 2);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (after_a_reset_no_old_payload_comes_out)
{
  GByteArray *stream = packets_new (20);

  push_at (stream->data, 10 * PACKET + 100, 0);
  fail_unless_equals_int (sizes->len, 1);
  gst_tfrc_ts_packetizer_reset (&packetizer);
  g_byte_array_set_size (output, 0);
  push (stream);
  finish ();
  assert_output (stream);
  /* the counts do not change */
  fail_unless_equals_uint64 (packetizer.packets, 10 + 20);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  fail_unless_equals_uint64 (packetizer.damages, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* A byte that looks like sync behind a seek is no packet. */
GST_START_TEST (after_a_reset_sync_is_found_anew)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  push (wanted);
  gst_tfrc_ts_packetizer_reset (&packetizer);
  g_byte_array_set_size (output, 0);
  append_garbage (stream, 1, SYNC);
  append_garbage (stream, 10, 0);
  g_byte_array_append (stream, wanted->data, wanted->len);
  push (stream);
  finish ();
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 11);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

GST_START_TEST (garbage_before_a_reset_does_not_count_for_the_limit)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  append_garbage (stream, GST_TFRC_TS_MAX_GARBAGE_BYTES, 0);
  fail_unless_equals_int (push (stream), GST_TFRC_TS_OK);
  gst_tfrc_ts_packetizer_reset (&packetizer);
  g_byte_array_append (stream, wanted->data, wanted->len);
  fail_unless_equals_int (push (stream), GST_TFRC_TS_OK);
  finish ();
  assert_output (wanted);
  fail_unless_equals_uint64 (packetizer.damages, 1);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

/* As at the end of a stream whose receiver has gone: what waited for sync is not handed out. */
GST_START_TEST (the_receiver_of_payloads_can_stop_the_end)
{
  GByteArray *stream = packets_new (2 * GST_TFRC_TS_PACKETS - 1);

  push (stream);
  g_byte_array_set_size (stream, 0);
  append_garbage (stream, 1, 0);
  append_packets (stream, 0, 2, PACKET);
  push (stream);
  payloads_wanted = 2;
  finish ();
  fail_unless_equals_int (sizes->len, 2);
  fail_unless_equals_uint64 (packetizer.packets, 2 * GST_TFRC_TS_PACKETS);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* ---- null packets, and what packets are worth ---------------------------- */

/* Returns packets of which every third is a null packet. */
static GByteArray *
packets_with_nulls_new (guint n)
{
  GByteArray *stream = packets_new (n);

  for (guint i = 2; i < n; i += 3) {
    stream->data[i * PACKET + 1] = 0x1f;
    stream->data[i * PACKET + 2] = 0xff;
  }
  return stream;
}

GST_START_TEST (null_packets_are_kept_unless_they_are_unwanted)
{
  GByteArray *stream = packets_with_nulls_new (30);

  push (stream);
  finish ();
  assert_output (stream);
  fail_unless_equals_uint64 (packetizer.nulls_dropped, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (without_null_packets_payloads_are_full_all_the_same)
{
  GByteArray *stream = packets_with_nulls_new (30);

  gst_tfrc_ts_packetizer_set_drop_nulls (&packetizer, TRUE);
  push (stream);
  finish ();
  for (guint i = 29; i < 30; i -= 3)
    g_byte_array_remove_range (stream, i * PACKET, PACKET);
  assert_output (stream);
  assert_payloads (20);
  fail_unless_equals_uint64 (packetizer.packets, 30);
  fail_unless_equals_uint64 (packetizer.nulls_dropped, 10);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (a_stream_of_null_packets_may_give_nothing)
{
  GByteArray *stream = packets_new (20);

  for (guint i = 0; i < 20; i++)
    stream->data[i * PACKET + 1] = stream->data[i * PACKET + 2] = 0xff;
  gst_tfrc_ts_packetizer_set_drop_nulls (&packetizer, TRUE);
  push (stream);
  finish ();
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.nulls_dropped, 20);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* A null packet, and a PAT without sections */
static const guint8 null_packet[] = { SYNC, 0x1f, 0xff, 0x10 };
static const guint8 table[] = { SYNC, 0x40, 0, 0x10, 0, 0xff };

GST_START_TEST (each_packet_is_told_what_it_is_worth)
{
  GByteArray *stream = packets_new (14);

  for (guint i = 0; i < 14; i++)
    memcpy (stream->data + i * PACKET, null_packet, sizeof null_packet);
  memcpy (stream->data + 3 * PACKET, table, sizeof table);
  push (stream);
  fail_unless_equals_int (classes->len, 2);
  fail_unless_equals_int (classes->data[0], GST_TFRC_CLASS_TABLES);
  fail_unless_equals_int (classes->data[1], GST_TFRC_CLASS_NULL);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (what_a_reset_drops_makes_no_other_packet_dear)
{
  GByteArray *stream = packets_new (8);

  for (guint i = 0; i < 8; i++)
    memcpy (stream->data + i * PACKET, null_packet, sizeof null_packet);
  memcpy (stream->data + 7 * PACKET, table, sizeof table);
  push (stream);
  gst_tfrc_ts_packetizer_reset (&packetizer);
  push_at (stream->data, PAYLOAD, 0);
  fail_unless_equals_int (classes->len, 2);
  fail_unless_equals_int (classes->data[1], GST_TFRC_CLASS_NULL);
  g_byte_array_unref (stream);
}

GST_END_TEST;

static Suite *
tspacketizer_suite (void)
{
  Suite *s = suite_create ("tspacketizer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, any_cuts_give_the_same_packets);
  tcase_add_test (tc, a_payload_leaves_with_its_last_byte);
  tcase_add_test (tc, short_streams_come_out_at_the_end);
  tcase_add_test (tc, an_empty_stream_gives_nothing);
  tcase_add_test (tc, a_part_of_a_packet_at_the_end_is_garbage);
  tcase_add_test (tc, finishing_twice_gives_nothing_more);
  tcase_add_test (tc, another_stream_may_follow_the_end);
  tcase_add_test (tc, the_receiver_of_payloads_can_stop_the_packetizer);
  tcase_add_test (tc, after_a_reset_no_old_payload_comes_out);
  tcase_add_test (tc, after_a_reset_sync_is_found_anew);
  tcase_add_test (tc, garbage_before_a_reset_does_not_count_for_the_limit);
  tcase_add_test (tc, the_receiver_of_payloads_can_stop_the_end);
  tcase_add_test (tc, null_packets_are_kept_unless_they_are_unwanted);
  tcase_add_test (tc, without_null_packets_payloads_are_full_all_the_same);
  tcase_add_test (tc, a_stream_of_null_packets_may_give_nothing);
  tcase_add_test (tc, each_packet_is_told_what_it_is_worth);
  tcase_add_test (tc, what_a_reset_drops_makes_no_other_packet_dear);
  return s;
}

GST_CHECK_MAIN (tspacketizer);
