/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver that starts after its sender, and a sender that starts again. The tests use both
 * sessions and the rules of selection, in virtual time. */
#include "sessiontest.h"

#include "gst/strangers/selection.h"

static SessionTest t;
static GstTfrcSelection *o;
static GstTfrcReception *session; /* the session of the peer */
static gboolean there;            /* whether the receiver has started */
static GstTfrcAddress sender;     /* the source address of the sender's packets */
static guint64 first_ns;          /* when data was first taken; 0: not yet */
static guint64 taken;

static GstTfrcAddress
address_of (const gchar *host, guint16 port)
{
  GstTfrcAddress address;

  fail_unless (gst_tfrc_address_resolve (&address, host, port, AF_UNSPEC, NULL));
  return address;
}

static void
take (const TfrcWireData *header, const GstTfrcReceivedPacket *packet)
{
  TfrcArrival arrival;

  fail_unless (gst_tfrc_reception_on_data (session, header, packet, 0, &arrival));
  if (first_ns == 0)
    first_ns = t.now_ns;
  taken++;
}

static void
follow (void)
{
  const GstTfrcPendingPeer *pending = gst_tfrc_selection_take_new_peer (o, t.now_ns);

  if (pending == NULL)
    return;
  gst_tfrc_reception_free (session);
  session = gst_tfrc_reception_new (&pending->base.id.address, pending->base.id.ssrc, NULL, NULL);
  for (guint i = 0; i < pending->n_held; i++) {
    const GstTfrcHeldPacket *held = gst_tfrc_pending_get_held (pending, i);

    take (&held->header, &held->packet);
  }
  gst_tfrc_selection_release (o, pending);
}

static void
receive (SessionTest *unused, const InFlight *flight)
{
  GstTfrcReceivedPacket packet = received_from (&t, &sender, (guint8 *) flight->data, flight->size);
  TfrcWireData header;
  TfrcWireRtcp rtcp;

  if (!there)
    return;
  if (tfrc_wire_classify (packet.data, packet.size) == TFRC_WIRE_KIND_DATA) {
    fail_unless_equals_int (tfrc_wire_parse_data (packet.data, packet.size, &header), TFRC_WIRE_OK);
    if (gst_tfrc_selection_on_data (o, &packet, &header) == GST_TFRC_VERDICT_PEER)
      take (&header, &packet);
  } else {
    fail_unless_equals_int (
        tfrc_wire_parse_rtcp (packet.data, packet.size, OWN_SSRC, &rtcp), TFRC_WIRE_OK);
    if (gst_tfrc_selection_on_rtcp (o, &packet, &rtcp, RTT) == GST_TFRC_VERDICT_PEER)
      gst_tfrc_reception_on_rtcp (session, &rtcp, t.now_ns);
  }
  follow ();
}

static void
answer (const guint8 *buffer, gsize size)
{
  transmit_by (&t, FALSE, peer_of (t.sink), buffer, size);
}

static void
serve_receiver (void)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  GstTfrcAddress to, local;
  gsize size;

  gst_tfrc_selection_on_time (o, 0, t.now_ns);
  follow ();
  while (session
      && (size = gst_tfrc_reception_write (session, OWN_SSRC, "test", t.now_ns, buffer)) > 0)
    answer (buffer, size);
  while (
      (size = gst_tfrc_selection_write_challenge (o, OWN_SSRC, t.now_ns, buffer, &to, &local)) > 0)
    answer (buffer, size);
}

static guint64
next_ns (void)
{
  guint64 next_ns = next_event_ns (&t);

  if (!there)
    return next_ns;
  next_ns = MIN (next_ns, gst_tfrc_selection_next_ns (o));
  return session ? MIN (next_ns, gst_tfrc_reception_next_ns (session)) : next_ns;
}

static void
run_both (guint64 duration_ns)
{
  guint64 end_ns = t.now_ns + duration_ns;
  guint8 response[TFRC_WIRE_MIN_PATH_BYTES];
  GstTfrcAddress to, local;
  guint events = 0;

  while (next_ns () <= end_ns) {
    t.now_ns = MAX (t.now_ns, next_ns ());
    serve_all (&t);
    if (gst_tfrc_send_session_write_response (t.sink, response, &to, &local) > 0)
      transmit (&t, TRUE, response, sizeof response);
    if (there)
      serve_receiver ();
    fail_unless (++events < 1000000, "this never ends");
  }
  t.now_ns = end_ns;
}

