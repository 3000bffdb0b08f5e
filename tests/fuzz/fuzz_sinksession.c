/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the sender's session with its paths (gst/flow/sendsession.h): outgoing packets, and
 * valid or invalid RTCP from the receiver and from other addresses.  Rates stay finite and
 * within their limits.  An address that has not answered gets at most three times the bytes that
 * came from it.  A deadline lies in the future after it was served.  No packet
 * has ECT before the receiver has reported the ECN field. */
#include "sessionevents.h"
#include "gst/flow/sendsession.h"

#define SEGMENT GST_TFRC_PACKET_MAX_PAYLOAD_BYTES

typedef struct
{
  GstTfrcSendSession *session;
  GstTfrcEvents waiting; /* for the application */
  GstTfrcPacketPool *pool;
  GstTfrcOutgoingPool entries;
  guint64 now, last_sent;
  guint32 number, loss_events; /* of the newest feedback */
  gboolean reports_ecn;        /* feedback had counts of the ECN field */
  TfrcWireState ecn;           /* the last of these */
  guint64 min_bps, max_bps;    /* 0: no limit */
  GstTfrcAddress addresses[N_ADDRESSES];
  guint64 received[N_ADDRESSES], challenged[N_ADDRESSES];
  gboolean answered[N_ADDRESSES];
  guint8 challenges[N_ADDRESSES][TFRC_WIRE_PATH_DATA_BYTES];
} Fuzz;

/* Sets the choices of enhanced TFRC. Some go together and some do not. */
static void
choose_enhanced (GstTfrcSendSessionConfig *config, Input *input)
{
  unsigned what = take (input, 1);

  config->media.rate.rto_policy = what & 7;
  config->media.rate.rtt_method = what >> 3 & 3;
  config->media.rate.loss_response = what >> 5 & 1;
  config->media.adaptive_ttl.enabled = what >> 6 & 1;
  config->media.adaptive_ttl.min = 8;
  config->media.adaptive_ttl.max = 64;
  config->media.adaptive_ttl.alpha = 0.5;
  config->media.ttl = 16;
}

static gboolean
start (Fuzz *fuzz, Input *input)
{
  GstTfrcSendSessionConfig config = { 0 };
  unsigned what = take (input, 1);

  config.media.rate.queue_guard = !(what & 1);
  config.media.rate.rto_policy = what >> 1 & 3;
  if (config.media.rate.rto_policy == TFRC_RTO_POLICY_BALANCED)
    choose_enhanced (&config, input);
  if (what & 8)
    config.media.rate.start_bitrate = take (input, 5);
  if (what & 16)
    config.media.rate.burst_limit_ns = take_duration (input);
  if (what & 32)
    config.media.rate.rate_scale = take_double (input);
  for (unsigned i = 0; i < N_ADDRESSES; i++)
    fuzz->addresses[i] = make_address (i);
  fuzz->answered[0] = TRUE; /* data goes to this address without validation */
  config.peer = fuzz->addresses[0];
  config.allow_migration = what & 64 ? GST_TFRC_ALLOW_MIGRATION_NEVER
                                     : GST_TFRC_ALLOW_MIGRATION_ALWAYS;
  config.media.transport_seq = what & 128 ? GST_TFRC_TRANSPORT_SEQ_ALWAYS
                                          : GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT;
  config.media.ecn = TRUE;
  config.events = &fuzz->waiting;
  fuzz->session = gst_tfrc_send_session_new (&config);
  return fuzz->session != NULL;
}

static void
check (const Fuzz *fuzz)
{
  gdouble rate = gst_tfrc_rate_control_get_rate_Bps (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (fuzz->session)));
  gdouble max_Bps = fuzz->max_bps ? fuzz->max_bps / 8.0 : CEILING_BPS;
  gdouble least_Bps = 1 / 64.0; /* one of the smallest segments in 64 s */

  CHECK (isfinite (rate) && rate >= least_Bps * (1 - ROUNDING));
  CHECK (rate <= MAX (max_Bps, SEGMENT / 64.0) * (1 + ROUNDING));
  CHECK (gst_tfrc_send_media_get_bitrate (gst_tfrc_send_session_get_media (fuzz->session))
      <= CEILING_BPS * 8);
  CHECK (gst_tfrc_receiver_view_get_state (gst_tfrc_send_session_get_receiver (fuzz->session))
      <= GST_TFRC_PEER_LOST);
}

