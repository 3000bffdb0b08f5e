/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction: what the encoder makes of a movie, and what the decoder makes of that, see
 * gst/queue/fecencoder.h and gst/queue/fecdecoder.h. The decoder gets what a path leaves, and its packets have to be
 * those of the movie. */
#include <gst/check/gstcheck.h>

#include "gst/queue/fecdecoder.h"
#include "gst/queue/fecencoder.h"

#define FIRST 65530 /* wraps soon */
#define MAX_FEC 1024
#define MAX_MOVIE 4096

static GstTfrcPacketPool *pool;
static GstTfrcFecEncoder encoder;
static GstTfrcFecDecoder decoder;

typedef struct
{
  TfrcWireFec fec;
  guint after; /* packets of the movie */
  gsize bytes;
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];
} Fec;

static Fec fecs[MAX_FEC];
static guint n_fecs, n_left;

static gboolean is_here[MAX_MOVIE];

static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  memset (&encoder, 0, sizeof encoder);
  memset (&decoder, 0, sizeof decoder);
  memset (is_here, 0, sizeof is_here);
  n_fecs = n_left = 0;
}

static void
teardown (void)
{
  gst_tfrc_fec_encoder_clear (&encoder);
  gst_tfrc_fec_decoder_restart (&decoder);
  gst_tfrc_packet_pool_free (pool);
}

/* The last packets of a movie may be shorter than the others. */
static gsize
bytes_of (guint number)
{
  return number % 7 == 3 ? 188 : GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
}

static guint32
timestamp_of (guint number)
{
  return 0xffffff00u + number * 1500;
}

static void
fill (guint8 *payload, guint number)
{
  for (guint i = 0; i < bytes_of (number); i++)
    payload[i] = i % 188 == 0 ? 0x47 : (guint8) (number * 31 + i * 7);
}

static void
leave (guint16 seq)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool), *complete;

  fill (gst_tfrc_packet_payload (packet), n_left);
  gst_tfrc_packet_set_payload_bytes (packet, bytes_of (n_left));
  gst_tfrc_fec_encoder_on_left (&encoder, seq, timestamp_of (n_left), packet);
  gst_tfrc_packet_unref (packet);
  n_left++;
  while ((complete = gst_tfrc_fec_encoder_take (&encoder, &fecs[n_fecs].fec)) != NULL) {
    fecs[n_fecs].after = n_left;
    fecs[n_fecs].bytes = gst_tfrc_packet_get_payload_bytes (complete);
    memcpy (fecs[n_fecs].payload, gst_tfrc_packet_get_payload (complete), fecs[n_fecs].bytes);
    n_fecs++;
    gst_tfrc_packet_unref (complete);
  }
}

static void
encode (const gchar *text, guint n)
{
  GstTfrcFecLayout layout;

  fail_unless (gst_tfrc_fec_layout_parse (text, &layout));
  gst_tfrc_fec_encoder_set_layout (&encoder, &layout);
  for (guint i = 0; i < n; i++)
    leave ((guint16) (FIRST + n_left));
}

/* ---- the encoder -------------------------------------------------------------------- */

static void
assert_fec (guint i, guint number, guint offset, guint packets, guint after)
{
  const TfrcWireFec *fec = &fecs[i].fec;

  fail_unless_equals_int (fec->first_seq, (guint16) (FIRST + number));
  fail_unless_equals_int (fec->offset, offset);
  fail_unless_equals_int (fec->count, packets);
  fail_unless_equals_int (fec->is_row, offset == 1);
  fail_unless_equals_int (fecs[i].after, after);
}

GST_START_TEST (a_row_has_the_xor_of_its_packets_and_leaves_behind_them)
{
  guint8 sum[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 }, payload[sizeof sum];
  guint32 timestamp = 0;
  guint16 length = 0;

  encode ("4", 9);
  fail_unless_equals_int (n_fecs, 2);
  assert_fec (0, 0, 1, 4, 4);
  assert_fec (1, 4, 1, 4, 8);
  for (guint i = 0; i < 4; i++) {
    fill (payload, i);
    for (guint j = 0; j < bytes_of (i); j++)
      sum[j] ^= payload[j];
    timestamp ^= timestamp_of (i);
    length ^= bytes_of (i);
  }
  fail_unless_equals_int (fecs[0].bytes, sizeof sum);
  fail_unless (memcmp (fecs[0].payload, sum, sizeof sum) == 0);
  fail_unless_equals_int_hex (fecs[0].fec.timestamp, timestamp);
  fail_unless_equals_int_hex (fecs[0].fec.length_recovery, length);
  fail_unless_equals_int (fecs[0].fec.payload_type, 0); /* 33 four times */
}

