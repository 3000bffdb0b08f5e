/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of repairs share: both flows, as the elements have them, and a path between them that loses, delays,
 * doubles and reorders what the test says, in virtual time. */
#ifndef GST_TFRC_REPAIR_PAIR_H
#define GST_TFRC_REPAIR_PAIR_H

#include "flowpair.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define LATENCY (1000 * MS)
#define DELAY (50 * MS) /* one way */
#define RTT (2 * DELAY)
#define INTERVAL ((guint64) (PAYLOAD * 8 * 1e9 / 640e3)) /* of the movie's packets */
#define MAX_PACKETS 5000
#define FIRST_SEQ 65000 /* wraps in the test */
#define SSRC 0x12345678
#define OWN_SSRC 0xfeedbac4
#define SETTLED 300 /* packets: before, the movie waits for slow start */
#define REPAIR_BYTES (4 << 20)

static GstTfrcOutbox *outbox;
static GstTfrcIntake *intake;
static guint32 media_ssrc;
static gboolean is_rist; /* repairs are those of RIST */
static guint64 delay_ns;
static GstTfrcSinkLimits limits;
static GstTfrcReceiveFlowLimits src_limits;

/* what the path does with a datagram; header: NULL if it is no data */
static gboolean (*loses) (const TfrcWireData *header, guint nth);
static guint64 (*more_delay_ns) (const TfrcWireData *header);
static gboolean (*loses_rtcp) (const TfrcWireRtcp *rtcp); /* of the receiver, beside `loses' */
static gboolean doubles;                                  /* each datagram comes twice */
static gboolean has_nat;    /* the receiver does not know the address that the sender sees */
static GstTfrcAddress gone; /* of the receiver: what goes there or comes from there is lost */
static guint n_data, n_repairs, n_requests, n_rtcp; /* that have left */
static guint64 repaired_at[G_MAXUINT16 + 1];        /* by RTP number; 0: never */
static guint64 least_again_ns;                      /* between two repairs of a packet */
static gboolean has_element_3;

static InFlight last_sr, last_bye; /* of the sender */
static guint sent_of[2];           /* packets of the movie, and repairs, since the start */
static guint sent_at_sr[2];        /* when the last report left */

static guint n_pushed, n_movie, n_played, n_played_late, n_discont;
static guint64 next_due_ns;
static guint64 due_of[MAX_PACKETS];
static guint8 times_played[MAX_PACKETS];

static inline gboolean
loses_nothing (const TfrcWireData *header, guint nth)
{
  return FALSE;
}

static inline guint64
delays_nothing (const TfrcWireData *header)
{
  return 0;
}

static inline gboolean
loses_no_rtcp (const TfrcWireRtcp *rtcp)
{
  return FALSE;
}

/* Begins a stream with this SSRC and this number. */
static inline void
start_sink (guint32 ssrc, guint16 first_seq)
{
  const GstTfrcRtpNumbers numbers = { ssrc, 0, first_seq };
  GstTfrcSendFlowConfig config = { .session.media.rate.burst_limit_ns = 10 * MS };

  media_ssrc = ssrc;
  config.session.peer = src_address;
  config.session.allow_migration = GST_TFRC_ALLOW_MIGRATION_ALWAYS;
  config.session.media.streams[GST_TFRC_RTP_MEDIA].numbers = &numbers;
  config.session.media.streams[GST_TFRC_RTP_REPAIR].rist = is_rist;
  limits = (GstTfrcSinkLimits){ .max_queue_packets = 4096,
    .max_queue_time_ns = 2 * S,
    .deadline = TRUE,
    .repair_bytes = REPAIR_BYTES };
  config.limits = limits;
  sink = gst_tfrc_send_flow_new (&config, now);
  outbox = gst_tfrc_send_flow_get_outbox (sink);
  gst_tfrc_outbox_set_timeline (outbox, (gint64) start);
}

/* Begins a receiver with this SSRC. */
static inline void
start_src (guint32 ssrc)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig receiver = {
    .ssrc = ssrc, .cname = "test", .secret = secret, .wall_ns = wall_ns
  };

  tfrc_receiver_config_init (&receiver.receiver);
  src_limits = (GstTfrcReceiveFlowLimits){
    .window_ns = LATENCY, .max_time_ns = 5 * S, .tells_window = TRUE, .repairs = TRUE
  };
  receiver.limits = src_limits;
  src = gst_tfrc_receive_flow_new (&receiver, now);
  intake = gst_tfrc_receive_flow_get_intake (src);
}

static inline void
setup (void)
{
  begin_time ();
  is_rist = FALSE;
  start_sink (SSRC, FIRST_SEQ);
  start_src (OWN_SSRC);
  pool = gst_tfrc_packet_pool_new ();
  loses = loses_nothing;
  loses_rtcp = loses_no_rtcp;
  more_delay_ns = delays_nothing;
  delay_ns = DELAY;
  doubles = has_nat = FALSE;
  memset (&gone, 0, sizeof gone);
  memset (repaired_at, 0, sizeof repaired_at);
  least_again_ns = G_MAXUINT64;
  next_due_ns = start;
  n_movie = MAX_PACKETS;
  n_data = n_repairs = n_requests = n_rtcp = n_pushed = n_played = n_played_late = n_discont = 0;
  has_element_3 = FALSE;
  memset (sent_of, 0, sizeof sent_of);
  memset (due_of, 0, sizeof due_of);
  memset (times_played, 0, sizeof times_played);
}

