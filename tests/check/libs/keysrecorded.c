/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host has recorded a stream with its key messages, and plays the record again: a source's own part
 * of the keys, see gst/keys/srckeys.h. */
#include "keysends.h"

#define PLAYED_S 5

/* The record of a stream from its start on */
static GPtrArray *
record (Mode mode)
{
  GPtrArray *recorded = g_ptr_array_new_with_free_func (g_free);
  Pair pair;

  pair_of (&pair, mode);
  pair.record = g_ptr_array_ref (recorded);
  pair_start (&pair);
  pair_run (&pair, PLAYED_S * GST_SECOND);
  assert_established (&pair);
  pair_clear (&pair);
  return recorded;
}

/* The packets come again from this host, with the times between them that they had. */
static void
play (Pair *pair, const GPtrArray *recorded, guint32 host)
{
  guint64 begin_ns = pair->now_ns;

  for (guint i = 0; i < recorded->len; i++) {
    const Flying *packet = recorded->pdata[i];
    Flying *again = g_memdup2 (packet, sizeof *packet);

    again->from = host_address (host);
    again->at_ns = begin_ns + packet->at_ns - START_NS;
    g_ptr_array_add (pair->flying, again);
  }
  pair_run (pair, (PLAYED_S + 1) * GST_SECOND);
}

static void
assert_nothing_played (const Pair *pair)
{
  fail_unless_equals_int (pair->data_taken, 0);
  fail_if (src_stats (pair).established);
  fail_unless_equals_int (pair->src_events.n[GST_TFRC_EVENT_SECURITY_ESTABLISHED], 0);
}

static void
listen_to_a_record (Mode mode, const GPtrArray *recorded, gint64 clock_ns, guint32 host)
{
  Pair pair;

  pair_of (&pair, mode); /* whose sender never starts */
  pair.src_clock_ns = clock_ns;
  pair.data_interval_ns = 0;
  play (&pair, recorded, host);
  assert_nothing_played (&pair);
  pair_clear (&pair);
}

/* The source is new: as one that has restarted, another one with the same credentials, or the same
 * element in another run. */
GST_START_TEST (a_record_is_not_played_to_a_new_source)
{
  static const gint64 clocks_s[] = { 0, 280, -280, 86400 };

  for (guint mode = 0; mode < N_MODES; mode++) {
    GPtrArray *recorded = record (mode);

    for (guint i = 0; i < G_N_ELEMENTS (clocks_s); i++) {
      listen_to_a_record (mode, recorded, clocks_s[i] * (gint64) GST_SECOND, SINK_HOST);
      listen_to_a_record (mode, recorded, clocks_s[i] * (gint64) GST_SECOND, 9);
    }
    g_ptr_array_unref (recorded);
  }
}
GST_END_TEST;

/* ---- a sender ------------------------------------------------------------------- */

/* The request of another stream with the same ends, minutes ago */
static Flying *
record_request (void)
{
  Flying *request = NULL;
  Pair pair;

  pair_of (&pair, BY_RSA_R);
  pair_start (&pair);
  pair_run (&pair, 20 * MS);
  for (guint i = 0; i < pair.flying->len; i++) {
    const Flying *flying = pair.flying->pdata[i];

    if (flying->to_sink && gst_tfrc_key_packet_is ((const guint8 *) flying->words, flying->size)) {
      g_free (request);
      request = g_memdup2 (flying, sizeof *flying);
    }
  }
  fail_unless (request != NULL);
  pair_clear (&pair);
  return request;
}

/* A sender that has restarted, or another one with a certificate of the CA, knows nothing of a request that
 * was made before.  It comes before the true one, or behind it. */
GST_START_TEST (recorded_requests_get_no_keys)
{
  static const guint64 at_ns[][2] = { { 39 * MS, 39 * MS }, { 39 * MS, 45 * MS },
    { 41 * MS, 45 * MS } };
  Pair pair;

  pair_of (&pair, BY_RSA_R);
  pair.data_ns += MS; /* after the grant, whatever the order of what comes at one time */
  pair.sink_clock_ns = pair.src_clock_ns = 280 * (gint64) GST_SECOND;
  for (guint i = 0; i < 2; i++) {
    Flying *request = record_request ();

    request->at_ns = START_NS + at_ns[__i__][i];
    g_ptr_array_add (pair.flying, request);
  }
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (sink_stats (&pair).key_messages_refused, 2);
  fail_unless_equals_int (pair.first_seq, 1000);
  fail_unless_equals_int (pair.first_data_ns - START_NS, 61 * MS);
  assert_nothing_refused (&pair);
  pair_clear (&pair);
}
GST_END_TEST;