/* Sends a packet.  It may be taken back, or leave twice. */
static void
send_data (Fuzz *fuzz, gsize bytes, guint64 due)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (fuzz->pool);
  GstTfrcOutgoing *outgoing;
  gboolean is_taken_back = bytes >> 16 & 1, is_repeated = bytes >> 17 & 1;
  gsize header_bytes;

  gst_tfrc_packet_set_payload_bytes (packet, bytes % (SEGMENT + 1));
  outgoing = gst_tfrc_outgoing_new (&fuzz->entries, packet, GST_TFRC_RTP_MEDIA);
  gst_tfrc_outgoing_set_due_ns (outgoing, due);
  for (unsigned i = 0; i <= (unsigned) is_repeated; i++) {
    if (gst_tfrc_send_session_prepare (fuzz->session, outgoing, fuzz->now) != GST_TFRC_PREPARED)
      break;
    gst_tfrc_outgoing_get_head (outgoing, &header_bytes);
    CHECK (header_bytes >= TFRC_WIRE_HEADER_BYTES && header_bytes <= TFRC_WIRE_MAX_HEADER_BYTES);
    CHECK (gst_tfrc_outgoing_has_rtp_seq (outgoing));
    CHECK (gst_tfrc_outgoing_is_new (outgoing) == (i == 0));
    CHECK (gst_tfrc_outgoing_get_ecn (outgoing) == TFRC_ECN_FIELD_NOT_ECT
        || (gst_tfrc_outgoing_get_ecn (outgoing) == TFRC_ECN_FIELD_ECT_0 && fuzz->reports_ecn));
    if (is_taken_back)
      gst_tfrc_send_session_take_back (fuzz->session, outgoing);
    else
      fuzz->last_sent = fuzz->now;
    CHECK (gst_tfrc_outgoing_has_rtp_seq (outgoing) == !is_taken_back);
    if (is_taken_back)
      break;
  }
  gst_tfrc_outgoing_free (outgoing);
}

static unsigned
number_of (const Fuzz *fuzz, const GstTfrcAddress *address)
{
  unsigned i;

  for (i = 0; i < N_ADDRESSES; i++) {
    if (gst_tfrc_address_equal (address, &fuzz->addresses[i]))
      return i;
  }
  abort ();
}

static void
write_challenges (Fuzz *fuzz)
{
  guint8 buffer[GST_TFRC_SEND_CHALLENGE_BYTES];
  TfrcWireRtcp rtcp;
  GstTfrcAddress to, local;
  gsize size;
  unsigned i;

  for (i = 0; (size = gst_tfrc_send_session_write_challenge (
                   fuzz->session, fuzz->now, buffer, &to, &local))
       > 0;
       i++) {
    unsigned n = number_of (fuzz, &to);

    CHECK (i < MAX_ROUNDS && size <= sizeof buffer);
    CHECK (tfrc_wire_parse_rtcp (buffer, size, 0, &rtcp) == TFRC_WIRE_OK);
    CHECK (rtcp.has_challenge && gst_tfrc_address_is_unicast (&to));
    memcpy (fuzz->challenges[n], rtcp.challenge, sizeof rtcp.challenge);
    if (fuzz->answered[n])
      continue;
    fuzz->challenged[n] += size;
    CHECK (fuzz->challenged[n] <= 3 * fuzz->received[n]);
  }
}

