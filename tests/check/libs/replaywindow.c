/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replay windows, see gst/security/replaywindow.h. */
#include <gst/check/gstcheck.h>

#include "gst/security/replaywindow.h"

#define N GST_TFRC_REPLAY_WINDOW_NUMBERS

GST_START_TEST (each_number_counts_once_in_any_order)
{
  static const guint64 starts[] = { 0, 1, 63, 1000, 65530, G_GUINT64_CONSTANT (1) << 47 };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    GstTfrcReplayWindow window = { 0 };

    for (guint k = 0; k < N; k++)
      fail_unless (gst_tfrc_replay_window_take (&window, starts[i] + k * 37 % N));
    for (guint k = 0; k < N; k++)
      fail_if (gst_tfrc_replay_window_take (&window, starts[i] + k));
  }
}
GST_END_TEST;

GST_START_TEST (an_old_number_does_not_count)
{
  GstTfrcReplayWindow window = { 0 };

  fail_unless (gst_tfrc_replay_window_take (&window, 5000));
  fail_unless (gst_tfrc_replay_window_take (&window, 5000 - N + 1));
  fail_if (gst_tfrc_replay_window_take (&window, 5000 - N));
  fail_if (gst_tfrc_replay_window_take (&window, 0));
}
GST_END_TEST;

/* Numbers that are left out are new, however far the window has moved. */
GST_START_TEST (a_jump_forgets_what_is_behind_the_window)
{
  static const guint64 jumps[] = { 1, 2, 63, 64, 65, N - 1, N, N + 1, 10 * N + 7 };

  for (guint i = 0; i < G_N_ELEMENTS (jumps); i++) {
    GstTfrcReplayWindow window = { 0 };
    guint64 highest = 3 * N + jumps[i];

    for (guint64 k = 2 * N; k <= 3 * N; k++)
      fail_unless (gst_tfrc_replay_window_take (&window, k));
    fail_unless (gst_tfrc_replay_window_take (&window, highest));
    for (guint64 k = highest - N + 1; k < highest; k++)
      fail_unless_equals_int (gst_tfrc_replay_window_take (&window, k), k > 3 * N);
  }
}
GST_END_TEST;

static Suite *
replaywindow_suite (void)
{
  Suite *suite = suite_create ("replaywindow");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, each_number_counts_once_in_any_order);
  tcase_add_test (tcase, an_old_number_does_not_count);
  tcase_add_test (tcase, a_jump_forgets_what_is_behind_the_window);
  return suite;
}

GST_CHECK_MAIN (replaywindow);
