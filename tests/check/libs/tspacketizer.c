/* From bytes to payloads of seven transport stream packets, see
 * gst/tfrcsink/tfrctspacketizer.h. */
#include <gst/check/gstcheck.h>
#include <string.h>
#include <tfrcsink/tfrctspacketizer.h>

#define PACKET TFRC_TS_PACKET_BYTES
#define PAYLOAD TFRC_TS_PAYLOAD_BYTES
#define SYNC 0x47
#define EVERYTHING G_MAXUINT

static TfrcTsPacketizer packetizer;
static GByteArray *output;
static GArray *sizes;           /* of payloads, gsize */
static GArray *dues;            /* of payloads, guint64 */
static guint payloads_wanted;   /* then stop */

static void
setup (void)
{
  tfrc_ts_packetizer_init (&packetizer);
  output = g_byte_array_new ();
  sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
  dues = g_array_new (FALSE, FALSE, sizeof (guint64));
  payloads_wanted = EVERYTHING;
}

static void
teardown (void)
{
  g_byte_array_unref (output);
  g_array_unref (sizes);
  g_array_unref (dues);
}

static gboolean
take_payload (const guint8 * payload, gsize size, guint64 due_ns, gpointer user)
{
  fail_unless (size > 0 && size <= PAYLOAD && size % PACKET == 0);
  g_byte_array_append (output, payload, (guint) size);
  g_array_append_val (sizes, size);
  g_array_append_val (dues, due_ns);
  return sizes->len < payloads_wanted;
}

static TfrcTsResult
push_at (const guint8 * data, gsize size, guint64 due_ns)
{
  return tfrc_ts_packetizer_push (&packetizer, data, size, due_ns,
      take_payload, &packetizer);
}

static TfrcTsResult
push (const GByteArray * bytes)
{
  return push_at (bytes->data, bytes->len, 0);
}

static void
finish (void)
{
  tfrc_ts_packetizer_finish (&packetizer, take_payload, &packetizer);
}

/* Every byte of a packet but the first is numbered, and none is a sync byte. */
static void
append_packets (GByteArray * stream, guint first, guint n, guint stride)
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

static void
append_garbage (GByteArray * stream, guint n, guint8 value)
{
  while (n-- > 0)
    g_byte_array_append (stream, &value, 1);
}

static GByteArray *
packets_new (guint n)
{
  GByteArray *stream = g_byte_array_new ();

  append_packets (stream, 0, n, PACKET);
  return stream;
}

static void
assert_output (const GByteArray * expected)
{
  fail_unless_equals_int (output->len, expected->len);
  fail_unless (memcmp (output->data, expected->data, expected->len) == 0);
}

/* Everything came out in full payloads, but for the last. */
static void
assert_payloads (guint packets)
{
  fail_unless_equals_int (sizes->len,
      (packets + TFRC_TS_PACKETS - 1) / TFRC_TS_PACKETS);
  for (guint i = 0; i + 1 < sizes->len; i++)
    fail_unless_equals_int (g_array_index (sizes, gsize, i), PAYLOAD);
}

/* ---- cuts -------------------------------------------------------------- */

