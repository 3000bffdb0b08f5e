/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on how often something may be done, see gst/common/tokenbucket.h */
#include "gst/common/tokenbucket.h"
#include <gst/check/gstcheck.h>

#define MS GST_MSECOND
#define S GST_SECOND

static GstTfrcTokenBucket bucket;
static guint64 now;

static void
setup (void)
{
  now = 1000 * S;
  gst_tfrc_token_bucket_init (&bucket, 10, 4);
}

static guint
take_all (void)
{
  guint n = 0;

  while (gst_tfrc_token_bucket_take (&bucket, now))
    fail_unless (++n <= 4);
  return n;
}

GST_START_TEST (a_full_bucket_gives_its_burst_and_no_more)
{
  fail_unless (gst_tfrc_token_bucket_next_ns (&bucket) <= now);
  fail_unless_equals_int (take_all (), 4);
  fail_unless_equals_uint64 (gst_tfrc_token_bucket_next_ns (&bucket), now + 100 * MS);
}

GST_END_TEST;

GST_START_TEST (tokens_come_back_at_the_rate)
{
  take_all ();
  now += 100 * MS - 1;
  fail_unless_equals_int (take_all (), 0);
  now += 1;
  fail_unless_equals_int (take_all (), 1);
  now += 250 * MS;
  fail_unless_equals_int (take_all (), 2);
  now += 3600 * S;
  fail_unless_equals_int (take_all (), 4);
}

GST_END_TEST;

GST_START_TEST (asking_for_more_than_there_is_costs_nothing)
{
  guint taken = take_all ();

  for (guint i = 0; i < 100000; i++) {
    now += 100 * GST_USECOND;
    taken += gst_tfrc_token_bucket_take (&bucket, now);
  }
  /* the tokens of 10 s */
  fail_unless_equals_int (taken, 4 + 100);
}

GST_END_TEST;

GST_START_TEST (a_bucket_of_zeros_always_has_a_token)
{
  GstTfrcTokenBucket zeros = { 0 };

  for (guint i = 0; i < 100; i++)
    fail_unless (gst_tfrc_token_bucket_take (&zeros, now));
}

GST_END_TEST;

static Suite *
tokenbucket_suite (void)
{
  Suite *s = suite_create ("tokenbucket");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, a_full_bucket_gives_its_burst_and_no_more);
  tcase_add_test (tc, tokens_come_back_at_the_rate);
  tcase_add_test (tc, asking_for_more_than_there_is_costs_nothing);
  tcase_add_test (tc, a_bucket_of_zeros_always_has_a_token);
  return s;
}

GST_CHECK_MAIN (tokenbucket);
