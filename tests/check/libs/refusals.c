/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a caller waits for a refusal: a receiver that calls a sender (gst/flow/receiveflow.h), and a sender that
 * calls a receiver (gst/flow/callingflow.h), on a path with a delay, in virtual time. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/callflow.h"
#include "gst/flow/callingflow.h"
#include "gst/flow/receiveflow.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define REASON "no such film"
#define MAX_ON_THE_WAY 32

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 42 };
static GstTfrcAddress caller_at, listener_at;
static guint64 now, decides_after_ns;

static GstTfrcCallFlow *listener;
static guint64 asked_id, decided_ns; /* the call that waits for a decision, and until when */

/* ---- the listener -------------------------------------------------------------------- */

static void
called (gpointer owner, const GstTfrcCaller *caller, GstTfrcCallersResult result, guint64 called_ns)
{
  fail_unless_equals_int (result, GST_TFRC_CALLERS_NEW);
  fail_unless_equals_string (caller->stream_id, "film");
  asked_id = caller->id;
  decided_ns = now + decides_after_ns;
}

static void
replaced (gpointer owner, guint64 id)
{
}

static gboolean
take (gpointer owner, guint32 ssrc, const GstTfrcReceivedPacket *packet, guint64 now_ns)
{
  return FALSE;
}

static void
decide (void)
{
  GstTfrcCaller caller;

  if (asked_id == 0 || now < decided_ns)
    return;
  fail_unless (gst_tfrc_callers_refuse (
      gst_tfrc_call_flow_get_callers (listener), asked_id, REASON, now, &caller));
  asked_id = 0;
}

static void
setup (void)
{
  static const GstTfrcCallFlowOwner methods = { called, replaced, take };

  now = 1000 * S;
  caller_at = test_address ("198.51.100.7", 5004);
  listener_at = test_address ("192.0.2.1", 5004);
  asked_id = 0;
  listener = gst_tfrc_call_flow_new (secret, 1, 8, &methods, NULL);
}

static void
teardown (void)
{
  gst_tfrc_call_flow_free (listener);
}

/* ---- the path ------------------------------------------------------------------------- */

typedef struct
{
  guint64 arrival_ns;
  gsize size;
  guint8 data[GST_TFRC_DATAGRAM_BYTES];
} OnTheWay;

typedef struct
{
  GstTfrcAddress from;
  OnTheWay packets[MAX_ON_THE_WAY]; /* the oldest first */
  guint n;
  guint n_sent;
} Way;

static void
poll_into (Way *way, GstTfrcFlow *from, guint64 delay_ns)
{
  static GstTfrcPolled polled;

  gst_tfrc_polled_init (&polled);
  from->klass->on_time (from, now);
  from->klass->poll (from, now, &polled);
  for (guint i = 0; i < polled.n; i++) {
    OnTheWay *packet = &way->packets[way->n++];

    fail_unless (way->n < MAX_ON_THE_WAY);
    packet->arrival_ns = now + delay_ns;
    packet->size = polled.datagrams[i].size;
    memcpy (packet->data, polled.datagrams[i].data, packet->size);
    way->n_sent++;
  }
}

static void
arrive (Way *way, GstTfrcFlow *at)
{
  while (way->n > 0 && now >= way->packets[0].arrival_ns) {
    OnTheWay *first = &way->packets[0];
    GstTfrcReceivedPacket packet = { .data = first->data, .size = first->size, .from = &way->from };

    packet.arrival_ns = packet.read_ns = now;
    at->klass->on_datagrams (at, &packet, 1, now);
    memmove (first, first + 1, --way->n * sizeof *first);
  }
}

static gboolean
is_refused (GstTfrcEvents *events)
{
  GstTfrcEvent event;

  while (gst_tfrc_events_take (events, &event))
    if (event.kind == GST_TFRC_EVENT_CALL_REFUSED)
      return TRUE;
  return FALSE;
}