GST_END_TEST;

GST_START_TEST (columns_leave_one_by_one_while_the_next_matrix_is_filled)
{
  encode ("5,4,columns", 30);
  fail_unless_equals_int (n_fecs, 5);
  for (guint i = 0; i < 5; i++)
    assert_fec (i, i, 5, 4, 20 + i + 1);
}

GST_END_TEST;

GST_START_TEST (rows_and_columns_protect_each_packet_twice)
{
  encode ("5,4", 45);
  fail_unless_equals_int (n_fecs, 9 + 2 * 5);
  assert_fec (0, 0, 1, 5, 5);
  assert_fec (3, 15, 1, 5, 20);
  assert_fec (4, 0, 5, 4, 21);
}

GST_END_TEST;

GST_START_TEST (a_number_that_is_given_up_begins_the_matrix_anew)
{
  GstTfrcFecLayout layout = { 4, 1, TRUE, FALSE };

  gst_tfrc_fec_encoder_set_layout (&encoder, &layout);
  for (guint i = 0; i < 10; i++)
    leave ((guint16) (FIRST + i + (i >= 2)));
  fail_unless_equals_int (n_fecs, 2);
  assert_fec (0, 3, 1, 4, 6);
}

GST_END_TEST;

GST_START_TEST (another_layout_waits_for_the_end_of_the_matrix)
{
  encode ("5,4,columns", 12);
  encode ("none", 30);
  fail_unless_equals_int (n_fecs, 5);
  encode ("4", 4);
  fail_unless_equals_int (n_fecs, 6);
  assert_fec (5, 42, 1, 4, 46);
}

GST_END_TEST;

/* ---- the decoder ---------------------------------------------------------------------- */

static void
take (void)
{
  GstTfrcFecRecovered recovered;

  while (gst_tfrc_fec_decoder_take (&decoder, &recovered)) {
    guint number = (guint) (recovered.seq - (65536 + FIRST));
    guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];

    fail_unless (number < n_left, "%u", number);
    fail_if (is_here[number]);
    is_here[number] = TRUE;
    fill (payload, number);
    fail_unless_equals_int (recovered.bytes, bytes_of (number));
    fail_unless_equals_int_hex (recovered.timestamp, timestamp_of (number));
    fail_unless (memcmp (recovered.payload, payload, recovered.bytes) == 0);
  }
}

static void
come (guint number)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES];

  fill (payload, number);
  is_here[number] = TRUE;
  gst_tfrc_fec_decoder_on_packet (
      &decoder, 65536 + FIRST + number, timestamp_of (number), payload, bytes_of (number));
  take ();
}

static void
come_fec (const Fec *fec)
{
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec->fec, FALSE, fec->payload, fec->bytes);
  take ();
}

typedef gboolean (*Loses) (guint number);

static guint n_lost;

/* Plays what has left. The first matrix starts the decoder, and nothing of it comes back. */
static void
decode (Loses loses, gboolean loses_fec)
{
  guint next_fec = 0;

  n_lost = 0;
  for (guint i = 0; i < n_left; i++) {
    if (i >= 200 && loses (i))
      n_lost++;
    else
      come (i);
    for (; next_fec < n_fecs && fecs[next_fec].after <= i + 1; next_fec++)
      if (!loses_fec || next_fec % 2 == 0)
        come_fec (&fecs[next_fec]);
  }
}

static guint
count_missing (void)
{
  guint n = 0;

  for (guint i = 0; i < n_left; i++)
    n += !is_here[i];
  return n;
}

static gboolean
one_in_each_row (guint number)
{
  return number % 4 == number / 4 % 4;
}

GST_START_TEST (one_packet_of_each_row_comes_back)
{
  encode ("4", 800);
  decode (one_in_each_row, FALSE);
  fail_unless_equals_int (n_lost, 150);
  fail_unless_equals_int (count_missing (), 0);
  fail_unless_equals_uint64 (decoder.stats.recovered, 150);
  fail_unless_equals_uint64 (decoder.stats.refused, 0);
}

