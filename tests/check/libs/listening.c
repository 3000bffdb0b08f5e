/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that listens, see gst/stream/listening.h, in virtual time: its port opens a socket, but does not run, and
 * the test delivers the calls. */
#include <errno.h>
#include <string.h>

#include "gst/stream/listening.h"
#include "quietport.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define CALLER_SSRC 0x11223344
#define RTT_NS (80 * MS)

static gboolean has_random = TRUE;

/* The linker's --wrap puts this function in place of the C library's. */
gssize __wrap_getrandom (gpointer bytes, gsize size, guint flags);
gssize __real_getrandom (gpointer bytes, gsize size, guint flags);

gssize
__wrap_getrandom (gpointer bytes, gsize size, guint flags)
{
  if (has_random)
    return __real_getrandom (bytes, size, flags);
  errno = EPERM;
  return -1;
}

static GstTfrcPort *port;
static GstTfrcTenant tenant;
static GstTfrcAudience audience;
static GstTfrcListening *listening;
static guint64 now;
static GstTfrcAddress caller_address;

static void
setup (void)
{
  GstTfrcSocketConfig socket = GST_TFRC_SOCKET_CONFIG_INIT;
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = "known to none";
  GstTfrcSendFlowConfig flow = { 0 };
  GError *error = NULL;

  now = 1000 * S;
  socket.bind_address = "127.0.0.1";
  caller_address = test_address ("198.51.100.7", 5004);
  gst_tfrc_tenant_init (&tenant, &quiet_owner, NULL);
  port = gst_tfrc_port_new (&socket, &tenant, &error);
  g_assert_no_error (error);
  gst_tfrc_audience_init (&audience, port, &tenant, &flow.limits, TRUE);
  gst_tfrc_port_lock (port);
  listening = gst_tfrc_listening_new (port, &tenant, &audience, &flow, 10, secret, 1);
  gst_tfrc_port_add_flow (port, &tenant, gst_tfrc_listening_get_base (listening));
  gst_tfrc_port_unlock (port);
}

static void
teardown (void)
{
  gst_tfrc_port_leave (port, &tenant);
  gst_tfrc_listening_free (listening);
  gst_tfrc_audience_clear (&audience);
  gst_tfrc_port_unref (port);
}

static void
call (const GstTfrcCallPacket *packet)
{
  GstTfrcFlow *strangers = gst_tfrc_listening_get_base (listening);
  guint8 data[GST_TFRC_CALL_MAX_BYTES];
  GstTfrcReceivedPacket received = { .data = data,
    .size = gst_tfrc_call_packet_write (data, packet),
    .from = &caller_address,
    .arrival_ns = now,
    .read_ns = now };

  strangers->klass->on_datagrams (strangers, &received, 1, now);
}

/* Takes the one answer that leaves. */
static void
hear (GstTfrcAnswerKind kind, GstTfrcAnswerPacket *answer)
{
  GstTfrcFlow *strangers = gst_tfrc_listening_get_base (listening);
  static GstTfrcPolled polled;

  gst_tfrc_polled_init (&polled);
  strangers->klass->poll (strangers, now, &polled);
  fail_unless_equals_int (polled.n, 1);
  fail_unless (
      gst_tfrc_answer_packet_parse (polled.datagrams[0].data, polled.datagrams[0].size, answer));
  fail_unless_equals_int (answer->kind, kind);
}

static void
count (GstTfrcSendFlow *flow, gpointer number)
{
  (*(guint *) number)++;
}

static void
take_newest (GstTfrcSendFlow *flow, gpointer newest)
{
  *(GstTfrcSendFlow **) newest = flow;
}

static guint
n_streams (void)
{
  guint n = 0;

  gst_tfrc_audience_foreach (&audience, count, &n);
  return n;
}

