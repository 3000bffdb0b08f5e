/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which R and send times of data packets a receiver believes, see lib/tfrc/control_info.h. */
#include <gst/check/gstcheck.h>
#include <tfrc/control_info.h>

#define US (G_GUINT64_CONSTANT (1000))
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define R_US 20000

static TfrcControlInfo info;
static guint64 now;

/* A packet that takes no time: the clocks of both ends are the same. */
static TfrcData
packet_of (guint64 sent_ns, guint32 rtt_us)
{
  return (TfrcData){ .send_time_us = (guint32) (sent_ns / US), .rtt_us = rtt_us, .has_tfrc = TRUE };
}

static gboolean
judge (const TfrcData *data, gboolean new_path, guint32 rtt_us)
{
  const TfrcControlContext context = { .highest = TRUE, .new_path = new_path };

  return tfrc_control_info_judge (&info, data, &context, rtt_us, now);
}

/* The next packet is as all before. */
static void
use_true_packet (void)
{
  TfrcData data = packet_of (now, R_US);

  fail_unless (judge (&data, FALSE, R_US));
  tfrc_control_info_use (&info, &data, TRUE, now);
  now += 10 * MS;
}

static void
setup (void)
{
  tfrc_control_info_init (&info);
  now = 100 * SECOND;
  for (guint i = 0; i < 3; i++)
    use_true_packet ();
}

/* ---- the send time ------------------------------------------------------------- */

GST_START_TEST (test_a_packet_may_be_50_ms_or_r_early_or_late)
{
  static const guint32 rtts_us[] = { R_US, 50000, 80000 };

  for (guint i = 0; i < G_N_ELEMENTS (rtts_us); i++) {
    guint64 limit_ns = MAX (50 * MS, rtts_us[i] * US);

    for (guint beyond = 0; beyond < 2; beyond++) {
      TfrcData early = packet_of (now + limit_ns + beyond * US, rtts_us[i]);
      TfrcData late = packet_of (now - limit_ns - beyond * US, rtts_us[i]);

      setup ();
      fail_unless_equals_int (judge (&early, FALSE, rtts_us[i]), !beyond);
      setup ();
      fail_unless_equals_int (judge (&late, FALSE, rtts_us[i]), !beyond);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_after_five_seconds_of_silence_any_send_time_is_believed)
{
  TfrcData data;

  now = info.arrival_ns + 5 * SECOND - 1;
  data = packet_of (now + SECOND, R_US);
  fail_if (judge (&data, FALSE, R_US));
  setup ();
  now = info.arrival_ns + 5 * SECOND;
  data = packet_of (now + SECOND, R_US);
  fail_unless (judge (&data, FALSE, R_US));
}

GST_END_TEST;

/* Its delay may be any. But what has been sent before a believed packet is somebody's who sends it again. */
GST_START_TEST (test_on_a_new_path_a_packet_has_any_delay_and_no_older_send_time)
{
  TfrcData data = packet_of (now + 300 * MS, R_US);

  fail_if (judge (&data, FALSE, R_US));
  setup ();
  fail_unless (judge (&data, TRUE, R_US));
  setup ();
  data.send_time_us = info.newest_send_time_us;
  now += SECOND;
  fail_unless (judge (&data, TRUE, R_US));
  setup ();
  data.send_time_us = info.newest_send_time_us - 1;
  now += SECOND;
  fail_if (judge (&data, TRUE, R_US));
}

GST_END_TEST;

/* ---- R --------------------------------------------------------------------------- */

GST_START_TEST (test_r_may_double_or_halve)
{
  static const struct
  {
    guint32 rtt_us;
    gboolean believed;
  } cases[] = { { 2 * R_US, TRUE }, { 2 * R_US + 1, FALSE }, { R_US / 2, TRUE },
    { R_US / 2 - 1, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcData data = packet_of (now, cases[i].rtt_us);

    setup ();
    fail_unless_equals_int (judge (&data, FALSE, R_US), cases[i].believed);
  }
}

GST_END_TEST;

/* Two packets of a sender say the same. Of a doubted one and a forged one, only the time fits. */
GST_START_TEST (test_a_second_packet_that_agrees_with_a_doubted_one_is_believed)
{
  static const struct
  {
    gint64 later_ns;
    guint32 rtt_us;
    gboolean believed;
  } cases[] = { { 0, 10 * R_US, TRUE }, { 0, 20 * R_US, TRUE }, { 0, 20 * R_US + 1, FALSE },
    { 0, 5 * R_US - 1, FALSE }, { 51 * MS, 10 * R_US, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TfrcData data;

    setup ();
    data = packet_of (now + SECOND, 10 * R_US);
    fail_if (judge (&data, FALSE, R_US));
    now += 10 * MS;
    data = packet_of (now + SECOND + cases[i].later_ns, cases[i].rtt_us);
    fail_unless_equals_int (judge (&data, FALSE, R_US), cases[i].believed);
  }
}

GST_END_TEST;

/* ---- packets of the past ------------------------------------------------------------ */

GST_START_TEST (test_a_packet_is_new_if_none_was_sent_later)
{
  TfrcData data = packet_of (now, R_US);

  data.send_time_us = info.newest_send_time_us;
  fail_unless (tfrc_control_info_is_new (&info, &data, now));
  data.send_time_us--;
  fail_if (tfrc_control_info_is_new (&info, &data, now));
  /* a packet without a send time shows nothing */
  data.send_time_us++;
  data.has_tfrc = FALSE;
  fail_if (tfrc_control_info_is_new (&info, &data, now));
  fail_if (tfrc_control_info_is_new (&info, &data, info.arrival_ns + 5 * SECOND - 1));
  fail_unless (tfrc_control_info_is_new (&info, &data, info.arrival_ns + 5 * SECOND));
}

GST_END_TEST;

/* It may be the one whose clock is false. */
GST_START_TEST (test_one_packet_does_not_make_others_old)
{
  TfrcData data;

  tfrc_control_info_init (&info);
  use_true_packet ();
  data = packet_of (now - SECOND, R_US);
  fail_unless (tfrc_control_info_is_new (&info, &data, now));
  use_true_packet ();
  fail_if (tfrc_control_info_is_new (&info, &data, now));
}

GST_END_TEST;

static Suite *
controlinfo_suite (void)
{
  Suite *suite = suite_create ("controlinfo");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_a_packet_may_be_50_ms_or_r_early_or_late);
  tcase_add_test (tcase, test_after_five_seconds_of_silence_any_send_time_is_believed);
  tcase_add_test (tcase, test_on_a_new_path_a_packet_has_any_delay_and_no_older_send_time);
  tcase_add_test (tcase, test_r_may_double_or_halve);
  tcase_add_test (tcase, test_a_second_packet_that_agrees_with_a_doubted_one_is_believed);
  tcase_add_test (tcase, test_a_packet_is_new_if_none_was_sent_later);
  tcase_add_test (tcase, test_one_packet_does_not_make_others_old);
  return suite;
}

GST_CHECK_MAIN (controlinfo);