/* ---- a source that has the stream's keys ---------------------------------------- */

/* The record of a stream that still runs, or whose sender has stopped or gone */
static void
begin_recorded (Pair *pair, Mode mode)
{
  pair_of (pair, mode);
  pair->record = g_ptr_array_new_with_free_func (g_free);
  pair_start (pair);
  pair_run (pair, PLAYED_S * GST_SECOND);
  assert_established (pair);
}

/* No packet is played twice, whichever address a copy comes from: each address has a window of its own
 * for what is read, and all have one for what is played. */
GST_START_TEST (a_record_adds_nothing_to_its_stream)
{
  static const guint32 hosts[] = { SINK_HOST, 9 };
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    for (guint runs = 0; runs < 2; runs++) {
      begin_recorded (&pair, mode);
      pair_run (&pair, 100 * MS);
      if (!runs) {
        pair.data_interval_ns = 0;
        pair_run (&pair, 100 * MS);
        pair.loses_all_keys = TRUE; /* the sender has gone */
      }
      for (guint i = 0; i < G_N_ELEMENTS (hosts); i++) {
        GPtrArray *recorded = g_steal_pointer (&pair.record);

        play (&pair, recorded, hosts[i]);
        pair.record = recorded;
      }
      fail_unless_equals_int (pair.data_taken, pair.data_sent - (runs ? 2 : 0));
      /* In reverse mode the record has packets in which the sender asks to be asked, as any host may. */
      fail_unless_equals_int (src_stats (&pair).rekeyings, mode == BY_RSA_R && runs);
      fail_unless_equals_int (pair.src_events.n[GST_TFRC_EVENT_SECURITY_FAILED], 0);
      fail_unless (src_stats (&pair).refused.replayed > 0);
      pair_clear (&pair);
    }
  }
}
GST_END_TEST;

/* Two other streams take the places of the stream's keys. */
static void
begin_others (Pair *pair, Mode mode)
{
  for (guint i = 1; i <= 2; i++) {
    Pair other;

    pair_of (&other, mode);
    gst_tfrc_src_keys_free (other.src);
    other.src = pair->src;
    other.ssrc = SINK_SSRC + i;
    other.now_ns = pair->now_ns + GST_SECOND;
    gst_tfrc_src_keys_set_peer (other.src, &other.sink_address, other.ssrc);
    pair_start (&other);
    pair_run (&other, GST_SECOND);
    fail_unless (gst_tfrc_src_keys_has_stream (other.src, other.ssrc));
    pair->now_ns = other.now_ns;
    other.src = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, &other.src_waiting);
    pair_clear (&other);
  }
  fail_if (gst_tfrc_src_keys_has_stream (pair->src, SINK_SSRC));
}

