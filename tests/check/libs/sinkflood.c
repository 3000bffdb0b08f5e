/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A malicious receiver sends 100 000 packets a second: what a sender makes of them, and what the sender
 * sends, see gst/flow/sendsession.h. */
#include <tfrc/equation.h>

#include "signtest.h"

#define SECONDS 2
#define OF_EACH_KIND 25 /* in a millisecond */
#define SENT_OF_EACH_KIND (OF_EACH_KIND * 1000 * SECONDS)
#define P 0.1
#define MAX_NAMED 4096
#define GARBAGE_BYTES 100

/* When the last packets of data have left */
static struct
{
  guint64 time_ns;
  guint32 send_time_us;
} named[MAX_NAMED];

static guint n_named;
static guint32 feedback_number;
static guint responses, garbage_used;

/* Lets a millisecond pass, in which the sender has enough to send. */
static void
pass_millisecond (void)
{
  guint64 sent = t.data_sent;

  t.backlog = 100;
  run (&t, MS);
  if (t.data_sent == sent)
    return;
  named[n_named % MAX_NAMED].time_ns = t.now_ns;
  named[n_named++ % MAX_NAMED].send_time_us = t.header.send_time_us;
}

/* Names the newest packet that left at least a round-trip time ago. */
static void
name_packet (TfrcFeedback *feedback)
{
  guint i = n_named;

  while (i > 1 && named[(i - 1) % MAX_NAMED].time_ns + RTT > t.now_ns)
    i--;
  feedback->recv_data_us = named[(i - 1) % MAX_NAMED].send_time_us;
  feedback->delay_us = (guint32) ((t.now_ns - named[(i - 1) % MAX_NAMED].time_ns - RTT) / US);
}

static void
tell (TfrcFeedback *feedback)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireState state = { .highest_seq = t.header.seq };

  state.packets_lost = state.loss_events = (guint32) (t.data_sent * P);
  state.feedback_number = ++feedback_number;
  give (buffer,
      tfrc_wire_write_feedback (buffer, OWN_SSRC, numbers_of (t.sink).ssrc, feedback, &state));
}

static void
tell_losses (void)
{
  TfrcFeedback feedback = { .p = P, .x_recv_Bps = G_MAXUINT32 };

  name_packet (&feedback);
  tell (&feedback);
}

/* Without @optimistic the lie has the true round-trip time. */
static void
lie (gboolean optimistic)
{
  TfrcFeedback feedback = { .x_recv_Bps = G_MAXUINT32 };

  name_packet (&feedback);
  if (optimistic) {
    feedback.recv_data_us = t.header.send_time_us + 1;
    feedback.delay_us = 0;
  }
  tell (&feedback);
}

static void
send_garbage (void)
{
  static guint32 value;
  guint8 buffer[GARBAGE_BYTES];

  for (guint i = 0; i < sizeof buffer; i++)
    buffer[i] = (guint8) ((value = value * 1664525 + 1013904223) >> 24);
  garbage_used += give (buffer, sizeof buffer) == GST_TFRC_RTCP_USED;
}

static void
flood (void)
{
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];
  GstTfrcAddress to, local;

  for (guint i = 0; i < OF_EACH_KIND; i++) {
    send_garbage ();
    challenge (OWN_SSRC);
    responses += gst_tfrc_send_session_write_response (t.sink, buffer, &to, &local) > 0;
    lie (TRUE);
    lie (FALSE);
  }
}

/* Ends when the equation limits the rate. */
static void
be_honest (void)
{
  session_test_connect (&t);
  t.deaf = TRUE;
  n_named = responses = garbage_used = 0;
  feedback_number = 1000;
  for (guint i = 0; i < 10 * S / MS; i++) {
    pass_millisecond ();
    if (i % (RTT / MS) == 0)
      tell_losses ();
  }
}

GST_START_TEST (a_flood_gets_no_more_than_the_equation_allows)
{
  gdouble due_Bps = tfrc_equation_rate_Bps (SEGMENT, RTT / 1e9, 4 * RTT / 1e9, P), sent_bytes;
  guint64 sent;
  guint srs;

  be_honest ();
  sent = t.data_sent;
  srs = t.srs;
  for (guint i = 0; i < SECONDS * 1000; i++) {
    pass_millisecond ();
    flood ();
    fail_unless (sender_stats (&t).x_Bps <= 1.05 * due_Bps);
  }
  sent_bytes = (gdouble) (t.data_sent - sent) * SEGMENT;
  fail_unless (sent_bytes <= 1.05 * due_Bps * SECONDS + SEGMENT);
  fail_unless (sent_bytes >= 0.8 * due_Bps * SECONDS);
  fail_unless (t.srs - srs <= SECONDS + 1);
}

GST_END_TEST;

GST_START_TEST (each_packet_of_a_flood_is_counted_or_limited)
{
  guint64 refused, received, sent;

  be_honest ();
  refused = sender_stats (&t).feedbacks_refused;
  received = sender_stats (&t).feedbacks_received;
  sent = t.data_sent;
  for (guint i = 0; i < SECONDS * 1000; i++) {
    pass_millisecond ();
    flood ();
  }
  fail_unless_equals_int (garbage_used, 0);
  fail_unless_equals_uint64 (sender_stats (&t).feedbacks_refused - refused, SENT_OF_EACH_KIND);
  /* all others say that no packet has come since the last */
  received = sender_stats (&t).feedbacks_received - received;
  fail_unless_equals_uint64 (received, t.data_sent - sent + 1);
  fail_unless (responses > 0 && responses <= 20 * SECONDS + 20);
}

GST_END_TEST;

static Suite *
sinkflood_suite (void)
{
  Suite *s = suite_create ("sinkflood");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, a_flood_gets_no_more_than_the_equation_allows);
  tcase_add_test (tc, each_packet_of_a_flood_is_counted_or_limited);
  return s;
}

GST_CHECK_MAIN (sinkflood);
