/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that calls its receiver, see gst/flow/callingflow.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/callingflow.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define SSRC 0x11223344
#define NUMBER 0x0a0b0c0d

static GstTfrcCallingFlow *o;
static GstTfrcEvents events;
static GstTfrcAddress peer, other;
static guint64 now;
static guint n_accepted, n_passed_on;
static gboolean heard;

static void
accepted (gpointer owner)
{
  n_accepted++;
}

static gboolean
is_heard (gpointer owner)
{
  return heard;
}

static void
pass_on (gpointer owner, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  n_passed_on += n;
}

static void
setup (void)
{
  static const GstTfrcCallingFlowOwner methods = { accepted, is_heard, pass_on };

  now = 1000 * S;
  n_accepted = n_passed_on = 0;
  heard = FALSE;
  peer = test_address ("192.0.2.1", 5004);
  other = test_address ("192.0.2.2", 5004);
  gst_tfrc_events_clear (&events);
  o = gst_tfrc_calling_flow_new (&peer, SSRC, NUMBER, "film", &events, &methods, NULL, now);
}

static void
teardown (void)
{
  gst_tfrc_calling_flow_free (o);
}

static GstTfrcFlow *
base (void)
{
  return gst_tfrc_calling_flow_get_base (o);
}

/* Returns whether a call leaves now. */
static gboolean
calls (GstTfrcCallPacket *call)
{
  static GstTfrcPolled polled;

  gst_tfrc_polled_init (&polled);
  base ()->klass->on_time (base (), now);
  base ()->klass->poll (base (), now, &polled);
  if (polled.n == 0)
    return FALSE;
  fail_unless_equals_int (polled.n, 1);
  fail_unless (gst_tfrc_address_equal (&polled.datagrams[0].to, &peer));
  fail_unless (
      gst_tfrc_call_packet_parse (polled.datagrams[0].data, polled.datagrams[0].size, call));
  fail_unless_equals_string (call->stream_id, "film");
  fail_unless_equals_int (call->ssrc, SSRC);
  return TRUE;
}

static void
hear (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = { .data = data, .size = size, .from = from };

  packet.arrival_ns = packet.read_ns = now;
  base ()->klass->on_datagrams (base (), &packet, 1, now);
}

static void
answer (const GstTfrcAddress *from, guint32 number, GstTfrcAnswerKind kind)
{
  GstTfrcAnswerPacket packet = { .number = number, .kind = kind, .cookie = { 1 } };
  guint8 data[GST_TFRC_ANSWER_MAX_BYTES];

  if (kind == GST_TFRC_ANSWER_REFUSED)
    gst_tfrc_answer_set_reason (&packet, "no such film");
  hear (from, data, gst_tfrc_answer_packet_write (data, &packet));
}

static gboolean
takes_event (GstTfrcEventKind kind)
{
  GstTfrcEvent event;

  return gst_tfrc_events_take (&events, &event) && event.kind == kind;
}

