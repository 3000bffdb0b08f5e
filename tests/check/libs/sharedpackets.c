/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One packet in the outboxes of several flows, and several RTP streams of one flow: what belongs to a
 * flow and to a stream, see gst/queue/outgoing.h and gst/flow/rtpstream.h. */
#include "srtptest.h"

#include "gst/flow/sendflow.h"
#include "testnet.h"

#define REPAIR GST_TFRC_RTP_REPAIR
#define MBIT G_GUINT64_CONSTANT (1000000)

static GstTfrcPacketPool *pool;
static guint8 original[PAYLOAD_BYTES]; /* the payload of new_packet() */
static guint64 now;

static void
make_pool (void)
{
  pool = gst_tfrc_packet_pool_new ();
  now = NOW;
  for (guint i = 0; i < sizeof original; i++)
    original[i] = (guint8) (i * 7);
}

static void
check_pool (void)
{
  GstTfrcPacketPoolStats stats;

  gst_tfrc_packet_pool_get_stats (pool, &stats);
  fail_unless_equals_int (stats.in_use, 0);
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcPacket *
new_packet (void)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);

  memcpy (gst_tfrc_packet_payload (packet), original, sizeof original);
  gst_tfrc_packet_set_payload_bytes (packet, sizeof original);
  return packet;
}

static void
fail_unless_unchanged (const GstTfrcPacket *packet)
{
  fail_unless_equals_int (gst_tfrc_packet_get_payload_bytes (packet), sizeof original);
  fail_unless (memcmp (gst_tfrc_packet_get_payload (packet), original, sizeof original) == 0);
}

/* ---- flows ------------------------------------------------------------------ */

/* A rate at which a packet may leave in each millisecond */
static GstTfrcSendFlowConfig
config_of (const GstTfrcRtpStreamConfig *media)
{
  return (GstTfrcSendFlowConfig){ .session.peer = test_address ("127.0.0.1", 9),
    .session.media.rate.mute_receiver = TRUE,
    .session.media.streams[GST_TFRC_RTP_MEDIA] = *media,
    .limits = { .min_bitrate = 20 * MBIT, .max_queue_packets = 100 } };
}

static GstTfrcSendFlow *
new_flow (const GstTfrcRtpStreamConfig *media)
{
  const GstTfrcSendFlowConfig config = config_of (media);
  GstTfrcSendFlow *flow = gst_tfrc_send_flow_new (&config, now);

  fail_unless (flow != NULL);
  return flow;
}

static void
push (GstTfrcSendFlow *flow, GstTfrcPacket *packet, guint stream)
{
  gst_tfrc_outbox_push (gst_tfrc_send_flow_get_outbox (flow), packet, stream, NOW, now);
}

/* Takes the data packet that may leave a millisecond later, sealed. Its fate is for report(). */
static GstTfrcDatagram *
poll_one (GstTfrcSendFlow *flow, GstTfrcPolled *polled)
{
  GstTfrcFlow *base = gst_tfrc_send_flow_get_base (flow);

  now += GST_MSECOND;
  base->klass->on_time (base, now);
  gst_tfrc_polled_init (polled);
  base->klass->poll (base, now, polled);
  fail_unless_equals_int (polled->n, 1);
  fail_if (polled->datagrams[0].is_control);
  fail_unless (gst_tfrc_datagram_seal (&polled->datagrams[0]));
  return &polled->datagrams[0];
}

static void
report (GstTfrcSendFlow *flow, GstTfrcPolled *polled, GstTfrcDatagramResult result)
{
  GstTfrcFlow *base = gst_tfrc_send_flow_get_base (flow);

  polled->datagrams[0].result = result;
  polled->datagrams[0].error = EAGAIN;
  base->klass->on_sent (base, polled, now);
  now += GST_SECOND; /* the pause after an error is over */
}

/* Reads the header of a datagram without protection, whose payload is the packet's own memory. */
static TfrcWireData
header_of (const GstTfrcDatagram *datagram, const GstTfrcPacket *packet)
{
  TfrcWireData header;

  fail_unless (datagram->payload == gst_tfrc_packet_get_payload (packet));
  fail_unless_equals_int (datagram->payload_bytes, sizeof original);
  fail_unless_equals_int (
      tfrc_wire_parse_data (datagram->data, datagram->size, &header), TFRC_WIRE_OK);
  fail_unless_equals_int (header.header_bytes
          + (header.payload_type == TFRC_WIRE_REPAIR_PAYLOAD_TYPE ? TFRC_WIRE_REPAIR_SEQ_BYTES : 0),
      datagram->size);
  return header;
}

static gsize
protect_srtp (gpointer user, guint8 *datagram, gsize size)
{
  return gst_tfrc_srtp_protect (user, FALSE, datagram, size);
}