GST_END_TEST;

static gboolean
two_in_some_rows (guint number)
{
  return number % 40 == 0 || number % 40 == 1;
}

GST_START_TEST (two_packets_of_a_row_do_not)
{
  encode ("4", 800);
  decode (two_in_some_rows, FALSE);
  fail_unless_equals_int (count_missing (), n_lost);
}

GST_END_TEST;

static gboolean
bursts_of_ten (guint number)
{
  return number % 100 >= 45 && number % 100 < 55;
}

GST_START_TEST (a_burst_as_long_as_a_row_comes_back_by_columns)
{
  encode ("10,4,columns", 900);
  decode (bursts_of_ten, FALSE);
  fail_unless (n_lost >= 60);
  fail_unless_equals_int (count_missing (), 0);
}

GST_END_TEST;

/* x . x      A row gives back one packet of a column that misses two, and so on: only a square stays. */
static gboolean
a_staircase (guint number)
{
  guint row = number % 20 / 5, column = number % 5;

  return number / 20 % 5 == 2 && (column == row || column == row + 1);
}

GST_START_TEST (what_a_row_gives_back_completes_a_column)
{
  encode ("5,4", 800);
  decode (a_staircase, FALSE);
  fail_unless (n_lost >= 40);
  fail_unless_equals_int (count_missing (), 0);
}

GST_END_TEST;

GST_START_TEST (a_lost_fec_packet_costs_its_group)
{
  encode ("4", 800);
  decode (one_in_each_row, TRUE);
  fail_unless_equals_int (count_missing (), n_lost / 2);
}

GST_END_TEST;

/* All numbers backwards in eights, and the FEC packets before them */
GST_START_TEST (order_does_not_matter)
{
  encode ("8", 400);
  come (0);
  for (guint i = 0; i < 400; i += 8) {
    if (i > 0)
      come_fec (&fecs[i / 8]);
    for (guint j = 8; j-- > 0;)
      if (j != 5 || i == 0)
        come (i + j);
  }
  fail_unless_equals_int (count_missing (), 0);
  fail_unless_equals_uint64 (decoder.stats.recovered, 49);
}

GST_END_TEST;

GST_START_TEST (without_fec_packets_nothing_is_kept)
{
  encode ("4", 3000);
  for (guint i = 0; i < 8; i++)
    come (i);
  fail_unless (decoder.cells == NULL);
  come_fec (&fecs[1]);
  fail_unless (decoder.cells != NULL);
  for (guint i = 8; i < 8 + GST_TFRC_FEC_DECODER_IDLE_PACKETS; i++)
    come (i);
  fail_unless (decoder.cells != NULL);
  come (8 + GST_TFRC_FEC_DECODER_IDLE_PACKETS);
  fail_unless (decoder.cells == NULL);
}

GST_END_TEST;

/* ---- lies --------------------------------------------------------------------------------- */

GST_START_TEST (a_group_that_does_not_fit_is_refused)
{
  static const TfrcWireFec lies[] = {
    { .first_seq = FIRST, .offset = 255, .count = 255 },
    { .first_seq = FIRST, .offset = 4, .count = 65 },
    { .first_seq = FIRST, .offset = 1, .count = GST_TFRC_FEC_DECODER_GROUP + 1 },
    { .first_seq = (guint16) (FIRST + 400), .offset = 1, .count = 4 },
    { .first_seq = (guint16) (FIRST - 400), .offset = 1, .count = 4 },
    { .first_seq = (guint16) (FIRST + 32768), .offset = 1, .count = 4 },
  };
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES + 1] = { 0 };
  const TfrcWireFec true_one = { .first_seq = FIRST, .offset = 1, .count = 4 };

  gst_tfrc_fec_decoder_on_fec (&decoder, &true_one, FALSE, payload, 1316);
  fail_unless_equals_uint64 (decoder.stats.refused, 1); /* nothing has come */
  n_left = 10;
  for (guint i = 0; i < 10; i++)
    come (i);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    gst_tfrc_fec_decoder_on_fec (&decoder, &lies[i], FALSE, payload, 1316);
  gst_tfrc_fec_decoder_on_fec (&decoder, &true_one, FALSE, payload, sizeof payload);
  fail_unless_equals_uint64 (decoder.stats.refused, 2 + G_N_ELEMENTS (lies));
  fail_unless_equals_int (decoder.n_waiting, 0);
}