/* A packet waits between the two calls: nothing tells any more whether it was played before. */
GST_START_TEST (data_of_a_stream_is_not_played_when_its_keys_are_forgotten)
{
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  GstTfrcReceivedPacket plain;
  gsize size;
  Pair pair;

  begin_recorded (&pair, BY_PSK);
  size = write_data ((guint8 *) words, pair.ssrc, pair.seq++);
  size = gst_tfrc_sink_keys_protect (pair.sink, FALSE, (guint8 *) words, size);
  fail_unless (deliver_plain (&pair, &pair.sink_address, (guint8 *) words, size, &plain));
  fail_unless (gst_tfrc_src_keys_play (pair.src, &plain, pair.ssrc));
  begin_others (&pair, BY_PSK);
  fail_if (gst_tfrc_src_keys_play (pair.src, &plain, pair.ssrc));
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (a_record_is_not_played_when_its_keys_are_forgotten)
{
  GPtrArray *recorded;
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    begin_recorded (&pair, mode);
    recorded = g_steal_pointer (&pair.record);
    begin_others (&pair, mode);
    pair.data_interval_ns = 0;
    pair.data_taken = 0;
    pair.loses_all_keys = TRUE; /* the sender has gone */
    play (&pair, recorded, SINK_HOST);
    fail_unless_equals_int (pair.data_taken, 0);
    fail_if (gst_tfrc_src_keys_has_stream (pair.src, SINK_SSRC));
    g_ptr_array_unref (recorded);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Records of many streams do not keep a stream from beginning. */
GST_START_TEST (records_do_not_hold_up_another_stream)
{
  GPtrArray *recorded[20];
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    for (guint i = 0; i < G_N_ELEMENTS (recorded); i++)
      recorded[i] = record (mode);
    pair_of (&pair, mode);
    pair.data_ns += MS; /* after the offer, whatever the order of what comes at one time */
    for (guint i = 0; i < G_N_ELEMENTS (recorded); i++) {
      for (guint k = 0; k < recorded[i]->len && k < 100; k++) {
        Flying *again = g_memdup2 (recorded[i]->pdata[k], sizeof *again);

        again->from = host_address (9);
        again->at_ns = START_NS + (15 + i % 10) * MS + MS / 2;
        g_ptr_array_add (pair.flying, again);
      }
    }
    pair_start (&pair);
    pair_run (&pair, GST_SECOND);
    assert_established (&pair);
    fail_unless_equals_int (pair.first_seq, 1000);
    fail_unless_equals_int (pair.first_data_ns - START_NS, 60 * MS);
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    pair_clear (&pair);
    for (guint i = 0; i < G_N_ELEMENTS (recorded); i++)
      g_ptr_array_unref (recorded[i]);
  }
}
GST_END_TEST;

/* One offer comes from a thousand addresses in a second. */
GST_START_TEST (copies_of_an_offer_do_not_hold_up_another_stream)
{
  GPtrArray *recorded = record (BY_PSK);
  Pair pair;

  pair_of (&pair, BY_PSK);
  pair.data_ns += MS; /* after the offer */
  for (guint i = 0; i < 1000; i++) {
    Flying *again = g_memdup2 (recorded->pdata[0], sizeof *again);

    again->from = host_address (1000 + i);
    again->at_ns = START_NS + i * MS + MS / 2;
    g_ptr_array_add (pair.flying, again);
  }
  pair_start (&pair);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (pair.first_data_ns - START_NS, 60 * MS);
  pair_clear (&pair);
  g_ptr_array_unref (recorded);
}
GST_END_TEST;

/* An attacker sees the offer, and sends copies from addresses of its own before and behind the original. */
GST_START_TEST (copies_around_an_offer_do_not_displace_it)
{
  static const guint copies_before[] = { 1, 2, 1, 10 }, copies_behind[] = { 1, 1, 20, 15 };
  Pair pair;

  pair_of (&pair, __i__ / 4);
  pair.record = g_ptr_array_new_with_free_func (g_free);
  pair_start (&pair);
  pair_run (&pair, 0);
  for (guint k = 0; k < pair.record->len; k++) {
    for (guint i = 0; i < copies_before[__i__ % 4] + copies_behind[__i__ % 4]; i++) {
      Flying *copy = g_memdup2 (pair.record->pdata[k], sizeof *copy);

      if (!gst_tfrc_key_packet_is ((const guint8 *) copy->words, copy->size)) {
        g_free (copy);
        continue;
      }
      copy->from = host_address (100 + i);
      copy->at_ns += i < copies_before[__i__ % 4] ? -1 : 1;
      g_ptr_array_add (pair.flying, copy);
    }
  }
  g_clear_pointer (&pair.record, g_ptr_array_unref);
  pair_run (&pair, GST_SECOND);
  assert_established (&pair);
  fail_unless_equals_int (pair.first_seq, 1000);
  fail_unless_equals_int (pair.first_data_ns - START_NS, 60 * MS);
  pair_clear (&pair);
}
GST_END_TEST;

/* Offers that were recorded in the clear, from other streams of this sender, come between the answer to a
 * re-keying and the first packet with the new keys.  The sender uses the new keys by then. */
GST_START_TEST (recorded_offers_do_not_stop_a_re_keying)
{
  GPtrArray *recorded[8];
  guint taken;
  Pair pair;

  for (guint i = 0; i < G_N_ELEMENTS (recorded); i++)
    recorded[i] = record (__i__);
  pair_of (&pair, __i__);
  pair_start (&pair);
  pair_run (&pair, 5 * GST_SECOND);
  assert_established (&pair);
  gst_tfrc_sink_keys_rekey (pair.sink, pair.now_ns);
  for (guint i = 0; i < G_N_ELEMENTS (recorded); i++) {
    for (guint k = 0; k < recorded[i]->len && k < 2; k++) {
      Flying *again = g_memdup2 (recorded[i]->pdata[k], sizeof *again);

      if (!gst_tfrc_key_packet_is ((const guint8 *) again->words, again->size)) {
        g_free (again);
        continue;
      }
      again->from = host_address (100 + i); /* each host has tokens of its own */
      again->at_ns = pair.now_ns + 30 * MS;
      g_ptr_array_add (pair.flying, again);
    }
  }
  taken = pair.data_taken;
  pair_run (&pair, 2 * GST_SECOND);
  fail_unless (pair.data_taken >= taken + 195, "%u packets in 2 s", pair.data_taken - taken);
  pair_clear (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (recorded); i++)
    g_ptr_array_unref (recorded[i]);
}
GST_END_TEST;

/* Another sender of the CA offers or grants keys for the SSRC of the stream that is played.  Its exchange
 * begins when the stream has keys, or before the stream does. */
GST_START_TEST (another_sender_of_the_ca_does_not_take_a_stream_over)
{
  const Mode mode = __i__ % 2 ? BY_RSA_R : BY_RSA;
  const gboolean is_before = __i__ >= 2;
  GstTfrcCredentials insider = rsa_credentials (
      receiver_key, receiver_certificate, mode == BY_RSA ? receiver_key : NULL);
  GstTfrcSecurityConfig config = security_of (&insider, GST_TFRC_PROTECT_ALL, 0);
  guint reports_taken, data_taken;
  Pair pair, other;

  pair_of (&pair, mode);
  pair_of (&other, mode);
  gst_tfrc_sink_keys_free (other.sink);
  other.sink = gst_tfrc_sink_keys_new (&config, &other.sink_waiting);
  gst_tfrc_src_keys_free (other.src);
  other.src = pair.src;
  other.sink_address = host_address (77);
  pair_start (&other);
  if (is_before)
    pair_run (&other, 30 * MS); /* the source's answer is under way */
  else
    pair_drop_flying (&other);
  pair.now_ns = pair.data_ns = pair.report_ns = other.now_ns;
  pair_start (&pair);
  pair_run (&pair, 5 * GST_SECOND);
  assert_established (&pair);

  other.now_ns = other.report_ns = other.data_ns = pair.now_ns;
  for (guint i = 0; i < other.flying->len; i++)
    ((Flying *) other.flying->pdata[i])->at_ns = pair.now_ns;
  pair_run (&other, GST_SECOND);
  fail_unless_equals_int (other.data_taken, 0);

  pair.now_ns = pair.data_ns = pair.report_ns = other.now_ns;
  reports_taken = pair.reports_taken;
  data_taken = pair.data_taken;
  pair_run (&pair, 5 * GST_SECOND);
  fail_unless (pair.reports_taken >= reports_taken + 95, "%u reports reach the sender in 5 s",
      pair.reports_taken - reports_taken);
  fail_unless (
      pair.data_taken >= data_taken + 495, "%u packets come in 5 s", pair.data_taken - data_taken);
  other.src = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, &other.src_waiting);
  pair_clear (&other);
  pair_clear (&pair);
}
GST_END_TEST;

