/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a stream, and what does not end a stream, see gst/strangers/peer.h. */
#include "selectiontest.h"

static Host *sender;

static void
start_with_sender (gboolean keep_listening)
{
  start (keep_listening);
  sender = add_host (0, 20 * MS);
  run (S);
  fail_unless (is_peer (sender));
  bye_rtt_ns = RTT;
}

static void
start_with_plain_sender (gboolean keep_listening)
{
  start (keep_listening);
  sender = add_host (0, 20 * MS);
  sender->plain = sender->unresponsive = TRUE;
  run (S);
  fail_unless (is_peer (sender));
}

/* The sender sends a BYE and goes. */
static void
say_bye (void)
{
  kill_host (sender);
  fail_unless_equals_int (bye_arrives (sender), GST_TFRC_VERDICT_PEER);
}

/* ---- a validated peer -------------------------------------------------------- */

GST_START_TEST (the_stream_ends_two_round_trips_after_bye)
{
  guint64 bye_ns;

  start_with_sender (FALSE);
  bye_ns = now;
  say_bye ();
  run (2 * RTT - 1);
  fail_unless_equals_int (ends, 0);
  run (1);
  fail_unless_equals_int (ends, 1);
  fail_unless_equals_uint64 (end_ns, bye_ns + 2 * RTT);
  fail_if (has_peer ());
}

GST_END_TEST;

GST_START_TEST (the_sender_has_between_100_ms_and_2_s_to_answer)
{
  guint64 bye_ns;

  start_with_sender (FALSE);
  bye_rtt_ns = MS;
  bye_ns = now;
  say_bye ();
  run (10 * S);
  fail_unless_equals_uint64 (end_ns, bye_ns + 100 * MS);

  start_with_sender (FALSE);
  bye_rtt_ns = 16 * S;
  bye_ns = now;
  say_bye ();
  run (10 * S);
  fail_unless_equals_uint64 (end_ns, bye_ns + 2 * S);
}

GST_END_TEST;

GST_START_TEST (a_forged_bye_is_refused_and_counted)
{
  start_with_sender (FALSE);
  for (guint i = 0; i < 10; i++) {
    bye_arrives (sender);
    run (S);
    fail_unless_equals_uint64 (stats ().byes_refused, i + 1);
  }
  fail_unless_equals_int (ends, 0);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (sender->challenges, 1 + 10);
}

GST_END_TEST;

/* The receiver was stopped when the BYE came. */
GST_START_TEST (the_peer_is_asked_after_a_bye_that_is_read_late)
{
  start_with_sender (FALSE);
  stall_ns = 3 * S;
  bye_arrives (sender);
  stall_ns = 0;
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
}

GST_END_TEST;

/* The receiver was stopped after the BYE.  The response has come meanwhile, and is read behind other packets. */
GST_START_TEST (a_response_that_is_read_late_refutes_a_bye)
{
  start_with_sender (FALSE);
  bye_arrives (sender);
  now += 3 * S;
  serve ();
  fail_unless_equals_int (ends, 0);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
}

GST_END_TEST;

