/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key exchanges over a link that loses, repeats and reorders, see gst/keys/sinkkeys.h. */
#include "gst/flow/sendflow.h"
#include "gst/keys/offers.h"
#include "keysends.h"
#include "testnet.h"

/* Runs until both ends have keys.  Returns how long that took. */
static guint64
run_established (Pair *pair, guint64 limit_ns)
{
  guint64 begin_ns = pair->now_ns;

  pair_start (pair);
  while (pair->now_ns < begin_ns + limit_ns && !sink_stats (pair).established)
    pair_run (pair, MS);
  fail_unless (sink_stats (pair).established, "no keys after %u ms",
      (guint) ((pair->now_ns - begin_ns) / MS));
  return pair->now_ns - begin_ns;
}

GST_START_TEST (first_data_is_readable)
{
  /* PSK and RSA: data leaves beside the offer, and waits for the proof that the sender has the answer.
   * RSA-R: ask and request come before. */
  static const guint held[N_MODES] = { 5, 5, 0 }; /* with a report */
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    assert_established (&pair);
    assert_nothing_refused (&pair);
    fail_unless_equals_int (pair.first_seq, 1000);
    fail_unless_equals_int (pair.first_data_ns - START_NS, 60 * MS);
    fail_unless_equals_int (pair.packets_held, held[mode]);
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    fail_unless_equals_int (sink_stats (&pair).key_messages_refused, 0);
    fail_unless_equals_int (src_stats (&pair).key_messages_refused, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (messages_with_certificates_need_two_packets)
{
  static const guint packets[N_MODES] = { 1 + 1, 2 + 1, 4 }; /* offer and proof; ask and grant */
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    pair_of (&pair, mode);
    pair_start (&pair);
    pair_run (&pair, 100 * MS);
    fail_unless_equals_int (pair.keys_from_sink, packets[mode]);
    fail_unless (pair.key_bytes_to_sink <= pair.bytes_to_src);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* The receiver sends no more bytes than have come, so that the second packet of the request waits for
 * the sender's second packet. */
GST_START_TEST (a_request_of_two_packets_is_completed)
{
  GstTfrcCredentials receiver = srcs[BY_RSA_R];
  Pair pair;

  certificate_units = 12;
  receiver.certificate = make_certificate ("receiver", receiver_key, ca_certificate, ca_key);
  certificate_units = 0;
  pair_init (&pair, &sinks[BY_RSA_R], &receiver);
  pair_start (&pair);
  pair_run (&pair, 5 * GST_SECOND);
  assert_established (&pair);
  pair_clear (&pair);
  X509_free (receiver.certificate);
}
GST_END_TEST;

GST_START_TEST (each_key_packet_and_each_pair_may_be_lost)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint a = 0; a < 8; a++) {
      for (guint b = a; b < 8; b++) {
        pair_of (&pair, mode);
        pair.lost_keys = G_GUINT64_CONSTANT (1) << a | G_GUINT64_CONSTANT (1) << b;
        run_established (&pair, 5 * GST_SECOND);
        pair_run (&pair, 200 * MS);
        assert_established (&pair);
        fail_unless_equals_int (pair.sink_events.n[GST_TFRC_EVENT_SECURITY_REKEYED], 0);
        pair_clear (&pair);
      }
    }
  }
}
GST_END_TEST;

GST_START_TEST (a_third_of_the_packets_may_be_lost)
{
  guint64 longest_ns = 0;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint seed = 1; seed <= 20; seed++) {
      pair_of (&pair, mode);
      pair.random = seed;
      pair.loss_percent = 30;
      pair.jitter_ns = 30 * MS;
      longest_ns = MAX (longest_ns, run_established (&pair, 30 * GST_SECOND));
      pair_run (&pair, 5 * GST_SECOND);
      assert_established (&pair);
      pair_clear (&pair);
    }
  }
  GST_INFO ("at most %u ms", (guint) (longest_ns / MS));
}
GST_END_TEST;