/* @return the id of the call */
static guint64
expect_news (GstTfrcCallNewsKind kind, const gchar *reason)
{
  GstTfrcCallNews *news = gst_tfrc_listening_take_news (listening);
  guint64 id;

  fail_unless (news != NULL);
  fail_unless_equals_int (news->kind, kind);
  fail_unless (g_strcmp0 (news->reason, reason) == 0, "%s", news->reason);
  id = news->id;
  gst_tfrc_call_news_free (news);
  return id;
}

/* Calls, and returns the cookie after RTT_NS. */
static void
call_with_cookie (void)
{
  GstTfrcCallPacket packet = { .ssrc = CALLER_SSRC, .number = 7, .stream_id = "film" };
  GstTfrcAnswerPacket answer;

  call (&packet);
  hear (GST_TFRC_ANSWER_COOKIE, &answer);
  memcpy (packet.cookie, answer.cookie, sizeof packet.cookie);
  now += RTT_NS;
  call (&packet);
}

/* @return the id of the call */
static guint64
be_accepted (void) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcAnswerPacket answer;
  guint64 id;

  call_with_cookie ();
  id = expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  gst_tfrc_listening_answer (listening, id, NULL, NULL, now);
  hear (GST_TFRC_ANSWER_ACCEPTED, &answer);
  expect_news (GST_TFRC_CALL_ADDED, NULL);
  return id;
}

GST_START_TEST (test_the_stream_of_a_caller_begins_with_the_round_trip_of_its_call)
{
  guint64 rtt_ns;

  gst_tfrc_port_lock (port);
  be_accepted ();
  rtt_ns = gst_tfrc_audience_get_rtt_ns (&audience);
  fail_unless (rtt_ns >= RTT_NS && rtt_ns < RTT_NS + 2 * MS, "%" G_GUINT64_FORMAT, rtt_ns);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* As one whose answers a firewall drops: nothing of it stays. */
GST_START_TEST (test_a_caller_that_never_answers_is_removed_after_ten_seconds)
{
  guint64 accepted_ns;

  gst_tfrc_port_lock (port);
  be_accepted ();
  accepted_ns = now;
  do {
    fail_unless_equals_int (n_streams (), 1);
    now = gst_tfrc_listening_next_ns (listening);
  } while (!gst_tfrc_listening_served (listening, now));
  fail_unless_equals_uint64 (now - accepted_ns, 10 * S);
  expect_news (GST_TFRC_CALL_REMOVED, "no feedback has come; a firewall may drop it");
  fail_unless_equals_int (n_streams (), 0);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), G_MAXUINT64);
  be_accepted (); /* it may call again */
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

static void
serve_until (guint64 end_ns) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  while ((now = MIN (gst_tfrc_listening_next_ns (listening), end_ns)) < end_ns)
    gst_tfrc_listening_served (listening, now);
}

/* As one whose sender is paused: it has nothing to give feedback on, and calls again. */
GST_START_TEST (test_a_caller_that_nothing_is_sent_to_stays_while_it_calls)
{
  GstTfrcAnswerPacket answer;

  gst_tfrc_port_lock (port);
  be_accepted ();
  for (guint i = 0; i < 10; i++) {
    serve_until (now + 9 * S);
    call_with_cookie ();
    hear (GST_TFRC_ANSWER_ACCEPTED, &answer);
    fail_unless_equals_int (n_streams (), 1);
  }
  serve_until (now + 11 * S);
  expect_news (GST_TFRC_CALL_REMOVED, "no feedback has come; a firewall may drop it");
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

static GstTfrcSendFlow *
newest_stream (void)
{
  GstTfrcSendFlow *newest = NULL;

  gst_tfrc_audience_foreach (&audience, take_newest, &newest);
  return newest;
}

static GstTfrcFlow *
flow_of_caller (void) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  return gst_tfrc_demux_find (&port->demux, &caller_address, CALLER_SSRC);
}

/* The caller has another address.  It calls from there because nothing comes, and moves while the application is
 * asked. */