/* Returns the time from the first packet of the call to the error. */
static guint64
time_to_refusal (GstTfrcFlow *caller, GstTfrcEvents *events, guint64 rtt_ns)
{
  static Way out, back;
  guint64 start_ns = now;

  out = (Way){ .from = caller_at };
  back = (Way){ .from = listener_at };
  for (; now < start_ns + 10 * S; now += MS) {
    arrive (&out, gst_tfrc_call_flow_get_base (listener));
    decide ();
    poll_into (&back, gst_tfrc_call_flow_get_base (listener), rtt_ns / 2);
    arrive (&back, caller);
    if (is_refused (events))
      return now - start_ns;
    poll_into (&out, caller, rtt_ns / 2);
    if (now == start_ns)
      fail_unless_equals_int (out.n_sent, 1);
  }
  fail ("no refusal with an RTT of %" G_GUINT64_FORMAT " ms", rtt_ns / MS);
  return 0;
}

/* ---- callers --------------------------------------------------------------------------- */

static guint64
wall_ns (void)
{
  return now;
}

static guint64
receiver_waits (guint64 rtt_ns)
{
  GstTfrcReceiveFlowConfig config = { .limits.window_ns = 200 * MS,
    .ssrc = 7,
    .cname = "test",
    .stream_id = "film",
    .call_number = 9,
    .secret = secret,
    .wall_ns = wall_ns };
  GstTfrcReceiveFlow *flow;
  guint64 waited_ns;

  config.senders = (GstTfrcAddressFilter){ listener_at, 32 };
  tfrc_receiver_config_init (&config.receiver);
  flow = gst_tfrc_receive_flow_new (&config, now);
  waited_ns = time_to_refusal (
      gst_tfrc_receive_flow_base (flow), gst_tfrc_receive_flow_get_events (flow), rtt_ns);
  fail_unless_equals_string (
      gst_tfrc_call_get_reason (gst_tfrc_receive_flow_get_call (flow)), REASON);
  gst_tfrc_receive_flow_free (flow);
  return waited_ns;
}

static void
nothing (gpointer owner)
{
}

static gboolean
is_heard (gpointer owner)
{
  return FALSE;
}

static void
pass_on (gpointer owner, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
}

static guint64
sender_waits (guint64 rtt_ns)
{
  static const GstTfrcCallingFlowOwner methods = { nothing, is_heard, pass_on };
  GstTfrcEvents events = { 0 };
  GstTfrcCallingFlow *flow;
  guint64 waited_ns;

  flow = gst_tfrc_calling_flow_new (&listener_at, 7, 9, "film", &events, &methods, NULL, now);
  waited_ns = time_to_refusal (gst_tfrc_calling_flow_get_base (flow), &events, rtt_ns);
  fail_unless_equals_string (
      gst_tfrc_call_get_reason (gst_tfrc_calling_flow_get_call (flow)), REASON);
  gst_tfrc_calling_flow_free (flow);
  gst_tfrc_events_clear (&events);
  return waited_ns;
}

static const guint rtts_ms[] = { 2, 50, 100, 200, 600, 1500 };

static void
check_waits (guint64 (*waits) (guint64 rtt_ns))
{
  for (guint i = 0; i < G_N_ELEMENTS (rtts_ms); i++) {
    guint64 rtt_ns = rtts_ms[i] * MS;

    fail_unless_equals_uint64 (waits (rtt_ns), 2 * rtt_ns + decides_after_ns);
    now += GST_TFRC_CALLERS_REFUSED_NS; /* it is forgotten */
  }
}

/* ---- tests ------------------------------------------------------------------------------ */

GST_START_TEST (test_a_receiver_that_calls_is_refused_two_round_trips_after_its_first_packet)
{
  decides_after_ns = 0;
  check_waits (receiver_waits);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_that_calls_is_refused_two_round_trips_after_its_first_packet)
{
  decides_after_ns = 0;
  check_waits (sender_waits);
}

GST_END_TEST;

/* It does not wait for the call to be repeated. */
GST_START_TEST (test_a_decision_that_takes_time_is_told_when_it_is_made)
{
  decides_after_ns = 710 * MS;
  check_waits (receiver_waits);
  check_waits (sender_waits);
}

GST_END_TEST;

static Suite *
refusals_suite (void)
{
  Suite *suite = suite_create ("refusals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (
      tcase, test_a_receiver_that_calls_is_refused_two_round_trips_after_its_first_packet);
  tcase_add_test (
      tcase, test_a_sender_that_calls_is_refused_two_round_trips_after_its_first_packet);
  tcase_add_test (tcase, test_a_decision_that_takes_time_is_told_when_it_is_made);
  return suite;
}

GST_CHECK_MAIN (refusals);
