/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of a rendition, see tools/server/ladder.h */
#include <gst/check/gstcheck.h>

#include "tools/server/ladder.h"

#define S GST_SECOND

/* Three renditions with segments of 2 s, of their mean rates */
static const gdouble rates[] = { 600e3, 1200e3, 2200e3 };
static const LadderSegment steady[] = { { 150000, 2 * S }, { 300000, 2 * S }, { 550000, 2 * S } };
static Ladder ladder;
static const gchar *reason;

static void
setup (void)
{
  ladder_init (&ladder, rates, 3);
}

static guint
choose (gdouble allowed_bps, gdouble lead_s)
{
  const LadderSession session = { allowed_bps, 0, (guint64) (lead_s * S), 10 * S };

  return ladder_choose (&ladder, &session, steady, &reason);
}

static guint
choose_by_rate (gdouble allowed_bps, gdouble missed)
{
  const LadderSession session = { allowed_bps, missed, 0, 0 };

  return ladder_choose (&ladder, &session, steady, &reason);
}

/* The lead is built up, and the rendition is this one for long enough. */
static void
reach (guint rendition)
{
  guint i;

  for (i = 0; i < 20; i++)
    choose (100e6, 10);
  fail_unless_equals_int (ladder.current, 2);
  if (rendition < 2)
    choose (100e6, rendition == 1 ? 4.6 : 2);
  fail_unless_equals_int (ladder.current, rendition);
}

/* Holds the rendition for so many choices. */
static void
hold (guint rendition, guint n)
{
  for (; n > 0; n--)
    fail_unless_equals_int (choose (2e6, 5), rendition);
}

GST_START_TEST (a_movie_begins_with_the_lowest_rendition)
{
  fail_unless_equals_int (choose (0, 0), 0);
  fail_unless_equals_string (reason, "no reason to change");
}

GST_END_TEST;

GST_START_TEST (in_the_beginning_half_the_allowed_rate_is_used)
{
  fail_unless_equals_int (choose (2399e3, 1), 0);
  fail_unless_equals_int (choose (2401e3, 1), 1);
  fail_unless_equals_int (choose (4399e3, 1), 1);
  fail_unless_equals_int (choose (4401e3, 1), 2);
  /* A lower X does not take that back while it carries the rendition. */
  fail_unless_equals_int (choose (2201e3, 1), 2);
}

GST_END_TEST;

GST_START_TEST (in_the_beginning_more_of_the_allowed_rate_is_used_when_there_is_a_lead)
{
  fail_unless_equals_int (choose (1501e3, 1.99), 0);
  fail_unless_equals_int (choose (1499e3, 2), 0);
  fail_unless_equals_int (choose (1501e3, 2), 1);
  fail_unless_equals_int (choose (2749e3, 8.99), 1);
  fail_unless_equals_int (choose (2751e3, 8.99), 2);
}

GST_END_TEST;

GST_START_TEST (the_beginning_may_go_up_by_two)
{
  fail_unless_equals_int (choose (4401e3, 0), 2);
}

GST_END_TEST;

/* The map is at 2.2 Mbit/s from 9 s on, and at 1.2 Mbit/s below 2 + 7 * 0.6 / 1.6 = 4.625 s. */
GST_START_TEST (the_rendition_follows_the_lead_with_hysteresis)
{
  reach (2);
  fail_unless_equals_int (choose (2e6, 4.63), 2);
  fail_unless_equals_int (choose (2e6, 4.62), 1);
  fail_unless_equals_string (reason, "the lead has shrunk");
  hold (1, 3);
  fail_unless_equals_int (choose (2e6, 8.99), 1);
  fail_unless_equals_int (choose (2e6, 9), 2);
  fail_unless_equals_string (reason, "the lead is long");
}

GST_END_TEST;

GST_START_TEST (a_lead_in_the_reservoir_leads_to_the_lowest_rendition_at_once)
{
  reach (2);
  fail_unless_equals_int (choose (100e6, 2.01), 1);
  reach (2);
  fail_unless_equals_int (choose (100e6, 2), 0);
}

GST_END_TEST;

GST_START_TEST (the_rendition_goes_up_by_one_after_three_segments)
{
  guint i;

  reach (0);
  for (i = 0; i < 3; i++)
    fail_unless_equals_int (choose (100e6, 10), 0);
  for (i = 0; i < 4; i++)
    fail_unless_equals_int (choose (100e6, 10), 1);
  fail_unless_equals_int (choose (100e6, 10), 2);
}

GST_END_TEST;

/* 10 - 15 * (2.2 / X - 1) is 2 at X = 2.2 * 15 / 23 = 1.4348 Mbit/s. */
GST_START_TEST (the_rendition_goes_up_only_if_the_lead_lasts_for_fifteen_seconds)
{
  reach (1);
  hold (1, 3);
  fail_unless_equals_int (choose (1434e3, 10), 1);
  fail_unless_equals_int (choose (1435e3, 10), 2);
}

GST_END_TEST;

/* A segment of 1 MB at 2 Mbit/s takes 4 s, and leaves 2 s less of the lead. */
GST_START_TEST (a_large_segment_is_not_sent_if_it_would_empty_the_lead)
{
  const LadderSegment next[] = { { 150000, 2 * S }, { 300000, 2 * S }, { 1000000, 2 * S } };
  LadderSession session = { 2e6, 0, (guint64) (4.7 * S), 10 * S };
  const LadderSegment larger[] = { { 150000, 2 * S }, { 300000, 2 * S }, { 1250000, 2 * S } };

  reach (2);
  fail_unless_equals_int (ladder_choose (&ladder, &session, next, &reason), 2);
  fail_unless_equals_int (ladder_choose (&ladder, &session, larger, &reason), 1);
  fail_unless_equals_string (reason, "the next segment would empty the lead");
}