GST_START_TEST (test_who_calls_again_from_its_new_address_has_one_stream)
{
  GstTfrcSendFlow *old, *new;
  GstTfrcFlow *base;
  guint64 id;

  gst_tfrc_port_lock (port);
  be_accepted ();
  old = newest_stream ();
  caller_address = test_address ("203.0.113.9", 4000);
  call_with_cookie ();
  id = expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (old))->peer = caller_address;
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (old), now);
  fail_unless (flow_of_caller () == gst_tfrc_send_flow_get_base (old));
  gst_tfrc_listening_answer (listening, id, NULL, NULL, now);
  new = newest_stream ();
  base = gst_tfrc_send_flow_get_base (new);
  fail_unless (new != old &&flow_of_caller () == base);
  expect_news (GST_TFRC_CALL_ADDED, NULL);
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_news (GST_TFRC_CALL_REMOVED, "its port calls anew");
  fail_unless_equals_int (n_streams (), 1);
  fail_unless (flow_of_caller () == base);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* Its sender is silent, and it calls from where it has moved to. */
GST_START_TEST (test_who_has_moved_and_calls_again_is_known_there)
{
  GstTfrcAddress before = caller_address;
  GstTfrcAnswerPacket answer;
  GstTfrcSendFlow *flow;

  gst_tfrc_port_lock (port);
  be_accepted ();
  flow = newest_stream ();
  caller_address = test_address ("203.0.113.9", 4000);
  gst_tfrc_send_session_get_paths (gst_tfrc_send_flow_get_session (flow))->peer = caller_address;
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (flow), now);
  fail_unless (flow_of_caller () == gst_tfrc_send_flow_get_base (flow));
  fail_unless (gst_tfrc_demux_find (&port->demux, &before, CALLER_SSRC) == NULL);
  call_with_cookie ();
  hear (GST_TFRC_ANSWER_ACCEPTED, &answer);
  fail_unless (gst_tfrc_listening_take_news (listening) == NULL);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* Feedback of the caller comes from an address that it has not called from. Returns whether a stream takes it. */
static gboolean
is_followed (void)
{
  GstTfrcFlow *strangers = gst_tfrc_listening_get_base (listening);
  guint8 report[8] = { 0x80, 201, 0, 1 };
  const GstTfrcAddress elsewhere = test_address ("192.0.2.77", 4001);
  GstTfrcReceivedPacket received = {
    .data = report, .size = sizeof report, .from = &elsewhere, .arrival_ns = now, .read_ns = now
  };
  GstTfrcListeningStats before, after;

  GST_WRITE_UINT32_BE (report + 4, CALLER_SSRC);
  gst_tfrc_listening_get_stats (listening, now, &before);
  strangers->klass->on_datagrams (strangers, &received, 1, now);
  gst_tfrc_listening_get_stats (listening, now, &after);
  return after.foreign_packets == before.foreign_packets;
}

/* Without a network for some seconds, the caller calls again from its new address, and has another stream. The first
 * one, which feedback from elsewhere belongs to as long as it lasts, ends ten seconds after its call. */
