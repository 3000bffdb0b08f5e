/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection of a source's peer, see gst/strangers/selection.h. */
#include "selectiontest.h"

/* ---- the first peer ------------------------------------------------------ */

GST_START_TEST (a_sender_that_answers_owns_the_source_after_a_round_trip)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 20 * MS);
  run (RTT - 1);
  fail_if (has_peer ());
  fail_unless_equals_int (sender->challenges, 1);
  run (1);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  run (10 * S);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (sender->challenges, 1);
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

GST_START_TEST (packets_wait_for_validation_in_their_order)
{
  Host *sender;
  const GstTfrcPendingPeer *pending;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 0);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (data_arrives (sender), GST_TFRC_VERDICT_HANDLED);
    now += 7 * MS;
  }
  pending = gst_tfrc_selection_get_pending (o, 0);
  fail_unless_equals_int (pending->n_held, 3);
  for (guint i = 0; i < 3; i++) {
    const GstTfrcHeldPacket *held = gst_tfrc_pending_get_held (pending, i);

    fail_unless_equals_uint64 (held->packet.arrival_ns, begin + i * 7 * MS);
    fail_unless_equals_int (held->header.seq, 65530 + i);
    fail_unless (gst_tfrc_address_equal (held->packet.from, &sender->address));
  }
}

GST_END_TEST;

/* The oldest packets are dropped, so that there is no gap before the next packets. */
GST_START_TEST (the_last_sixteen_packets_are_kept)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 0);
  sender->unresponsive = TRUE;
  for (guint i = 0; i < 20; i++)
    data_arrives (sender);
  fail_unless_equals_int (gst_tfrc_selection_get_pending (o, 0)->n_held, 16);
  fail_unless_equals_int (
      gst_tfrc_pending_get_held (gst_tfrc_selection_get_pending (o, 0), 0)->header.seq,
      (guint16) (65530 + 4));
  fail_unless_equals_uint64 (stats ().packets_dropped, 4);
}

GST_END_TEST;

GST_START_TEST (a_sender_report_is_enough_to_be_validated)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->report_ns = now;
  run (RTT);
  fail_unless_equals_int (sender->challenges, 1);
  fail_if (has_peer ()); /* there is no data to play yet */
  data_arrives (sender);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, 1);
}

GST_END_TEST;

/* The challenge tells the sender that a receiver is there, though data may be lost. */
GST_START_TEST (each_report_of_a_sender_without_data_is_challenged)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->report_ns = now;
  run (60 * S);
  fail_unless_equals_int (sender->challenges, 16);
  fail_unless_equals_uint64 (sender->challenge_ns[15], begin + 15 * REPORTS);
}

GST_END_TEST;

GST_START_TEST (a_lost_challenge_is_repeated)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 100 * MS);
  sender->lose_challenges = 1;
  run (S);
  fail_unless_equals_int (sender->challenges, 2);
  fail_unless_equals_uint64 (sender->first_taken_ns, begin + 333 * MS + RTT);
}

GST_END_TEST;

GST_START_TEST (plain_rtp_owns_the_source_with_two_packets_in_sequence)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->plain = sender->unresponsive = TRUE;
  data_arrives (sender);
  sender->seq++;
  data_arrives (sender);
  fail_if (has_peer ());
  data_arrives (sender);
  fail_unless (is_peer (sender));
  fail_if (is_validated ());
  fail_unless_equals_uint64 (sender->taken, 3);
  fail_unless_equals_int (sender->challenges, 0);
}

GST_END_TEST;

GST_START_TEST (a_tfrc_sender_that_knows_no_challenges_owns_after_a_second)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 300 * MS);
  sender->unresponsive = TRUE;
  run (S - 1);
  fail_if (has_peer ());
  run (1);
  fail_unless (is_peer (sender));
  fail_if (is_validated ());
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (an_answer_that_comes_later_validates_the_peer)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 100 * MS);
  sender->lose_challenges = 3;
  run (2 * S);
  fail_unless (is_peer (sender));
  fail_if (is_validated ());
  run (2 * S);
  fail_unless (is_validated ());
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

GST_START_TEST (wrong_answers_prove_nothing)
{
  guint8 wrong[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };
  guint8 right[TFRC_WIRE_PATH_DATA_BYTES];
  Host *sender, *other;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 0);
  other = add_host (1, 0);
  sender->unresponsive = other->unresponsive = TRUE;
  data_arrives (sender);
  data_arrives (other);
  get_cookie (&sender->address, right);
  fail_unless_equals_int (response_arrives (sender, wrong), GST_TFRC_VERDICT_FOREIGN);
  fail_unless_equals_int (response_arrives (other, right), GST_TFRC_VERDICT_FOREIGN);
  fail_if (has_peer ());
  fail_unless_equals_int (response_arrives (sender, right), GST_TFRC_VERDICT_HANDLED);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* An attacker who has seen an answer cannot use the answer for ever. */
