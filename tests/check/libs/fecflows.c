/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets come back by forward error correction: both flows, as the elements have them, and a path between them that
 * loses what the test says, in virtual time. */
#include "flowpair.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define DELAY (30 * MS)                                  /* one way */
#define INTERVAL ((guint64) (PAYLOAD * 8 * 1e9 / 640e3)) /* of the movie's packets */
#define MAX_PACKETS 5000
#define SSRC 0x12345678
#define SETTLED 300 /* packets: before, the movie waits for slow start */

static GstTfrcOutbox *outbox;
static GstTfrcIntake *intake;
static GstTfrcSinkLimits limits;
static GstTfrcReceiveFlowLimits src_limits;
static gboolean (*loses) (const TfrcWireData *header, guint nth);
static guint n_movie, n_fec, n_repairs, n_pushed, n_played;
static guint64 next_due_ns;
static guint64 due_of[MAX_PACKETS];
static guint8 times_played[MAX_PACKETS];

static gboolean
loses_nothing (const TfrcWireData *header, guint nth)
{
  return FALSE;
}

static void
set_fec (const gchar *text)
{
  fail_unless (gst_tfrc_fec_setting_parse (text, &limits.fec));
  gst_tfrc_send_flow_set_limits (sink, &limits, now);
}

static void
set_latency (guint64 latency_ns)
{
  src_limits.window_ns = latency_ns;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
}

static void
setup (void)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  static const GstTfrcRtpNumbers numbers = { SSRC, 0, 65000 }; /* wraps in the test */
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * MS };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = 0xfeedbac4, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  begin_time ();
  config.session.peer = src_address;
  config.session.media.streams[GST_TFRC_RTP_MEDIA].numbers = &numbers;
  limits = (GstTfrcSinkLimits){
    .max_queue_packets = 4096, .max_queue_time_ns = 2 * S, .deadline = TRUE, .repair_bytes = 4 << 20
  };
  config.limits = limits;
  sink = gst_tfrc_send_flow_new (&config, now);
  outbox = gst_tfrc_send_flow_get_outbox (sink);
  gst_tfrc_outbox_set_timeline (outbox, (gint64) start);
  tfrc_receiver_config_init (&receiver.receiver);
  src_limits = (GstTfrcReceiveFlowLimits){
    .window_ns = 70 * MS, .max_time_ns = 5 * S, .tells_window = TRUE, .repairs = TRUE
  };
  receiver.limits = src_limits;
  src = gst_tfrc_receive_flow_new (&receiver, now);
  intake = gst_tfrc_receive_flow_get_intake (src);
  pool = gst_tfrc_packet_pool_new ();
  loses = loses_nothing;
  next_due_ns = start;
  n_movie = n_fec = n_repairs = n_pushed = n_played = 0;
  memset (due_of, 0, sizeof due_of);
  memset (times_played, 0, sizeof times_played);
}

static void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);
  TfrcWireData header = { 0 };
  gboolean is_data = datagram->payload != NULL;

  if (is_data) {
    fail_unless_equals_int (
        tfrc_wire_parse_data (packet->data, packet->size, &header), TFRC_WIRE_OK);
    fail_unless_equals_int_hex (
        header.ssrc, header.payload_type == TFRC_WIRE_PAYLOAD_TYPE ? SSRC : SSRC + 1);
    n_movie += header.payload_type == TFRC_WIRE_PAYLOAD_TYPE;
    n_fec += header.payload_type == TFRC_WIRE_FEC_PAYLOAD_TYPE;
    n_repairs += header.payload_type == TFRC_WIRE_REPAIR_PAYLOAD_TYPE;
  }
  if (is_data && loses (&header, n_movie + n_fec + n_repairs)) {
    g_free (packet);
    return;
  }
  packet->arrival_ns = now + DELAY;
  g_queue_push_tail (&network, packet);
}

