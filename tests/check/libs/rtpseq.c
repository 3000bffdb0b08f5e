/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's RTP sequence numbers besides transport sequence numbers, see
 * gst/flow/rtpseq.h. */
#include <gst/check/gstcheck.h>
#include <string.h>
#include "gst/queue/reorder.h"
#include "gst/flow/rtpseq.h"

#define WITHOUT (-1) /* no transport sequence number in the packet */

static GstTfrcRtpSeq sequence;
static TfrcReceiver *receiver;
static guint64 now_ns;

static void
setup (void)
{
  memset (&sequence, 0, sizeof sequence);
  now_ns = GST_SECOND;
  fail_unless_equals_int (tfrc_receiver_new (&receiver, NULL), TFRC_OK);
}

static void
teardown (void)
{
  tfrc_receiver_free (receiver);
}

/* A packet arrives. The library classifies the packet by its transport sequence number. */
static TfrcArrivalKind
arrive (guint16 rtp_seq, gint transport_seq, TfrcArrival *arrival, GstTfrcRtpPlace *place)
{
  TfrcWireData header = { .seq = rtp_seq,
    .has_rtt_sendts = TRUE,
    .rtt_us = 50000,
    .send_time_us = (guint32) (now_ns / 1000),
    .payload_bytes = 1316 };
  TfrcData data;

  if (transport_seq != WITHOUT) {
    header.has_transport_seq = TRUE;
    header.transport_seq = (guint16) transport_seq;
  }
  now_ns += 10 * GST_MSECOND;
  tfrc_wire_get_data (&header, &data);
  memset (place, 0, sizeof *place);
  fail_unless_equals_int (tfrc_receiver_on_data (receiver, &data, now_ns, arrival), TFRC_OK);
  if (arrival->kind == TFRC_ARRIVAL_SUSPECT)
    gst_tfrc_rtp_seq_on_suspect (&sequence, &header);
  else if (arrival->kind != TFRC_ARRIVAL_REFUSED)
    gst_tfrc_rtp_seq_on_packet (&sequence, &header, arrival, place);
  return arrival->kind;
}

/* Returns the extended RTP number of a packet that is used; 0 if the packet is not used. */
static guint64
place_of (guint16 rtp_seq, gint transport_seq)
{
  TfrcArrival arrival;
  GstTfrcRtpPlace place;

  arrive (rtp_seq, transport_seq, &arrival, &place);
  fail_if (place.is_previous_used);
  return place.is_used ? place.seq : 0;
}

GST_START_TEST (without_the_element_the_numbers_are_the_librarys)
{
  static const guint16 numbers[] = { 65530, 65532, 65531, 65535, 0, 1, 1, 50, 200, 201, 40000,
    40001, 40003 };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    TfrcArrival arrival;
    GstTfrcRtpPlace place;
    TfrcArrivalKind kind = arrive (numbers[i], WITHOUT, &arrival, &place);

    if (kind == TFRC_ARRIVAL_SUSPECT || kind == TFRC_ARRIVAL_REFUSED)
      continue;
    fail_unless_equals_int (place.is_used, kind != TFRC_ARRIVAL_DUPLICATE);
    fail_unless_equals_uint64 (place.seq, arrival.seq);
    fail_unless_equals_int (place.is_previous_used, arrival.confirms_previous);
    fail_unless_equals_uint64 (place.previous_seq, arrival.seq - 1);
  }
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_sent_again_has_its_old_place)
{
  guint64 start = place_of (100, 500);

  fail_unless_equals_uint64 (place_of (101, 501), start + 1);
  fail_unless_equals_uint64 (place_of (103, 503), start + 3); /* packet 102 is lost */
  fail_unless_equals_uint64 (place_of (102, 504), start + 2); /* packet 102 is sent again */
  fail_unless_equals_uint64 (place_of (104, 505), start + 4);
}

GST_END_TEST;

/* Some packets do not belong to the movie, such as packets of another stream of the same sender. */
GST_START_TEST (transport_numbers_may_skip_where_rtp_numbers_do_not)
{
  guint64 start = place_of (100, 500);

  fail_unless_equals_uint64 (place_of (101, 540), start + 1);
  fail_unless_equals_uint64 (place_of (102, 541), start + 2);
}

GST_END_TEST;

GST_START_TEST (both_numbers_wrap_independently)
{
  guint64 start = place_of (65534, 10);

  for (guint i = 1; i < 200; i++)
    fail_unless_equals_uint64 (place_of ((guint16) (65534 + i), (gint) (10 + i)), start + i);
  teardown ();
  setup ();
  start = place_of (10, 65534);
  for (guint i = 1; i < 200; i++)
    fail_unless_equals_uint64 (place_of ((guint16) (10 + i), (guint16) (65534 + i)), start + i);
}

GST_END_TEST;

GST_START_TEST (a_stream_may_gain_the_element)
{
  guint64 start = place_of (65533, WITHOUT);

  fail_unless_equals_uint64 (place_of (65534, WITHOUT), start + 1);
  fail_unless_equals_uint64 (place_of (65535, 65535), start + 2);
  fail_unless_equals_uint64 (place_of (65534, 0), start + 1);
  fail_unless_equals_uint64 (place_of (0, 1), start + 3);
  fail_unless_equals_uint64 (place_of (1, 2), start + 4);
}

GST_END_TEST;

/* If both numbers are equal, the packet needs no element, also after they have differed. */
GST_START_TEST (packets_with_and_without_the_element_may_alternate)
{
  guint64 start = place_of (100, WITHOUT);

  fail_unless_equals_uint64 (place_of (100, 101), start);
  fail_unless_equals_uint64 (place_of (102, WITHOUT), start + 2);
  fail_unless_equals_uint64 (place_of (103, 103), start + 3);
}