GST_START_TEST (a_stream_whose_end_is_noticed_late_ends_once_all_must_have_been_read)
{
  start_with_sender (FALSE);
  say_bye ();
  now += 3 * S;
  serve ();
  run (100 * MS - 1);
  fail_unless_equals_int (ends, 0);
  run (1);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

GST_START_TEST (the_challenge_after_bye_is_repeated_in_the_middle)
{
  guint64 bye_ns;

  start_with_sender (FALSE);
  bye_rtt_ns = 2 * RTT;
  sender->lose_challenges = 1;
  bye_ns = now;
  bye_arrives (sender);
  run (S);
  fail_unless_equals_int (sender->challenges, 3);
  fail_unless_equals_uint64 (sender->challenge_ns[1], bye_ns);
  fail_unless_equals_uint64 (sender->challenge_ns[2], bye_ns + 2 * RTT);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
}

GST_END_TEST;

/* The response to an earlier challenge says nothing about the BYE. */
GST_START_TEST (an_answer_to_an_old_challenge_does_not_refute_a_bye)
{
  guint8 old[TFRC_WIRE_PATH_DATA_BYTES];

  start_with_sender (FALSE);
  get_cookie (&sender->address, old);
  say_bye ();
  response_arrives (sender, old);
  run (S);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

GST_START_TEST (a_flood_of_byes_causes_two_challenges_in_two_round_trips)
{
  start_with_sender (FALSE);
  kill_host (sender);
  for (guint i = 0; i < 100; i++)
    bye_arrives (sender);
  run (2 * RTT);
  fail_unless_equals_int (sender->challenges, 1 + 2);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

GST_START_TEST (the_next_stream_of_the_same_address_confirms_the_bye)
{
  start_with_sender (TRUE);
  bye_rtt_ns = S;
  bye_arrives (sender);
  sender->ssrc++;
  run (RTT);
  fail_unless_equals_int (ends, 1);
  run (RTT);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* ---- a peer that is not validated ---------------------------------------- */

GST_START_TEST (plain_rtp_ends_200_ms_after_bye)
{
  guint64 bye_ns;

  start_with_plain_sender (FALSE);
  bye_ns = now;
  say_bye ();
  /* the BYE has overtaken this packet */
  run (90 * MS);
  fail_unless_equals_int (data_arrives (sender), GST_TFRC_VERDICT_PEER);
  run (10 * S);
  fail_unless_equals_int (ends, 1);
  fail_unless_equals_uint64 (end_ns, bye_ns + 200 * MS);
  fail_unless_equals_uint64 (stats ().byes_refused, 0);
}

GST_END_TEST;

GST_START_TEST (plain_rtp_that_goes_on_refutes_a_bye)
{
  start_with_plain_sender (FALSE);
  bye_arrives (sender);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

/* ---- BYE of others ---------------------------------------------------------- */

/* The challenge after the BYE is lost, and the response to another challenge validates the peer. */
GST_START_TEST (a_peer_that_is_validated_after_bye_is_asked_once_more)
{
  start (FALSE);
  sender = add_host (0, 20 * MS);
  sender->unresponsive = TRUE;
  run (2200 * MS);
  fail_unless (is_peer (sender) && !is_validated ());
  sender->unresponsive = FALSE;
  sender->lose_challenges = 1;
  bye_rtt_ns = 300 * MS;
  bye_arrives (sender);
  run (S);
  fail_unless (is_validated ());
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
}

GST_END_TEST;

GST_START_TEST (a_bye_does_not_end_a_source_that_has_no_peer)
{
  Host *stranger;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  stranger = add_host (0, 0);
  stranger->unresponsive = TRUE;
  data_arrives (stranger);
  fail_unless_equals_int (bye_arrives (stranger), GST_TFRC_VERDICT_FOREIGN);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
}

GST_END_TEST;

GST_START_TEST (the_bye_of_others_is_foreign)
{
  Host *stranger;

  start_with_sender (FALSE);
  stranger = add_host (1, 0);
  fail_unless_equals_int (bye_arrives (stranger), GST_TFRC_VERDICT_FOREIGN);
  stranger->ssrc = sender->ssrc;
  fail_unless_equals_int (bye_arrives (stranger), GST_TFRC_VERDICT_FOREIGN);
  stranger->address = sender->address;
  stranger->ssrc = 77;
  fail_unless_equals_int (bye_arrives (stranger), GST_TFRC_VERDICT_FOREIGN);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 0);
}

GST_END_TEST;

/* ---- after the end ----------------------------------------------------------- */

GST_START_TEST (a_bye_whose_answer_was_lost_is_answered_again)
{
  start_with_sender (FALSE);
  say_bye ();
  run (S);
  fail_unless_equals_int (bye_arrives (sender), GST_TFRC_VERDICT_PEER);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

GST_START_TEST (nothing_follows_the_end_without_keep_listening)
{
  Host *next;

  start_with_sender (FALSE);
  say_bye ();
  run (S);
  next = add_host (1, 20 * MS);
  fail_unless_equals_int (data_arrives (next), GST_TFRC_VERDICT_FOREIGN);
  fail_unless_equals_int (report_arrives (next), GST_TFRC_VERDICT_FOREIGN);
  run (10 * S);
  fail_if (has_peer ());
  fail_unless_equals_int (next->challenges, 0);
}

GST_END_TEST;

GST_START_TEST (the_next_stream_follows_with_keep_listening)
{
  Host *next;

  start_with_sender (TRUE);
  say_bye ();
  run (S);
  next = add_host (1, 20 * MS);
  run (RTT);
  fail_unless (is_peer (next));
  fail_unless_equals_uint64 (next->taken, next->sent);
}

GST_END_TEST;

/* The end was believed although it was false, because challenges were lost. Data that goes on is a
 * new stream, and is played like any stream. */
GST_START_TEST (a_stream_that_goes_on_after_its_end_is_a_new_one)
{
  guint64 before;

  start_with_sender (TRUE);
  sender->lose_challenges = 2;
  bye_arrives (sender);
  before = sender->taken;
  run (2 * RTT);
  fail_unless_equals_int (ends, 1);
  fail_unless_equals_uint64 (sender->taken, before + 2 * RTT / (20 * MS));
  before = sender->sent;
  run (S);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
  fail_unless_equals_int (peers, 2);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (packets_on_their_way_at_the_end_start_no_stream)
{
  start_with_plain_sender (TRUE);
  say_bye ();
  run (200 * MS);
  fail_unless_equals_int (ends, 1);
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_int (data_arrives (sender), GST_TFRC_VERDICT_HANDLED);
  run (10 * S);
  fail_if (has_peer ());
  fail_unless_equals_uint64 (gst_tfrc_selection_next_ns (o), NEVER);
}

GST_END_TEST;

/* Up to 10 ms are the scheduling of a process that ran. */
GST_START_TEST (an_end_that_is_noticed_10_ms_late_is_no_stop_of_the_process)
{
  for (guint i = 0; i < 2; i++) {
    start_with_sender (FALSE);
    say_bye ();
    now += 2 * RTT + 10 * MS + i;
    serve ();
    fail_unless_equals_int (ends, 1 - i);
  }
}

GST_END_TEST;

/* A process that is stopped again and again still notices the end. */
GST_START_TEST (the_time_to_read_what_came_meanwhile_is_given_once)
{
  start_with_sender (FALSE);
  say_bye ();
  now += 3 * S;
  serve ();
  fail_unless_equals_int (ends, 0);
  now += 3 * S;
  serve ();
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

/* The challenge after the BYE is lost. The next stream answers that to its own first packet. */
GST_START_TEST (a_next_stream_that_answers_its_own_challenge_confirms_the_bye)
{
  start_with_sender (TRUE);
  bye_rtt_ns = S;
  sender->lose_challenges = 1;
  sender->data_ns = NEVER;
  bye_arrives (sender);
  sender->ssrc++;
  data_arrives (sender);
  run (RTT);
  fail_unless_equals_int (ends, 1);
}

GST_END_TEST;

/* That of a sender of plain RTP has taken all credit. */
GST_START_TEST (a_repeated_bye_brings_the_credit_for_its_answer)
{
  start_with_plain_sender (FALSE);
  say_bye ();
  run (S);
  fail_unless_equals_int (ends, 1);
  while (gst_tfrc_selection_may_send (o, 1))
    continue;
  bye_arrives (sender);
  fail_unless (gst_tfrc_selection_may_send (o, 28));
  fail_if (gst_tfrc_selection_may_send (o, 1));
}

GST_END_TEST;

/* The end was believed although it was false, and the sender cannot answer. */
GST_START_TEST (plain_rtp_that_goes_on_a_second_after_its_end_is_a_new_stream)
{
  start_with_plain_sender (TRUE);
  say_bye ();
  run (200 * MS);
  fail_unless_equals_int (ends, 1);
  run (S - 1);
  data_arrives (sender);
  data_arrives (sender);
  fail_if (has_peer ());
  run (1);
  data_arrives (sender);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* A stranger would have a place and a challenge for it. */
GST_START_TEST (a_report_with_a_bye_is_no_call)
{
  TfrcWireRtcp rtcp = { .has_sr = TRUE, .has_bye = TRUE };
  Host *stranger;

  start_with_sender (TRUE);
  stranger = add_host (1, 0);
  rtcp.sender_ssrc = stranger->ssrc;
  fail_unless_equals_int (rtcp_arrives (stranger, &rtcp, 56), GST_TFRC_VERDICT_FOREIGN);
  run (S);
  fail_unless_equals_int (stranger->challenges, 0);
}

GST_END_TEST;

static Suite *
srcbye_suite (void)
{
  Suite *s = suite_create ("srcbye");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_stream_ends_two_round_trips_after_bye);
  tcase_add_test (tc, the_sender_has_between_100_ms_and_2_s_to_answer);
  tcase_add_test (tc, a_forged_bye_is_refused_and_counted);
  tcase_add_test (tc, the_peer_is_asked_after_a_bye_that_is_read_late);
  tcase_add_test (tc, a_response_that_is_read_late_refutes_a_bye);
  tcase_add_test (tc, a_stream_whose_end_is_noticed_late_ends_once_all_must_have_been_read);
  tcase_add_test (tc, an_end_that_is_noticed_10_ms_late_is_no_stop_of_the_process);
  tcase_add_test (tc, the_time_to_read_what_came_meanwhile_is_given_once);
  tcase_add_test (tc, the_challenge_after_bye_is_repeated_in_the_middle);
  tcase_add_test (tc, an_answer_to_an_old_challenge_does_not_refute_a_bye);
  tcase_add_test (tc, a_flood_of_byes_causes_two_challenges_in_two_round_trips);
  tcase_add_test (tc, the_next_stream_of_the_same_address_confirms_the_bye);
  tcase_add_test (tc, plain_rtp_ends_200_ms_after_bye);
  tcase_add_test (tc, plain_rtp_that_goes_on_refutes_a_bye);
  tcase_add_test (tc, a_peer_that_is_validated_after_bye_is_asked_once_more);
  tcase_add_test (tc, a_bye_does_not_end_a_source_that_has_no_peer);
  tcase_add_test (tc, the_bye_of_others_is_foreign);
  tcase_add_test (tc, a_bye_whose_answer_was_lost_is_answered_again);
  tcase_add_test (tc, nothing_follows_the_end_without_keep_listening);
  tcase_add_test (tc, the_next_stream_follows_with_keep_listening);
  tcase_add_test (tc, a_stream_that_goes_on_after_its_end_is_a_new_one);
  tcase_add_test (tc, packets_on_their_way_at_the_end_start_no_stream);
  tcase_add_test (tc, a_next_stream_that_answers_its_own_challenge_confirms_the_bye);
  tcase_add_test (tc, a_repeated_bye_brings_the_credit_for_its_answer);
  tcase_add_test (tc, plain_rtp_that_goes_on_a_second_after_its_end_is_a_new_stream);
  tcase_add_test (tc, a_report_with_a_bye_is_no_call);
  return s;
}

GST_CHECK_MAIN (srcbye);