/* ---- answers ----------------------------------------------------------------- */

typedef struct
{
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  gsize size;
} KeyPacket;

static KeyPacket
take_answer (Pair *pair, GstTfrcSrcKeys *src)
{
  GstTfrcAddress to, local;
  KeyPacket packet;

  packet.size = gst_tfrc_src_keys_write (src, (guint8 *) packet.words, &to, &local);
  fail_unless (packet.size > 0);
  return packet;
}

/* Delivers the sender's offer as it leaves now. */
static void
offer_to (Pair *pair, GstTfrcSrcKeys *src, const GPtrArray *offer)
{
  GstTfrcKeyTime time = src_time (pair);

  for (guint i = 0; i < offer->len; i++) {
    Flying flying = *(const Flying *) offer->pdata[i];
    GstTfrcReceivedPacket packet = { .data = (guint8 *) flying.words,
      .size = flying.size,
      .from = &pair->sink_address },
                          plain;

    fail_if (gst_tfrc_src_keys_receive (src, &packet, &plain, &time));
  }
}

static gboolean
is_same_answer (const KeyPacket *a, const KeyPacket *b)
{
  /* behind the key packet's header and its number */
  return a->size == b->size
      && memcmp ((const guint8 *) a->words + GST_TFRC_KEY_PACKET_HEADER_BYTES,
             (const guint8 *) b->words + GST_TFRC_KEY_PACKET_HEADER_BYTES,
             a->size - GST_TFRC_KEY_PACKET_HEADER_BYTES)
      == 0;
}