static void
serve (Fuzz *fuzz)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  gsize size;
  unsigned i;

  gst_tfrc_send_session_on_time (fuzz->session, fuzz->now);
  write_challenges (fuzz);
  for (i = 0; (size = gst_tfrc_send_session_write_rtcp (fuzz->session, fuzz->now, buffer)) > 0; i++)
    CHECK (i < MAX_ROUNDS && size <= sizeof buffer);
  CHECK (gst_tfrc_send_session_next_timer (fuzz->session).due_ns > fuzz->now);
  take_events (&fuzz->waiting, GST_TFRC_EVENT_HANDOVER);
  CHECK (gst_tfrc_receiver_view_check (gst_tfrc_send_session_get_receiver (fuzz->session)) == NULL);
  CHECK (gst_tfrc_send_paths_check (gst_tfrc_send_session_get_paths (fuzz->session)) == NULL);
  CHECK (gst_tfrc_send_handover_check (gst_tfrc_send_session_get_handover (fuzz->session)) == NULL);
}

static void
receive (Fuzz *fuzz, unsigned from, guint8 *data, gsize size)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.data = data;
  packet.size = size;
  packet.from = &fuzz->addresses[from];
  packet.arrival_ns = packet.arrival_wall_ns = fuzz->now;
  fuzz->received[from] += size;
  CHECK (gst_tfrc_send_session_on_rtcp (fuzz->session, &packet) <= GST_TFRC_RTCP_MALFORMED);
}

static void
give_feedback (Fuzz *fuzz, unsigned from, Input *input)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcFeedback feedback = { 0 };
  TfrcWireState state = { 0 };
  unsigned what = take (input, 1), handover = 0;

  feedback.recv_data_us = gst_tfrc_rate_control_wire_time_us (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (fuzz->session)),
      fuzz->last_sent);
  feedback.x_recv_Bps = take (input, 4);
  feedback.p = take (input, 1) / 256.0;
  fuzz->number += 1;
  if (what & 1)
    feedback.recv_data_us += take (input, 4);
  if (what & 2)
    feedback.delay_us = take (input, 4);
  if (what & 4)
    fuzz->number += take (input, 4);
  if (what & 8)
    fuzz->loss_events += take (input, 1);
  if (what & 16) {
    handover = take (input, 1);
    feedback.handover = handover & 1;
    feedback.new_link = handover & 2;
    feedback.suppress_echo = handover & 4;
    feedback.bandwidth = handover & 8;
    feedback.handover_number = handover >> 4 & 3;
  }
  if (what & 16 && handover & 64) {
    feedback.classified = TRUE;
    feedback.link_errors = take (input, 1);
    feedback.congestion_p = take (input, 1) / 256.0;
  }
  if (what & 16 && handover & 128) {
    fuzz->reports_ecn = TRUE;
    fuzz->ecn.highest_seq =
        (uint16_t) (gst_tfrc_rtp_stream_get_numbers (
                        gst_tfrc_send_media_get_rtp (
                            gst_tfrc_send_session_get_media (fuzz->session), GST_TFRC_RTP_MEDIA))
                        .first_seq
            - take (input, 1));
    fuzz->ecn.ect0 += take (input, 1);
    fuzz->ecn.not_ect += take (input, 1);
    fuzz->ecn.ce_marks += take (input, 1);
    fuzz->ecn.ect1 -= take (input, 1) & 1;
    fuzz->ecn.flags = TFRC_WIRE_STATE_ECN;
    state = fuzz->ecn;
  }
  state.feedback_number = feedback.number = fuzz->number;
  state.loss_events = feedback.loss_events = fuzz->loss_events;
  if (what & 32)
    state.packets_lost = take (input, 4);
  receive (fuzz, from, buffer,
      tfrc_wire_write_feedback (buffer, what & 64 ? take (input, 1) : 7,
          gst_tfrc_rtp_stream_get_numbers (
              gst_tfrc_send_media_get_rtp (
                  gst_tfrc_send_session_get_media (fuzz->session), GST_TFRC_RTP_MEDIA))
              .ssrc,
          &feedback, what & 128 ? NULL : &state));
}

static void
give_report (Fuzz *fuzz, unsigned from, Input *input)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { 0 };

  rtcp.sender_ssrc = take (input, 1) & 1 ? 7 : 8;
  rtcp.has_report = TRUE;
  rtcp.report.ssrc = gst_tfrc_rtp_stream_get_numbers (
      gst_tfrc_send_media_get_rtp (
          gst_tfrc_send_session_get_media (fuzz->session), GST_TFRC_RTP_MEDIA))
                         .ssrc;
  receive (fuzz, from, buffer, tfrc_wire_write_receiver_report (buffer, &rtcp, "fuzz"));
}