/* A receiver without any knowledge starts now. */
static void
start_receiver (const gchar *senders)
{
  const guint8 secret[GST_TFRC_SECRET_BYTES] = { 53, 48 };
  GstTfrcAddressFilter filter;

  fail_unless (gst_tfrc_address_filter_parse (&filter, senders, NULL));
  gst_tfrc_reception_free (session);
  session = NULL;
  gst_tfrc_selection_free (o);
  o = gst_tfrc_selection_new (&filter, TRUE, GST_TFRC_TRUST_FIRST, secret, t.now_ns);
  there = TRUE;
  first_ns = 0;
}

/* A receiver starts @late_ns after its sender has begun to have data. */
static void
start_late (guint64 late_ns, const gchar *senders)
{
  there = FALSE;
  session_test_init (&t);
  /* All packets of the sender come to receive(), not to the receiver of the harness. */
  t.address = address_of ("198.51.100.1", 5004);
  t.elsewhere = receive;
  sender = address_of ("192.0.2.1", 5000);
  t.backlog = 1000000;
  run_both (late_ns);
  start_receiver (senders);
}

static void
finish (void)
{
  gst_tfrc_reception_free (session);
  session = NULL;
  session_test_clear (&t);
}

static const guint late_s[] = { 0, 1, 2, 3, 5, 10, 17, 30, 60, 120, 600 };

GST_START_TEST (data_comes_within_four_seconds_whenever_the_receiver_starts)
{
  guint64 start_ns;

  start_late (late_s[__i__] * S + __i__ * 137 * MS, NULL);
  start_ns = t.now_ns;
  run_both (4 * S + 2 * RTT);
  fail_unless (first_ns != 0 && first_ns <= start_ns + 4 * S + 2 * RTT);
  fail_unless (gst_tfrc_selection_is_validated (o));
  /* data goes on at full speed */
  taken = 0;
  run_both (2 * S);
  fail_unless (taken > 200, "%" G_GUINT64_FORMAT " packets", taken);
  finish ();
}

GST_END_TEST;

GST_START_TEST (data_comes_within_two_round_trips_if_the_address_is_known)
{
  guint64 start_ns;

  start_late (late_s[__i__] * S + __i__ * 137 * MS, "192.0.2.1:5000");
  start_ns = t.now_ns;
  run_both (2 * RTT);
  fail_unless (first_ns != 0 && first_ns <= start_ns + 2 * RTT);
  fail_unless (gst_tfrc_selection_is_validated (o));
  finish ();
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_replaced_has_data_within_four_seconds)
{
  guint64 start_ns;

  start_late (S, NULL);
  run_both (30 * S);
  there = FALSE;
  run_both (late_s[__i__] * S);
  start_receiver (NULL);
  start_ns = t.now_ns;
  run_both (4 * S + 2 * RTT);
  fail_unless (first_ns != 0 && first_ns <= start_ns + 4 * S + 2 * RTT);
  finish ();
}

GST_END_TEST;

GST_START_TEST (a_sender_that_comes_back_on_another_port_is_played)
{
  guint64 killed_ns;

  start_late (S, NULL);
  run_both (30 * S);
  killed_ns = t.now_ns;
  there = FALSE;
  session_test_restart_sink (&t, &(GstTfrcSendSessionConfig){ .media.transport_seq = 0 });
  set_rate_limits_Bps (t.sink, 0, MAX_RATE_BPS);
  sender = address_of ("192.0.2.1", 5001);
  g_queue_clear_full (&t.network, g_free);
  there = TRUE;
  first_ns = 0;
  run_both (4 * S + 2 * RTT);
  fail_unless (first_ns != 0 && first_ns <= killed_ns + 4 * S + 2 * RTT);
  fail_unless (gst_tfrc_address_equal (&gst_tfrc_selection_get_peer (o)->address, &sender));
  taken = 0;
  run_both (2 * S);
  fail_unless (taken > 200, "%" G_GUINT64_FORMAT " packets", taken);
  finish ();
}

GST_END_TEST;

static Suite *
latestart_suite (void)
{
  Suite *s = suite_create ("latestart");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (
      tc, data_comes_within_four_seconds_whenever_the_receiver_starts, 0, G_N_ELEMENTS (late_s));
  tcase_add_loop_test (
      tc, data_comes_within_two_round_trips_if_the_address_is_known, 0, G_N_ELEMENTS (late_s));
  tcase_add_loop_test (
      tc, a_receiver_that_is_replaced_has_data_within_four_seconds, 0, G_N_ELEMENTS (late_s));
  tcase_add_test (tc, a_sender_that_comes_back_on_another_port_is_played);
  return s;
}

GST_CHECK_MAIN (latestart);
