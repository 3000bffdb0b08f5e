/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repairs while all goes wrong that can: a path that doubles, reorders or drops every request, an end that moves or begins
 * anew while something is missing. repairpair.h has both flows and the path between them. */
#include "repairpair.h"

/* Another repair of a packet leaves no earlier than R after the one before, as the path's R does not vary. */
static void
assert_not_repaired_too_soon (void)
{
  fail_unless (least_again_ns >= RTT, "%.1f ms", least_again_ns / 1e6);
}

static gboolean
loses_three (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth > 100 && nth <= 103;
}

/* Three packets are missing, and their repairs have left but have not come. */
static void
have_repairs_under_way (void)
{
  settle ();
  loses = loses_three;
  while (n_repairs < 3)
    run (STEP);
  fail_unless_equals_int (times_played[SETTLED + 100] + times_played[SETTLED + 101], 0);
}

/* ---- the path ------------------------------------------------------------------------ */

static gboolean
loses_every_fiftieth (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth % 50 == 0;
}

GST_START_TEST (when_all_comes_twice_nothing_is_repaired_or_played_twice)
{
  settle ();
  doubles = TRUE;
  loses = loses_every_fiftieth;
  run (20 * S);
  loses = loses_nothing;
  run (2 * S);
  assert_all_played ();
  fail_unless (n_repairs >= 20 && n_repairs <= n_data / 49 + 1, "%u", n_repairs);
  assert_not_repaired_too_soon ();
}

GST_END_TEST;

static gboolean
asks (const TfrcWireRtcp *rtcp)
{
  return rtcp->nacks > 0;
}

/* Requests leave alone and beside feedback, until they could not be in time; feedback with them is lost, too. */
GST_START_TEST (when_every_request_is_lost_one_packet_is_missing_and_the_movie_goes_on)
{
  settle ();
  loses = loses_three;
  loses_rtcp = asks;
  run (10 * S);
  fail_unless_equals_int (n_repairs, 0);
  fail_unless (n_requests >= 3 && n_requests <= 8, "%u", n_requests);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 3);
  fail_unless_equals_int (n_discont, 1);
  for (guint i = n_pushed - 300; i < n_pushed - 100; i++)
    fail_unless_equals_int (times_played[i], 1);
}

GST_END_TEST;

static gboolean is_to_be_lost;

static gboolean
loses_one (const TfrcWireData *header, guint nth)
{
  gboolean is_lost = header != NULL && is_to_be_lost;

  is_to_be_lost = is_to_be_lost && !is_lost;
  return is_lost;
}

static gboolean
loses_the_first (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth == 1;
}

GST_START_TEST (what_was_before_the_first_packet_is_not_asked_for)
{
  loses = loses_the_first;
  run (10 * S);
  fail_unless (n_played > 300);
  fail_unless_equals_int (times_played[0] + n_repairs + n_requests, 0);
}

GST_END_TEST;

static gboolean
loses_the_second (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth == 2;
}

GST_START_TEST (the_second_packet_of_a_stream_is_repaired)
{
  loses = loses_the_second;
  run (10 * S);
  fail_unless_equals_int (n_repairs, 1);
  fail_unless_equals_int (times_played[1], 1);
}

GST_END_TEST;

static guint64
delays_by_fifty (const TfrcWireData *header)
{
  return header->seq % 200 == 0 && header->payload_type == TFRC_WIRE_PAYLOAD_TYPE ? 50 * INTERVAL
                                                                                  : 0;
}

/* For all that the receiver knows it is lost: the repair comes first, and the packet itself is a duplicate. */
GST_START_TEST (a_packet_that_fifty_others_overtake_is_played_once)
{
  settle ();
  more_delay_ns = delays_by_fifty;
  run (30 * S);
  more_delay_ns = delays_nothing;
  run (2 * S);
  assert_all_played ();
  fail_unless (n_repairs >= 5 && n_repairs <= n_data / 200 + 1, "%u", n_repairs);
  assert_not_repaired_too_soon ();
}

