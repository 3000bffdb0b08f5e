/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How another sender becomes the next peer of a source, see gst/strangers/selection.h */
#include "selectiontest.h"

static Host *stranger, *sender;

/* A sender that cannot answer challenges is the peer, and keeps sending. */
static void
start_with_stranger (void)
{
  start (TRUE);
  stranger = add_host (0, 100 * MS);
  stranger->plain = stranger->unresponsive = TRUE;
  run (S);
  fail_unless (is_peer (stranger));
}

GST_START_TEST (without_validation_the_first_sender_stays_the_peer)
{
  start_with_stranger ();
  sender = add_host (1, 20 * MS);
  run (RTT);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  run (60 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (without_validation_on_either_side_silence_has_to_last_five_seconds)
{
  Host *other;

  start_with_stranger ();
  other = add_host (1, 100 * MS);
  other->plain = other->unresponsive = TRUE;
  run (20 * S);
  fail_unless (is_peer (stranger));
  kill_host (stranger);
  run (5 * S - 1 * MS);
  fail_unless (is_peer (stranger));
  run (100 * MS);
  fail_unless (is_peer (other));
}

GST_END_TEST;

GST_START_TEST (an_idle_sender_that_answers_keeps_the_source)
{
  Host *rival;

  sender = start_with_peer ();
  sender->data_ns = NEVER;
  rival = add_host (1, 20 * MS);
  run (600 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (rival->taken, 0);
  sender->data_ns = now;
  run (S);
  fail_unless_equals_uint64 (sender->taken, sender->sent);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_was_killed_is_followed_within_two_seconds)
{
  Host *next;
  guint64 killed_ns;

  sender = start_with_peer ();
  kill_host (sender);
  killed_ns = sender->last_taken_ns;
  next = add_host (1, 300 * MS);
  run (10 * S);
  fail_unless (is_peer (next));
  fail_unless_equals_uint64 (next->first_taken_ns, killed_ns + 2 * S);
  fail_unless_equals_uint64 (next->taken, next->sent);
  fail_unless_equals_int (peers, 2);
}

GST_END_TEST;

GST_START_TEST (the_silent_peer_is_asked_three_times)
{
  guint before;

  sender = start_with_peer ();
  kill_host (sender);
  before = sender->challenges;
  add_host (1, 250 * MS);
  run (10 * S);
  fail_unless_equals_int (sender->challenges, before + 3);
  fail_unless_equals_uint64 (sender->challenge_ns[before], sender->last_taken_ns + S);
  fail_unless_equals_uint64 (
      sender->challenge_ns[before + 2], sender->last_taken_ns + S + 750 * MS);
}

GST_END_TEST;

/* The receiver was stopped when the packets of the other sender came. */
GST_START_TEST (the_silent_peer_is_asked_after_packets_that_are_read_late)
{
  Host *other;

  sender = start_with_peer ();
  sender->data_ns = NEVER;
  other = add_host (1, 20 * MS);
  run (RTT);
  kill_host (other);
  now += 3 * S; /* the receiver serves nothing in this time */
  stall_ns = 3 * S / 2;
  data_arrives (other);
  stall_ns = 0;
  run (10 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

GST_START_TEST (no_sender_without_validation_follows_before_five_seconds_of_silence)
{
  Host *forger;
  guint64 killed_ns;

  sender = start_with_peer ();
  kill_host (sender);
  killed_ns = sender->last_taken_ns;
  forger = add_host (1, 100 * MS);
  forger->unresponsive = TRUE;
  run (5 * S);
  fail_unless (is_peer (sender));
  run (2 * S);
  fail_unless (is_peer (forger));
  fail_unless_equals_uint64 (forger->first_taken_ns, killed_ns + 6 * S);
}

GST_END_TEST;

/* The network was down, or the host of the peer slept. */
GST_START_TEST (a_displaced_peer_is_the_peer_again_with_its_next_packet)
{
  Host *rival;

  sender = start_with_peer ();
  kill_host (sender);
  rival = add_host (1, 20 * MS);
  run (8 * S);
  fail_unless (is_peer (rival));
  sender->sent = sender->taken = 0;
  sender->unresponsive = FALSE;
  sender->data_ns = now;
  run (0);
  fail_unless (is_peer (sender));
  run (60 * S);
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (peers, 3);
}

GST_END_TEST;

/* Only the sender's new stream can answer. */
GST_START_TEST (a_sender_that_restarts_on_its_port_is_the_peer_after_a_round_trip)
{
  guint32 before;

  sender = start_with_peer ();
  before = sender->ssrc;
  sender->ssrc = 0x99999999;
  run (RTT + 20 * MS);
  fail_unless (is_peer (sender));
  /* a late packet of the old stream does not make that stream the peer again */
  data_arrives_from (&sender->address, before, 7, FALSE);
  follow ();
  fail_unless (is_peer (sender));
  run (S);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

GST_START_TEST (another_ssrc_at_the_address_of_the_peer_takes_nothing_over)
{
  sender = start_with_peer ();
  for (guint16 i = 0; i < 100; i++) {
    data_arrives_from (&sender->address, 0x99999999, i, i % 2);
    follow ();
    run (20 * MS);
  }
  fail_unless (is_peer (sender));
  fail_unless_equals_uint64 (sender->taken, sender->sent);
  fail_unless_equals_int (peers, 1);
}

GST_END_TEST;

static Host *rival;

/* The rival has displaced the sender, which has gone. */
static void
start_with_rival (void)
{
  sender = start_with_peer ();
  kill_host (sender);
  rival = add_host (1, 20 * MS);
  run (8 * S);
  fail_unless (is_peer (rival));
  bye_rtt_ns = S;
}

/* The BYE may be forged, so that the peer answers first. */
GST_START_TEST (a_displaced_peer_waits_for_the_test_after_a_bye)
{
  start_with_rival ();
  bye_arrives (rival);
  data_arrives (sender);
  fail_unless (is_peer (rival));
  run (RTT);
  fail_unless_equals_int (ends, 0);
  fail_unless_equals_uint64 (stats ().byes_refused, 1);
  fail_unless (is_peer (sender));
}

GST_END_TEST;

/* The source is nobody's: whoever comes then has to show itself. */
GST_START_TEST (a_displaced_peer_is_forgotten_when_the_stream_of_the_next_ends)
{
  start_with_rival ();
  bye_rtt_ns = 0;
  kill_host (rival);
  bye_arrives (rival);
  run (100 * MS);
  fail_unless_equals_int (ends, 1);
  data_arrives (sender);
  fail_if (has_peer ());
}

GST_END_TEST;

static Suite *
srcsuccession_suite (void)
{
  Suite *s = suite_create ("srcsuccession");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, without_validation_the_first_sender_stays_the_peer);
  tcase_add_test (tc, without_validation_on_either_side_silence_has_to_last_five_seconds);
  tcase_add_test (tc, an_idle_sender_that_answers_keeps_the_source);
  tcase_add_test (tc, a_sender_that_was_killed_is_followed_within_two_seconds);
  tcase_add_test (tc, the_silent_peer_is_asked_three_times);
  tcase_add_test (tc, the_silent_peer_is_asked_after_packets_that_are_read_late);
  tcase_add_test (tc, no_sender_without_validation_follows_before_five_seconds_of_silence);
  tcase_add_test (tc, a_displaced_peer_is_the_peer_again_with_its_next_packet);
  tcase_add_test (tc, a_displaced_peer_waits_for_the_test_after_a_bye);
  tcase_add_test (tc, a_displaced_peer_is_forgotten_when_the_stream_of_the_next_ends);
  tcase_add_test (tc, a_sender_that_restarts_on_its_port_is_the_peer_after_a_round_trip);
  tcase_add_test (tc, another_ssrc_at_the_address_of_the_peer_takes_nothing_over);
  return s;
}

GST_CHECK_MAIN (srcsuccession);
