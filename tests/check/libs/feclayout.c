/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of forward error correction: their text, what they leave missing, and which suits a path, see
 * gst/queue/feclayout.h */
#include "gst/queue/feclayout.h"

#include "closeto.h"
#include "fecpath.h"

static const GstTfrcFecLayout none = { 0, 0, FALSE, FALSE };

static GstTfrcFecLayout
layout_of (const gchar *text)
{
  GstTfrcFecLayout layout = none;

  fail_unless (gst_tfrc_fec_layout_parse (text, &layout), "'%s' is no layout", text);
  return layout;
}

/* ---- text ---------------------------------------------------------------------- */

static void
assert_text (const gchar *text, GstTfrcFecLayout expected)
{
  GstTfrcFecLayout layout = layout_of (text);
  gchar *written = gst_tfrc_fec_layout_to_string (&layout);

  fail_unless (gst_tfrc_fec_layout_equal (&layout, &expected), "'%s' is another layout", text);
  fail_unless_equals_string (written, text);
  g_free (written);
}

GST_START_TEST (a_layout_reads_what_it_wrote)
{
  assert_text ("none", none);
  assert_text ("1", (GstTfrcFecLayout){ 1, 1, TRUE, FALSE });
  assert_text ("20", (GstTfrcFecLayout){ 20, 1, TRUE, FALSE });
  assert_text ("4,4", (GstTfrcFecLayout){ 4, 4, TRUE, TRUE });
  assert_text ("5,20", (GstTfrcFecLayout){ 5, 20, TRUE, TRUE });
  assert_text ("20,5", (GstTfrcFecLayout){ 20, 5, TRUE, TRUE });
  assert_text ("10,10,columns", (GstTfrcFecLayout){ 10, 10, FALSE, TRUE });
  assert_text ("1,4,columns", (GstTfrcFecLayout){ 1, 4, FALSE, TRUE });
}
GST_END_TEST;

static const gchar *const refused[] = { "", " ", "None", "none ", "nonee", "0", "00", "01", "-1",
  "+4", " 4", "4 ", "4.0", "0x4", "4a", "21", "100", "101", "4294967300", "18446744073709551620",
  ",", "4,", ",4", "4,,4", "4, 4", "4 ,4", "4,-4", "4,+4", "4,0", "0,4", "4,04", "4,a",
  /* columns have 4 to 20 packets, */
  "4,1", "4,3", "4,3,columns", "4,21", "4,21,columns", "1,4294967300,columns",
  /* rows that columns cross 4 to 20, */
  "1,4", "3,4", "21,4", "21,4,columns", "0,4,columns",
  /* and matrices 100 at most. */
  "11,10", "20,6", "6,17,columns", "20,20,columns", "4,4,", "4,4,column", "4,4,columns ",
  "4,4,columnss", "4,4,rows", "4,4,4", "4,columns", "columns", "4,4columns", "4,4,Columns" };

GST_START_TEST (what_is_no_layout_is_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    GstTfrcFecLayout layout = { 7, 7, TRUE, TRUE }, before = layout;

    fail_if (gst_tfrc_fec_layout_parse (refused[i], &layout), "'%s' is taken", refused[i]);
    fail_unless (gst_tfrc_fec_layout_equal (&layout, &before), "'%s' writes", refused[i]);
  }
}
GST_END_TEST;

/* Any true value is true. */
GST_START_TEST (layouts_are_equal_in_all_their_fields)
{
  GstTfrcFecLayout rows = { 4, 4, TRUE, FALSE }, also_rows = { 4, 4, 2, FALSE };
  GstTfrcFecLayout columns = { 4, 4, FALSE, TRUE }, both = { 4, 4, TRUE, TRUE };
  GstTfrcFecLayout wider = { 5, 4, TRUE, TRUE }, higher = { 4, 5, TRUE, TRUE };

  fail_unless (gst_tfrc_fec_layout_equal (&rows, &also_rows));
  fail_if (gst_tfrc_fec_layout_equal (&rows, &both));
  fail_if (gst_tfrc_fec_layout_equal (&columns, &both));
  fail_if (gst_tfrc_fec_layout_equal (&both, &wider));
  fail_if (gst_tfrc_fec_layout_equal (&both, &higher));
  fail_unless (gst_tfrc_fec_layout_is_on (&rows));
  fail_unless (gst_tfrc_fec_layout_is_on (&columns));
  fail_if (gst_tfrc_fec_layout_is_on (&none));
}
GST_END_TEST;

