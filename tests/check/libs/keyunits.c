/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that has lost packets for good asks for a key unit, and the sender has its encoder asked; repairpair.h has
 * both flows and the path between them. */
#include "repairpair.h"

/* A request for a key unit travels for DELAY, and both ends are looked at once in STEP. */
#define ASKED_WITHIN (DELAY + 3 * STEP)

static guint
    lost_number; /* of the packets that have left since settle(), the one that the path loses */
static guint64 lost_due_ns; /* when the packet behind it was due */

/* Takes the events of the sender. Returns how many ask for a key unit. */
static guint
take_key_units (void)
{
  GstTfrcEvent event;
  guint n = 0;

  gst_tfrc_send_flow_find_news (sink, now);
  while (gst_tfrc_events_take (gst_tfrc_send_flow_get_events (sink), &event))
    n += event.kind == GST_TFRC_EVENT_KEY_UNIT;
  return n;
}

static guint
run_and_count (guint64 duration_ns)
{
  guint n = 0;

  for (guint64 end_ns = now + duration_ns; now < end_ns;) {
    run (STEP);
    n += take_key_units ();
  }
  return n;
}

static gboolean
loses_one (const TfrcWireData *header, guint nth)
{
  if (header && nth == lost_number + 1)
    lost_due_ns = due_of[n_pushed - 1];
  return header != NULL && nth == lost_number;
}

static void
settle_with (gboolean repairs, gboolean key_units)
{
  src_limits.repairs = repairs;
  src_limits.key_units = key_units;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  settle ();
  take_key_units ();
  lost_number = 20;
  lost_due_ns = 0;
}

static void
receive_pli (const GstTfrcAddress *from, guint32 ssrc, guint32 media)
{
  guint8 packet[TFRC_WIRE_PLI_BYTES];

  deliver (FALSE, from, packet, tfrc_wire_write_pli (packet, ssrc, media));
}

/* The request leaves when the pipeline goes on behind the gap, which is the latency after the next packet was due. */
GST_START_TEST (a_packet_that_is_lost_for_good_asks_for_a_key_unit_once)
{
  settle_with (FALSE, TRUE);
  loses = loses_one;
  while (lost_due_ns == 0)
    fail_unless_equals_int (run_and_count (STEP), 0);
  fail_unless_equals_int (run_and_count (lost_due_ns + LATENCY - now), 0);
  fail_unless_equals_int (run_and_count (ASKED_WITHIN + DELAY), 1);
  fail_unless_equals_int (run_and_count (5 * S), 0);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 1);
}

GST_END_TEST;

GST_START_TEST (a_packet_that_is_repaired_in_time_asks_for_none)
{
  settle_with (TRUE, TRUE);
  loses = loses_one;
  fail_unless_equals_int (run_and_count (5 * S), 0);
  fail_unless_equals_int (n_repairs, 1);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
}

GST_END_TEST;

GST_START_TEST (by_default_losses_ask_for_none_and_the_application_may)
{
  settle_with (FALSE, FALSE);
  loses = loses_one;
  fail_unless_equals_int (run_and_count (5 * S), 0);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 1);
  gst_tfrc_picture_loss_ask (gst_tfrc_intake_get_picture_loss (intake));
  fail_unless_equals_int (run_and_count (ASKED_WITHIN), 1);
}

GST_END_TEST;

static gboolean
loses_every_twentieth (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth % 20 == 0;
}

/* At most one in GST_TFRC_PICTURE_LOSS_INTERVAL_NS. What is lost after a request is asked for when that is over. */
GST_START_TEST (losses_without_end_ask_once_a_second)
{
  guint n;

  settle_with (FALSE, TRUE);
  loses = loses_every_twentieth;
  run_and_count (2 * S);
  n = run_and_count (10 * S);
  fail_unless (src_stats ().queue.missing > 20);
  fail_unless (n >= 9 && n <= 10, "%u key units in 10 s", n);
}

GST_END_TEST;

/* Beside feedback it is no datagram of its own. */
GST_START_TEST (a_request_is_a_pli_for_the_movie)
{
  guint8 packet[TFRC_WIRE_PLI_BYTES];
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (tfrc_wire_write_pli (packet, OWN_SSRC, SSRC), TFRC_WIRE_PLI_BYTES);
  fail_unless_equals_int_hex (GST_READ_UINT32_BE (packet), 0x81ce0002);
  fail_unless_equals_int_hex (GST_READ_UINT32_BE (packet + 4), OWN_SSRC);
  fail_unless_equals_int_hex (GST_READ_UINT32_BE (packet + 8), SSRC);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (packet, sizeof packet, 0, &rtcp), TFRC_WIRE_OK);
  fail_unless_equals_int (rtcp.plis, 1);
  fail_unless (tfrc_wire_find_pli (packet, sizeof packet, SSRC));
  fail_if (tfrc_wire_find_pli (packet, sizeof packet, SSRC + 1));
  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (packet, sizeof packet - 4, 0, &rtcp), TFRC_WIRE_BAD_LENGTH);
  fail_unless_equals_int (tfrc_wire_write_pli (NULL, OWN_SSRC, SSRC), 0);
}

GST_END_TEST;

GST_START_TEST (only_the_receiver_of_the_stream_can_ask)
{
  const GstTfrcAddress other = test_address ("192.0.2.3", 5004);

  settle_with (FALSE, FALSE);
  receive_pli (&other, OWN_SSRC, SSRC);
  receive_pli (&src_address, OWN_SSRC + 1, SSRC);
  receive_pli (&src_address, OWN_SSRC, SSRC + 2);
  fail_unless_equals_int (take_key_units (), 0);
  receive_pli (&src_address, OWN_SSRC, SSRC);
  fail_unless_equals_int (take_key_units (), 1);
}

GST_END_TEST;

/* A request for each millisecond of two seconds */
GST_START_TEST (a_receiver_that_asks_all_the_time_gets_two_key_units_a_second)
{
  guint n = 0;

  settle_with (FALSE, FALSE);
  for (guint i = 0; i < 2000; i++) {
    receive_pli (&src_address, OWN_SSRC, SSRC);
    n += run_and_count (STEP);
  }
  fail_unless_equals_int (n, 4);
}

GST_END_TEST;

static Suite *
keyunits_suite (void)
{
  Suite *suite = suite_create ("keyunits");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, free_pair);
  tcase_add_test (tcase, a_packet_that_is_lost_for_good_asks_for_a_key_unit_once);
  tcase_add_test (tcase, a_packet_that_is_repaired_in_time_asks_for_none);
  tcase_add_test (tcase, by_default_losses_ask_for_none_and_the_application_may);
  tcase_add_test (tcase, losses_without_end_ask_once_a_second);
  tcase_add_test (tcase, a_request_is_a_pli_for_the_movie);
  tcase_add_test (tcase, only_the_receiver_of_the_stream_can_ask);
  tcase_add_test (tcase, a_receiver_that_asks_all_the_time_gets_two_key_units_a_second);
  return suite;
}

GST_CHECK_MAIN (keyunits);