GST_START_TEST (test_who_has_called_again_is_followed_once_its_first_stream_has_ended)
{
  gst_tfrc_port_lock (port);
  be_accepted ();
  serve_until (now + 6 * S);
  caller_address = test_address ("203.0.113.9", 4000);
  be_accepted ();
  fail_unless_equals_int (n_streams (), 2);
  fail_unless (is_followed ());
  serve_until (now + 5 * S);
  expect_news (GST_TFRC_CALL_REMOVED, "no feedback has come; a firewall may drop it");
  fail_unless_equals_int (n_streams (), 1);
  fail_unless (is_followed ());
  serve_until (now + 6 * S);
  expect_news (GST_TFRC_CALL_REMOVED, "no feedback has come; a firewall may drop it");
  fail_unless (!is_followed ());
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

static void
expect_event (GstTfrcEventKind kind, gint error)
{
  GstTfrcEvent event;

  fail_unless (gst_tfrc_listening_take_event (listening, &event));
  fail_unless_equals_int (event.kind, kind);
  fail_unless_equals_int (event.of.error, error);
}

GST_START_TEST (test_a_refused_send_to_a_caller_is_told)
{
  const GstTfrcEvent refused = { GST_TFRC_EVENT_SEND_ERROR, { .error = EPERM } };
  GstTfrcEvent event;

  gst_tfrc_port_lock (port);
  be_accepted ();
  fail_unless (!gst_tfrc_listening_take_event (listening, &event));
  gst_tfrc_events_add (gst_tfrc_send_flow_get_events (newest_stream ()), &refused);
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (newest_stream ()), now);
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_event (GST_TFRC_EVENT_SEND_ERROR, EPERM);
  fail_unless (!gst_tfrc_listening_take_event (listening, &event));
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* @is_asked: the application is asked at once */
static void
want_key_unit (gboolean is_asked) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSendFlow *stream = newest_stream ();

  gst_tfrc_events_add_kind (gst_tfrc_send_flow_get_events (stream), GST_TFRC_EVENT_KEY_UNIT);
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (stream), now);
  fail_unless_equals_int (gst_tfrc_listening_served (listening, now), is_asked);
  if (is_asked)
    expect_event (GST_TFRC_EVENT_KEY_UNIT, 0);
}

/* A receiver asks once for each loss. The encoder is spared half a second, and then asked for the caller whose request came
 * in that time. */
GST_START_TEST (test_a_key_unit_that_another_caller_wants_soon_after_the_last_is_asked_for_later)
{
  const guint64 after[] = { 0, 300 * MS };
  GstTfrcEvent event;

  gst_tfrc_port_lock (port);
  be_accepted ();
  for (guint i = 0; i < G_N_ELEMENTS (after); i++) {
    now += after[i];
    want_key_unit (i == 0);
  }
  fail_if (gst_tfrc_listening_take_event (listening, &event));
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), now + 200 * MS);
  now += 200 * MS;
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_event (GST_TFRC_EVENT_KEY_UNIT, 0);
  fail_unless (gst_tfrc_listening_next_ns (listening) > now);
  fail_if (gst_tfrc_listening_served (listening, now + 500 * MS));
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* What was lost before the key unit can have come is mended by it. */
GST_START_TEST (test_a_key_unit_that_another_caller_wants_within_its_round_trip_is_the_same)
{
  gst_tfrc_port_lock (port);
  be_accepted ();
  for (guint i = 0; i < 2; i++) {
    want_key_unit (i == 0);
    now += RTT_NS - MS;
  }
  fail_if (gst_tfrc_listening_served (listening, now + 500 * MS));
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* What was under way to the old place is lost. */
GST_START_TEST (test_a_caller_that_has_moved_or_changed_its_link_is_told_of)
{
  GstTfrcEvent moves[] = { { .kind = GST_TFRC_EVENT_MIGRATED },
    { .kind = GST_TFRC_EVENT_HANDOVER, .of.handover.kind = GST_TFRC_HANDOVER_EVENT_COMPLETED },
    { .kind = GST_TFRC_EVENT_HANDOVER, .of.handover.kind = GST_TFRC_HANDOVER_EVENT_STARTED } };
  GstTfrcEvent event;

  gst_tfrc_port_lock (port);
  be_accepted ();
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++) {
    gst_tfrc_events_add (gst_tfrc_send_flow_get_events (newest_stream ()), &moves[i]);
    gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (newest_stream ()), now);
    fail_unless_equals_int (gst_tfrc_listening_served (listening, now), i < 2);
    if (i < 2)
      expect_event (GST_TFRC_EVENT_CALLER_MOVED, 0);
    fail_if (gst_tfrc_listening_take_event (listening, &event));
  }
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* One host can call faster than the application takes news. */
GST_START_TEST (test_news_of_callers_does_not_keep_back_statistics)
{
  gst_tfrc_port_lock (port);
  gst_tfrc_listening_set_stats_interval (listening, S, now);
  call_with_cookie ();
  expect_event (GST_TFRC_EVENT_CALLERS, 0);
  gst_tfrc_listening_set_stats_interval (listening, S, now + 1); /* as before */
  now += S - RTT_NS;
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_event (GST_TFRC_EVENT_STATISTICS, 0);
  expect_event (GST_TFRC_EVENT_CALLERS, 0);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), now + S);
  gst_tfrc_listening_set_stats_interval (listening, 0, now);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), G_MAXUINT64);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* Has all datagrams of a poll leave. Returns how many of them say BYE. */