/* ---- costs --------------------------------------------------------------------- */

static void
assert_costs (const gchar *text, gdouble overhead, guint span_packets)
{
  GstTfrcFecLayout layout = layout_of (text);

  assert_close (gst_tfrc_fec_layout_overhead (&layout), overhead);
  fail_unless_equals_int (gst_tfrc_fec_layout_span_packets (&layout), span_packets);
}

GST_START_TEST (overhead_and_span_follow_from_the_matrix)
{
  assert_costs ("none", 0, 0);
  assert_costs ("1", 1, 1);
  assert_costs ("10", 0.1, 10);
  assert_costs ("5,10,columns", 0.1, 50);
  assert_costs ("5,10", 0.3, 55);
  assert_costs ("4,4", 0.5, 20);
}
GST_END_TEST;

/* ---- what stays missing ------------------------------------------------------------ */

static gdouble
left (const gchar *text, gdouble loss, gdouble mean_burst)
{
  GstTfrcFecLayout layout = layout_of (text);

  return gst_tfrc_fec_layout_residual (&layout, loss, mean_burst);
}

GST_START_TEST (without_losses_or_packets_there_is_nothing_to_rebuild)
{
  assert_close (left ("none", 0.25, 3), 0.25);
  assert_close (left ("10", 0, 1), 0);
  assert_close (left ("5,10", 0, 5), 0);
  assert_close (left ("10", 1, 1), 1);
  assert_close (left ("5,10", 1, 5), 1);
}
GST_END_TEST;

/* A packet stays missing if any of the others of its group, with the FEC packet as many as its packets, is lost. */
GST_START_TEST (independent_losses_are_exact)
{
  for (gdouble loss = 0.001; loss < 1; loss *= 3) {
    assert_close (left ("1", loss, 1), loss * loss);
    assert_close (left ("4", loss, 1), loss * (1 - pow (1 - loss, 4)));
    assert_close (left ("20", loss, 1), loss * (1 - pow (1 - loss, 20)));
    assert_close (left ("1,4,columns", loss, 1), loss * (1 - pow (1 - loss, 4)));
    assert_close (left ("5,20,columns", loss, 1), loss * (1 - pow (1 - loss, 20)));
  }
}
GST_END_TEST;

/* Bursts that are no longer than independent losses have them */
GST_START_TEST (bursts_are_no_shorter_than_independent_losses_have_them)
{
  assert_close (left ("4", 0.2, 1.25), left ("4", 0.2, 1));
  assert_close (left ("4", 0.2, 0), left ("4", 0.2, 1));
  assert_close (left ("5,10", 0.2, 1.25), left ("5,10", 0.2, 1));
  fail_unless (left ("4", 0.2, 1.26) > left ("4", 0.2, 1));
}
GST_END_TEST;

/* By hand: a burst of mean 2 ends with probability r = 1/2 and begins with g = q r / (1 - q). A packet and the one
 * after it, which is its FEC packet, are both lost with probability q (1 - r). */
GST_START_TEST (bursts_in_rows_are_exact)
{
  gdouble loss = 0.01, r = 0.5, g = loss * r / (1 - loss), there = 1 - loss;

  assert_close (left ("1", loss, 2), loss * (1 - r));
  /* Alone of three: the first one, or the second */
  assert_close (left ("2", loss, 2), loss - (loss * r * (1 - g) + there * g * r) / 2);
}
GST_END_TEST;

/* The packets of the only column: the FEC packet leaves after the first of the next matrix, so that each has the FEC
 * packet of the matrix before behind it in the first row. */