static const GstTfrcRtpNumbers plain_numbers = { OTHER_SSRC, 0, 100 };
static const GstTfrcRtpNumbers srtp_numbers = { SSRC, 0, 65535 };
static const GstTfrcRtpStreamConfig plain = { .numbers = &plain_numbers };

static GstTfrcSendFlow *
new_protected_flow (void)
{
  const GstTfrcRtpStreamConfig media = { .numbers = &srtp_numbers,
    .protector = { protect_srtp, sender } };
  const GstTfrcStreamKeys keys = make_keys (GST_TFRC_CIPHER_AES_128_GCM, 1);

  fail_unless (gst_tfrc_srtp_install (sender, &keys, SSRC, 0, 0, NULL));
  fail_unless (gst_tfrc_srtp_install (receiver, &keys, SSRC, 0, 0, NULL));
  return new_flow (&media);
}

GST_START_TEST (a_packet_leaves_from_two_flows_plain_and_protected)
{
  GstTfrcSendFlow *open = new_flow (&plain), *secret = new_protected_flow ();
  GstTfrcPacket *packet = new_packet ();
  GstTfrcPolled polled, sealed;
  const GstTfrcDatagram *datagram;
  TfrcWireData header;
  gsize size;

  push (open, gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA);
  push (secret, gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA);
  /* Both are between poll and on_sent at the same time. */
  datagram = poll_one (secret, &sealed);
  fail_unless_equals_int (datagram->payload_bytes, 0);
  fail_unless_unchanged (packet);
  header = header_of (poll_one (open, &polled), packet);
  fail_unless_equals_int (header.ssrc, OTHER_SSRC);
  fail_unless_equals_int (header.seq, 100);

  size = datagram->size;
  fail_unless_equals_int (gst_tfrc_srtp_unprotect (receiver, FALSE, datagram->data, &size, now),
      GST_TFRC_UNPROTECTED_OK);
  fail_unless_equals_int (tfrc_wire_parse_data (datagram->data, size, &header), TFRC_WIRE_OK);
  fail_unless_equals_int (header.ssrc, SSRC);
  fail_unless_equals_int (header.seq, 65535);
  fail_unless_equals_int (size - header.header_bytes, sizeof original);
  fail_unless (memcmp (datagram->data + header.header_bytes, original, sizeof original) == 0);

  report (secret, &sealed, GST_TFRC_DATAGRAM_LEFT);
  report (open, &polled, GST_TFRC_DATAGRAM_LEFT);
  fail_unless_unchanged (packet);
  gst_tfrc_packet_unref (packet);
  gst_tfrc_send_flow_free (open);
  gst_tfrc_send_flow_free (secret);
}

GST_END_TEST;

GST_START_TEST (a_sealed_packet_that_comes_back_does_not_change_that_of_another_flow)
{
  GstTfrcSendFlow *open = new_flow (&plain), *secret = new_protected_flow ();
  GstTfrcPacket *packet = new_packet ();
  GstTfrcPolled polled;
  guint8 before[GST_TFRC_DATAGRAM_BYTES];
  const GstTfrcDatagram *datagram;
  gsize size;

  push (open, gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA);
  push (secret, packet, GST_TFRC_RTP_MEDIA);
  datagram = poll_one (secret, &polled);
  size = datagram->size;
  memcpy (before, datagram->data, size);
  report (secret, &polled, GST_TFRC_DATAGRAM_FAILED);

  datagram = poll_one (secret, &polled);
  fail_unless (datagram->seal == NULL);
  fail_unless_equals_int (datagram->payload_bytes, 0);
  fail_unless_equals_int (datagram->size, size);
  fail_unless (memcmp (datagram->data, before, size) == 0);
  report (secret, &polled, GST_TFRC_DATAGRAM_LEFT);

  fail_unless_equals_int (header_of (poll_one (open, &polled), packet).seq, 100);
  fail_unless_unchanged (packet);
  report (open, &polled, GST_TFRC_DATAGRAM_LEFT);
  gst_tfrc_send_flow_free (open);
  gst_tfrc_send_flow_free (secret);
}

GST_END_TEST;

