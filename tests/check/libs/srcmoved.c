/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address of a source's peer changes, see gst/strangers/selection.h */
#include "selectiontest.h"

#define SILENCE (250 * MS)
#define TEST (9 * RTT)

static Host *sender, *moved;

/* Adds a host that sends the stream of @before from another address. */
static Host *
add_same_stream (guint number, const Host *before)
{
  Host *host = add_host (number, 20 * MS);

  host->ssrc = before->ssrc;
  host->seq = before->seq;
  return host;
}

static void
move_sender (void)
{
  kill_host (sender);
  moved = add_same_stream (1, sender);
}

GST_START_TEST (a_sender_whose_address_changes_is_followed_within_a_second)
{
  sender = start_with_peer ();
  move_sender ();
  run (10 * S);
  fail_unless (is_peer (moved));
  fail_unless_equals_uint64 (moved->first_taken_ns, sender->last_taken_ns + SILENCE + TEST);
  fail_unless (SILENCE + TEST < S);
  fail_unless_equals_int (peers, 2);
}

GST_END_TEST;

GST_START_TEST (the_old_address_is_asked_three_times)
{
  guint before;

  sender = start_with_peer ();
  before = sender->challenges;
  move_sender ();
  run (10 * S);
  fail_unless_equals_int (sender->challenges, before + 3);
  fail_unless_equals_uint64 (sender->challenge_ns[before], sender->last_taken_ns + SILENCE);
  fail_unless_equals_uint64 (
      sender->challenge_ns[before + 1], sender->last_taken_ns + SILENCE + TEST / 4);
  fail_unless_equals_uint64 (
      sender->challenge_ns[before + 2], sender->last_taken_ns + SILENCE + TEST * 3 / 4);
}

GST_END_TEST;

/* Somebody repeats the stream of a sender that pauses. */
GST_START_TEST (an_old_address_that_answers_keeps_the_source)
{
  guint before;

  sender = start_with_peer ();
  sender->data_ns = NEVER;
  before = sender->challenges;
  moved = add_same_stream (1, sender);
  run (600 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (moved->taken, 0);
  /* one for each silence, which a response ends */
  fail_unless (sender->challenges - before <= 600 * S / (SILENCE + RTT) + 1);
  sender->data_ns = now;
  run (S);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (an_old_address_that_answers_the_third_challenge_keeps_the_source)
{
  sender = start_with_peer ();
  sender->data_ns = sender->report_ns = NEVER;
  sender->lose_challenges = 2;
  moved = add_same_stream (1, sender);
  run (2 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (moved->taken, 0);
}

GST_END_TEST;

GST_START_TEST (an_old_address_that_sends_data_keeps_the_source)
{
  sender = start_with_peer ();
  moved = add_same_stream (1, sender);
  run (60 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_uint64 (moved->taken, 0);
}

GST_END_TEST;

/* The queue of the path has grown since the address was validated. */
GST_START_TEST (the_test_is_as_long_as_the_longer_round_trip_time_needs)
{
  sender = start_with_peer ();
  bye_rtt_ns = 100 * MS;
  move_sender ();
  run (10 * S);
  fail_unless_equals_uint64 (
      moved->first_taken_ns, sender->last_taken_ns + SILENCE + 9 * bye_rtt_ns);
}

GST_END_TEST;

GST_START_TEST (the_test_takes_one_second_at_most)
{
  sender = start_with_peer ();
  bye_rtt_ns = 10 * S;
  move_sender ();
  run (10 * S);
  fail_unless_equals_uint64 (moved->first_taken_ns, sender->last_taken_ns + SILENCE + S);
}

GST_END_TEST;

/* What the sender says cannot make the test shorter than what its own responses have shown. */
GST_START_TEST (a_short_round_trip_time_that_is_told_does_not_shorten_the_test)
{
  sender = start_with_peer ();
  bye_rtt_ns = 1;
  move_sender ();
  run (10 * S);
  fail_unless_equals_uint64 (moved->first_taken_ns, sender->last_taken_ns + SILENCE + TEST);
}

GST_END_TEST;

GST_START_TEST (a_moved_sender_without_validation_has_to_wait)
{
  sender = start_with_peer ();
  move_sender ();
  moved->unresponsive = TRUE;
  run (5 * S);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* The stranger's packets come last. */
GST_START_TEST (a_stranger_holds_up_no_sender_that_has_moved)
{
  Host *stranger;

  sender = start_with_peer ();
  move_sender ();
  stranger = add_host (2, MS);
  run (SILENCE + TEST);
  fail_unless (is_peer (moved));
  fail_unless_equals_uint64 (stranger->taken, 0);
}

GST_END_TEST;

/* Another stream has displaced the sender, and has two addresses. */
GST_START_TEST (a_displaced_sender_waits_for_no_other_that_has_moved)
{
  Host *rival;

  sender = start_with_peer ();
  kill_host (sender);
  rival = add_host (2, 20 * MS);
  run (8 * S);
  fail_unless (is_peer (rival));
  add_same_stream (3, rival);
  run (S + 7 * MS);
  fail_unless (is_peer (rival));
  sender->unresponsive = FALSE;
  sender->data_ns = now;
  run (0);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* It moves again before the test of its first address has ended. A stranger that sends all the time is not waited for. */
GST_START_TEST (a_sender_that_moves_twice_is_followed_to_the_last_address)
{
  Host *last;

  sender = start_with_peer ();
  move_sender ();
  run (400 * MS);
  fail_unless (is_peer (sender));
  kill_host (moved);
  last = add_same_stream (2, moved);
  add_host (3, MS);
  run (900 * MS);
  fail_unless (is_peer (last));
  fail_unless_equals_uint64 (moved->taken, 0);
  fail_unless_equals_int (peers, 2);
}

GST_END_TEST;

/* There is nothing to play of it. */
GST_START_TEST (an_address_that_only_reports_the_stream_is_not_followed)
{
  sender = start_with_peer ();
  kill_host (sender);
  moved = add_host (1, 0);
  moved->ssrc = sender->ssrc;
  moved->report_ns = now;
  run (20 * S);
  fail_unless (moved->challenges > 0);
  fail_unless (is_peer (sender));
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

static Suite *
srcmoved_suite (void)
{
  Suite *s = suite_create ("srcmoved");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_sender_whose_address_changes_is_followed_within_a_second);
  tcase_add_test (tc, the_old_address_is_asked_three_times);
  tcase_add_test (tc, an_old_address_that_answers_keeps_the_source);
  tcase_add_test (tc, an_old_address_that_answers_the_third_challenge_keeps_the_source);
  tcase_add_test (tc, an_old_address_that_sends_data_keeps_the_source);
  tcase_add_test (tc, the_test_is_as_long_as_the_longer_round_trip_time_needs);
  tcase_add_test (tc, the_test_takes_one_second_at_most);
  tcase_add_test (tc, a_short_round_trip_time_that_is_told_does_not_shorten_the_test);
  tcase_add_test (tc, a_moved_sender_without_validation_has_to_wait);
  tcase_add_test (tc, a_stranger_holds_up_no_sender_that_has_moved);
  tcase_add_test (tc, a_displaced_sender_waits_for_no_other_that_has_moved);
  tcase_add_test (tc, a_sender_that_moves_twice_is_followed_to_the_last_address);
  tcase_add_test (tc, an_address_that_only_reports_the_stream_is_not_followed);
  return s;
}

GST_CHECK_MAIN (srcmoved);