GST_END_TEST;

/* The XOR of a lie is no packet of the movie: its length and payload type tell. */
GST_START_TEST (what_cannot_be_a_packet_is_not_brought_back)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };
  TfrcWireFec lie = { .first_seq = FIRST + 4, .offset = 1, .count = 1, .payload_type = 33 };

  n_left = 4;
  for (guint i = 0; i < 4; i++)
    come (i);
  lie.length_recovery = 0;
  gst_tfrc_fec_decoder_on_fec (&decoder, &lie, FALSE, payload, 1316);
  take ();
  lie.length_recovery = 1317;
  gst_tfrc_fec_decoder_on_fec (&decoder, &lie, FALSE, payload, 1316);
  take ();
  lie.length_recovery = 1316;
  lie.payload_type = 34;
  gst_tfrc_fec_decoder_on_fec (&decoder, &lie, FALSE, payload, 1316);
  take ();
  fail_unless_equals_uint64 (decoder.stats.recovered, 0);
  fail_unless_equals_uint64 (decoder.stats.refused, 3);
}

GST_END_TEST;

/* Of one packet each, so that nothing else is needed. What was brought back is no place to begin from. */
GST_START_TEST (lies_do_not_lead_away_from_what_has_come)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };
  TfrcWireFec lie = { .offset = 1, .count = 1, .payload_type = 33, .length_recovery = 1316 };
  GstTfrcFecRecovered recovered;

  n_left = 10;
  for (guint i = 0; i < 10; i++)
    come (i);
  for (guint i = 1; i <= 10; i++) {
    lie.first_seq = (guint16) (FIRST + i * GST_TFRC_FEC_DECODER_PACKETS);
    gst_tfrc_fec_decoder_on_fec (&decoder, &lie, FALSE, payload, 1316);
    while (gst_tfrc_fec_decoder_take (&decoder, &recovered))
      fail_unless (recovered.seq <= 65536 + FIRST + 9 + GST_TFRC_FEC_DECODER_PACKETS);
  }
}

GST_END_TEST;

/* The place of an older one may be that of a newer one by now. */
GST_START_TEST (a_group_begins_at_most_255_packets_ago_and_not_before_the_first_number)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };
  TfrcWireFec fec = { .offset = 1, .count = 1, .payload_type = 33, .length_recovery = 1316 };

  gst_tfrc_fec_decoder_on_packet (&decoder, 10, 0, payload, 1316);
  fec.first_seq = 0;
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
  fail_unless_equals_uint64 (decoder.stats.refused, 0);
  fec.first_seq = 65535;
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
  fail_unless_equals_uint64 (decoder.stats.refused, 1);
  gst_tfrc_fec_decoder_on_packet (&decoder, 1000, 0, payload, 1316);
  fec.first_seq = 1000 - 255;
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
  fail_unless_equals_uint64 (decoder.stats.refused, 1);
  fec.first_seq--;
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
  fail_unless_equals_uint64 (decoder.stats.refused, 2);
}

GST_END_TEST;

GST_START_TEST (a_plain_sender_has_nothing_brought_back_that_nothing_has_followed)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };
  TfrcWireFec fec = {
    .first_seq = FIRST + 4, .offset = 1, .count = 1, .payload_type = 33, .length_recovery = 1316
  };
  GstTfrcFecRecovered recovered;

  n_left = 6;
  for (guint i = 0; i < 4; i++)
    come (i);
  gst_tfrc_fec_decoder_on_fec (&decoder, &fec, TRUE, payload, 1316);
  fail_unless (!gst_tfrc_fec_decoder_take (&decoder, &recovered));
  fill (payload, 5);
  gst_tfrc_fec_decoder_on_packet (&decoder, 65536 + FIRST + 5, 0, payload, 1316);
  fail_unless (gst_tfrc_fec_decoder_take (&decoder, &recovered));
  fail_unless_equals_uint64 (recovered.seq, 65536 + FIRST + 4);
}

GST_END_TEST;

