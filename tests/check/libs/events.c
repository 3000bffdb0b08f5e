/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What waits for the application, and what gives way, see gst/common/events.h. */
#include <errno.h>

#include <gst/check/gstcheck.h>

#include "gst/common/events.h"

static GstTfrcEvents events;

static void
setup (void)
{
  gst_tfrc_events_clear (&events);
}

static void
add_state (gint state)
{
  gst_tfrc_events_add (
      &events, &(GstTfrcEvent){ GST_TFRC_EVENT_PEER_STATE, { .peer_state = state } });
}

static void
add_error (gint error)
{
  gst_tfrc_events_add (&events, &(GstTfrcEvent){ GST_TFRC_EVENT_SEND_ERROR, { .error = error } });
}

static void
add_failure (const gchar *reason)
{
  gst_tfrc_events_add (
      &events, &(GstTfrcEvent){ GST_TFRC_EVENT_SECURITY_FAILED, { .reason = reason } });
}

/* Takes the oldest event, which has to be of this kind. */
static GstTfrcEvent
take (GstTfrcEventKind kind)
{
  GstTfrcEvent event = { 0 };

  fail_unless (gst_tfrc_events_are_waiting (&events));
  fail_unless (gst_tfrc_events_take (&events, &event));
  fail_unless_equals_int (event.kind, kind);
  return event;
}

static void
check_empty (guint64 dropped)
{
  GstTfrcEvent event;

  fail_if (gst_tfrc_events_are_waiting (&events));
  fail_if (gst_tfrc_events_take (&events, &event));
  fail_unless_equals_uint64 (gst_tfrc_events_get_dropped (&events), dropped);
}

GST_START_TEST (events_come_in_their_order_with_their_values)
{
  add_state (1);
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_BITRATE);
  add_state (2);
  add_error (EPERM);
  fail_unless_equals_int (take (GST_TFRC_EVENT_PEER_STATE).of.peer_state, 1);
  take (GST_TFRC_EVENT_BITRATE);
  fail_unless_equals_int (take (GST_TFRC_EVENT_PEER_STATE).of.peer_state, 2);
  fail_unless_equals_int (take (GST_TFRC_EVENT_SEND_ERROR).of.error, EPERM);
  check_empty (0);
}

GST_END_TEST;

GST_START_TEST (of_what_has_no_value_one_waits_in_its_place)
{
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_STATISTICS);
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_BITRATE);
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_STATISTICS);
  take (GST_TFRC_EVENT_STATISTICS);
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_STATISTICS);
  take (GST_TFRC_EVENT_BITRATE);
  take (GST_TFRC_EVENT_STATISTICS);
  check_empty (0);
}

GST_END_TEST;

/* The newer one comes behind what has happened before it. */
GST_START_TEST (of_what_has_a_value_the_newest_waits)
{
  add_failure ("one");
  gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_SECURITY_ESTABLISHED);
  add_failure ("other");
  take (GST_TFRC_EVENT_SECURITY_ESTABLISHED);
  fail_unless_equals_string (take (GST_TFRC_EVENT_SECURITY_FAILED).of.reason, "other");
  check_empty (1);
}

GST_END_TEST;

/* Nobody takes the events. The peer causes all that it can, before and after all that others cause. */
GST_START_TEST (what_a_peer_causes_pushes_out_nothing_else)
{
  const guint floods = 1000;

  for (guint i = 0; i < floods; i++)
    add_state ((gint) i);
  for (guint kind = 0; kind < GST_TFRC_EVENT_PEER_STATE; kind++)
    gst_tfrc_events_add (&events, &(GstTfrcEvent){ .kind = (GstTfrcEventKind) kind });
  for (guint i = 0; i < floods; i++) {
    gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_MIGRATED);
    gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_SENDER);
    gst_tfrc_events_add_kind (&events, GST_TFRC_EVENT_SECURITY_NO_KEYS);
    for (guint kind = GST_TFRC_EVENT_PEER_STATE; kind < GST_TFRC_EVENT_KINDS; kind++)
      gst_tfrc_events_add (&events, &(GstTfrcEvent){ .kind = (GstTfrcEventKind) kind });
  }
  add_state (7);
  for (guint kind = 0; kind < GST_TFRC_EVENT_PEER_STATE; kind++)
    take ((GstTfrcEventKind) kind);
  for (guint i = 0; i < GST_TFRC_EVENTS_OF_PEER - 1; i++) {
    const guint kinds = GST_TFRC_EVENT_KINDS - GST_TFRC_EVENT_PEER_STATE;
    const guint last = floods * kinds - (GST_TFRC_EVENTS_OF_PEER - 1) + i;

    take ((GstTfrcEventKind) (GST_TFRC_EVENT_PEER_STATE + last % kinds));
  }
  fail_unless_equals_int (take (GST_TFRC_EVENT_PEER_STATE).of.peer_state, 7);
  check_empty (floods + floods * (GST_TFRC_EVENT_KINDS - GST_TFRC_EVENT_PEER_STATE) + 1
      - GST_TFRC_EVENTS_OF_PEER);
}

GST_END_TEST;

static Suite *
events_suite (void)
{
  Suite *s = suite_create ("events");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, events_come_in_their_order_with_their_values);
  tcase_add_test (tc, of_what_has_no_value_one_waits_in_its_place);
  tcase_add_test (tc, of_what_has_a_value_the_newest_waits);
  tcase_add_test (tc, what_a_peer_causes_pushes_out_nothing_else);
  return s;
}

GST_CHECK_MAIN (events);