GST_START_TEST (test_the_stream_begins_two_round_trips_after_the_first_call)
{
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  fail_unless (!calls (&call));
  now += 20 * MS;
  answer (&peer, NUMBER, GST_TFRC_ANSWER_COOKIE);
  fail_unless (calls (&call));
  fail_unless_equals_int (call.cookie[0], 1);
  now += 20 * MS;
  answer (&peer, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  fail_unless_equals_int (n_accepted, 1);
  fail_unless (!calls (&call));
}

GST_END_TEST;

GST_START_TEST (test_answers_of_others_and_to_other_calls_mean_nothing)
{
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  answer (&other, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  answer (&peer, NUMBER + 1, GST_TFRC_ANSWER_ACCEPTED);
  answer (&other, NUMBER, GST_TFRC_ANSWER_REFUSED);
  fail_unless_equals_int (n_accepted, 0);
  fail_unless (!gst_tfrc_events_are_waiting (&events));
}

GST_END_TEST;

GST_START_TEST (test_a_refused_sender_calls_no_more)
{
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  answer (&peer, NUMBER, GST_TFRC_ANSWER_REFUSED);
  fail_unless (takes_event (GST_TFRC_EVENT_CALL_REFUSED));
  fail_unless_equals_string (
      gst_tfrc_call_get_reason (gst_tfrc_calling_flow_get_call (o)), "no such film");
  fail_unless_equals_uint64 (base ()->klass->deadline (base ()), G_MAXUINT64);
  now += 100 * S;
  fail_unless (!calls (&call));
}

GST_END_TEST;

GST_START_TEST (test_that_nobody_answers_is_told_once_and_the_calls_go_on)
{
  GstTfrcCallPacket call;
  guint n_calls = 0;

  for (guint i = 0; i < 600; i++, now += 100 * MS)
    n_calls += calls (&call);
  fail_unless (n_calls >= 30 && n_calls <= 40, "%u calls in a minute", n_calls);
  fail_unless (takes_event (GST_TFRC_EVENT_CALL_UNANSWERED));
  fail_unless (!gst_tfrc_events_are_waiting (&events));
}

GST_END_TEST;

GST_START_TEST (test_a_receiver_that_is_not_heard_any_more_is_called_again)
{
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  answer (&peer, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  heard = TRUE;
  now += GST_TFRC_CALLING_AGAIN_NS;
  fail_unless (!calls (&call));
  heard = FALSE;
  now += GST_TFRC_CALLING_AGAIN_NS - 1;
  fail_unless (!calls (&call));
  fail_unless_equals_uint64 (base ()->klass->deadline (base ()), ++now);
  fail_unless (calls (&call));
  answer (&peer, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  fail_unless_equals_int (n_accepted, 2);
}

GST_END_TEST;

GST_START_TEST (test_all_but_answers_is_the_streams)
{
  guint8 data[] = { 0x80, 33, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 };

  hear (&other, data, sizeof data);
  fail_unless_equals_int (n_passed_on, 1);
  answer (&peer, NUMBER, GST_TFRC_ANSWER_COOKIE);
  fail_unless_equals_int (n_passed_on, 1);
}

GST_END_TEST;

/* The receiver repeats it for a call that crossed with it. */
GST_START_TEST (test_a_second_acceptance_begins_no_stream)
{
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  for (guint i = 0; i < 3; i++)
    answer (&peer, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  fail_unless_equals_int (n_accepted, 1);
}

GST_END_TEST;

/* Calls are two seconds apart in the end, however long nobody answers. */
GST_START_TEST (test_a_receiver_that_stays_away_is_not_called_more_often_again)
{
  guint n[2] = { 0, 0 };
  GstTfrcCallPacket call;

  fail_unless (calls (&call));
  answer (&peer, NUMBER, GST_TFRC_ANSWER_ACCEPTED);
  now += GST_TFRC_CALLING_AGAIN_NS;
  for (guint ms = 0; ms < 20000; ms++, now += MS)
    n[ms / 10000] += calls (&call);
  fail_unless_equals_int (n[0], 8); /* at 0, 0.25, 0.75, 1.75, 3.75 s and so on */
  fail_unless_equals_int (n[1], 5);
}

GST_END_TEST;

static Suite *
callingflow_suite (void)
{
  Suite *suite = suite_create ("callingflow");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_the_stream_begins_two_round_trips_after_the_first_call);
  tcase_add_test (tcase, test_answers_of_others_and_to_other_calls_mean_nothing);
  tcase_add_test (tcase, test_a_refused_sender_calls_no_more);
  tcase_add_test (tcase, test_that_nobody_answers_is_told_once_and_the_calls_go_on);
  tcase_add_test (tcase, test_a_receiver_that_is_not_heard_any_more_is_called_again);
  tcase_add_test (tcase, test_a_second_acceptance_begins_no_stream);
  tcase_add_test (tcase, test_a_receiver_that_stays_away_is_not_called_more_often_again);
  tcase_add_test (tcase, test_all_but_answers_is_the_streams);
  return suite;
}

GST_CHECK_MAIN (callingflow);
