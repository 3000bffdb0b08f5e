/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a damaged link explains the losses: their number, and whether they grow with the rate. R is
 * 100 ms. */
#include <gst/check/gstcheck.h>
#include <tfrc/link_losses.h>

#define RTT (G_GUINT64_CONSTANT (100000000))
#define ALLOWANCE 0.02

typedef struct
{
  TfrcLinkLosses losses;
  guint64 now;
  guint packets; /* of all round-trip times, with the lost ones */
} LossesTest;

static void
losses_test_init (LossesTest *t)
{
  tfrc_link_losses_init (&t->losses, ALLOWANCE);
  t->now = RTT;
  t->packets = 0;
}

/* A round-trip time with this many packets, each nth of which is lost; 0: none */
static void
pass_rtt (LossesTest *t, guint packets, guint nth)
{
  for (guint i = 0; i < packets; i++) {
    t->packets++;
    if (nth > 0 && t->packets % nth == 0)
      tfrc_link_losses_on_loss (&t->losses, 1);
    else
      tfrc_link_losses_on_packet (&t->losses, RTT, t->now + i * (RTT / packets));
  }
  t->now += RTT;
}

static void
pass_packets (LossesTest *t, guint packets, guint nth)
{
  for (guint i = 0; i < packets / 10; i++)
    pass_rtt (t, 10, nth);
}

/* Round-trip times with 5 and 15 packets by turns */
static void
pass_by_turns (LossesTest *t, guint rtts, guint nth_of_slow, guint nth_of_fast)
{
  for (guint i = 0; i < rtts; i++) {
    pass_rtt (t, 5, nth_of_slow);
    pass_rtt (t, 15, nth_of_fast);
  }
}

#define assert_likely(t) fail_unless (tfrc_link_losses_are_likely (&(t)->losses))
#define assert_unlikely(t) fail_if (tfrc_link_losses_are_likely (&(t)->losses))

GST_START_TEST (losses_within_the_allowance_are_likely)
{
  LossesTest t;

  losses_test_init (&t);
  for (guint i = 0; i < 1000; i++) {
    pass_packets (&t, 50, 50);
    assert_likely (&t);
  }
}

GST_END_TEST;

/* One in twenty. Of 100 packets 5 are lost, and 0.02 * 100 + 3 * sqrt (2) = 6.2 may be; of 600, 30 and
 * 22.4. */
GST_START_TEST (more_losses_are_unlikely_until_they_have_passed)
{
  LossesTest t;

  losses_test_init (&t);
  pass_packets (&t, 100, 20);
  assert_likely (&t);
  pass_packets (&t, 500, 20);
  assert_unlikely (&t);
  pass_packets (&t, 5000, 0);
  assert_likely (&t);
}

GST_END_TEST;

GST_START_TEST (one_loss_of_the_first_packets_is_unlikely)
{
  LossesTest t;

  losses_test_init (&t);
  tfrc_link_losses_on_packet (&t.losses, RTT, t.now);
  tfrc_link_losses_on_loss (&t.losses, 1);
  assert_unlikely (&t);
  pass_packets (&t, 50, 0);
  assert_likely (&t);
}

GST_END_TEST;

GST_START_TEST (losses_of_a_varying_rate_are_likely_if_they_do_not_follow_it)
{
  LossesTest t;

  losses_test_init (&t);
  for (guint i = 0; i < 200; i++) {
    pass_by_turns (&t, 10, 53, 53); /* no multiple of a turn */
    assert_likely (&t);
  }
}

GST_END_TEST;

/* Less than the allowance is lost in all, 1.5 %, but nothing while the stream is slow. */
GST_START_TEST (losses_that_grow_with_the_rate_are_unlikely)
{
  LossesTest t;

  losses_test_init (&t);
  pass_by_turns (&t, 24, 0, 40);
  assert_likely (&t); /* of fewer than 500 packets nobody knows */
  pass_by_turns (&t, 200, 0, 40);
  assert_unlikely (&t);
}

GST_END_TEST;

GST_START_TEST (losses_that_shrink_with_the_rate_are_likely)
{
  LossesTest t;

  losses_test_init (&t);
  for (guint i = 0; i < 20; i++) {
    pass_by_turns (&t, 10, 15, 0);
    assert_likely (&t);
  }
}

GST_END_TEST;

/* An unknown R ends no round-trip time: the number of losses is judged all the same. */
GST_START_TEST (without_a_round_trip_time_the_number_of_losses_counts)
{
  LossesTest t;

  losses_test_init (&t);
  for (guint i = 0; i < 1000; i++) {
    if (i % 10 == 0)
      tfrc_link_losses_on_loss (&t.losses, 1);
    tfrc_link_losses_on_packet (&t.losses, 0, t.now + i);
  }
  assert_unlikely (&t);
}

GST_END_TEST;

/* A sixteenth of the newest counts in the mean. With more than 2000 packets all counts are halved. */
GST_START_TEST (the_memory_is_sixteen_round_trips_of_the_rate_and_2000_packets_of_losses)
{
  LossesTest t;

  losses_test_init (&t);
  pass_rtt (&t, 10, 5); /* lost packets are part of the rate */
  pass_rtt (&t, 10, 0);
  fail_unless (t.losses.mean_packets == 10 / 16.0);
  losses_test_init (&t);
  pass_rtt (&t, 1000, 100);
  pass_rtt (&t, 1000, 100);
  pass_rtt (&t, 1, 0);
  fail_unless (t.losses.slow.packets + t.losses.fast.packets == 2000);
  fail_unless (t.losses.slow.lost + t.losses.fast.lost == 20);
  pass_rtt (&t, 1, 0);
  fail_unless (t.losses.slow.packets + t.losses.fast.packets == 1000.5);
  fail_unless (t.losses.slow.lost + t.losses.fast.lost == 10);
}

GST_END_TEST;

static Suite *
linklosses_suite (void)
{
  Suite *s = suite_create ("linklosses");
  TCase *tc = tcase_create ("losses");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, losses_within_the_allowance_are_likely);
  tcase_add_test (tc, more_losses_are_unlikely_until_they_have_passed);
  tcase_add_test (tc, one_loss_of_the_first_packets_is_unlikely);
  tcase_add_test (tc, losses_of_a_varying_rate_are_likely_if_they_do_not_follow_it);
  tcase_add_test (tc, losses_that_grow_with_the_rate_are_unlikely);
  tcase_add_test (tc, losses_that_shrink_with_the_rate_are_likely);
  tcase_add_test (tc, without_a_round_trip_time_the_number_of_losses_counts);
  tcase_add_test (tc, the_memory_is_sixteen_round_trips_of_the_rate_and_2000_packets_of_losses);
  return s;
}

GST_CHECK_MAIN (linklosses);