/* Groups of 100 whose last two packets never come, as many as wait. */
GST_START_TEST (groups_that_never_come_are_not_looked_through_for_each_packet)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };
  TfrcWireFec fec = { .first_seq = FIRST, .offset = 1, .count = GST_TFRC_FEC_DECODER_GROUP };
  GstTfrcFecRecovered recovered;
  GstTfrcFecDecoderStats before, after;

  n_left = 1;
  come (0);
  fec.first_seq = FIRST + 1;
  for (guint i = 0; i < GST_TFRC_FEC_DECODER_WAITING; i++)
    gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
  for (guint i = 1; i < GST_TFRC_FEC_DECODER_GROUP - 1; i++) {
    gst_tfrc_fec_decoder_on_packet (&decoder, 65536 + FIRST + i, 0, payload, 1316);
    fail_unless (!gst_tfrc_fec_decoder_take (&decoder, &recovered));
  }
  gst_tfrc_fec_decoder_get_stats (&decoder, &before);
  for (guint i = 101; i < 201; i++) {
    gst_tfrc_fec_decoder_on_packet (&decoder, 65536 + FIRST + i, 0, payload, 1316);
    fail_unless (!gst_tfrc_fec_decoder_take (&decoder, &recovered));
  }
  gst_tfrc_fec_decoder_get_stats (&decoder, &after);
  /* one gap, and the next one, of each group for each packet */
  fail_unless_equals_uint64 (
      after.looked_for - before.looked_for, 2 * 100 * GST_TFRC_FEC_DECODER_WAITING);
}

GST_END_TEST;

GST_START_TEST (a_flood_of_groups_that_never_come_takes_bounded_memory)
{
  guint8 payload[GST_TFRC_PACKET_MAX_PAYLOAD_BYTES] = { 0 };

  n_left = 4;
  for (guint i = 0; i < 4; i++)
    come (i);
  for (guint i = 0; i < 10000; i++) {
    TfrcWireFec fec = { .first_seq = (guint16) (FIRST + 4 + i % 50), .offset = 1, .count = 4 };

    gst_tfrc_fec_decoder_on_fec (&decoder, &fec, FALSE, payload, 1316);
    take ();
  }
  fail_unless_equals_int (decoder.n_waiting, GST_TFRC_FEC_DECODER_WAITING);
  fail_unless_equals_uint64 (decoder.stats.recovered, 0);
}

GST_END_TEST;

/* ---- the header ------------------------------------------------------------------------------ */

/* Written out by hand after RFC 2733 section 6.1 and the fields that ST 2022-1 adds. */
GST_START_TEST (the_header_is_that_of_st_2022_1)
{
  static const guint8 expected[] = { 0x12, 0x34, 0x05, 0x24, 0x80 | 33, 0, 0, 0, 0xde, 0xad, 0xbe,
    0xef, 0x40, 1, 10, 0 };
  const TfrcWireFec fec = { 0x1234, 0x0524, 0xdeadbeef, 33, 1, 10, TRUE };
  TfrcWireData data = { .payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE, .ssrc = 1, .seq = 7 }, parsed;
  guint8 packet[TFRC_WIRE_MAX_FEC_HEADER_BYTES + 1316] = { 0 };
  gsize bytes = tfrc_wire_write_fec (packet, &data, &fec);
  TfrcWireFec read;

  fail_unless_equals_int (bytes, TFRC_WIRE_HEADER_BYTES + TFRC_WIRE_FEC_BYTES);
  fail_unless (memcmp (packet + TFRC_WIRE_HEADER_BYTES, expected, sizeof expected) == 0);
  fail_unless_equals_int (tfrc_wire_parse_data (packet, bytes + 1316, &parsed), TFRC_WIRE_OK);
  fail_unless (tfrc_wire_take_fec (packet, &parsed, &read));
  fail_unless_equals_int (parsed.header_bytes, bytes);
  fail_unless_equals_int (parsed.payload_bytes, 1316);
  fail_unless_equals_int (read.first_seq, fec.first_seq);
  fail_unless_equals_int (read.length_recovery, fec.length_recovery);
  fail_unless_equals_int (read.timestamp, fec.timestamp);
  fail_unless_equals_int (read.payload_type, fec.payload_type);
  fail_unless_equals_int (read.offset, fec.offset);
  fail_unless_equals_int (read.count, fec.count);
  fail_unless (read.is_row);
}

GST_END_TEST;