GST_START_TEST (a_column_reckons_with_what_stands_between_its_packets)
{
  gdouble loss = 0.01, memory = 1 - 0.5 - loss * 0.5 / (1 - loss);
  guint lags[4] = { 2, 1, 1, 2 };
  gdouble rebuilt = 0;

  for (guint target = 0; target < 4; target++) {
    gdouble p = target == 0 ? loss : 1 - loss;

    for (guint i = 0; i < 4; i++) {
      gdouble faded = pow (memory, lags[i]);
      gdouble again = loss + (1 - loss) * faded, anew = loss * (1 - faded);

      if (i == target)
        p *= 1 - again;
      else
        p *= i + 1 == target ? anew : 1 - anew;
    }
    rebuilt += p / 4;
  }
  assert_within (left ("1,4,columns", loss, 2), loss - rebuilt, 1e-6);
}
GST_END_TEST;

static const gchar *const layouts[] = { "2", "4", "10", "20", "1,4,columns", "5,4,columns",
  "20,4,columns", "5,20,columns", "10,10,columns", "4,4", "8,8", "16,6", "5,20" };

/* More losses and, at the same loss, longer bursts leave more missing, but never more than was lost. */
GST_START_TEST (more_losses_leave_more_missing)
{
  static const gdouble losses[] = { 0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2 };
  static const gdouble bursts[] = { 1, 1.5, 2, 5, 10, 100 };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (losses); k++)
      for (guint b = 0; b < G_N_ELEMENTS (bursts); b++) {
        gdouble residual = left (layouts[i], losses[k], bursts[b]);

        fail_unless (residual > 0 && residual <= losses[k]);
        if (k > 0)
          fail_unless (residual > left (layouts[i], losses[k - 1], bursts[b]));
      }
}
GST_END_TEST;

GST_START_TEST (short_groups_wide_matrices_and_both_directions_help)
{
  for (gdouble loss = 0.001; loss < 0.2; loss *= 2)
    for (gdouble burst = 1; burst < 20; burst *= 2) {
      fail_unless (left ("4", loss, burst) < left ("6", loss, burst));
      fail_unless (left ("5,6,columns", loss, burst) < left ("5,8,columns", loss, burst));
      /* Another direction helps. */
      fail_unless (left ("5,10", loss, burst) < left ("5,10,columns", loss, burst));
    }
  fail_unless (left ("10,6,columns", 0.01, 5) < left ("5,6,columns", 0.01, 5));
}
GST_END_TEST;

/* ---- simulation ---------------------------------------------------------------------- */

#define SIMULATED 300000

static void
assert_simulation_agrees (
    const gchar *text, gdouble loss, gdouble mean_burst, gdouble least, gdouble most)
{
  GstTfrcFecLayout layout = layout_of (text);
  gdouble simulated = fec_simulate (&layout, loss, mean_burst, SIMULATED, 1);
  gdouble ratio = left (text, loss, mean_burst) / simulated;

  fail_unless (ratio >= least && ratio <= most, "%s, loss %g in bursts of %g: %g times %g", text,
      loss, mean_burst, ratio, simulated);
}

/* Exact: what differs is by chance. 2700 packets or more stay missing. */
GST_START_TEST (a_simulation_of_one_direction_agrees)
{
  static const gchar *const one[] = { "4", "10", "20", "1,4,columns", "5,4,columns", "20,4,columns",
    "5,20,columns", "10,10,columns" };

  for (guint i = 0; i < G_N_ELEMENTS (one); i++)
    for (gdouble burst = 1; burst <= 9; burst *= 3)
      assert_simulation_agrees (one[i], 0.05, burst, 0.93, 1.07);
}
GST_END_TEST;

/* An estimate, see feclayout.c */
GST_START_TEST (a_simulation_of_both_directions_is_near)
{
  static const gchar *const both[] = { "4,4", "8,8", "16,6", "5,20" };

  for (guint i = 0; i < G_N_ELEMENTS (both); i++) {
    assert_simulation_agrees (both[i], 0.05, 1, 0.65, 1.3);
    assert_simulation_agrees (both[i], 0.02, 2, 1, 2.6);
    assert_simulation_agrees (both[i], 0.02, 5, 0.9, 1.3);
    assert_simulation_agrees (both[i], 0.1, 5, 0.9, 1.3);
  }
}
GST_END_TEST;