GST_START_TEST (any_cuts_give_the_same_packets)
{
  GRand *rand = g_rand_new_with_seed (1);
  const guint longest[] = { 1, 3, 187, 188, 189, 500, 1316, 4096, 20000 };

  for (guint round = 0; round < 200; round++) {
    guint packets = g_rand_int_range (rand, 1, 200);
    guint cut = longest[round % G_N_ELEMENTS (longest)];
    GByteArray *stream = packets_new (packets);
    guint at = 0;

    while (at < stream->len) {
      guint size = g_rand_int_range (rand, 0, cut + 1);

      size = MIN (size, stream->len - at);

      fail_unless_equals_int (push_at (stream->data + at, size, 0), TFRC_TS_OK);
      at += size;
    }
    finish ();
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
  GByteArray *stream = packets_new (4 * TFRC_TS_PACKETS);

  /* Sync is found: from now on there is no need to look ahead. */
  fail_unless_equals_int (push_at (stream->data, PAYLOAD, 10), TFRC_TS_OK);
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

/* ---- streams that are too short for a payload, or for finding sync ------ */

GST_START_TEST (short_streams_come_out_at_the_end)
{
  for (guint packets = 1; packets <= 2 * TFRC_TS_PACKETS + 1; packets++) {
    GByteArray *stream = packets_new (packets);

    fail_unless_equals_int (push_at (stream->data, stream->len, 7), TFRC_TS_OK);
    finish ();
    assert_output (stream);
    assert_payloads (packets);
    fail_unless_equals_uint64 (packetizer.packets, packets);
    /* also of what had to wait for sync */
    fail_unless_equals_uint64 (g_array_index (dues, guint64, sizes->len - 1),
        7);
    g_byte_array_unref (stream);
    teardown ();
    setup ();
  }
}

GST_END_TEST;

GST_START_TEST (an_empty_stream_gives_nothing)
{
  fail_unless_equals_int (push_at ((const guint8 *) "", 0, 0), TFRC_TS_OK);
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

/* ---- damage ------------------------------------------------------------- */

/* Garbage before, between and behind packets: random bytes, none of which
 * makes packets line up, in random cuts */
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

      fail_unless_equals_int (push_at (stream->data + at, size, 0), TFRC_TS_OK);
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

GST_START_TEST (lost_bytes_cost_the_packet_that_lost_them)
{
  GByteArray *stream = packets_new (30), *wanted = g_byte_array_new ();

  /* The damaged packet is taken, as its first byte is right: only then its
   * shortness shows.  So one more is lost. */
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

GST_START_TEST (false_sync_bytes_do_not_mislead)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  /* pairs of sync bytes at the right distance, never three */
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

  /* starting in the middle of a stream whose every packet has one at byte 40 */
  for (guint i = 0; i < 50; i++)
    stream->data[i * PACKET + 40] = SYNC;
  push (stream);
  finish ();
  assert_output (stream);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  g_byte_array_unref (stream);
}

GST_END_TEST;

/* ---- what is not carried ------------------------------------------------ */

GST_START_TEST (packets_of_another_size_are_told)
{
  const guint strides[] = { 192, 204 };

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    for (guint lead = 0; lead < 10; lead++) {
      GByteArray *stream = g_byte_array_new ();

      /* 192 bytes start with a time stamp of 4 */
      append_garbage (stream, lead, 1);
      append_packets (stream, 0, 20, strides[i]);
      fail_unless_equals_int (push (stream), TFRC_TS_OTHER_PACKET_SIZE);
      fail_unless_equals_int (sizes->len, 0);
      g_byte_array_unref (stream);
      teardown ();
      setup ();
    }
  }
}

GST_END_TEST;

GST_START_TEST (packets_of_another_size_are_told_whatever_the_cuts)
{
  GByteArray *stream = g_byte_array_new ();
  TfrcTsResult result = TFRC_TS_OK;

  append_packets (stream, 0, 20, 204);
  for (guint at = 0; at < stream->len && result == TFRC_TS_OK; at++)
    result = push_at (stream->data + at, 1, 0);
  fail_unless_equals_int (result, TFRC_TS_OTHER_PACKET_SIZE);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (text_is_no_transport_stream_even_if_it_starts_with_g)
{
  GByteArray *text = g_byte_array_new ();

  while (text->len < TFRC_TS_MAX_GARBAGE_BYTES + 4096)
    g_byte_array_append (text, (const guint8 *) "Gstreamer, ", 11);
  fail_unless_equals_int (push (text), TFRC_TS_NOT_TS);
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.packets, 0);
  g_byte_array_unref (text);
}

GST_END_TEST;

GST_START_TEST (a_short_text_gives_no_packets)
{
  const guint8 text[] = "Garbage, and not much of it";

  fail_unless_equals_int (push_at (text, sizeof text, 0), TFRC_TS_OK);
  finish ();
  fail_unless_equals_int (sizes->len, 0);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, sizeof text);
}

GST_END_TEST;

GST_START_TEST (the_limit_of_garbage_is_exact)
{
  GByteArray *stream = g_byte_array_new (), *wanted = packets_new (20);

  append_garbage (stream, TFRC_TS_MAX_GARBAGE_BYTES, 0);
  g_byte_array_append (stream, wanted->data, wanted->len);
  fail_unless_equals_int (push (stream), TFRC_TS_OK);
  finish ();
  assert_output (wanted);

  teardown ();
  setup ();
  append_garbage (stream, TFRC_TS_MAX_GARBAGE_BYTES + 1, 0);
  append_packets (stream, 0, 20, PACKET);
  fail_unless_equals_int (push (stream), TFRC_TS_NOT_TS);
  g_byte_array_unref (stream);
  g_byte_array_unref (wanted);
}

GST_END_TEST;

/* ---- stopping and starting anew ----------------------------------------- */

GST_START_TEST (the_taker_of_payloads_can_stop)
{
  GByteArray *stream = packets_new (10 * TFRC_TS_PACKETS);

  payloads_wanted = 2;
  fail_unless_equals_int (push (stream), TFRC_TS_OK);
  fail_unless_equals_int (sizes->len, 2);
  g_byte_array_unref (stream);
}

GST_END_TEST;

GST_START_TEST (after_a_reset_nothing_old_comes_out)
{
  GByteArray *stream = packets_new (20);

  push_at (stream->data, 10 * PACKET + 100, 0);
  fail_unless_equals_int (sizes->len, 1);
  tfrc_ts_packetizer_reset (&packetizer);
  g_byte_array_set_size (output, 0);
  push (stream);
  finish ();
  assert_output (stream);
  /* what was counted stays */
  fail_unless_equals_uint64 (packetizer.packets, 10 + 20);
  fail_unless_equals_uint64 (packetizer.garbage_bytes, 0);
  fail_unless_equals_uint64 (packetizer.damages, 0);
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
  tcase_add_test (tc, garbage_is_skipped_and_counted);
  tcase_add_test (tc, lost_bytes_cost_the_packet_that_lost_them);
  tcase_add_test (tc, false_sync_bytes_do_not_mislead);
  tcase_add_test (tc, sync_bytes_inside_packets_do_not_mislead);
  tcase_add_test (tc, packets_of_another_size_are_told);
  tcase_add_test (tc, packets_of_another_size_are_told_whatever_the_cuts);
  tcase_add_test (tc, text_is_no_transport_stream_even_if_it_starts_with_g);
  tcase_add_test (tc, a_short_text_gives_no_packets);
  tcase_add_test (tc, the_limit_of_garbage_is_exact);
  tcase_add_test (tc, the_taker_of_payloads_can_stop);
  tcase_add_test (tc, after_a_reset_nothing_old_comes_out);
  return s;
}

GST_CHECK_MAIN (tspacketizer);