/* ---- the path ----------------------------------------------------------------- */

static inline void
note_repair (const InFlight *packet, TfrcWireData header)
{
  guint16 seq = header.seq;

  fail_unless_equals_int (
      header.payload_type, is_rist ? TFRC_WIRE_PAYLOAD_TYPE : TFRC_WIRE_REPAIR_PAYLOAD_TYPE);
  fail_unless (is_rist || tfrc_wire_take_original_seq (packet->data, &header, &seq));
  if (repaired_at[seq] > 0)
    least_again_ns = MIN (least_again_ns, now - repaired_at[seq]);
  repaired_at[seq] = now;
}

/* Returns whether it is lost. */
static inline gboolean
look_at_data (const InFlight *packet, TfrcWireData *header)
{
  fail_unless_equals_int (tfrc_wire_parse_data (packet->data, packet->size, header), TFRC_WIRE_OK);
  has_element_3 |= header->has_transport_seq;
  if (header->ssrc == media_ssrc + 1) {
    fail_unless (header->has_transport_seq);
    note_repair (packet, *header);
    n_repairs++;
    sent_of[1]++;
  } else {
    fail_unless_equals_int_hex (header->ssrc, media_ssrc);
    n_data++;
    sent_of[0]++;
  }
  return loses (header, n_data + n_repairs);
}

static inline gboolean
look_at_rtcp (const InFlight *packet)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (packet->data, packet->size, 0, &rtcp), TFRC_WIRE_OK);
  if (packet->to_src) {
    *(rtcp.has_bye ? &last_bye : &last_sr) = *packet;
    memcpy (sent_at_sr, sent_of, sizeof sent_at_sr);
    return FALSE;
  }
  n_requests += rtcp.nacks > 0 && !rtcp.has_feedback;
  return loses (NULL, ++n_rtcp) || loses_rtcp (&rtcp);
}

static inline void
transmit (const GstTfrcDatagram *datagram, gboolean to_src)
{
  InFlight *packet = new_in_flight (datagram, to_src);
  gboolean is_data = datagram->payload != NULL;
  TfrcWireData header;

  if (has_nat && !to_src)
    packet->src_address = src_address;
  if ((is_data ? look_at_data (packet, &header) : look_at_rtcp (packet))
      || gst_tfrc_address_equal (&packet->src_address, &gone)) {
    g_free (packet);
    return;
  }
  packet->arrival_ns = now + delay_ns + (is_data ? more_delay_ns (&header) : 0);
  g_queue_push_tail (&network, packet);
  if (doubles)
    g_queue_push_tail (&network, g_memdup2 (packet, sizeof *packet));
}

/* A link of the receiver is gone, with all that is on it. */
static inline void
lose_link (const GstTfrcAddress *address)
{
  gone = *address;
  for (GList *link = network.head, *next; link; link = next) {
    InFlight *packet = link->data;

    next = link->next;
    if (!gst_tfrc_address_equal (&packet->src_address, &gone))
      continue;
    g_free (packet);
    g_queue_delete_link (&network, link);
  }
}

/* ---- the pipelines ------------------------------------------------------------ */

static inline void
feed (void)
{
  while (n_pushed < n_movie && next_due_ns <= now
      && gst_tfrc_outbox_admit (outbox, next_due_ns, now) == GST_TFRC_ADMIT) {
    due_of[n_pushed] = next_due_ns;
    gst_tfrc_outbox_push (outbox, new_packet (n_pushed), GST_TFRC_RTP_MEDIA, next_due_ns, now);
    n_pushed++;
    next_due_ns += INTERVAL;
  }
}

static inline void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (intake, now, &item, 1) > 0) {
    guint8 payload[PAYLOAD];
    guint32 number;

    fail_unless_equals_int (
        gst_buffer_extract (item.data, GST_BUFFER_OFFSET (item.data), payload, sizeof payload),
        sizeof payload);
    number = number_of (payload);
    fail_unless (number < n_pushed);
    times_played[number]++;
    n_played++;
    n_played_late += now > due_of[number] + delay_ns + LATENCY + STEP;
    n_discont += item.discont && n_played > 1;
    gst_buffer_unref (item.data);
  }
}

static inline void
run (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += STEP) {
    deliver_due ();
    feed ();
    pump (gst_tfrc_send_flow_get_base (sink), TRUE);
    pump (gst_tfrc_receive_flow_base (src), FALSE);
    play ();
  }
}

static inline void
settle (void)
{
  while (n_pushed < SETTLED)
    run (STEP);
  n_data = n_repairs = n_requests = n_rtcp = 0;
}

static inline GstTfrcReceiveFlowStats
src_stats (void)
{
  GstTfrcReceiveFlowStats stats;

  gst_tfrc_receive_flow_get_stats (src, &stats);
  return stats;
}

static inline GstTfrcRepairStoreStats
sink_stats (void)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_send_flow_get_stats (sink, now, &stats);
  return stats.outbox.repairs;
}

/* Each packet from SETTLED on was played once, and in time, unless it is too new. */
static inline void
assert_all_played (void)
{
  for (guint i = SETTLED; i < n_pushed && due_of[i] + LATENCY + RTT < now; i++)
    fail_unless (times_played[i] == 1, "packet %u was played %u times", i, times_played[i]);
  fail_unless_equals_int (n_played_late, 0);
}

#endif