/* ---- the choice ------------------------------------------------------------------------ */

static GstTfrcFecLayout
chosen (gdouble loss, gdouble mean_burst, guint span_packets, gdouble overhead)
{
  GstTfrcFecPath path = { loss, mean_burst, span_packets, overhead };
  GstTfrcFecLayout layout = { 7, 7, TRUE, TRUE };

  gst_tfrc_fec_layout_choose (&path, &layout);
  return layout;
}

static void
assert_chosen (gdouble loss, gdouble mean_burst, guint span_packets, const gchar *expected)
{
  GstTfrcFecLayout layout = chosen (loss, mean_burst, span_packets, GST_TFRC_FEC_MAX_OVERHEAD);
  gchar *text = gst_tfrc_fec_layout_to_string (&layout);

  fail_unless (g_str_equal (text, expected), "%g in bursts of %g, span %u: %s, not %s", loss,
      mean_burst, span_packets, text, expected);
  g_free (text);
}

GST_START_TEST (single_losses_want_rows)
{
  assert_chosen (0.001, 1, 20, "20");
  assert_chosen (0.001, 1, 1000, "20");
  assert_chosen (0.001, 1, 19, "18");
  /* Rows of 4 leave 9.9e-5, */
  assert_chosen (0.005, 1, 20, "4");
  /* and more than the goal here, but less than half. */
  assert_chosen (0.01, 1, 20, "4");
  /* With more time both directions do better, and cost less. */
  assert_chosen (0.01, 1, 100, "10,8");
}
GST_END_TEST;

/* A burst takes two packets of a row. */
GST_START_TEST (bursts_want_columns)
{
  for (guint span = 20; span <= 100; span += 10) {
    GstTfrcFecLayout layout = chosen (0.005, 5, span, GST_TFRC_FEC_MAX_OVERHEAD);

    fail_unless (layout.by_columns && !layout.by_rows);
    fail_unless_equals_int (layout.columns, MIN (span / 4, 20) - (span >= 80));
  }
  assert_chosen (0.001, 5, 50, "12,4,columns");
  assert_chosen (0.001, 5, 100, "16,6,columns");
}
GST_END_TEST;

GST_START_TEST (nothing_is_chosen_where_nothing_helps)
{
  assert_chosen (0, 1, 100, "none");
  assert_chosen (1, 1, 100, "none");
  assert_chosen (-1, 1, 100, "none");
  assert_chosen (NAN, 1, 100, "none");
  /* No more is lost than may stay missing. */
  assert_chosen (GST_TFRC_FEC_GOAL, 5, 100, "none");
  assert_chosen (1.01 * GST_TFRC_FEC_GOAL, 1, 100, "20");
  /* No time */
  assert_chosen (0.01, 1, 0, "none");
  assert_chosen (0.01, 1, 3, "none");
  assert_chosen (0.01, 1, 4, "4");
  /* Bursts as long as what can wait, and so many losses that two are in any group */
  assert_chosen (0.01, 10, 10, "none");
  assert_chosen (0.3, 1, 100, "none");
}
GST_END_TEST;

GST_START_TEST (the_overhead_is_what_the_goal_needs)
{
  GstTfrcFecLayout layout = chosen (0.01, 1, 100, 0.04);

  fail_if (gst_tfrc_fec_layout_is_on (&layout));
  layout = chosen (0.01, 1, 100, 0);
  fail_if (gst_tfrc_fec_layout_is_on (&layout));
  layout = chosen (0.01, 1, 100, 0.05);
  fail_unless (gst_tfrc_fec_layout_overhead (&layout) == 0.05);
  /* As many as the goal needs, of as many as are allowed */
  layout = chosen (0.001, 1, 100, 1);
  fail_unless (gst_tfrc_fec_layout_overhead (&layout) == 0.05);
  layout = chosen (0.03, 1, 100, 1);
  fail_unless (gst_tfrc_fec_layout_residual (&layout, 0.03, 1) <= GST_TFRC_FEC_GOAL);
}
GST_END_TEST;