GST_START_TEST (a_flush_of_one_flow_leaves_the_packet_in_the_other)
{
  GstTfrcSendFlow *flushed = new_flow (&plain), *other = new_flow (&plain);
  GstTfrcPacket *packet = new_packet ();
  GstTfrcPolled polled;

  push (flushed, gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA);
  push (other, packet, GST_TFRC_RTP_MEDIA);
  fail_unless_equals_int (gst_tfrc_outbox_flush (gst_tfrc_send_flow_get_outbox (flushed)), 1);
  fail_unless (gst_tfrc_outbox_is_empty (gst_tfrc_send_flow_get_outbox (flushed)));
  gst_tfrc_send_flow_free (flushed);

  fail_if (gst_tfrc_outbox_is_empty (gst_tfrc_send_flow_get_outbox (other)));
  fail_unless_equals_int (header_of (poll_one (other, &polled), packet).seq, 100);
  fail_unless_unchanged (packet);
  report (other, &polled, GST_TFRC_DATAGRAM_LEFT);
  gst_tfrc_send_flow_free (other);
}

GST_END_TEST;

/* The times of a packet are the flow's: a pause of one moves no packet of the other. */
GST_START_TEST (a_timeline_moves_the_packets_of_its_own_flow)
{
  GstTfrcOutbox outboxes[2];
  GstTfrcPacket *packet = new_packet ();

  for (guint i = 0; i < 2; i++) {
    gst_tfrc_outbox_init (&outboxes[i], 0);
    gst_tfrc_outbox_set_limits (&outboxes[i], 10, 0, GST_TFRC_LEAKY_NONE);
    gst_tfrc_outbox_push (
        &outboxes[i], gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA, now + GST_SECOND, now);
  }
  gst_tfrc_packet_unref (packet);
  gst_tfrc_outbox_set_timeline (&outboxes[1], (gint64) GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_outbox_due_ns (&outboxes[0]), now + GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_outbox_due_ns (&outboxes[1]), now + 2 * GST_SECOND);
  gst_tfrc_outbox_clear (&outboxes[0]);
  gst_tfrc_outbox_clear (&outboxes[1]);
}

GST_END_TEST;

/* ---- streams ---------------------------------------------------------------- */

/* Stands for the protection of a stream: its tag is one byte. */
static gsize
append_tag (gpointer user, guint8 *datagram, gsize size)
{
  datagram[size] = *(const guint8 *) user;
  return size + 1;
}

static guint8 media_tag = 0x11, more_tag = 0x22;

/* SSRC and clock follow the movie's, whatever the configuration says. */
static const GstTfrcRtpNumbers more_numbers = { OTHER_SSRC, 12345, 7000 };
static const GstTfrcRtpNumbers media_numbers = { SSRC, 90, 65535 };

static GstTfrcSendFlow *
new_flow_of_two (gboolean is_protected)
{
  const GstTfrcRtpStreamConfig media = { .numbers = &media_numbers,
    .protector = { is_protected ? append_tag : NULL, &media_tag } };
  GstTfrcSendFlowConfig config = config_of (&media);
  GstTfrcSendFlow *flow;

  config.session.media.streams[REPAIR] = (GstTfrcRtpStreamConfig){ .numbers = &more_numbers,
    .protector = { is_protected ? append_tag : NULL, &more_tag } };
  flow = gst_tfrc_send_flow_new (&config, now);
  fail_unless (flow != NULL);
  return flow;
}

GST_START_TEST (each_stream_of_a_flow_has_its_numbers_and_its_protection)
{
  static const struct
  {
    guint stream;
    guint32 ssrc;
    guint16 seq, transport_seq;
    guint8 tag;
  } expected[] = {
    { GST_TFRC_RTP_MEDIA, SSRC, 65535, 65535, 0x11 },
    { REPAIR, SSRC | 1, 7000, 0, 0x22 },
    { GST_TFRC_RTP_MEDIA, SSRC, 0, 1, 0x11 },
    { REPAIR, SSRC | 1, 7001, 2, 0x22 },
    { REPAIR, SSRC | 1, 7002, 3, 0x22 },
    { GST_TFRC_RTP_MEDIA, SSRC, 1, 4, 0x11 },
  };
  GstTfrcSendFlow *flow = new_flow_of_two (TRUE);
  GstTfrcPacket *packet = new_packet ();
  guint32 timestamp = (guint32) ((NOW / 1000 + 90) * 9 / 100);
  GstTfrcPolled polled;

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const GstTfrcDatagram *datagram;
    TfrcWireData header;

    push (flow, gst_tfrc_packet_ref (packet), expected[i].stream);
    datagram = poll_one (flow, &polled);
    fail_unless_equals_int (
        tfrc_wire_parse_data (datagram->data, datagram->size, &header), TFRC_WIRE_OK);
    fail_unless_equals_int (header.ssrc, expected[i].ssrc);
    fail_unless_equals_int (header.seq, expected[i].seq);
    fail_unless_equals_int (header.timestamp, timestamp);
    fail_unless_equals_int (
        header.has_transport_seq ? header.transport_seq : header.seq, expected[i].transport_seq);
    fail_unless_equals_int (datagram->data[datagram->size - 1], expected[i].tag);
    report (flow, &polled, GST_TFRC_DATAGRAM_LEFT);
  }
  fail_unless_unchanged (packet);
  gst_tfrc_packet_unref (packet);
  gst_tfrc_send_flow_free (flow);
}