static void
give_response (Fuzz *fuzz, unsigned from, unsigned what)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES];

  /* the challenge to this address, to another address, or to none */
  memcpy (data, fuzz->challenges[what & 8 ? what % N_ADDRESSES : from], sizeof data);
  if (what & 16)
    data[7] ^= 1;
  if (memcmp (data, fuzz->challenges[from], sizeof data) == 0)
    fuzz->answered[from] = TRUE;
  receive (fuzz, from, buffer, tfrc_wire_write_path_response (buffer, 7, data));
}

static void
give_bytes (Fuzz *fuzz, unsigned from, Input *input)
{
  guint8 buffer[255];
  gsize size = take (input, 1);

  for (gsize i = 0; i < size; i++)
    buffer[i] = take (input, 1);
  receive (fuzz, from, buffer, size);
}

static void
say_bye (Fuzz *fuzz, unsigned from)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];

  receive (fuzz, from, buffer, tfrc_wire_write_bye (buffer, 7, "fuzz"));
}

static void
wait_until (Fuzz *fuzz, guint64 time)
{
  if (time != G_MAXUINT64 && time > fuzz->now)
    fuzz->now = time;
}

/* Sends data and gives feedback for about one round-trip time. */
static void
go_on (Fuzz *fuzz, Input *input)
{
  for (unsigned i = 0; i < 4; i++) {
    wait_until (fuzz,
        gst_tfrc_rate_control_next_send_ns (
            gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (fuzz->session))));
    send_data (fuzz, SEGMENT, fuzz->now);
    serve (fuzz);
  }
  fuzz->now += 50 * SECOND / 1000;
  give_feedback (fuzz, take (input, 1) % N_ADDRESSES, input);
}

static void
set_limits (Fuzz *fuzz, Input *input)
{
  fuzz->min_bps = take (input, 5);
  fuzz->max_bps = take (input, 5);
  if (fuzz->max_bps > 0 && fuzz->max_bps < fuzz->min_bps)
    fuzz->min_bps = fuzz->max_bps;
  gst_tfrc_rate_control_set_limits (
      gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (fuzz->session)),
      fuzz->min_bps, fuzz->max_bps);
}

static void
event (Fuzz *fuzz, Input *input)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  unsigned what = take (input, 1), from = what / 12 % N_ADDRESSES;

  switch (what % 12) {
    case 0:
      fuzz->now += take_duration (input);
      break;
    case 1:
      send_data (fuzz, take (input, 3), fuzz->now - take (input, 2));
      break;
    case 2:
      go_on (fuzz, input);
      break;
    case 3:
      give_feedback (fuzz, from, input);
      break;
    case 4:
      give_report (fuzz, from, input);
      break;
    case 5:
      give_response (fuzz, from, take (input, 1));
      break;
    case 6:
      say_bye (fuzz, from);
      break;
    case 7:
      give_bytes (fuzz, from, input);
      break;
    case 8:
      wait_until (fuzz, gst_tfrc_send_session_next_timer (fuzz->session).due_ns);
      serve (fuzz);
      break;
    case 9:
      set_limits (fuzz, input);
      break;
    case 10:
      CHECK (gst_tfrc_send_session_write_bye (fuzz->session, buffer) <= sizeof buffer);
      break;
    case 11:
      serve (fuzz);
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { 0 };

  random_state = 1;
  fuzz.pool = gst_tfrc_packet_pool_new ();
  gst_tfrc_outgoing_pool_init (&fuzz.entries, NULL, NULL);
  fuzz.now = 1000 * SECOND;
  if (start (&fuzz, &input)) {
    while (input.size > 0) {
      event (&fuzz, &input);
      check (&fuzz);
    }
  }
  gst_tfrc_send_session_free (fuzz.session);
  gst_tfrc_outgoing_pool_clear (&fuzz.entries);
  gst_tfrc_packet_pool_free (fuzz.pool);
  gst_tfrc_events_clear (&fuzz.waiting);
  return 0;
}