GST_END_TEST;

GST_START_TEST (a_path_that_carries_nothing_leads_to_the_lowest_rendition)
{
  reach (2);
  fail_unless_equals_int (choose (100e3, 9), 0);
  /* which is never left for a lower one */
  fail_unless_equals_int (choose (100e3, 0), 0);
}

GST_END_TEST;

GST_START_TEST (missed_packets_lead_down_by_one)
{
  LadderSession session = { 100e6, 0.001, 9 * S, 10 * S };

  reach (2);
  fail_unless_equals_int (ladder_choose (&ladder, &session, steady, &reason), 2);
  session.missed = 0.0011;
  fail_unless_equals_int (ladder_choose (&ladder, &session, steady, &reason), 1);
  fail_unless_equals_string (reason, "packets could not be in time");
  fail_unless_equals_int (ladder_choose (&ladder, &session, steady, &reason), 0);
  fail_unless_equals_int (ladder_choose (&ladder, &session, steady, &reason), 0);
}

GST_END_TEST;

/* 0.8 X has to be 1.2 Mbit/s. */
GST_START_TEST (without_a_lead_the_allowed_rate_decides)
{
  guint i;

  for (i = 0; i < 3; i++)
    fail_unless_equals_int (choose_by_rate (1501e3, 0), 0);
  fail_unless_equals_int (choose_by_rate (1499e3, 0), 0);
  for (i = 0; i < 3; i++)
    fail_unless_equals_int (choose_by_rate (1501e3, 0), 0);
  fail_unless_equals_int (choose_by_rate (1501e3, 0), 1);
  /* Between the two limits the rendition stays. */
  fail_unless_equals_int (choose_by_rate (1201e3, 0), 1);
  fail_unless_equals_int (choose_by_rate (1199e3, 0), 0);
  fail_unless_equals_string (reason, "the allowed rate is too low");
}

GST_END_TEST;

GST_START_TEST (a_choice_that_cannot_be_followed_is_taken_back)
{
  reach (2);
  fail_unless_equals_int (choose (2e6, 4.62), 1);
  ladder_stay (&ladder, 2);
  fail_unless_equals_int (choose (2e6, 4.63), 2);
  fail_unless_equals_int (choose (2e6, 4.62), 1);
}

GST_END_TEST;

/* A link of 1.9 Mbit/s for ten minutes: a second of a rendition takes as much of it as its rate says. */
GST_START_TEST (a_link_between_two_renditions_is_used_with_few_changes)
{
  gdouble lead_s = 0, played_s = 0, bits = 0;
  guint changes = 0, before = 0, i;

  for (i = 0; i < 300; i++) {
    guint chosen = choose (1900e3, lead_s);

    changes += i > 0 && chosen != before;
    before = chosen;
    bits += rates[chosen] * 2;
    played_s += 2;
    lead_s = MIN (10, lead_s + 2 - 2 * rates[chosen] / 1900e3);
    fail_unless (lead_s > 0);
  }
  fail_unless_equals_int (changes, 26);
  fail_unless (bits / played_s > 0.95 * 1900e3, "%.0f", bits / played_s);
}

GST_END_TEST;

GST_START_TEST (one_rendition_is_always_chosen)
{
  ladder_init (&ladder, rates, 1);
  fail_unless_equals_int (choose (1, 0), 0);
  fail_unless_equals_int (choose (100e6, 10), 0);
  fail_unless_equals_int (choose_by_rate (100e6, 1), 0);
}

GST_END_TEST;

static Suite *
serverladder_suite (void)
{
  Suite *s = suite_create ("serverladder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, a_movie_begins_with_the_lowest_rendition);
  tcase_add_test (tc, in_the_beginning_half_the_allowed_rate_is_used);
  tcase_add_test (tc, in_the_beginning_more_of_the_allowed_rate_is_used_when_there_is_a_lead);
  tcase_add_test (tc, the_beginning_may_go_up_by_two);
  tcase_add_test (tc, the_rendition_follows_the_lead_with_hysteresis);
  tcase_add_test (tc, a_lead_in_the_reservoir_leads_to_the_lowest_rendition_at_once);
  tcase_add_test (tc, the_rendition_goes_up_by_one_after_three_segments);
  tcase_add_test (tc, the_rendition_goes_up_only_if_the_lead_lasts_for_fifteen_seconds);
  tcase_add_test (tc, a_large_segment_is_not_sent_if_it_would_empty_the_lead);
  tcase_add_test (tc, a_path_that_carries_nothing_leads_to_the_lowest_rendition);
  tcase_add_test (tc, missed_packets_lead_down_by_one);
  tcase_add_test (tc, without_a_lead_the_allowed_rate_decides);
  tcase_add_test (tc, a_choice_that_cannot_be_followed_is_taken_back);
  tcase_add_test (tc, a_link_between_two_renditions_is_used_with_few_changes);
  tcase_add_test (tc, one_rendition_is_always_chosen);
  return s;
}

GST_CHECK_MAIN (serverladder);