GST_START_TEST (other_headers_are_refused)
{
  static const struct
  {
    guint at;
    guint8 value;
  } lies[] = { { 4, 33 }, { 12, 0x48 }, { 12, 0x80 }, { 12, 0x41 }, { 13, 0 }, { 14, 0 } };
  const TfrcWireFec fec = { 0x1234, 0x0524, 0xdeadbeef, 33, 1, 10, TRUE };
  const TfrcWireData data = { .payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE };
  guint8 packet[TFRC_WIRE_MAX_FEC_HEADER_BYTES];
  gsize bytes = tfrc_wire_write_fec (packet, &data, &fec);
  TfrcWireData parsed;
  TfrcWireFec read;

  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    tfrc_wire_write_fec (packet, &data, &fec);
    packet[TFRC_WIRE_HEADER_BYTES + lies[i].at] = lies[i].value;
    fail_unless_equals_int (tfrc_wire_parse_data (packet, bytes, &parsed), TFRC_WIRE_OK);
    fail_if (tfrc_wire_take_fec (packet, &parsed, &read), "%u", i);
  }
  tfrc_wire_write_fec (packet, &data, &fec);
  fail_unless_equals_int (tfrc_wire_parse_data (packet, bytes - 1, &parsed), TFRC_WIRE_OK);
  fail_if (tfrc_wire_take_fec (packet, &parsed, &read));
  fail_if (tfrc_wire_take_fec (NULL, &parsed, &read));
  fail_if (tfrc_wire_take_fec (packet, NULL, &read));
  fail_if (tfrc_wire_take_fec (packet, &parsed, NULL));
  fail_unless_equals_int (tfrc_wire_write_fec (NULL, &data, &fec), 0);
  fail_unless_equals_int (tfrc_wire_write_fec (packet, NULL, &fec), 0);
  fail_unless_equals_int (tfrc_wire_write_fec (packet, &data, NULL), 0);
}

GST_END_TEST;

static Suite *
fec_suite (void)
{
  Suite *suite = suite_create ("fec");
  TCase *encoding = tcase_create ("encoder"), *decoding = tcase_create ("decoder");
  TCase *lies = tcase_create ("lies"), *header = tcase_create ("header");

  suite_add_tcase (suite, encoding);
  tcase_add_checked_fixture (encoding, setup, teardown);
  tcase_add_test (encoding, a_row_has_the_xor_of_its_packets_and_leaves_behind_them);
  tcase_add_test (encoding, columns_leave_one_by_one_while_the_next_matrix_is_filled);
  tcase_add_test (encoding, rows_and_columns_protect_each_packet_twice);
  tcase_add_test (encoding, a_number_that_is_given_up_begins_the_matrix_anew);
  tcase_add_test (encoding, another_layout_waits_for_the_end_of_the_matrix);
  suite_add_tcase (suite, decoding);
  tcase_add_checked_fixture (decoding, setup, teardown);
  tcase_add_test (decoding, one_packet_of_each_row_comes_back);
  tcase_add_test (decoding, two_packets_of_a_row_do_not);
  tcase_add_test (decoding, a_burst_as_long_as_a_row_comes_back_by_columns);
  tcase_add_test (decoding, what_a_row_gives_back_completes_a_column);
  tcase_add_test (decoding, a_lost_fec_packet_costs_its_group);
  tcase_add_test (decoding, order_does_not_matter);
  tcase_add_test (decoding, without_fec_packets_nothing_is_kept);
  suite_add_tcase (suite, lies);
  tcase_add_checked_fixture (lies, setup, teardown);
  tcase_add_test (lies, a_group_that_does_not_fit_is_refused);
  tcase_add_test (lies, what_cannot_be_a_packet_is_not_brought_back);
  tcase_add_test (lies, lies_do_not_lead_away_from_what_has_come);
  tcase_add_test (lies, a_group_begins_at_most_255_packets_ago_and_not_before_the_first_number);
  tcase_add_test (lies, a_plain_sender_has_nothing_brought_back_that_nothing_has_followed);
  tcase_add_test (lies, groups_that_never_come_are_not_looked_through_for_each_packet);
  tcase_add_test (lies, a_flood_of_groups_that_never_come_takes_bounded_memory);
  suite_add_tcase (suite, header);
  tcase_add_test (header, the_header_is_that_of_st_2022_1);
  tcase_add_test (header, other_headers_are_refused);
  return suite;
}

GST_CHECK_MAIN (fec);