GST_START_TEST (repeated_and_reordered_packets_change_nothing)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint seed = 1; seed <= 5; seed++) {
      pair_of (&pair, mode);
      pair.random = seed;
      pair.repeats = TRUE;
      pair.jitter_ns = 40 * MS;
      run_established (&pair, GST_SECOND);
      pair_run (&pair, GST_SECOND);
      assert_established (&pair);
      fail_unless_equals_int (src_stats (&pair).rekeyings, 0);
      fail_unless_equals_int (sink_stats (&pair).key_messages_refused, 0);
      fail_unless_equals_int (src_stats (&pair).key_messages_refused, 0);
      fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
      fail_unless_equals_int (sink_stats (&pair).refused.forged, 0);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

GST_START_TEST (offers_are_repeated_at_exact_times)
{
  static const struct
  {
    guint rtt_ms;
    guint left_ms[8];
  } cases[] = { { 0, { 0, 100, 300, 700, 1500, 3100, 5100, 7100 } },
    { 1, { 0, 100, 300, 700, 1500, 3100, 5100, 7100 } },
    { 50, { 0, 100, 300, 700, 1500, 3100, 5100, 7100 } },
    { 200, { 0, 400, 1200, 2800, 4800, 6800, 8800, 10800 } },
    { 5000, { 0, 2000, 4000, 6000, 8000, 10000, 12000, 14000 } } };
  Pair pair;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    pair_of (&pair, BY_PSK);
    pair.rtt_ns = cases[i].rtt_ms * MS;
    pair.loses_all_keys = TRUE;
    pair_start (&pair);
    pair_run (&pair, 15 * GST_SECOND);
    for (guint n = 0; n < 8; n++)
      fail_unless_equals_int ((pair.key_left_ns[n] - START_NS) / MS, cases[i].left_ms[n]);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (an_offer_is_made_anew_after_a_minute)
{
  guint32 number;
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair.loses_all_keys = TRUE;
  pair_start (&pair);
  pair_run (&pair, 1);
  number = pair.message_number;
  pair_run (&pair, 60 * GST_SECOND - 2);
  fail_unless_equals_int_hex (pair.message_number, number);
  pair_run (&pair, 1);
  fail_unless_equals_int_hex (pair.message_number, number + 1);
  pair.loses_all_keys = FALSE;
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

/* Without any answer the sender goes on, and the receiver holds the newest packets. */
GST_START_TEST (data_waits_for_the_answer)
{
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    pair_of (&pair, mode);
    pair.lost_keys = ~(mode == BY_RSA ? G_GUINT64_CONSTANT (3) : 1); /* the offer arrives */
    pair.report_ns = G_MAXUINT64;
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    fail_if (sink_stats (&pair).established || src_stats (&pair).established);
    fail_unless_equals_int (pair.data_taken, 0);
    pair.lost_keys = 0; /* the offer leaves again at 1500 ms, and its answer with it */
    pair_run (&pair, 535 * MS);
    fail_if (sink_stats (&pair).established);
    pair_run (&pair, 5 * MS);
    fail_unless (sink_stats (&pair).established);
    fail_if (src_stats (&pair).established);
    pair_run (&pair, 20 * MS);
    assert_established (&pair);
    fail_unless_equals_int (pair.packets_held, GST_TFRC_OFFER_MAX_HELD);
    pair_run (&pair, GST_SECOND);
    /* All have been taken but those that had to give way, as the statistics say. */
    fail_unless_equals_int (pair.data_taken + src_stats (&pair).refused.no_key, pair.data_sent - 2);
    fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static guint8 *
first_data (GstTfrcSinkKeys *sink, guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4])
{
  const GstTfrcKeyTime time = { START_NS, WALL_NS };

  gst_tfrc_sink_keys_start (sink, SINK_SSRC, 1000, &time);
  write_data ((guint8 *) words, SINK_SSRC, 1000);
  fail_unless_equals_int (
      gst_tfrc_sink_keys_protect (sink, FALSE, (guint8 *) words, DATA_BYTES), DATA_BYTES + 16);
  return (guint8 *) words + 12;
}

GST_START_TEST (each_session_has_keys_of_its_own)
{
  const GstTfrcSecurityConfig config = security_of (&sinks[BY_PSK], GST_TFRC_PROTECT_ALL, 0);
  static guint32 words[100][(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  const guint8 *payloads[100];

  for (guint i = 0; i < 100; i++) {
    GstTfrcSinkKeys *sink = gst_tfrc_sink_keys_new (&config, NULL);

    payloads[i] = first_data (sink, words[i]);
    gst_tfrc_sink_keys_free (sink);
    for (guint j = 0; j < i; j++)
      fail_if (memcmp (payloads[i], payloads[j], 16) == 0);
  }
}
GST_END_TEST;

/* ---- the end of a stream that is freed ---------------------------------------- */

/* Has all datagrams of a poll leave. Returns how many. */
static guint
poll_flow (GstTfrcFlow *flow, guint64 now_ns)
{
  GstTfrcPolled polled;

  gst_tfrc_polled_init (&polled);
  flow->klass->poll (flow, now_ns, &polled);
  for (guint i = 0; i < polled.n; i++)
    polled.datagrams[i].result = GST_TFRC_DATAGRAM_LEFT;
  if (polled.n > 0)
    flow->klass->on_sent (flow, &polled, now_ns);
  return polled.n;
}

/* A port that has stopped polls once more, for the BYE. The offer of keys would be due by then. */
GST_START_TEST (no_offer_follows_the_bye_of_a_flow_that_is_not_served_any_more)
{
  const GstTfrcSendFlowConfig config = { .limits.max_queue_packets = 10,
    .session.peer = test_address ("127.0.0.1", 9),
    .security = { .credentials = &sinks[BY_PSK], .protect = GST_TFRC_PROTECT_RAISED_TTL } };
  GstTfrcPacketPool *pool = gst_tfrc_packet_pool_new ();
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  GstTfrcSendFlow *flow = gst_tfrc_send_flow_new (&config, GST_SECOND);
  GstTfrcFlow *base = gst_tfrc_send_flow_get_base (flow);

  gst_tfrc_packet_set_payload_bytes (packet, 188);
  gst_tfrc_outbox_push (
      gst_tfrc_send_flow_get_outbox (flow), packet, GST_TFRC_RTP_MEDIA, GST_SECOND, GST_SECOND);
  base->klass->on_time (base, GST_SECOND);
  while (poll_flow (base, GST_SECOND) > 0)
    ;
  fail_unless (gst_tfrc_outbox_has_sent (gst_tfrc_send_flow_get_outbox (flow)));
  gst_tfrc_send_flow_say_bye (flow);
  fail_unless_equals_int (poll_flow (base, 2 * GST_SECOND), 1);
  fail_unless_equals_int (poll_flow (base, 2 * GST_SECOND), 0);
  gst_tfrc_send_flow_free (flow);
  gst_tfrc_packet_pool_free (pool);
}
GST_END_TEST;

/* ---- the second packet of data ------------------------------------------------- */

/* What a flow has sent at a time */
typedef struct
{
  guint n_data;
  guint32 key_packet[GST_TFRC_DATAGRAM_BYTES / 4]; /* the last one */
  gsize key_bytes;                                 /* 0: none */
} Sent;

static Sent
serve_flow (GstTfrcFlow *flow, guint64 now_ns)
{
  Sent sent = { 0 };
  GstTfrcPolled polled;

  flow->klass->on_time (flow, now_ns);
  do {
    gst_tfrc_polled_init (&polled);
    flow->klass->poll (flow, now_ns, &polled);
    for (guint i = 0; i < polled.n; i++) {
      GstTfrcDatagram *datagram = &polled.datagrams[i];

      datagram->result = GST_TFRC_DATAGRAM_LEFT;
      sent.n_data += !datagram->is_control;
      if (!datagram->is_control || !gst_tfrc_key_packet_is (datagram->data, datagram->size))
        continue;
      memcpy (sent.key_packet, datagram->data, datagram->size);
      sent.key_bytes = datagram->size;
    }
    if (polled.n > 0)
      flow->klass->on_sent (flow, &polled, now_ns);
  } while (polled.n > 0);
  return sent;
}

static void
answer_offer (GstTfrcFlow *flow, Sent *offer, const GstTfrcAddress *receiver, guint64 now_ns)
{
  const GstTfrcAddress sender = host_address (SINK_HOST);
  GstTfrcSrcKeys *src = new_src (&srcs[BY_PSK], GST_TFRC_PROTECT_ALL, NULL);
  GstTfrcReceivedPacket plain,
      packet = { .data = (guint8 *) offer->key_packet,
        .size = offer->key_bytes,
        .from = &sender,
        .arrival_ns = now_ns,
        .read_ns = now_ns };
  const GstTfrcKeyTime time = { now_ns, WALL_NS };
  guint32 words[GST_TFRC_DATAGRAM_BYTES / 4];
  GstTfrcAddress to, local;

  gst_tfrc_src_keys_receive (src, &packet, &plain, &time);
  packet.data = (guint8 *) words;
  packet.size = gst_tfrc_src_keys_write (src, packet.data, &to, &local);
  packet.from = receiver;
  flow->klass->on_datagrams (flow, &packet, 1, now_ns);
  gst_tfrc_src_keys_free (src);
}

/* Without feedback a packet a second leaves. The first one was not read if its offer was lost, so that no
 * feedback would come for a second. */
GST_START_TEST (data_leaves_with_the_keys_when_the_first_offer_was_lost)
{
  const GstTfrcSendFlowConfig config = { .limits.max_queue_packets = 10,
    .session.peer = test_address ("127.0.0.1", 9),
    .security = { .credentials = &sinks[BY_PSK], .protect = GST_TFRC_PROTECT_ALL } };
  GstTfrcPacketPool *pool = gst_tfrc_packet_pool_new ();
  GstTfrcSendFlow *flow = gst_tfrc_send_flow_new (&config, START_NS);
  GstTfrcFlow *base = gst_tfrc_send_flow_get_base (flow);
  Sent sent;

  for (guint i = 0; i < 3; i++) {
    GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

    gst_tfrc_packet_set_payload_bytes (packet, 188);
    gst_tfrc_outbox_push (
        gst_tfrc_send_flow_get_outbox (flow), packet, GST_TFRC_RTP_MEDIA, START_NS, START_NS);
  }
  sent = serve_flow (base, START_NS);
  fail_unless (sent.n_data == 1 && sent.key_bytes > 0);
  sent = serve_flow (base, START_NS + 100 * MS);
  fail_unless (sent.n_data == 0 && sent.key_bytes > 0);
  answer_offer (base, &sent, &config.session.peer, START_NS + 120 * MS);
  sent = serve_flow (base, START_NS + 120 * MS);
  fail_unless_equals_int (sent.n_data, 1);
  gst_tfrc_send_flow_free (flow);
  gst_tfrc_packet_pool_free (pool);
}
GST_END_TEST;

static Suite *
keysestablish_suite (void)
{
  Suite *suite = suite_create ("keysestablish");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, first_data_is_readable);
  tcase_add_test (tcase, messages_with_certificates_need_two_packets);
  tcase_add_test (tcase, a_request_of_two_packets_is_completed);
  tcase_add_test (tcase, each_key_packet_and_each_pair_may_be_lost);
  tcase_add_test (tcase, a_third_of_the_packets_may_be_lost);
  tcase_add_test (tcase, repeated_and_reordered_packets_change_nothing);
  tcase_add_test (tcase, offers_are_repeated_at_exact_times);
  tcase_add_test (tcase, an_offer_is_made_anew_after_a_minute);
  tcase_add_test (tcase, data_waits_for_the_answer);
  tcase_add_test (tcase, each_session_has_keys_of_its_own);
  tcase_add_test (tcase, no_offer_follows_the_bye_of_a_flow_that_is_not_served_any_more);
  tcase_add_test (tcase, data_leaves_with_the_keys_when_the_first_offer_was_lost);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysestablish);