GST_START_TEST (an_answer_counts_for_ten_to_twenty_seconds)
{
  guint8 answer[TFRC_WIRE_PATH_DATA_BYTES];
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->unresponsive = TRUE;
  for (guint age_s = 0; age_s <= 40; age_s++) {
    GstTfrcVerdict verdict;

    get_cookie (&sender->address, answer);
    now += age_s * S;
    verdict = response_arrives (sender, answer);
    if (age_s <= 10)
      fail_unless_equals_int (verdict, GST_TFRC_VERDICT_HANDLED);
    if (age_s >= 20)
      fail_unless_equals_int (verdict, GST_TFRC_VERDICT_FOREIGN);
  }
}

GST_END_TEST;

GST_START_TEST (a_pending_sender_is_forgotten_after_five_seconds)
{
  Host *sender;

  start_trusting (NULL, FALSE, GST_TFRC_TRUST_PLAUSIBLE);
  sender = add_host (0, 0);
  sender->unresponsive = TRUE;
  data_arrives (sender);
  run (5 * S - 1);
  fail_unless_equals_int (gst_tfrc_selection_get_pending (o, 0)->n_held, 1);
  run (1);
  fail_unless (gst_tfrc_selection_get_pending (o, 0) == NULL);
  fail_unless_equals_uint64 (stats ().packets_dropped, 1);
  fail_unless_equals_uint64 (gst_tfrc_selection_next_ns (o), NEVER);
}

GST_END_TEST;

/* Below that, reports of a sender that answers would cost a challenge each. */
GST_START_TEST (a_sender_without_data_is_challenged_every_two_seconds_at_most)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  report_arrives (sender);
  run (RTT);
  fail_unless_equals_int (sender->challenges, 1);
  for (guint i = 1; i < 20; i++) {
    report_arrives (sender);
    run (2 * S - RTT - 1);
    report_arrives (sender);
    fail_unless_equals_int (sender->challenges, i);
    run (1);
    report_arrives (sender);
    fail_unless_equals_int (sender->challenges, i + 1);
    run (RTT);
  }
}

GST_END_TEST;

/* Its number follows that of no packet. */
GST_START_TEST (one_packet_of_plain_rtp_with_any_number_owns_no_source)
{
  static const guint16 numbers[] = { 0, 1, 65535 };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    Host *sender;

    start (FALSE);
    sender = add_plain_host (0, 0);
    sender->seq = numbers[i];
    data_arrives (sender);
    run (S);
    fail_if (has_peer ());
    data_arrives (sender);
    fail_unless (is_peer (sender));
  }
}

GST_END_TEST;

/* The data of a sender that waits has been challenged. */
GST_START_TEST (a_sender_that_waits_with_data_is_not_challenged_for_its_reports)
{
  Host *rival;

  start_with_peer ();
  rival = add_host (1, 20 * MS);
  rival->report_ns = now;
  run (60 * S);
  fail_unless_equals_int (rival->challenges, 1);
}

GST_END_TEST;

static Suite *
srcselection_suite (void)
{
  Suite *s = suite_create ("srcselection");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_sender_that_answers_owns_the_source_after_a_round_trip);
  tcase_add_test (tc, packets_wait_for_validation_in_their_order);
  tcase_add_test (tc, the_last_sixteen_packets_are_kept);
  tcase_add_test (tc, a_sender_report_is_enough_to_be_validated);
  tcase_add_test (tc, each_report_of_a_sender_without_data_is_challenged);
  tcase_add_test (tc, a_sender_without_data_is_challenged_every_two_seconds_at_most);
  tcase_add_test (tc, a_sender_that_waits_with_data_is_not_challenged_for_its_reports);
  tcase_add_test (tc, one_packet_of_plain_rtp_with_any_number_owns_no_source);
  tcase_add_test (tc, a_lost_challenge_is_repeated);
  tcase_add_test (tc, plain_rtp_owns_the_source_with_two_packets_in_sequence);
  tcase_add_test (tc, a_tfrc_sender_that_knows_no_challenges_owns_after_a_second);
  tcase_add_test (tc, an_answer_that_comes_later_validates_the_peer);
  tcase_add_test (tc, wrong_answers_prove_nothing);
  tcase_add_test (tc, an_answer_counts_for_ten_to_twenty_seconds);
  tcase_add_test (tc, a_pending_sender_is_forgotten_after_five_seconds);
  return s;
}

GST_CHECK_MAIN (srcselection);