static guint
poll_flow (GstTfrcFlow *flow, guint *n)
{
  GstTfrcPolled polled;
  TfrcWireRtcp rtcp;
  guint byes = 0;

  gst_tfrc_polled_init (&polled);
  flow->klass->poll (flow, now, &polled);
  for (guint i = 0; i < polled.n; i++) {
    byes += tfrc_wire_parse_rtcp (polled.datagrams[i].data, polled.datagrams[i].size, 1, &rtcp)
            == TFRC_WIRE_OK
        && rtcp.has_bye;
    polled.datagrams[i].result = GST_TFRC_DATAGRAM_LEFT;
  }
  if (polled.n > 0)
    flow->klass->on_sent (flow, &polled, now);
  *n = polled.n;
  return byes;
}

/* A stream that has sent nothing has no end to tell of. */
static void
begin_stream (GstTfrcSendFlow *flow)
{
  GstTfrcFlow *base = gst_tfrc_send_flow_get_base (flow);
  GstTfrcPacketPool *pool = gst_tfrc_packet_pool_new ();
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  guint n;

  gst_tfrc_packet_set_payload_bytes (packet, 188);
  memset (gst_tfrc_packet_payload (packet), 0x47, 188);
  gst_tfrc_outbox_push (gst_tfrc_send_flow_get_outbox (flow), packet, GST_TFRC_RTP_MEDIA, now, now);
  base->klass->on_time (base, now);
  fail_unless_equals_int (poll_flow (base, &n), 0);
  fail_unless_equals_int (n, 1);
  gst_tfrc_packet_pool_free (pool);
}

static gboolean
says_bye (GstTfrcSendFlow *flow)
{
  guint n;

  return poll_flow (gst_tfrc_send_flow_get_base (flow), &n) > 0;
}

/* The application drops the caller while the loop sends to others: the turn ends without a word to this one. */
GST_START_TEST (test_a_caller_that_is_dropped_hears_of_that_before_it_is_removed)
{
  GstTfrcSendFlow *flow;
  guint64 id;

  gst_tfrc_port_lock (port);
  id = be_accepted ();
  flow = newest_stream ();
  begin_stream (flow);
  fail_unless (gst_tfrc_listening_drop (listening, id));
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (flow), now);
  fail_unless (!gst_tfrc_listening_served (listening, now));
  fail_unless_equals_int (n_streams (), 1);
  fail_unless (says_bye (flow));
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (flow), now);
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_news (GST_TFRC_CALL_REMOVED, "it was dropped");
  fail_unless_equals_int (n_streams (), 0);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* It would stay for ever and get nothing, as calls of a caller that is there begin nothing anew. */
GST_START_TEST (test_a_caller_whose_key_is_used_up_is_removed)
{
  gst_tfrc_port_lock (port);
  be_accepted ();
  for (guint i = 0; i < 2; i++) { /* one turn may find two reasons */
    gst_tfrc_events_add_kind (
        gst_tfrc_send_flow_get_events (newest_stream ()), GST_TFRC_EVENT_SECURITY_EXPIRED);
    gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (newest_stream ()), now);
  }
  fail_unless (gst_tfrc_listening_served (listening, now));
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), G_MAXUINT64);
  expect_news (GST_TFRC_CALL_REMOVED, "its key has protected as much as a key may");
  fail_unless_equals_int (n_streams (), 0);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* A filter of system calls may come into force while the listener runs. The application has accepted the caller, and both
 * have to hear that nothing comes of that. */