/* A source that gets an offer twice gives the same part of the keys; another source another one. */
GST_START_TEST (an_offer_has_one_answer_of_a_source)
{
  KeyPacket one, again, other;
  GstTfrcSrcKeys *another;
  GstTfrcKeyTime time;
  GPtrArray *offer;
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    pair_of (&pair, mode);
    pair.record = g_ptr_array_new_with_free_func (g_free);
    pair.data_interval_ns = 0;
    pair_start (&pair);
    pair_run (&pair, 1 * MS);
    offer = g_steal_pointer (&pair.record);
    pair_drop_flying (&pair);
    another = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, NULL);
    offer_to (&pair, pair.src, offer);
    one = take_answer (&pair, pair.src);
    offer_to (&pair, pair.src, offer);
    again = take_answer (&pair, pair.src);
    offer_to (&pair, another, offer);
    other = take_answer (&pair, another);
    fail_unless (is_same_answer (&one, &again));
    fail_if (is_same_answer (&one, &other));

    /* The first answer counts, and no later one. */
    time = sink_time (&pair);
    fail_unless (
        gst_tfrc_sink_keys_on_packet (pair.sink, (guint8 *) one.words, one.size, pair.seq, &time));
    fail_unless (sink_stats (&pair).established);
    gst_tfrc_sink_keys_on_packet (pair.sink, (guint8 *) other.words, other.size, pair.seq, &time);
    gst_tfrc_src_keys_free (another);
    pair.data_interval_ns = 10 * MS;
    pair_run (&pair, GST_SECOND);
    assert_established (&pair);
    fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
    fail_unless_equals_int (pair.packets_held, 0);
    g_ptr_array_unref (offer);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* Nothing leaves for the sender of an offer but the answer, until it has shown that it has it. */
GST_START_TEST (a_source_says_nothing_to_a_record)
{
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    GPtrArray *recorded = record (mode);
    guint32 words[(28 + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];

    pair_of (&pair, mode);
    pair.data_interval_ns = 0;
    play (&pair, recorded, SINK_HOST);
    write_report ((guint8 *) words, SRC_SSRC);
    fail_unless_equals_int (
        gst_tfrc_src_keys_protect (pair.src, &pair.sink_address, (guint8 *) words, 28), 0);
    fail_unless (pair.key_bytes_to_sink <= pair.bytes_to_src);
    g_ptr_array_unref (recorded);
    pair_clear (&pair);
  }
}
GST_END_TEST;

static Suite *
keysrecorded_suite (void)
{
  Suite *suite = suite_create ("keysrecorded");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, a_record_is_not_played_to_a_new_source);
  tcase_add_test (tcase, a_record_adds_nothing_to_its_stream);
  tcase_add_test (tcase, a_record_is_not_played_when_its_keys_are_forgotten);
  tcase_add_test (tcase, records_do_not_hold_up_another_stream);
  tcase_add_test (tcase, copies_of_an_offer_do_not_hold_up_another_stream);
  tcase_add_loop_test (tcase, recorded_requests_get_no_keys, 0, 3);
  tcase_add_loop_test (tcase, copies_around_an_offer_do_not_displace_it, 0, 8);
  tcase_add_test (tcase, an_offer_has_one_answer_of_a_source);
  tcase_add_test (tcase, a_source_says_nothing_to_a_record);
  tcase_add_test (tcase, data_of_a_stream_is_not_played_when_its_keys_are_forgotten);
  tcase_add_loop_test (tcase, another_sender_of_the_ca_does_not_take_a_stream_over, 0, 4);
  tcase_add_loop_test (tcase, recorded_offers_do_not_stop_a_re_keying, 0, BY_RSA_R);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysrecorded);
