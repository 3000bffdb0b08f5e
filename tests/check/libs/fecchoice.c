/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a flow protects packets of its own accord, see gst/flow/fecchoice.h */
#include <gst/check/gstcheck.h>

#include "gst/flow/fecchoice.h"
#include "gst/queue/packet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define R (120 * MS)
#define PER_REPORT 8 /* packets: 67 a second */

static GstTfrcFecChoice choice;
static GstTfrcFecInput input;

static void
setup (void)
{
  const GstTfrcFecSetting setting = { .is_auto = TRUE };

  memset (&choice, 0, sizeof choice);
  gst_tfrc_fec_choice_set (&choice, &setting);
  input = (GstTfrcFecInput){ .highest_seq = 0xffffff00u,
    .packets_lost = 0xfffffff0u,
    .playout = { .delay_ns = 180 * MS, .queueing_ns = 20 * MS },
    .rtt_ns = R,
    .rate_Bps = 1e6,
    .now_ns = 100 * S };
}

/* A path that loses @lost of the packets of each @period-th report */
static void
run (guint n, guint period, guint lost)
{
  for (guint i = 0; i < n; i++) {
    input.now_ns += R;
    input.highest_seq += PER_REPORT;
    input.packets_lost += i % period == 0 ? lost : 0;
    gst_tfrc_fec_choice_on_report (&choice, &input);
  }
}

static gboolean
is_on (void)
{
  return gst_tfrc_fec_layout_is_on (gst_tfrc_fec_choice_get (&choice));
}

GST_START_TEST (losses_that_no_repair_can_mend_in_time_are_protected_against)
{
  input.playout.delay_ns = 140 * MS; /* Q + R and a packet are 155 */
  run (100, 50, 1);
  fail_unless (is_on ());
  fail_unless (gst_tfrc_fec_layout_overhead (gst_tfrc_fec_choice_get (&choice))
      <= GST_TFRC_FEC_MAX_OVERHEAD);
}

GST_END_TEST;

/* It was counted as lost before it came. */
GST_START_TEST (a_late_packet_does_not_end_the_protection)
{
  input.playout.delay_ns = 140 * MS;
  run (100, 50, 1);
  fail_unless (is_on ());
  input.packets_lost--;
  run (1, 1, 0);
  fail_unless (is_on ());
}

GST_END_TEST;

GST_START_TEST (where_a_repair_is_in_time_nothing_is_protected)
{
  run (100, 50, 1);
  fail_if (is_on ());
}

GST_END_TEST;

/* do-retransmission=false of tfrcsink, or repair-buffer=0 */
GST_START_TEST (a_sender_that_repairs_nothing_protects_wherever_packets_are_lost)
{
  input.repairs_nothing = TRUE;
  run (100, 50, 1);
  fail_unless (is_on ());
}

GST_END_TEST;

GST_START_TEST (without_losses_nothing_is_protected)
{
  input.playout.delay_ns = 140 * MS;
  run (100, 1, 0);
  fail_if (is_on ());
  run (200, 50, 1);
  fail_unless (is_on ());
  run (100, 1, 0);
  fail_if (is_on ());
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_tells_no_delay_gets_no_fec)
{
  input.playout.delay_ns = 0;
  run (100, 50, 1);
  fail_if (is_on ());
}

GST_END_TEST;

/* 67 packets a second need 88 kbyte/s. */
GST_START_TEST (a_movie_that_needs_the_rate_itself_gets_no_fec)
{
  input.playout.delay_ns = 140 * MS;
  input.rate_Bps = 88e3;
  run (100, 50, 1);
  fail_if (is_on ());
  input.rate_Bps = 120e3;
  run (20, 50, 1);
  fail_unless (is_on ());
}

GST_END_TEST;

GST_START_TEST (another_receivers_counts_are_not_compared)
{
  input.playout.delay_ns = 140 * MS;
  run (100, 50, 1);
  input.highest_seq += 40000;
  input.packets_lost += 50000;
  run (10, 1, 0);
  fail_if (is_on ());
}

GST_END_TEST;

/* 24 packets lost in 100 reports: one by one, or eight together */
GST_START_TEST (losses_that_come_together_are_bursts)
{
  const GstTfrcFecLayout *layout = gst_tfrc_fec_choice_get (&choice);

  input.playout.delay_ns = 700 * MS;
  input.playout.queueing_ns = 640 * MS;
  run (10, 1, 0);
  input.playout.queueing_ns = 620 * MS;
  run (200, 4, 1);
  fail_if (layout->by_columns);
  input.rtt_ns = 900 * MS;
  input.playout.queueing_ns = 0;
  run (200, 33, 8);
  fail_unless (layout->by_columns);
}

GST_END_TEST;

GST_START_TEST (a_layout_that_is_set_stays)
{
  GstTfrcFecSetting setting;

  fail_unless (gst_tfrc_fec_setting_parse ("5,10", &setting));
  gst_tfrc_fec_choice_set (&choice, &setting);
  run (100, 50, 1);
  fail_unless (gst_tfrc_fec_layout_equal (gst_tfrc_fec_choice_get (&choice), &setting.layout));
}

GST_END_TEST;

GST_START_TEST (settings_are_read_or_refused)
{
  GstTfrcFecSetting setting;

  fail_unless (gst_tfrc_fec_setting_parse ("auto", &setting) && setting.is_auto);
  fail_unless (gst_tfrc_fec_setting_parse (NULL, &setting) && !setting.is_auto);
  fail_if (gst_tfrc_fec_layout_is_on (&setting.layout));
  fail_unless (gst_tfrc_fec_setting_parse ("none", &setting) && !setting.is_auto);
  fail_unless (gst_tfrc_fec_setting_parse ("8", &setting));
  fail_unless (setting.layout.by_rows && setting.layout.columns == 8);
  fail_if (gst_tfrc_fec_setting_parse ("Auto", &setting));
  fail_if (gst_tfrc_fec_setting_parse ("8,", &setting));
  fail_unless (setting.layout.columns == 8);
}

