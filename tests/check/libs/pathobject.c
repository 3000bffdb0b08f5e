/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths as objects, see <tfrc/path.h>: they start, restart, are copied and compare data. */
#include "pathtest.h"

static void
fill (guint8 *data, guint8 byte)
{
  memset (data, byte, TFRC_WIRE_PATH_DATA_BYTES);
}

GST_START_TEST (same_data_is_equal_in_every_bit)
{
  guint8 a[TFRC_WIRE_PATH_DATA_BYTES], b[TFRC_WIRE_PATH_DATA_BYTES];

  for (guint byte = 0; byte < 256; byte++) {
    fill (a, byte);
    fill (b, byte);
    fail_unless (tfrc_path_is_same_data (a, b));
    fail_unless (tfrc_path_is_same_data (a, a));
    for (guint bit = 0; bit < 8 * sizeof b; bit++) {
      b[bit / 8] ^= 1 << bit % 8;
      fail_if (tfrc_path_is_same_data (a, b));
      fail_if (tfrc_path_is_same_data (b, a));
      b[bit / 8] ^= 1 << bit % 8;
    }
  }
}

GST_END_TEST;

/* Two equal differences do not cancel each other out. */
GST_START_TEST (data_that_differs_twice_by_the_same_bit_is_not_the_same)
{
  guint8 a[TFRC_WIRE_PATH_DATA_BYTES], b[TFRC_WIRE_PATH_DATA_BYTES];

  fill (a, 0);
  fill (b, 0);
  b[0] = b[1] = 0x80;
  fail_if (tfrc_path_is_same_data (a, b));
  fill (b, 0xff);
  fail_if (tfrc_path_is_same_data (a, b));
}

GST_END_TEST;

GST_START_TEST (a_new_path_has_failed_until_it_is_started)
{
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_FAILED);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), TFRC_TIME_NEVER);
  fail_unless_equals_int (take (), 0);
  start (RTT);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_PROBING);
}

GST_END_TEST;

GST_START_TEST (a_start_forgets_the_previous_path)
{
  start (RTT);
  tfrc_path_on_received (path, FULL);
  take ();
  fail_unless (respond (1));
  start (RTT);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_PROBING);
  fail_unless_equals_uint64 (tfrc_path_get_credit_bytes (path), 0);
  fail_unless_equals_uint64 (tfrc_path_get_credit_packets (path), 0);
  fail_unless_equals_int (take (), 0);
}

GST_END_TEST;

GST_START_TEST (a_copy_is_independent_of_its_original)
{
  TfrcPath *copy;

  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  take ();
  fail_unless_equals_int (tfrc_path_new (&copy), TFRC_OK);
  tfrc_path_copy (copy, path);
  fail_unless_equals_uint64 (tfrc_path_get_credit_bytes (copy), FEEDBACK - BARE);
  fail_unless_equals_uint64 (tfrc_path_get_credit_packets (copy), 0);
  fail_unless (respond (0));
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_REACHED);
  fail_unless_equals_int (tfrc_path_get_state (copy), TFRC_PATH_PROBING);
  tfrc_path_free (copy);
}

GST_END_TEST;

GST_START_TEST (a_full_size_that_no_challenge_can_have_is_refused)
{
  const gsize wrong[] = { 0, BARE - 4, BARE + 1, FULL - 2 };

  start (RTT);
  tfrc_path_on_received (path, FEEDBACK);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    TfrcPathConfig other = config;

    other.full_bytes = wrong[i];
    fail_unless_equals_int (tfrc_path_start (path, &other, now), TFRC_ERROR_ARGUMENT);
  }
  fail_unless_equals_int (take (), BARE);
}

GST_END_TEST;

GST_START_TEST (a_restart_asks_again_at_once_and_lasts_as_long)
{
  start (10 * MS);
  tfrc_path_on_received (path, FEEDBACK);
  take ();
  now += MS;
  tfrc_path_on_received (path, FEEDBACK);
  fail_unless (tfrc_path_next_ns (path) > now);
  tfrc_path_restart (path, now);
  fail_unless_equals_uint64 (tfrc_path_next_ns (path), now);
  fail_unless_equals_int (take (), BARE);
  tfrc_path_on_time (path, now + PATIENCE - 1);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_PROBING);
  /* it is unknown which of the two was answered: R does not change */
  fail_unless (respond (0));
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (path), 10 * MS);
  tfrc_path_on_time (path, now + PATIENCE);
  fail_unless_equals_int (tfrc_path_get_state (path), TFRC_PATH_FAILED);
}

GST_END_TEST;

static Suite *
pathobject_suite (void)
{
  Suite *s = suite_create ("pathobject");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, same_data_is_equal_in_every_bit);
  tcase_add_test (tc, data_that_differs_twice_by_the_same_bit_is_not_the_same);
  tcase_add_test (tc, a_new_path_has_failed_until_it_is_started);
  tcase_add_test (tc, a_start_forgets_the_previous_path);
  tcase_add_test (tc, a_copy_is_independent_of_its_original);
  tcase_add_test (tc, a_full_size_that_no_challenge_can_have_is_refused);
  tcase_add_test (tc, a_restart_asks_again_at_once_and_lasts_as_long);
  return s;
}

GST_CHECK_MAIN (pathobject);
