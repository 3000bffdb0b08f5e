/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second without a response after which a provisional peer is unresponsive, see gst/strangers/peer.h: it begins with
 * a challenge that this peer can answer, and it does begin. */
#include "selectiontest.h"

/* The sender is about to answer. */
static void
check_plain_rtp_takes_no_place_of (Host *sender)
{
  Host *forger = add_plain_host (1, 0);

  data_arrives (forger);
  data_arrives (forger);
  fail_unless (is_provisional_peer (sender));
  run (RTT);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
  fail_unless_equals_uint64 (forger->taken, 0);
}

/* The second begins when the challenge leaves, long after the packets have come. */
GST_START_TEST (a_source_that_reads_late_waits_for_the_answer_as_long_as_others)
{
  Host *sender;

  start (FALSE);
  stall_ns = 1500 * MS;
  bye_arrives (forge (0, 2));
  stall_ns = 0;
  sender = add_host (1, 20 * MS);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  check_is_played (sender);
}

GST_END_TEST;

/* Nobody has answered the first challenges, and the next packet brings new ones. */
GST_START_TEST (a_first_sender_that_is_challenged_again_has_a_second_again)
{
  Host *sender;

  start (FALSE);
  sender = forge (0, 1);
  run (20 * S);
  sender->unresponsive = FALSE;
  sender->seq += 100;
  data_arrives (sender);
  check_plain_rtp_takes_no_place_of (sender);
}

GST_END_TEST;

GST_START_TEST (two_forged_packets_far_apart_and_a_bye_end_nothing)
{
  Host *forger, *sender;

  start (FALSE);
  forger = forge (0, 1);
  run (10 * S);
  data_arrives (forger);
  bye_arrives (forger);
  run (10 * S);
  fail_unless_equals_int (ends, 0);
  sender = add_host (1, 20 * MS);
  run (10 * S);
  check_is_played (sender);
}

GST_END_TEST;

/* The challenge to its report was lost, long before its first data. */
GST_START_TEST (a_first_sender_with_an_old_report_has_a_second)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  sender->lose_challenges = 1;
  report_arrives (sender);
  run (2 * S);
  data_arrives (sender);
  check_plain_rtp_takes_no_place_of (sender);
}

GST_END_TEST;

/* The time for the challenges began with the first packet, which was plain RTP and brought none. */
GST_START_TEST (a_forger_that_begins_with_plain_rtp_keeps_nobody_out)
{
  Host *forger, *sender;

  start (FALSE);
  forger = add_plain_host (0, 0);
  data_arrives (forger);
  run (4500 * MS);
  forger->plain = FALSE;
  data_arrives (forger);
  fail_unless (is_provisional_peer (forger));
  fail_unless_equals_int (forger->challenges, 1);
  sender = add_plain_host (1, 100 * MS);
  run (S);
  check_is_played (sender);
}

GST_END_TEST;

/* The time for the challenges would be over before the source has read the packet. */
GST_START_TEST (a_forged_packet_that_is_read_late_keeps_nobody_out)
{
  Host *forger, *sender;

  start (FALSE);
  stall_ns = 20 * S;
  forger = forge (0, 1);
  stall_ns = 0;
  fail_unless (is_provisional_peer (forger));
  fail_unless_equals_int (forger->challenges, 1);
  sender = add_plain_host (1, 100 * MS);
  run (S);
  check_is_played (sender);
}

GST_END_TEST;

/* Its cookie, too, is of the time at which the challenge leaves. */
GST_START_TEST (a_first_packet_that_is_read_late_is_answered)
{
  Host *sender;

  start (FALSE);
  sender = add_host (0, 0);
  stall_ns = 20 * S;
  data_arrives (sender);
  stall_ns = 0;
  run (RTT);
  fail_unless (is_peer (sender));
  fail_unless (is_validated ());
}

GST_END_TEST;

static Suite *
srcunanswered_suite (void)
{
  Suite *suite = suite_create ("srcunanswered");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_source_that_reads_late_waits_for_the_answer_as_long_as_others);
  tcase_add_test (tc, a_first_sender_that_is_challenged_again_has_a_second_again);
  tcase_add_test (tc, two_forged_packets_far_apart_and_a_bye_end_nothing);
  tcase_add_test (tc, a_first_sender_with_an_old_report_has_a_second);
  tcase_add_test (tc, a_forger_that_begins_with_plain_rtp_keeps_nobody_out);
  tcase_add_test (tc, a_forged_packet_that_is_read_late_keeps_nobody_out);
  tcase_add_test (tc, a_first_packet_that_is_read_late_is_answered);
  return suite;
}

GST_CHECK_MAIN (srcunanswered);