GST_START_TEST (test_a_caller_whose_stream_cannot_begin_is_rejected)
{
  GstTfrcAnswerPacket answer;
  guint64 id;

  gst_tfrc_port_lock (port);
  call_with_cookie ();
  id = expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  has_random = FALSE;
  gst_tfrc_listening_answer (listening, id, NULL, NULL, now);
  has_random = TRUE;
  fail_unless_equals_int (n_streams (), 0);
  hear (GST_TFRC_ANSWER_REFUSED, &answer);
  expect_news (GST_TFRC_CALL_REJECTED, "no stream can be made");
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* The stream of another pipeline accepts the caller. Returns the id of the call. */
static guint64
serve_as_guest (GstTfrcGuest *guest) GST_TFRC_REQUIRES (gst_tfrc_port_mutex)
{
  GstTfrcSendFlowConfig config = { 0 };
  GstTfrcSendFlow *flow;
  guint64 id;

  call_with_cookie ();
  id = expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  fail_unless (gst_tfrc_listening_find_waiting (listening, id, &config.session));
  flow = gst_tfrc_send_flow_new (&config, now);
  gst_tfrc_audience_add (&audience, flow, now);
  gst_tfrc_listening_add_guest (listening, id, guest, flow, now);
  fail_unless (guest->listening == listening);
  return id;
}

/* The loop serves the port once more while the stream leaves. */
GST_START_TEST (test_what_leaves_just_after_a_caller_was_dropped_leaves_in_order)
{
  GstTfrcGuest guest = { 0 };
  GstTfrcSendFlow *flow;
  guint64 id;

  gst_tfrc_port_lock (port);
  id = serve_as_guest (&guest);
  flow = newest_stream ();
  fail_unless (gst_tfrc_listening_drop (listening, id));
  says_bye (flow);
  gst_tfrc_listening_flow_served (listening, gst_tfrc_send_flow_get_base (flow), now);
  gst_tfrc_listening_leave (listening, now);
  fail_unless (guest.is_dismissed && guest.listening == NULL);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), G_MAXUINT64);
  fail_unless (!gst_tfrc_listening_served (listening, now + S));
  fail_unless (flow_of_caller () == NULL);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* An application that has forgotten the caller would have it call without end. */