/* What is played has the movie's payload type and number, whichever way it came. */
static void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (intake, now, &item, 1) > 0) {
    GstBuffer *buffer = item.data;
    GstMapInfo map;
    TfrcWireData header;
    guint32 number;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    fail_unless_equals_int (tfrc_wire_parse_data (map.data, map.size, &header), TFRC_WIRE_OK);
    number = number_of (map.data + GST_BUFFER_OFFSET (buffer));
    fail_unless (number < n_pushed);
    fail_unless_equals_int (header.payload_type, TFRC_WIRE_PAYLOAD_TYPE);
    fail_unless_equals_int_hex (header.ssrc, SSRC);
    fail_unless_equals_int (header.payload_bytes, PAYLOAD);
    times_played[number]++;
    n_played++;
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

static void
run (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += STEP) {
    deliver_due ();
    while (
        next_due_ns <= now && gst_tfrc_outbox_admit (outbox, next_due_ns, now) == GST_TFRC_ADMIT) {
      due_of[n_pushed] = next_due_ns;
      gst_tfrc_outbox_push (outbox, new_packet (n_pushed), GST_TFRC_RTP_MEDIA, next_due_ns, now);
      n_pushed++;
      next_due_ns += INTERVAL;
    }
    pump (gst_tfrc_send_flow_get_base (sink), TRUE);
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    play ();
  }
}

static void
settle (void)
{
  while (n_pushed < SETTLED)
    run (STEP);
  n_movie = n_fec = n_repairs = 0;
}

static guint
count_missing (void)
{
  guint n = 0;

  for (guint i = SETTLED; i < n_pushed && due_of[i] + S < now; i++) {
    fail_unless (times_played[i] <= 1, "packet %u was played %u times", i, times_played[i]);
    n += times_played[i] == 0;
  }
  return n;
}

static GstTfrcFecDecoderStats
src_stats (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (src, &stats);
  return stats.fec;
}

static GstTfrcFecStats
sink_fec (void)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_send_flow_get_stats (sink, now, &stats);
  return stats.outbox.fec;
}

static guint64
packets_lost (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (src, &stats);
  return stats.reception.receiver.packets_lost;
}

static gboolean
loses_every_53rd (const TfrcWireData *header, guint nth)
{
  return nth % 53 == 0;
}

/* 1.9 %: R is 60 ms and a gap shows after 16, so that no repair is in time. A packet counts as lost for TFRC although it comes back. */
GST_START_TEST (lost_packets_come_back_where_no_repair_can_be_in_time)
{
  guint64 lost;

  set_fec ("4");
  settle ();
  lost = packets_lost ();
  loses = loses_every_53rd;
  run (20 * S);
  loses = loses_nothing;
  run (2 * S);
  fail_unless_equals_int (count_missing (), 0);
  fail_unless (src_stats ().recovered >= n_movie / 66 - 2, "%u", (guint) src_stats ().recovered);
  fail_unless (packets_lost () - lost >= src_stats ().recovered);
  fail_unless_equals_int (n_repairs, 0);
  fail_unless (n_fec <= n_movie / 4 + 1 && n_fec >= n_movie / 4 - 1);
}

GST_END_TEST;

GST_START_TEST (without_fec_they_do_not)
{
  settle ();
  loses = loses_every_53rd;
  run (20 * S);
  fail_unless_equals_int (n_fec, 0);
  fail_unless (count_missing () >= n_movie / 53 - 3);
}

GST_END_TEST;

static gboolean
loses_one_burst (const TfrcWireData *header, guint nth)
{
  return nth >= 200 && nth < 204;
}

GST_START_TEST (a_burst_comes_back_by_columns)
{
  set_latency (600 * MS);
  src_limits.repairs = FALSE;
  gst_tfrc_receive_flow_set_limits (src, &src_limits);
  set_fec ("5,4,columns");
  settle ();
  loses = loses_one_burst;
  run (20 * S);
  fail_unless_equals_int (count_missing (), 0);
  fail_unless (src_stats ().recovered >= 3);
}

GST_END_TEST;

GST_START_TEST (auto_begins_with_the_losses_and_ends_with_them)
{
  set_fec ("auto");
  settle ();
  run (5 * S);
  fail_unless_equals_int (n_fec, 0);
  loses = loses_every_53rd;
  run (30 * S);
  fail_unless (n_fec > 20, "%u", n_fec);
  fail_unless (n_fec <= n_movie / 4);
  loses = loses_nothing;
  run (15 * S);
  n_fec = 0;
  run (5 * S);
  fail_unless_equals_int (n_fec, 0);
}

GST_END_TEST;

