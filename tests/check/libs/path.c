/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Validation of a path, see <tfrc/path.h>: challenges and responses. */
#include "pathtest.h"

GST_START_TEST (nothing_is_sent_to_an_address_before_it_has_sent)
{
  start (RTT);
  fail_unless_equals_int (take (), 0);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now + PATIENCE);
}

GST_END_TEST;

GST_START_TEST (the_first_challenge_is_due_at_once_and_as_small_as_possible)
{
  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now);
  fail_unless_equals_int (take (), BARE);
  fail_unless_equals_int (memcmp (challenge, config.data[0], 8), 0);
  fail_unless_equals_int (take (), 0);
}

GST_END_TEST;

GST_START_TEST (challenges_are_repeated_less_and_less_often)
{
  const guint64 rtts[] = { RTT, 1, 10 * MS, 0 }, firsts[] = { RTT, 10 * MS, 10 * MS, 333 * MS };

  for (guint i = 0; i < G_N_ELEMENTS (rtts); i++) {
    guint64 interval_ns = firsts[i];

    start (rtts[i]);
    while (now + interval_ns < 7 * S + PATIENCE) {
      tfrc_path_on_received (path, FEEDBACK);
      fail_unless_equals_int (take (), BARE);
      tfrc_path_on_received (path, FEEDBACK);
      if (tfrc_path_next_ns (path) == 7 * S + PATIENCE)
        break;
      fail_unless_equals_uint64 (tfrc_path_next_ns (path), now + interval_ns);
      now += interval_ns;
      interval_ns *= 2;
    }
    fail_unless (interval_ns > firsts[i]);
  }
}

GST_END_TEST;

/* Sends and receives all possible packets until the end of the validation. */
static guint
take_all (gsize *sent)
{
  guint packets = 0;
  gsize size;

  for (*sent = 0; (size = take ()) > 0; now = tfrc_path_next_ns (path)) {
    *sent += size;
    packets++;
  }
  return packets;
}

GST_START_TEST (no_more_bytes_leave_than_have_come)
{
  gsize sent, size;
  guint received = 0;

  for (guint bytes = 1; bytes < 2000; bytes += 37) {
    start (1);
    tfrc_path_on_received (path, bytes);
    fail_unless_equals_int (take_all (&sent), bytes < BARE ? 0 : 1);
    fail_unless_equals_uint64 (sent, bytes < BARE ? 0 : bytes < FULL ? BARE : FULL);
    fail_unless_equals_uint64 (sent, bytes - tfrc_path_get_credit_bytes (path));
  }
  start (1);
  for (sent = 0; now < 7 * S + PATIENCE; now += MS) {
    tfrc_path_on_received (path, 7);
    received += 7;
    size = take ();
    sent += size;
    fail_unless (sent <= received);
  }
  /* all packets that may leave do leave */
  fail_unless (sent > 100);
}

GST_END_TEST;

GST_START_TEST (no_more_packets_leave_than_have_come)
{
  gsize sent;

  for (guint packets = 1; packets <= 5; packets++) {
    start (1);
    for (guint i = 0; i < packets; i++)
      tfrc_path_on_received (path, FEEDBACK);
    fail_unless_equals_int (take_all (&sent), packets);
    fail_unless_equals_uint64 (sent, packets * BARE);
  }
}

GST_END_TEST;

GST_START_TEST (a_challenge_of_full_size_leaves_as_soon_as_it_may)
{
  guint received = 0, packets = 0;

  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  received += FEEDBACK;
  fail_unless_equals_int (take (), BARE);
  while (received < FULL + BARE) {
    now += MS;
    fail_unless_equals_int (take (), 0);
    tfrc_path_on_received (path, FEEDBACK);
    received += FEEDBACK;
    packets++;
  }
  fail_unless_equals_int (packets, 21);
  fail_unless (packets * MS < RTT);
  fail_unless (tfrc_path_next_ns (path) <= now);
  fail_unless_equals_int (take (), FULL);
  fail_unless_equals_int (memcmp (challenge, config.data[1], 8), 0);
  /* the next challenge leaves only when it is due */
  tfrc_path_on_received (path, FULL);
  fail_unless_equals_int (take (), 0);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now + 2 * RTT);
}

GST_END_TEST;

GST_START_TEST (a_response_makes_the_path_reached_and_asks_for_full_size)
{
  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  take ();
  now += RTT;
  fail_unless (respond (0));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_REACHED);
  fail_unless_equals_int (take (), FULL);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now + RTT);
  /* a second response to the first challenge changes nothing */
  fail_unless (respond (0));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_REACHED);
  fail_unless_equals_int (take (), 0);
  now += RTT;
  fail_unless (respond (1));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_VALID);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), TFRC_TIME_NEVER);
  fail_unless_equals_int (take (), 0);
  tfrc_path_on_time (path, now + S * 3600);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_VALID);
}

GST_END_TEST;