GST_END_TEST;

/* Writes the header of a repair of packet 4711, and reads it. */
static TfrcWireData
repair_of (const GstTfrcRtpStreamConfig *config)
{
  const TfrcData data = { .seq = 9 };
  GstTfrcRtpStream media, repairs;
  GstTfrcOutgoingPool entries;
  GstTfrcOutgoing *outgoing;
  TfrcWireData header;

  gst_tfrc_rtp_stream_init (&media, config, GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT, NULL, FALSE);
  gst_tfrc_rtp_stream_init (&repairs, config, GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT, &media, TRUE);
  gst_tfrc_outgoing_pool_init (&entries, NULL, NULL);
  outgoing = gst_tfrc_outgoing_new_repair (&entries, new_packet (), 4711);
  gst_tfrc_rtp_stream_number (&repairs, outgoing);
  gst_tfrc_rtp_stream_write_header (&repairs, outgoing, &data, 0);
  fail_unless_equals_int (
      tfrc_wire_parse_data (outgoing->header, outgoing->header_bytes, &header), TFRC_WIRE_OK);
  gst_tfrc_outgoing_free (outgoing);
  gst_tfrc_outgoing_pool_clear (&entries);
  return header;
}

/* No number may be protected twice, so that RIST's repairs are for streams without keys. */
GST_START_TEST (repairs_of_rist_have_the_old_number_unless_they_are_protected)
{
  GstTfrcRtpStreamConfig config = { .numbers = &srtp_numbers, .rist = TRUE };
  TfrcWireData header = repair_of (&config);

  fail_unless_equals_int (header.payload_type, TFRC_WIRE_PAYLOAD_TYPE);
  fail_unless_equals_int (header.seq, 4711);
  fail_unless_equals_int_hex (header.ssrc, TFRC_WIRE_REPAIR_SSRC (SSRC));
  fail_unless (header.has_transport_seq && header.transport_seq == 9);
  config.protector.protect = protect_srtp;
  header = repair_of (&config);
  fail_unless_equals_int (header.payload_type, TFRC_WIRE_REPAIR_PAYLOAD_TYPE);
  fail_unless_equals_int (header.seq, srtp_numbers.first_seq);
}

GST_END_TEST;

GST_START_TEST (a_number_that_comes_back_goes_to_the_next_packet_of_its_stream)
{
  GstTfrcSendFlow *flow = new_flow_of_two (FALSE);
  GstTfrcPacket *packet = new_packet ();
  GstTfrcPolled polled;

  push (flow, gst_tfrc_packet_ref (packet), REPAIR);
  fail_unless_equals_int (header_of (poll_one (flow, &polled), packet).seq, 7000);
  report (flow, &polled, GST_TFRC_DATAGRAM_FAILED);
  gst_tfrc_outbox_flush (gst_tfrc_send_flow_get_outbox (flow));

  push (flow, gst_tfrc_packet_ref (packet), GST_TFRC_RTP_MEDIA);
  fail_unless_equals_int (header_of (poll_one (flow, &polled), packet).seq, 65535);
  report (flow, &polled, GST_TFRC_DATAGRAM_LEFT);
  push (flow, packet, REPAIR);
  fail_unless_equals_int (header_of (poll_one (flow, &polled), packet).seq, 7000);
  report (flow, &polled, GST_TFRC_DATAGRAM_LEFT);
  gst_tfrc_send_flow_free (flow);
}

GST_END_TEST;

static Suite *
sharedpackets_suite (void)
{
  Suite *suite = suite_create ("sharedpackets");
  TCase *tcase = add_case (suite, "general");

  tcase_add_checked_fixture (tcase, make_pool, check_pool);
  tcase_add_test (tcase, a_packet_leaves_from_two_flows_plain_and_protected);
  tcase_add_test (tcase, a_sealed_packet_that_comes_back_does_not_change_that_of_another_flow);
  tcase_add_test (tcase, a_flush_of_one_flow_leaves_the_packet_in_the_other);
  tcase_add_test (tcase, a_timeline_moves_the_packets_of_its_own_flow);
  tcase_add_test (tcase, each_stream_of_a_flow_has_its_numbers_and_its_protection);
  tcase_add_test (tcase, repairs_of_rist_have_the_old_number_unless_they_are_protected);
  tcase_add_test (tcase, a_number_that_comes_back_goes_to_the_next_packet_of_its_stream);
  return suite;
}

GST_CHECK_MAIN (sharedpackets);