GST_END_TEST;

/* So many more packets have come, and so many more are lost. */
static void
report (guint packets, gint lost)
{
  input.now_ns += R;
  input.highest_seq += packets;
  input.packets_lost += (guint32) lost;
  gst_tfrc_fec_choice_on_report (&choice, &input);
}

/* One loss among them would look like a bad path. */
GST_START_TEST (fewer_than_a_hundred_packets_choose_nothing)
{
  for (guint i = 0; i < 2; i++) {
    setup ();
    input.playout.delay_ns = 140 * MS;
    input.rate_Bps = 1e7;
    report (0, 0);
    report (50, 1);
    report (49 + i, 1);
    fail_unless_equals_int (is_on (), i);
  }
}

GST_END_TEST;

/* Reports overtake each other a little. What differs by more is another receiver's. */
GST_START_TEST (counts_that_differ_by_more_than_1024_begin_anew)
{
  static const struct
  {
    gint packets, lost;
    gboolean begins;
  } cases[] = { { PER_REPORT, -1024, FALSE }, { PER_REPORT, -1025, TRUE },
    { PER_REPORT, PER_REPORT + 1024, FALSE }, { PER_REPORT, PER_REPORT + 1025, TRUE },
    { -1, 0, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    setup ();
    run (10, 1, 0);
    fail_unless_equals_int (choice.n, 9);
    report ((guint) cases[i].packets, cases[i].lost);
    fail_unless_equals_int (choice.n, cases[i].begins ? 0 : 10);
  }
}

GST_END_TEST;

/* A fifth of the packets is lost, and the rate has room for all of the movie again. */
GST_START_TEST (error_correction_costs_a_quarter_of_the_movie_at_most)
{
  input.playout.delay_ns = 140 * MS;
  input.rate_Bps = 1e8;
  run (100, 1, 2);
  fail_unless (gst_tfrc_fec_layout_overhead (gst_tfrc_fec_choice_get (&choice))
      <= GST_TFRC_FEC_MAX_OVERHEAD);
  input.playout.delay_ns = S;
  input.repairs_nothing = TRUE;
  run (200, 1, 2);
  fail_unless (gst_tfrc_fec_layout_overhead (gst_tfrc_fec_choice_get (&choice))
      <= GST_TFRC_FEC_MAX_OVERHEAD);
}

GST_END_TEST;

/* It does not wait for the time of the choice before. */
GST_START_TEST (a_setting_that_changes_is_followed_by_a_choice_at_once)
{
  const GstTfrcFecSetting none = { .is_auto = FALSE }, automatic = { .is_auto = TRUE };

  input.repairs_nothing = TRUE;
  for (guint i = 0; i < 1000 && !(is_on () && choice.chosen_ns == input.now_ns); i++)
    run (1, 1, i % 50 == 0);
  fail_unless (is_on ());
  gst_tfrc_fec_choice_set (&choice, &none);
  fail_if (is_on ());
  gst_tfrc_fec_choice_set (&choice, &automatic);
  run (1, 1, 0);
  fail_unless (is_on ());
}

GST_END_TEST;

/* Of the packets that come some are of the error correction itself: the movie is the rest, and leaves room for them. */
GST_START_TEST (the_packets_of_the_protection_are_no_part_of_the_movie)
{
  const gdouble packets_per_s = PER_REPORT * 1e9 / R;
  gdouble overhead;

  input.repairs_nothing = TRUE;
  run (100, 50, 1);
  overhead = gst_tfrc_fec_layout_overhead (gst_tfrc_fec_choice_get (&choice));
  fail_unless (overhead > 0);
  input.rate_Bps = 1.0001 * packets_per_s * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
  run (100, 50, 1);
  fail_unless (gst_tfrc_fec_layout_overhead (gst_tfrc_fec_choice_get (&choice)) == overhead);
}

GST_END_TEST;

static Suite *
fecchoice_suite (void)
{
  Suite *suite = suite_create ("fecchoice");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, losses_that_no_repair_can_mend_in_time_are_protected_against);
  tcase_add_test (tcase, a_late_packet_does_not_end_the_protection);
  tcase_add_test (tcase, where_a_repair_is_in_time_nothing_is_protected);
  tcase_add_test (tcase, a_sender_that_repairs_nothing_protects_wherever_packets_are_lost);
  tcase_add_test (tcase, without_losses_nothing_is_protected);
  tcase_add_test (tcase, a_receiver_that_tells_no_delay_gets_no_fec);
  tcase_add_test (tcase, a_movie_that_needs_the_rate_itself_gets_no_fec);
  tcase_add_test (tcase, another_receivers_counts_are_not_compared);
  tcase_add_test (tcase, fewer_than_a_hundred_packets_choose_nothing);
  tcase_add_test (tcase, counts_that_differ_by_more_than_1024_begin_anew);
  tcase_add_test (tcase, losses_that_come_together_are_bursts);
  tcase_add_test (tcase, error_correction_costs_a_quarter_of_the_movie_at_most);
  tcase_add_test (tcase, the_packets_of_the_protection_are_no_part_of_the_movie);
  tcase_add_test (tcase, a_layout_that_is_set_stays);
  tcase_add_test (tcase, a_setting_that_changes_is_followed_by_a_choice_at_once);
  tcase_add_test (tcase, settings_are_read_or_refused);
  return suite;
}

GST_CHECK_MAIN (fecchoice);