GST_END_TEST;

/* The movie pauses for longer than the player's delay. The gap shows behind the pause, when the packet is past its
 * time: the sender alone knows, and its refusals do not stand for a sender that does not repair. */
GST_START_TEST (a_packet_lost_before_a_pause_does_not_end_repairs)
{
  delay_ns = 5 * MS;
  settle ();
  loses = loses_one;
  is_to_be_lost = TRUE;
  n_movie = n_pushed + 1;
  run (3 * S);
  fail_if (is_to_be_lost);
  next_due_ns = now;
  n_movie = MAX_PACKETS;
  run (S);
  loses = loses_every_fiftieth;
  run (8 * S);
  loses = loses_nothing;
  run (2 * S);
  fail_unless_equals_uint64 (src_stats ().queue.missing, 1);
  fail_unless (n_repairs >= 8, "%u", n_repairs);
}

GST_END_TEST;

/* Its due time is that of the packet behind it, and not between those of its neighbours. */
GST_START_TEST (the_first_packet_behind_a_pause_is_repaired)
{
  settle ();
  n_movie = n_pushed;
  run (3 * S);
  loses = loses_one;
  is_to_be_lost = TRUE;
  next_due_ns = now;
  n_movie = MAX_PACKETS;
  run (3 * S);
  fail_if (is_to_be_lost);
  fail_unless_equals_int (n_repairs, 1);
  assert_all_played ();
}

GST_END_TEST;

/* ---- the receiver's links --------------------------------------------------------------- */

static GstTfrcAddress old_link, new_link;

static void
move (gboolean old_is_gone, gboolean is_announced)
{
  GstTfrcLocalPath path = { 0 };

  old_link = src_address;
  new_link = path.local = test_address ("192.0.2.3", 5004);
  src_address = new_link;
  if (old_is_gone)
    lose_link (&old_link);
  has_nat = !is_announced;
  if (is_announced)
    gst_tfrc_intake_start_handover (intake, &path, 0, FALSE, now);
}

static void
assert_moved (void)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_send_flow_get_stats (sink, now, &stats);
  fail_unless (gst_tfrc_address_equal (&stats.session.peer, &new_link));
}

/* What is asked for over the old link, or lost with it, comes over the new one. */
GST_START_TEST (a_handover_amid_repairs_loses_nothing)
{
  have_repairs_under_way ();
  move (TRUE, TRUE);
  run (5 * S);
  assert_moved ();
  assert_all_played ();
  fail_unless (n_repairs >= 6, "%u", n_repairs); /* the first three are lost with the link */
  fail_unless_equals_uint64 (src_stats ().queue.missing, 0);
  assert_not_repaired_too_soon ();
}

GST_END_TEST;

GST_START_TEST (a_repair_that_comes_over_the_old_link_is_not_sent_over_the_new_one)
{
  have_repairs_under_way ();
  move (FALSE, TRUE);
  run (5 * S);
  assert_moved ();
  assert_all_played ();
  fail_unless_equals_int (n_repairs, 3);
  fail_unless_equals_uint64 (src_stats ().repairs.duplicate, 0);
}

GST_END_TEST;

static gboolean
loses_every_sixteenth (const TfrcWireData *header, guint nth)
{
  return header != NULL && nth % 16 == 0;
}

/* The sender has no R of the new link yet when it repairs what is lost there. */
GST_START_TEST (what_the_new_link_loses_at_first_is_not_repaired_too_soon)
{
  settle ();
  move (TRUE, TRUE);
  loses = loses_every_sixteenth;
  run (S);
  loses = loses_nothing;
  run (3 * S);
  assert_moved ();
  fail_unless (n_repairs >= 5, "%u", n_repairs);
  assert_all_played ();
  assert_not_repaired_too_soon ();
}

GST_END_TEST;