GST_START_TEST (test_a_call_that_is_put_off_for_ten_seconds_is_rejected)
{
  GstTfrcAnswerPacket answer;
  guint64 id;

  gst_tfrc_port_lock (port);
  call_with_cookie ();
  id = expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  gst_tfrc_listening_defer (listening, id, now);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), now + 10 * S);
  now += 10 * S - 1;
  fail_unless (!gst_tfrc_listening_served (listening, now));
  now++;
  fail_unless (gst_tfrc_listening_served (listening, now));
  expect_news (GST_TFRC_CALL_REJECTED, "the application has not answered");
  hear (GST_TFRC_ANSWER_REFUSED, &answer);
  fail_unless_equals_string (answer.reason, "the application has not answered");
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), G_MAXUINT64);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* Its sender adds up what all callers have got, also those that have left. */
GST_START_TEST (test_what_a_caller_was_sent_counts_after_it_has_gone)
{
  GstTfrcListeningStats before, after;

  gst_tfrc_port_lock (port);
  be_accepted ();
  begin_stream (newest_stream ());
  gst_tfrc_listening_get_stats (listening, now, &before);
  fail_unless_equals_uint64 (before.sent, 1);
  fail_unless_equals_int (before.calls.accepted, 1);
  serve_until (now + 11 * S);
  expect_news (GST_TFRC_CALL_REMOVED, "no feedback has come; a firewall may drop it");
  gst_tfrc_listening_get_stats (listening, now, &after);
  fail_unless_equals_uint64 (after.sent, 1);
  fail_unless_equals_uint64 (after.bytes_sent, before.bytes_sent);
  fail_unless_equals_int (after.calls.accepted, 0);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

/* The port calls anew, and before the loop has removed its caller, the stream that serves the caller ends. */
GST_START_TEST (test_a_guest_that_leaves_with_a_caller_to_be_removed_removes_it_once)
{
  GstTfrcCallPacket packet = { .ssrc = CALLER_SSRC + 1, .number = 8, .stream_id = "film" };
  GstTfrcAnswerPacket answer;
  GstTfrcGuest guest = { 0 };

  gst_tfrc_port_lock (port);
  serve_as_guest (&guest);
  expect_news (GST_TFRC_CALL_ADDED, NULL);
  hear (GST_TFRC_ANSWER_ACCEPTED, &answer);
  call (&packet);
  hear (GST_TFRC_ANSWER_COOKIE, &answer);
  memcpy (packet.cookie, answer.cookie, sizeof packet.cookie);
  call (&packet);
  expect_news (GST_TFRC_CALL_CONNECTING, NULL);
  fail_unless_equals_uint64 (gst_tfrc_listening_next_ns (listening), 0);
  gst_tfrc_listening_remove_guest (&guest, now);
  fail_unless (guest.is_dismissed && guest.listening == NULL);
  expect_news (GST_TFRC_CALL_REMOVED, "its port calls anew");
  fail_unless (gst_tfrc_listening_next_ns (listening) > now);
  fail_unless (!gst_tfrc_listening_served (listening, now));
  fail_unless (flow_of_caller () == NULL);
  gst_tfrc_port_unlock (port);
}
GST_END_TEST;

static Suite *
listening_suite (void)
{
  Suite *suite = suite_create ("listening");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_the_stream_of_a_caller_begins_with_the_round_trip_of_its_call);
  tcase_add_test (tcase, test_a_caller_that_never_answers_is_removed_after_ten_seconds);
  tcase_add_test (tcase, test_a_caller_that_nothing_is_sent_to_stays_while_it_calls);
  tcase_add_test (tcase, test_who_calls_again_from_its_new_address_has_one_stream);
  tcase_add_test (tcase, test_who_has_moved_and_calls_again_is_known_there);
  tcase_add_test (tcase, test_who_has_called_again_is_followed_once_its_first_stream_has_ended);
  tcase_add_test (tcase, test_a_refused_send_to_a_caller_is_told);
  tcase_add_test (
      tcase, test_a_key_unit_that_another_caller_wants_soon_after_the_last_is_asked_for_later);
  tcase_add_test (
      tcase, test_a_key_unit_that_another_caller_wants_within_its_round_trip_is_the_same);
  tcase_add_test (tcase, test_a_caller_that_has_moved_or_changed_its_link_is_told_of);
  tcase_add_test (tcase, test_news_of_callers_does_not_keep_back_statistics);
  tcase_add_test (tcase, test_a_caller_that_is_dropped_hears_of_that_before_it_is_removed);
  tcase_add_test (tcase, test_a_caller_whose_key_is_used_up_is_removed);
  tcase_add_test (tcase, test_a_caller_whose_stream_cannot_begin_is_rejected);
  tcase_add_test (tcase, test_what_leaves_just_after_a_caller_was_dropped_leaves_in_order);
  tcase_add_test (tcase, test_a_call_that_is_put_off_for_ten_seconds_is_rejected);
  tcase_add_test (tcase, test_what_a_caller_was_sent_counts_after_it_has_gone);
  tcase_add_test (tcase, test_a_guest_that_leaves_with_a_caller_to_be_removed_removes_it_once);
  return suite;
}

GST_CHECK_MAIN (listening);