GST_START_TEST (the_response_to_full_size_is_enough)
{
  start (RTT);
  tfrc_path_on_received (path, FULL);
  fail_unless_equals_int (take (), FULL);
  fail_unless (respond (1));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_VALID);
  fail_unless (respond (0));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_VALID);
}

GST_END_TEST;

GST_START_TEST (other_bytes_are_no_response)
{
  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  take ();
  for (guint i = 0; i < 64; i++) {
    guint8 data[8];

    memcpy (data, config.data[0], 8);
    data[i / 8] ^= 1 << i % 8;
    fail_if (tfrc_path_on_response (path, data, now));
    fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_PROBING);
  }
}

GST_END_TEST;

GST_START_TEST (validation_fails_at_its_timeout)
{
  /* the timeout is three times 4 R if that is longer */
  const guint64 rtts[] = { RTT, S }, patience[] = { PATIENCE, 12 * S };

  for (guint i = 0; i < G_N_ELEMENTS (rtts); i++) {
    start (rtts[i]);
    tfrc_path_on_received (path, FEEDBACK);
    take ();
    tfrc_path_on_time (path, 7 * S + patience[i] - 1);
    fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_PROBING);
    now = 7 * S + patience[i];
    tfrc_path_on_time (path, now);
    fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_FAILED);
    fail_if (respond (0));
    fail_unless_equals_int (take (), 0);
    fail_unless_equals_uint64 (tfrc_path_next_ns (path), TFRC_TIME_NEVER);
  }
}

GST_END_TEST;

GST_START_TEST (a_path_that_carries_no_packets_of_full_size_fails)
{
  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  take ();
  now += RTT;
  fail_unless (respond (0));
  while (tfrc_path_next_ns (path) < 7 * S + RTT + PATIENCE) {
    now = tfrc_path_next_ns (path);
    fail_unless_equals_int (take (), FULL);
  }
  now = tfrc_path_next_ns (path);
  fail_unless_equals_uint64 (now, 7 * S + RTT + PATIENCE);
  tfrc_path_on_time (path, now);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_FAILED);
}

GST_END_TEST;

GST_START_TEST (the_first_response_tells_the_round_trip_time)
{
  start (0);
  tfrc_path_on_received (path, FEEDBACK);
  fail_unless_equals_int (take (), BARE);
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (path), 0);
  now += 47 * MS;
  fail_unless (respond (0));
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (path), 47 * MS);
  take ();
  now += 90 * MS;
  fail_unless (respond (1));
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (path), 47 * MS);
}

GST_END_TEST;

/* It is not known which challenge was answered. So R counts from the first challenge, and is too
 * long if that challenge was lost. */
GST_START_TEST (the_round_trip_time_counts_from_the_first_of_repeated_challenges)
{
  start (10 * MS);
  tfrc_path_on_received (path, FULL);
  take ();
  now += 10 * MS;
  tfrc_path_on_received (path, FULL);
  fail_unless_equals_int (take (), FULL);
  now += 25 * MS;
  fail_unless (respond (1));
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (path), 35 * MS);
}

GST_END_TEST;

/* One without padding has left since, as no more was allowed. */
GST_START_TEST (a_second_challenge_of_full_size_waits_for_its_time)
{
  start (RTT);
  tfrc_path_on_received (path, FULL);
  fail_unless_equals_int (take (), FULL);
  tfrc_path_on_received (path, BARE);
  now += RTT;
  fail_unless_equals_int (take (), BARE);
  tfrc_path_on_received (path, FULL);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now + 2 * RTT);
  fail_unless_equals_int (take (), 0);
  now += 2 * RTT;
  fail_unless_equals_int (take (), FULL);
}

GST_END_TEST;

static Suite *
path_suite (void)
{
  Suite *s = suite_create ("path");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, nothing_is_sent_to_an_address_before_it_has_sent);
  tcase_add_test (tc, the_first_challenge_is_due_at_once_and_as_small_as_possible);
  tcase_add_test (tc, challenges_are_repeated_less_and_less_often);
  tcase_add_test (tc, no_more_bytes_leave_than_have_come);
  tcase_add_test (tc, no_more_packets_leave_than_have_come);
  tcase_add_test (tc, a_challenge_of_full_size_leaves_as_soon_as_it_may);
  tcase_add_test (tc, a_response_makes_the_path_reached_and_asks_for_full_size);
  tcase_add_test (tc, the_response_to_full_size_is_enough);
  tcase_add_test (tc, other_bytes_are_no_response);
  tcase_add_test (tc, validation_fails_at_its_timeout);
  tcase_add_test (tc, a_path_that_carries_no_packets_of_full_size_fails);
  tcase_add_test (tc, the_first_response_tells_the_round_trip_time);
  tcase_add_test (tc, the_round_trip_time_counts_from_the_first_of_repeated_challenges);
  tcase_add_test (tc, a_second_challenge_of_full_size_waits_for_its_time);
  return s;
}

GST_CHECK_MAIN (path);