/* Nobody has announced the move, so the sender has to notice it. It sends one packet for each R at first. */
GST_START_TEST (a_move_that_nobody_announces_ends_no_repairs)
{
  have_repairs_under_way ();
  move (TRUE, FALSE);
  run (15 * S);
  assert_moved ();
  n_repairs = 0;
  loses = loses_every_fiftieth;
  run (10 * S);
  loses = loses_nothing;
  run (2 * S);
  fail_unless (n_repairs >= 10, "%u", n_repairs);
  for (guint i = n_pushed - 500; due_of[i] + LATENCY + RTT < now; i++)
    fail_unless (times_played[i] == 1, "packet %u was played %u times", i, times_played[i]);
  assert_not_repaired_too_soon ();
}

GST_END_TEST;

/* ---- ends that begin anew ------------------------------------------------------------------ */

/* The repairs that it has asked for come to the one after it, for which they are too old. */
GST_START_TEST (a_receiver_that_restarts_amid_repairs_plays_what_follows)
{
  guint begin;

  have_repairs_under_way ();
  gst_tfrc_receive_flow_free (src);
  start_src (OWN_SSRC + 2);
  begin = n_pushed + 60; /* until there is feedback, the sender holds packets back */
  run (5 * S);
  for (guint i = begin; due_of[i] + LATENCY + RTT < now; i++)
    fail_unless (times_played[i] == 1, "packet %u was played %u times", i, times_played[i]);
  fail_unless_equals_uint64 (src_stats ().repairs.repaired, 0);
  n_repairs = 0;
  loses = loses_every_fiftieth;
  run (10 * S);
  loses = loses_nothing;
  run (2 * S);
  fail_unless (n_repairs >= 10, "%u", n_repairs);
  fail_unless_equals_uint64 (src_stats ().repairs.repaired, n_repairs);
}

GST_END_TEST;

/* What was missing of the old stream is asked for no more once there is a new one, whose numbers are lower. */
GST_START_TEST (a_sender_that_restarts_amid_repairs_is_not_asked_for_the_old_stream)
{
  have_repairs_under_way ();
  gst_tfrc_send_flow_free (sink);
  start_sink (SSRC + 1000, 100);
  run (15 * S);
  fail_unless_equals_uint64 (sink_stats ().requested, 0);
  n_repairs = 0;
  loses = loses_every_fiftieth;
  run (10 * S);
  loses = loses_nothing;
  run (2 * S);
  fail_unless (n_repairs >= 10, "%u", n_repairs);
  for (guint i = n_pushed - 500; due_of[i] + LATENCY + RTT < now; i++)
    fail_unless (times_played[i] == 1, "packet %u was played %u times", i, times_played[i]);
}

GST_END_TEST;

static Suite *
repairfaults_suite (void)
{
  Suite *suite = suite_create ("repairfaults");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, free_pair);
  tcase_add_test (tcase, when_all_comes_twice_nothing_is_repaired_or_played_twice);
  tcase_add_test (tcase, when_every_request_is_lost_one_packet_is_missing_and_the_movie_goes_on);
  tcase_add_test (tcase, what_was_before_the_first_packet_is_not_asked_for);
  tcase_add_test (tcase, the_second_packet_of_a_stream_is_repaired);
  tcase_add_test (tcase, a_packet_that_fifty_others_overtake_is_played_once);
  tcase_add_test (tcase, a_packet_lost_before_a_pause_does_not_end_repairs);
  tcase_add_test (tcase, the_first_packet_behind_a_pause_is_repaired);
  tcase_add_test (tcase, a_handover_amid_repairs_loses_nothing);
  tcase_add_test (tcase, a_repair_that_comes_over_the_old_link_is_not_sent_over_the_new_one);
  tcase_add_test (tcase, what_the_new_link_loses_at_first_is_not_repaired_too_soon);
  tcase_add_test (tcase, a_move_that_nobody_announces_ends_no_repairs);
  tcase_add_test (tcase, a_receiver_that_restarts_amid_repairs_plays_what_follows);
  tcase_add_test (tcase, a_sender_that_restarts_amid_repairs_is_not_asked_for_the_old_stream);
  return suite;
}

GST_CHECK_MAIN (repairfaults);