GST_START_TEST (auto_leaves_it_to_repairs_where_they_are_in_time)
{
  set_latency (S);
  set_fec ("auto");
  settle ();
  loses = loses_every_53rd;
  run (30 * S);
  fail_unless_equals_int (n_fec, 0);
  fail_unless (n_repairs > 20);
}

GST_END_TEST;

GST_START_TEST (auto_stands_in_for_repairs_of_a_sender_that_makes_none)
{
  set_latency (S);
  limits.repair_bytes = 0;
  set_fec ("auto");
  settle ();
  loses = loses_every_53rd;
  run (30 * S);
  fail_unless (n_fec > 20, "%u", n_fec);
  fail_unless_equals_int (n_repairs, 0);
}

GST_END_TEST;

/* The movie needs 640 kbit/s. */
GST_START_TEST (auto_sends_nothing_while_the_movie_waits)
{
  GstTfrcFecStats before;

  set_fec ("auto");
  settle ();
  loses = loses_every_53rd;
  run (30 * S);
  before = sink_fec ();
  fail_unless (gst_tfrc_fec_layout_is_on (&before.layout));
  limits.max_bitrate = 600000;
  gst_tfrc_send_flow_set_limits (sink, &limits, now);
  run (300 * MS);
  n_fec = 0;
  run (500 * MS);
  fail_unless_equals_int (n_fec, 0);
  fail_unless (sink_fec ().dropped > before.dropped);
}

GST_END_TEST;

/* Nothing that has come back is asked for as well. */
GST_START_TEST (what_comes_back_is_not_repaired)
{
  set_latency (S);
  set_fec ("2");
  settle ();
  loses = loses_every_53rd;
  run (20 * S);
  fail_unless_equals_int (count_missing (), 0);
  fail_unless (src_stats ().recovered > 10);
  fail_unless (n_repairs <= n_movie / 53 + 2, "%u", n_repairs);
}

GST_END_TEST;

/* A FEC packet as a stranger could send it from the sender's address, knowing nothing else: with an SSRC of 0, and no
 * transport number. Its group of one packet is a packet of the movie. */
static void
forge_fec (guint16 first_seq)
{
  guint8 packet[TFRC_WIRE_MAX_FEC_HEADER_BYTES + PAYLOAD] = { 0 };
  TfrcWireData data = { .payload_type = TFRC_WIRE_FEC_PAYLOAD_TYPE };
  TfrcWireFec fec = { .first_seq = first_seq,
    .length_recovery = PAYLOAD,
    .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .offset = 1,
    .count = 1 };
  gsize bytes = tfrc_wire_write_fec (packet, &data, &fec);

  for (guint i = 0; i < PAYLOAD; i += 188)
    packet[bytes + i] = 0x47;
  deliver (TRUE, &sink_address, packet, bytes + PAYLOAD);
}

/* The last ones would be played before what has not been sent yet. */
GST_START_TEST (a_stranger_at_the_senders_address_brings_nothing_back)
{
  settle ();
  for (guint first_seq = 0; first_seq <= G_MAXUINT16; first_seq += 128)
    forge_fec ((guint16) first_seq);
  run (5 * S);
  fail_unless_equals_uint64 (src_stats ().received, 0);
  fail_unless_equals_int (count_missing (), 0);
}

GST_END_TEST;

static Suite *
fecflows_suite (void)
{
  Suite *suite = suite_create ("fecflows");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, free_pair);
  tcase_add_test (tcase, lost_packets_come_back_where_no_repair_can_be_in_time);
  tcase_add_test (tcase, without_fec_they_do_not);
  tcase_add_test (tcase, a_burst_comes_back_by_columns);
  tcase_add_test (tcase, auto_begins_with_the_losses_and_ends_with_them);
  tcase_add_test (tcase, auto_leaves_it_to_repairs_where_they_are_in_time);
  tcase_add_test (tcase, auto_stands_in_for_repairs_of_a_sender_that_makes_none);
  tcase_add_test (tcase, auto_sends_nothing_while_the_movie_waits);
  tcase_add_test (tcase, what_comes_back_is_not_repaired);
  tcase_add_test (tcase, a_stranger_at_the_senders_address_brings_nothing_back);
  return suite;
}

GST_CHECK_MAIN (fecflows);
