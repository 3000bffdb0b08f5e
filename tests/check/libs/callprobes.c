/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls to a sender that listens: the caller's side (gst/strangers). The sender's is in calls.c. */
#include <gst/check/gstcheck.h>

#include "gst/strangers/probes.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define SSRC 0x11223344
#define NUMBER 0x0a0b0c0d

static guint64 now;
static GstTfrcAddress server;

static void
setup (void)
{
  now = 1000 * S;
  server = test_address ("192.0.2.99", 5004);
}

static GstTfrcProbes
ringing (void)
{
  GstTfrcProbes probes = { 0 };

  gst_tfrc_probes_start (&probes, &server, now);
  gst_tfrc_probes_call (&probes, SSRC, NUMBER, "film", now);
  return probes;
}

static gboolean
answer_with (GstTfrcProbes *probes, const GstTfrcAnswerPacket *answer, const GstTfrcAddress *from)
{
  guint8 data[GST_TFRC_ANSWER_MAX_BYTES];
  GstTfrcReceivedPacket packet = { .data = data,
    .size = gst_tfrc_answer_packet_write (data, answer),
    .from = from,
    .arrival_ns = now,
    .read_ns = now };

  return gst_tfrc_probes_on_answer (probes, &packet);
}

static gboolean
rings (GstTfrcProbes *probes, GstTfrcCallPacket *call)
{
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  GstTfrcAddress to;
  gsize size = gst_tfrc_probes_write_call (probes, now, data, &to);

  if (size == 0)
    return FALSE;
  fail_unless (gst_tfrc_address_equal (&to, &server));
  fail_unless (gst_tfrc_call_packet_parse (data, size, call));
  return TRUE;
}

GST_START_TEST (test_a_caller_calls_again_at_once_with_the_cookie)
{
  GstTfrcAnswerPacket answer = { .number = NUMBER, .kind = GST_TFRC_ANSWER_COOKIE };
  GstTfrcProbes probes = ringing ();
  GstTfrcCallPacket call;

  fail_unless (rings (&probes, &call));
  fail_unless (!rings (&probes, &call));
  now += 50 * MS;
  answer.cookie[0] = 9;
  fail_unless (!answer_with (&probes, &answer, &server));
  fail_unless (rings (&probes, &call));
  fail_unless_equals_int (call.cookie[0], 9);
  answer_with (&probes, &answer, &server); /* the same: to the first call */
  fail_unless (!rings (&probes, &call));
  fail_unless_equals_uint64 (gst_tfrc_probes_next_ns (&probes), now + 250 * MS);
  fail_unless (!gst_tfrc_probes_take_challenge (&probes, now + S));
}

GST_END_TEST;

GST_START_TEST (test_an_answer_of_another_address_or_to_another_call_has_no_effect)
{
  GstTfrcAnswerPacket answer = { .number = NUMBER, .kind = GST_TFRC_ANSWER_REFUSED };
  const GstTfrcAddress other = test_address ("192.0.2.98", 5004);
  GstTfrcProbes probes = ringing ();
  GstTfrcCallPacket call;

  fail_unless (!answer_with (&probes, &answer, &other));
  answer.number++;
  fail_unless (!answer_with (&probes, &answer, &server));
  fail_unless (rings (&probes, &call));
}

GST_END_TEST;

GST_START_TEST (test_after_a_refusal_nothing_more_leaves)
{
  GstTfrcAnswerPacket answer = {
    .number = NUMBER, .kind = GST_TFRC_ANSWER_REFUSED, .reason = "no such film"
  };
  GstTfrcProbes probes = ringing ();
  GstTfrcCallPacket call;

  fail_unless (answer_with (&probes, &answer, &server));
  fail_unless (!answer_with (&probes, &answer, &server)); /* told once */
  fail_unless_equals_string (
      gst_tfrc_call_get_reason (gst_tfrc_probes_get_call (&probes)), "no such film");
  gst_tfrc_probes_start (&probes, &server, now); /* as for a silent sender */
  now += S;
  fail_unless (!rings (&probes, &call));
  fail_unless (!gst_tfrc_probes_take_challenge (&probes, now));
  fail_unless_equals_uint64 (gst_tfrc_probes_next_ns (&probes), G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (test_an_accepted_caller_probes_and_calls_again_when_the_sender_is_silent)
{
  GstTfrcAnswerPacket answer = { .number = NUMBER, .kind = GST_TFRC_ANSWER_ACCEPTED };
  GstTfrcProbes probes = ringing ();
  GstTfrcCallPacket call;

  rings (&probes, &call);
  answer_with (&probes, &answer, &server);
  now += 250 * MS;
  fail_unless (!rings (&probes, &call));
  fail_unless (gst_tfrc_probes_take_challenge (&probes, now)); /* keeps the mapping of a NAT */
  gst_tfrc_probes_stop (&probes);
  now += 10 * S;
  gst_tfrc_probes_start (&probes, &server, now);
  fail_unless (rings (&probes, &call));
  fail_unless_equals_int (call.number, NUMBER);
}

GST_END_TEST;

/* The sender is paused, or has been started again meanwhile. */
GST_START_TEST (test_an_accepted_caller_calls_again_while_nothing_comes)
{
  GstTfrcAnswerPacket answer = { .number = NUMBER, .kind = GST_TFRC_ANSWER_ACCEPTED };
  GstTfrcProbes probes = ringing ();
  GstTfrcCallPacket call;
  guint64 silent_ns = now;

  rings (&probes, &call);
  answer_with (&probes, &answer, &server);
  for (guint i = 0; i < 3; i++) {
    while (!rings (&probes, &call)) {
      gst_tfrc_probes_take_challenge (&probes, now);
      now = gst_tfrc_probes_next_ns (&probes);
    }
    fail_unless (now - silent_ns >= GST_TFRC_CALL_AGAIN_NS);
    fail_unless (now - silent_ns <= GST_TFRC_CALL_AGAIN_NS + 2 * S);
    silent_ns = now;
    answer_with (&probes, &answer, &server);
  }
}

GST_END_TEST;

GST_START_TEST (test_that_nobody_answers_is_told_once_after_five_seconds)
{
  GstTfrcProbes probes = ringing ();

  now += GST_TFRC_CALL_UNANSWERED_NS - 1;
  fail_unless (!gst_tfrc_probes_take_unanswered (&probes, now));
  now++;
  fail_unless (gst_tfrc_probes_take_unanswered (&probes, now));
  fail_unless (!gst_tfrc_probes_take_unanswered (&probes, now + S));
}

GST_END_TEST;

static Suite *
callprobes_suite (void)
{
  Suite *suite = suite_create ("callprobes");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, test_a_caller_calls_again_at_once_with_the_cookie);
  tcase_add_test (tcase, test_an_answer_of_another_address_or_to_another_call_has_no_effect);
  tcase_add_test (tcase, test_after_a_refusal_nothing_more_leaves);
  tcase_add_test (tcase, test_an_accepted_caller_probes_and_calls_again_when_the_sender_is_silent);
  tcase_add_test (tcase, test_an_accepted_caller_calls_again_while_nothing_comes);
  tcase_add_test (tcase, test_that_nobody_answers_is_told_once_after_five_seconds);
  return suite;
}

GST_CHECK_MAIN (callprobes);
