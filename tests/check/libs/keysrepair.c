/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of a stream and its repairs, a second SSRC of the same sender, see gst/keys/keyring.h. */
#include "keysends.h"

#define REPAIR_SSRC (SINK_SSRC + 1)
#define REPAIR_BYTES (DATA_BYTES + 2)

/* Numbers of which one is used, so that the counter comes far enough that a receiver has to be told */
#define STEP 1024
#define MANY (3 * 65536)

static guint16 repair_seq;
static GstTfrcAddress elsewhere;

typedef struct
{
  guint32 words[(REPAIR_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4 + 1];
  gsize size;
} Packet;

static Packet
plain_repair (guint32 ssrc, guint16 seq)
{
  Packet packet = { .size = REPAIR_BYTES };
  guint8 *bytes = (guint8 *) packet.words;

  memset (bytes, 0x55, REPAIR_BYTES);
  write_header (bytes, 0x80610000u | seq, 1, ssrc);
  GST_WRITE_UINT16_BE (bytes + 12, 4711); /* the number of the packet that it repeats */
  bytes[14] = 0x47;
  return packet;
}

static Packet
sealed (Pair *pair, Packet packet)
{
  packet.size = gst_tfrc_sink_keys_protect (
      pair->sink, FALSE, (guint8 *) packet.words, packet.size);
  fail_unless (packet.size > 0);
  return packet;
}

static Packet
next_repair (Pair *pair)
{
  return sealed (pair, plain_repair (pair->ssrc + 1, repair_seq++));
}

/* Returns whether the packet is read, and may be played. */
static gboolean
is_played (Pair *pair, Packet packet, const GstTfrcAddress *from)
{
  GstTfrcReceivedPacket plain;
  guint8 *bytes = (guint8 *) packet.words;

  return deliver_plain (pair, from, bytes, packet.size, &plain)
      && gst_tfrc_src_keys_play (pair->src, &plain, GST_READ_UINT32_BE (bytes + 8));
}

static void
start (Pair *pair, Mode mode)
{
  repair_seq = 60000;
  elsewhere = host_address (99);
  pair_of (pair, mode);
  pair_start (pair);
  pair_run (pair, GST_SECOND);
  assert_established (pair);
}

/* Repairs leave until their counter is 3 or 4, and all of them come. */
static void
repair_many (Pair *pair)
{
  for (guint sent = 0; sent < MANY; sent += STEP, repair_seq += STEP - 1)
    fail_unless (is_played (pair, next_repair (pair), &pair->sink_address));
}

GST_START_TEST (repairs_are_read_between_data_in_each_mode)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    for (guint i = 0; i < 200; i++) {
      fail_unless (is_played (&pair, next_repair (&pair), &pair.sink_address), "%u", i);
      repair_seq += 1000; /* three wraps */
      pair_run (&pair, 20 * MS);
    }
    fail_unless_equals_int (pair.data_taken, pair.data_sent - 2);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* From the sender's address and from elsewhere; a packet of the media may have the same index. */
GST_START_TEST (a_repair_is_played_once)
{
  Packet repair, data = { { 0 }, 0 };
  Pair pair;

  start (&pair, BY_PSK);
  pair_drop_flying (&pair);
  repair_seq = pair.seq;
  repair = next_repair (&pair);
  data.size = write_data ((guint8 *) data.words, pair.ssrc, pair.seq++);
  data = sealed (&pair, data);
  fail_unless (is_played (&pair, repair, &pair.sink_address));
  fail_if (is_played (&pair, repair, &pair.sink_address));
  fail_if (is_played (&pair, repair, &elsewhere));
  fail_unless_equals_int (src_stats (&pair).refused.replayed, 2);
  fail_unless (is_played (&pair, data, &pair.sink_address));
  fail_if (is_played (&pair, data, &elsewhere));
  pair_clear (&pair);
}
GST_END_TEST;

/* A copy that comes first, from another address, keeps no original out. */
GST_START_TEST (a_copy_of_a_repair_from_elsewhere_does_not_replace_it)
{
  GstTfrcReceivedPacket plain;
  Packet repair, copy;
  Pair pair;

  start (&pair, BY_PSK);
  copy = repair = next_repair (&pair);
  fail_unless (deliver_plain (&pair, &elsewhere, (guint8 *) copy.words, copy.size, &plain));
  fail_unless (is_played (&pair, repair, &pair.sink_address));
  fail_if (gst_tfrc_src_keys_play (pair.src, &plain, REPAIR_SSRC));
  pair_clear (&pair);
}
GST_END_TEST;

/* The receiver restarts in the middle of the stream, and is told both counters. */
GST_START_TEST (who_joins_late_reads_repairs)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    repair_many (&pair);
    gst_tfrc_src_keys_free (pair.src);
    pair.src = new_src (&srcs[mode], GST_TFRC_PROTECT_ALL, &pair.src_waiting);
    pair_run (&pair, 5 * GST_SECOND);
    fail_unless (src_stats (&pair).established);
    begin_to_count_refused (&pair);
    for (guint i = 0; i < 10; i++)
      fail_unless (is_played (&pair, next_repair (&pair), &pair.sink_address), "%u", i);
    repair_many (&pair);
    pair_run (&pair, GST_SECOND);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

GST_START_TEST (repairs_go_on_over_twenty_rekeyings)
{
  Pair pair;

  for (guint mode = 0; mode < N_MODES; mode++) {
    start (&pair, mode);
    for (guint i = 0; i < 20; i++) {
      gst_tfrc_sink_keys_rekey (pair.sink, pair.now_ns);
      for (guint n = 0; n < 50; n++) {
        Packet repair = next_repair (&pair);

        pair_run (&pair, 40 * MS); /* it is under way, while the keys change */
        fail_unless (is_played (&pair, repair, &pair.sink_address));
        repair_seq += 500;
      }
    }
    fail_unless_equals_int (src_stats (&pair).rekeyings, 20);
    assert_nothing_refused (&pair);
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* No receiver asks for repairs before it can read the stream: one that comes all the same is refused, and
 * those behind the proof are read. */
GST_START_TEST (a_repair_before_the_proof_does_no_harm)
{
  GstTfrcReceivedPacket plain;
  Packet repair;
  Pair pair;

  for (guint mode = 0; mode < BY_RSA_R; mode++) {
    repair_seq = 3;
    pair_of (&pair, mode);
    pair.delay_ns = 0;
    pair.data_interval_ns = 0;
    pair.report_ns = G_MAXUINT64;
    pair_start (&pair);
    serve (&pair);
    for (guint i = 0; i < pair.flying->len; i++) { /* the offer comes, and no answer leaves yet */
      Flying *offer = pair.flying->pdata[i];
      gsize size = offer->size;

      fail_if (deliver_to_src (&pair, &offer->from, (guint8 *) offer->words, &size));
    }
    pair_drop_flying (&pair);
    repair = next_repair (&pair);
    fail_if (
        deliver_plain (&pair, &pair.sink_address, (guint8 *) repair.words, repair.size, &plain));
    fail_unless_equals_int (src_stats (&pair).refused.no_key, 1);
    write_src_keys (&pair);
    while (pair.flying->len > 0) { /* the answer, and then the proof */
      Flying *flying = g_ptr_array_steal_index (pair.flying, 0);
      gsize size = flying->size;

      if (flying->to_sink)
        arrive_at_sink (&pair, flying);
      else
        deliver_to_src (&pair, &flying->from, (guint8 *) flying->words, &size);
      g_free (flying);
      serve (&pair);
    }
    fail_unless (is_played (&pair, next_repair (&pair), &pair.sink_address));
    fail_if (is_played (&pair, repair, &pair.sink_address));
    pair_clear (&pair);
  }
}
GST_END_TEST;

/* With raised-ttl repairs are plain until the switch.  Their numbers do not tell which media left before
 * the switch. */
GST_START_TEST (the_switch_of_raised_ttl_holds_for_repairs)
{
  guint32 words[DATA_BYTES];
  gsize size;
  Pair pair;

  pair_init_with (&pair, &sinks[BY_PSK], &srcs[BY_PSK], GST_TFRC_PROTECT_RAISED_TTL, 0);
  pair_start (&pair);
  pair_run (&pair, 2 * GST_SECOND);
  pair_drop_flying (&pair);
  fail_unless (is_played (&pair, plain_repair (REPAIR_SSRC, 1), &pair.sink_address));
  assert_nothing_refused (&pair);

  gst_tfrc_sink_keys_seal_from_now_on (pair.sink, pair.now_ns);
  repair_seq = 2; /* far before the numbers of the media */
  fail_unless (is_played (&pair, next_repair (&pair), &pair.sink_address));
  fail_unless (src_stats (&pair).in_force);
  fail_if (is_played (&pair, plain_repair (REPAIR_SSRC, 1), &pair.sink_address));
  fail_unless_equals_int (src_stats (&pair).refused.plaintext, 1);
  size = write_data ((guint8 *) words, SINK_SSRC, pair.seq - 1); /* under way since before */
  fail_unless (deliver_to_src (&pair, &pair.sink_address, (guint8 *) words, &size));
  pair_clear (&pair);
}
GST_END_TEST;

GST_START_TEST (a_repair_without_protection_is_refused_as_plaintext)
{
  Pair pair;

  start (&pair, BY_PSK);
  fail_if (is_played (&pair, plain_repair (REPAIR_SSRC, 9), &pair.sink_address));
  fail_unless_equals_int (src_stats (&pair).refused.plaintext, 1);
  fail_unless_equals_int (src_stats (&pair).refused.forged, 0);
  pair_clear (&pair);
}
GST_END_TEST;

/* A receiver that has keys of a stream by one certificate takes no keys of another one for the SSRC of
 * the repairs. */
GST_START_TEST (another_sender_cannot_take_the_ssrc_of_the_repairs)
{
  X509 *certificate = make_certificate_for (NULL, "other", stranger_key);
  GstTfrcCredentials other = rsa_credentials (stranger_key, certificate, receiver_key);
  GstTfrcSecurityConfig config = security_of (&other, GST_TFRC_PROTECT_ALL, 0);
  GstTfrcSinkKeys *sink = gst_tfrc_sink_keys_new (&config, NULL);
  GstTfrcAddress from = host_address (50);
  guint32 words[(GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  guint64 refused_before;
  GstTfrcKeyTime time;
  gsize size;
  Pair pair;

  start (&pair, BY_RSA);
  time = sink_time (&pair);
  refused_before = src_stats (&pair).key_messages_refused;
  gst_tfrc_sink_keys_start (sink, REPAIR_SSRC, 1, &time);
  while ((size = gst_tfrc_sink_keys_write (sink, 0, pair.now_ns, (guint8 *) words)) > 0)
    fail_if (deliver_to_src (&pair, &from, (guint8 *) words, &size));
  fail_unless_equals_int (src_stats (&pair).key_messages_refused, refused_before + 1);
  fail_unless (is_played (&pair, next_repair (&pair), &pair.sink_address));
  gst_tfrc_sink_keys_free (sink);
  pair_clear (&pair);
  X509_free (certificate);
}
GST_END_TEST;

static Suite *
keysrepair_suite (void)
{
  Suite *suite = suite_create ("keysrepair");
  TCase *tcase = tcase_create ("general");

  make_ends ();
  atexit (free_rsa_keys);
  tcase_add_test (tcase, repairs_are_read_between_data_in_each_mode);
  tcase_add_test (tcase, a_repair_is_played_once);
  tcase_add_test (tcase, a_copy_of_a_repair_from_elsewhere_does_not_replace_it);
  tcase_add_test (tcase, who_joins_late_reads_repairs);
  tcase_add_test (tcase, repairs_go_on_over_twenty_rekeyings);
  tcase_add_test (tcase, a_repair_before_the_proof_does_no_harm);
  tcase_add_test (tcase, the_switch_of_raised_ttl_holds_for_repairs);
  tcase_add_test (tcase, a_repair_without_protection_is_refused_as_plaintext);
  tcase_add_test (tcase, another_sender_cannot_take_the_ssrc_of_the_repairs);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (keysrepair);