static gboolean
is_even (guint n)
{
  return n % 2 == 0;
}

static void
check_choice (gdouble loss, gdouble mean_burst, guint span_packets, gdouble overhead)
{
  GstTfrcFecLayout layout = chosen (loss, mean_burst, span_packets, overhead), same;
  gchar *text = gst_tfrc_fec_layout_to_string (&layout);
  gdouble residual = gst_tfrc_fec_layout_residual (&layout, loss, mean_burst);

  /* It is within the limits. */
  fail_unless (gst_tfrc_fec_layout_parse (text, &same), "%s is chosen", text);
  fail_unless (gst_tfrc_fec_layout_equal (&layout, &same));
  fail_unless (gst_tfrc_fec_layout_overhead (&layout) <= overhead);
  fail_unless (gst_tfrc_fec_layout_span_packets (&layout) <= span_packets);
  fail_unless (!layout.by_rows || is_even (layout.columns));
  fail_unless (!layout.by_columns || is_even (layout.rows));
  if (gst_tfrc_fec_layout_is_on (&layout))
    fail_unless (residual <= GST_TFRC_FEC_GOAL || residual <= loss / 2);
  g_free (text);
}

GST_START_TEST (a_choice_keeps_all_limits)
{
  for (gdouble loss = 0.0001; loss < 1; loss *= 2.5)
    for (gdouble burst = 1; burst < 50; burst *= 2)
      for (guint span = 0; span < 130; span += 13)
        for (gdouble overhead = 0.05; overhead < 1; overhead *= 2)
          check_choice (loss, burst, span, overhead);
}
GST_END_TEST;

/* More time leaves less missing, or costs less. */
GST_START_TEST (more_time_is_no_worse)
{
  for (guint span = 4; span < 130; span++) {
    GstTfrcFecLayout less = chosen (0.002, 3, span, 0.25), more = chosen (0.002, 3, span + 1, 0.25);
    gdouble less_left = gst_tfrc_fec_layout_residual (&less, 0.002, 3);
    gdouble more_left = gst_tfrc_fec_layout_residual (&more, 0.002, 3);

    if (less_left > GST_TFRC_FEC_GOAL)
      fail_unless (more_left < 1.12 * less_left);
    else
      fail_unless (gst_tfrc_fec_layout_overhead (&more) <= gst_tfrc_fec_layout_overhead (&less));
  }
}
GST_END_TEST;

static Suite *
feclayout_suite (void)
{
  Suite *suite = suite_create ("feclayout");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_layout_reads_what_it_wrote);
  tcase_add_test (tcase, what_is_no_layout_is_refused);
  tcase_add_test (tcase, layouts_are_equal_in_all_their_fields);
  tcase_add_test (tcase, overhead_and_span_follow_from_the_matrix);
  tcase_add_test (tcase, without_losses_or_packets_there_is_nothing_to_rebuild);
  tcase_add_test (tcase, independent_losses_are_exact);
  tcase_add_test (tcase, bursts_are_no_shorter_than_independent_losses_have_them);
  tcase_add_test (tcase, bursts_in_rows_are_exact);
  tcase_add_test (tcase, a_column_reckons_with_what_stands_between_its_packets);
  tcase_add_test (tcase, more_losses_leave_more_missing);
  tcase_add_test (tcase, short_groups_wide_matrices_and_both_directions_help);
  tcase_add_test (tcase, a_simulation_of_one_direction_agrees);
  tcase_add_test (tcase, a_simulation_of_both_directions_is_near);
  tcase_add_test (tcase, single_losses_want_rows);
  tcase_add_test (tcase, bursts_want_columns);
  tcase_add_test (tcase, nothing_is_chosen_where_nothing_helps);
  tcase_add_test (tcase, the_overhead_is_what_the_goal_needs);
  tcase_add_test (tcase, a_choice_keeps_all_limits);
  tcase_add_test (tcase, more_time_is_no_worse);
  return suite;
}

GST_CHECK_MAIN (feclayout)
