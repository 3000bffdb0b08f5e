/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handover events and the limit on their rate, see gst/flow/handoverlog.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/handoverlog.h"

#define T0 (1000 * GST_SECOND)
#define INTERVAL (GST_SECOND / GST_TFRC_HANDOVER_EVENT_PER_SECOND)

static GstTfrcEvents events;
static GstTfrcHandoverLog handover_log;
static GstTfrcHandoverView view;

static void
setup (void)
{
  gst_tfrc_events_clear (&events);
  gst_tfrc_handover_log_init (&handover_log, &events);
  memset (&view, 0, sizeof view);
}

static gboolean
enter (TfrcHandoverPhase phase, guint64 now_ns)
{
  view.phase = phase;
  gst_tfrc_handover_log_update (&handover_log, &view, now_ns);
  return gst_tfrc_events_are_waiting (&events);
}

static void
begin (guint64 now_ns)
{
  view.handovers++;
  enter (TFRC_HANDOVER_OLD_LINK, now_ns);
}

/* Checks the oldest event. */
static void
check_next (GstTfrcHandoverEventKind kind, TfrcHandoverPhase phase)
{
  GstTfrcEvent news;

  fail_unless (gst_tfrc_events_take (&events, &news));
  fail_unless_equals_int (news.kind, GST_TFRC_EVENT_HANDOVER);
  fail_unless_equals_int (news.of.handover.kind, kind);
  fail_unless_equals_int (news.of.handover.phase, phase);
}

static guint
take_all (void)
{
  GstTfrcEvent news;
  guint n = 0;

  while (gst_tfrc_events_take (&events, &news))
    n++;
  return n;
}

GST_START_TEST (every_step_of_a_handover_is_told)
{
  begin (T0);
  enter (TFRC_HANDOVER_NEW_LINK, T0 + 1);
  view.completed++;
  enter (TFRC_HANDOVER_NORMAL, T0 + 2);
  check_next (GST_TFRC_HANDOVER_EVENT_STARTED, TFRC_HANDOVER_OLD_LINK);
  check_next (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_OLD_LINK);
  check_next (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NEW_LINK);
  check_next (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NORMAL);
  check_next (GST_TFRC_HANDOVER_EVENT_COMPLETED, TFRC_HANDOVER_NORMAL);
  fail_unless_equals_int (take_all (), 0);
  fail_unless_equals_uint64 (gst_tfrc_events_get_dropped (&events), 0);
}

GST_END_TEST;

/* The rate is not held for a handover that comes before the last one is paid for (lib/tfrc/sender_handover.h), so that the
 * sender does not count it. Its end is told all the same. */
GST_START_TEST (a_handover_that_is_not_counted_lasts_no_longer_than_itself)
{
  GstTfrcEvent end = { .of.handover.duration_ns = 0 };

  begin (T0);
  enter (TFRC_HANDOVER_NORMAL, T0 + 1);
  view.rtt_ns = 50 * GST_MSECOND;
  enter (TFRC_HANDOVER_NORMAL, T0 + 10 * GST_SECOND);
  take_all ();
  enter (TFRC_HANDOVER_OLD_LINK, T0 + 20 * GST_SECOND);
  view.rtt_ns = 80 * GST_MSECOND;
  enter (TFRC_HANDOVER_NORMAL, T0 + 21 * GST_SECOND);
  while (gst_tfrc_events_take (&events, &end))
    ;
  fail_unless_equals_int (end.of.handover.kind, GST_TFRC_HANDOVER_EVENT_COMPLETED);
  fail_unless_equals_uint64 (end.of.handover.duration_ns, GST_SECOND);
  fail_unless_equals_uint64 (end.of.handover.before.rtt_ns, 50 * GST_MSECOND);
  fail_unless_equals_uint64 (end.of.handover.after.rtt_ns, 80 * GST_MSECOND);
}

GST_END_TEST;

/* A peer changes its phase with each of 1000 packets in 10 s. Each change is an event. */
GST_START_TEST (a_peer_that_toggles_causes_as_much_as_the_limit_allows)
{
  const guint packets = 1000;
  guint64 now_ns = T0;
  guint told = 0;

  for (guint i = 0; i < packets; i++) {
    now_ns = T0 + i * 10 * GST_MSECOND;
    enter (i % 2 ? TFRC_HANDOVER_OLD_LINK : TFRC_HANDOVER_NEW_LINK, now_ns);
    told += take_all ();
  }
  fail_unless_equals_int (told, GST_TFRC_HANDOVER_EVENT_BURST + (now_ns - T0) / INTERVAL);
  /* all events but the one that is held now */
  fail_unless_equals_uint64 (gst_tfrc_events_get_dropped (&events), packets - told - 1);
}

GST_END_TEST;

GST_START_TEST (the_newest_of_each_kind_is_told_in_the_end)
{
  for (guint i = 0; i < 100; i++) {
    begin (T0);
    enter (TFRC_HANDOVER_NORMAL, T0);
  }
  fail_unless_equals_int (take_all (), GST_TFRC_HANDOVER_EVENT_BURST);
  fail_if (enter (TFRC_HANDOVER_NORMAL, T0 + INTERVAL - 1));
  fail_unless (enter (TFRC_HANDOVER_NORMAL, T0 + 3 * INTERVAL));
  check_next (GST_TFRC_HANDOVER_EVENT_STARTED, TFRC_HANDOVER_OLD_LINK);
  check_next (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NORMAL);
  check_next (GST_TFRC_HANDOVER_EVENT_COMPLETED, TFRC_HANDOVER_NORMAL);
  fail_if (enter (TFRC_HANDOVER_NORMAL, T0 + 100 * INTERVAL));
  /* each handover has four events */
  fail_unless_equals_uint64 (
      gst_tfrc_events_get_dropped (&events), 4 * 100 - GST_TFRC_HANDOVER_EVENT_BURST - 3);
}

GST_END_TEST;

static Suite *
handoverlog_suite (void)
{
  Suite *s = suite_create ("handoverlog");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, every_step_of_a_handover_is_told);
  tcase_add_test (tc, a_handover_that_is_not_counted_lasts_no_longer_than_itself);
  tcase_add_test (tc, a_peer_that_toggles_causes_as_much_as_the_limit_allows);
  tcase_add_test (tc, the_newest_of_each_kind_is_told_in_the_end);
  return s;
}

GST_CHECK_MAIN (handoverlog);