GST_END_TEST;

/* The RTP number cannot rise by more than the transport number. A packet with a larger rise is
 * forged. */
GST_START_TEST (an_impossible_rtp_number_changes_nothing)
{
  guint64 start = place_of (100, 500);

  fail_unless_equals_uint64 (place_of (102, 501), 0);
  fail_unless_equals_uint64 (place_of (30000, 502), 0);
  fail_unless_equals_uint64 (place_of (101, 503), start + 1);
  /* the late packet 504 cannot have an RTP number above 102 */
  fail_unless_equals_uint64 (place_of (103, 505), start + 3);
  fail_unless_equals_uint64 (place_of (104, 504), 0);
  fail_unless_equals_uint64 (place_of (104, 506), start + 4);
}

GST_END_TEST;

/* A repetition has the highest transport number. Then a new packet comes late. */
GST_START_TEST (a_late_packet_may_have_a_new_rtp_number)
{
  guint64 start = place_of (100, 500);

  fail_unless_equals_uint64 (place_of (100, 502), start);
  fail_unless_equals_uint64 (place_of (101, 501), start + 1);
}

GST_END_TEST;

GST_START_TEST (a_duplicate_has_no_place)
{
  guint64 start = place_of (100, 500);

  fail_unless_equals_uint64 (place_of (100, 500), 0);
  fail_unless_equals_uint64 (place_of (101, 501), start + 1);
}

GST_END_TEST;

GST_START_TEST (after_an_outage_the_suspect_packet_has_its_own_place)
{
  guint64 start = place_of (100, 500);
  TfrcArrival arrival;
  GstTfrcRtpPlace place;

  fail_unless_equals_int (arrive (1100, 1600, &arrival, &place), TFRC_ARRIVAL_SUSPECT);
  arrive (100, 1601, &arrival, &place); /* the next packet is a repetition */
  fail_unless (arrival.confirms_previous && place.is_previous_used && place.is_used);
  fail_unless_equals_uint64 (place.previous_seq, start + 1000);
  fail_unless_equals_uint64 (place.seq, start);
}

GST_END_TEST;

/* Transport numbers start again, and RTP numbers do, too. */
GST_START_TEST (a_restart_begins_above_all_numbers)
{
  guint64 start = place_of (100, 500);
  TfrcArrival arrival;
  GstTfrcRtpPlace place;

  now_ns += 30 * GST_SECOND;
  fail_unless_equals_int (arrive (60000, 40000, &arrival, &place), TFRC_ARRIVAL_SUSPECT);
  fail_unless_equals_int (arrive (60001, 40001, &arrival, &place), TFRC_ARRIVAL_RESTART);
  fail_unless (place.is_previous_used && place.is_used);
  fail_unless_equals_uint64 (place.previous_seq, start + 59900);
  fail_unless_equals_uint64 (place.seq, start + 59901);
  fail_unless_equals_uint64 (place_of (60002, 40002), start + 59902);
}

GST_END_TEST;

/* The queue of the source orders packets by RTP numbers. Packet 102 is lost and sent again, 105 is
 * lost for good. */
GST_START_TEST (the_movie_is_put_in_order_by_rtp_numbers)
{
  static const gint packets[][2] = { { 100, 500 }, { 101, 501 }, { 103, 503 }, { 102, 504 },
    { 103, 505 }, { 104, 506 }, { 106, 508 } };
  static const guint8 order[] = { 100, 101, 102, 103, 104, 106 };
  GstTfrcReorder *queue = gst_tfrc_reorder_new (GST_SECOND, 0, g_free);
  GstTfrcReorderItem item;
  GstTfrcReorderStats stats;

  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    guint64 place = place_of ((guint16) packets[i][0], packets[i][1]);

    gst_tfrc_reorder_push (queue, place, now_ns, now_ns, g_memdup2 (&packets[i][0], sizeof (gint)));
  }
  gst_tfrc_reorder_get_stats (queue, &stats);
  fail_unless_equals_uint64 (stats.duplicates, 1);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    fail_unless (gst_tfrc_reorder_pop (queue, now_ns + 2 * GST_SECOND, &item));
    fail_unless_equals_int (*(gint *) item.data, order[i]);
    fail_unless_equals_int (item.discont, order[i] == 106);
    g_free (item.data);
  }
  gst_tfrc_reorder_get_stats (queue, &stats);
  fail_unless_equals_uint64 (stats.missing, 1);
  gst_tfrc_reorder_free (queue);
}

GST_END_TEST;

static Suite *
rtpseq_suite (void)
{
  Suite *s = suite_create ("rtpseq");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, without_the_element_the_numbers_are_the_librarys);
  tcase_add_test (tc, a_packet_that_is_sent_again_has_its_old_place);
  tcase_add_test (tc, transport_numbers_may_skip_where_rtp_numbers_do_not);
  tcase_add_test (tc, both_numbers_wrap_independently);
  tcase_add_test (tc, a_stream_may_gain_the_element);
  tcase_add_test (tc, packets_with_and_without_the_element_may_alternate);
  tcase_add_test (tc, an_impossible_rtp_number_changes_nothing);
  tcase_add_test (tc, a_late_packet_may_have_a_new_rtp_number);
  tcase_add_test (tc, a_duplicate_has_no_place);
  tcase_add_test (tc, after_an_outage_the_suspect_packet_has_its_own_place);
  tcase_add_test (tc, a_restart_begins_above_all_numbers);
  tcase_add_test (tc, the_movie_is_put_in_order_by_rtp_numbers);
  return s;
}

GST_CHECK_MAIN (rtpseq);
