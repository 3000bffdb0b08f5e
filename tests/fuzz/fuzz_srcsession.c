/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the receiver's session with its reorder queue (gst/flow/reception.h, reorder.h):
 * valid and invalid data, reports and challenges.  The packets that the session writes can be
 * parsed, and their fields are in range.  A deadline lies in the future after it was served.
 * Every packet leaves the queue once, in order. */
#include "sessionevents.h"
#include "gst/queue/reorder.h"
#include "gst/flow/reception.h"

#define OWN_SSRC 7
#define SSRC 9

typedef struct
{
  GstTfrcReception *session;
  GstTfrcEvents waiting; /* for the application */
  GstTfrcReorder *queue;
  GstTfrcAddress addresses[N_ADDRESSES];
  TfrcWireData header; /* of the next packet */
  uint16_t rtp_ahead;  /* RTP number less transport number, in packets that have both */
  guint64 now, wall_offset;
  guint8 path_id;
  gboolean is_separate; /* a packet with a transport number has been used */
  guint64 pushed, popped;
  GstTfrcReorderItem last; /* the last item popped */
} Fuzz;

static guint64 freed;

static void
count_freed (gpointer data)
{
  freed++;
}

static gboolean
start (Fuzz *fuzz, Input *input)
{
  TfrcReceiverConfig config;
  unsigned what = take (input, 1);

  tfrc_receiver_config_init (&config);
  if (what & 1)
    config.history_length = take (input, 1);
  if (what & 2)
    config.handover_mode = take (input, 1);
  if (what & 32) {
    unsigned choices = take (input, 1);

    config.loss_interval_method = (TfrcLossIntervalMethod) (choices & 7);
    config.loss_classifier = (TfrcLossClassifier) (choices >> 3 & 7);
  }
  for (unsigned i = 0; i < N_ADDRESSES; i++)
    fuzz->addresses[i] = make_address (i);
  freed = 0;
  fuzz->queue = gst_tfrc_reorder_new (what & 4 ? take_duration (input) : SECOND / 5,
      what & 8 ? take_duration (input) : 0, count_freed);
  fuzz->session = gst_tfrc_reception_new (&fuzz->addresses[0], SSRC, &config, &fuzz->waiting);
  return fuzz->session != NULL;
}

static void
check (const Fuzz *fuzz)
{
  GstTfrcReceptionStats stats;
  const GstTfrcDelays *delays = &stats.delays;

  gst_tfrc_reception_get_stats (fuzz->session, &stats);
  CHECK (gst_tfrc_reorder_length (fuzz->queue) <= GST_TFRC_REORDER_MAX_PACKETS);
  CHECK (fuzz->pushed == fuzz->popped + freed + gst_tfrc_reorder_length (fuzz->queue));
  CHECK (
      delays->network.count == delays->iptd.count && delays->network.count <= delays->sender.count);
  CHECK (delays->network.max_ns <= 120 * SECOND);
  CHECK (isfinite (stats.jitter_ns) && stats.jitter_ns >= 0);
}

static GstTfrcReceivedPacket
received (const Fuzz *fuzz)
{
  GstTfrcReceivedPacket packet = { 0 };

  packet.from = &fuzz->addresses[0];
  packet.local = fuzz->addresses[2];
  packet.arrival_ns = fuzz->now;
  packet.arrival_wall_ns = fuzz->now + fuzz->wall_offset;
  return packet;
}

static void
receive_data (Fuzz *fuzz, uint16_t seq, unsigned ecn)
{
  GstTfrcReceivedPacket packet = received (fuzz);
  const GstTfrcRtpPlace *place;
  TfrcArrival arrival;

  packet.ecn = ecn & TFRC_ECN_FIELD_CE;
  packet.has_ecn = TRUE;
  fuzz->header.transport_seq = seq;
  fuzz->header.seq = (uint16_t) (seq + (fuzz->header.has_transport_seq ? fuzz->rtp_ahead : 0));
  if (!gst_tfrc_reception_on_data (fuzz->session, &fuzz->header, &packet, fuzz->path_id, &arrival))
    return;
  fuzz->is_separate = fuzz->is_separate || fuzz->header.has_transport_seq;
  if (arrival.kind == TFRC_ARRIVAL_RESTART)
    gst_tfrc_reorder_restart (fuzz->queue);
  place = gst_tfrc_reception_get_rtp_place (fuzz->session);
  CHECK (!place->is_used || (guint16) place->seq == fuzz->header.seq);
  CHECK (fuzz->is_separate || place->seq == arrival.seq);
  CHECK (gst_tfrc_reception_get_due_ns (fuzz->session) <= fuzz->now);
  if (place->is_used) {
    fuzz->pushed++;
    gst_tfrc_reorder_push (
        fuzz->queue, place->seq, fuzz->now, gst_tfrc_reception_get_due_ns (fuzz->session), NULL);
  }
  if (fuzz->path_id != gst_tfrc_reception_get_path_id (fuzz->session))
    gst_tfrc_reception_handover_failed (fuzz->session, fuzz->now);
}

static void
describe (Fuzz *fuzz, Input *input)
{
  TfrcWireData *header = &fuzz->header;
  unsigned what = take (input, 1);

  header->has_rtt_sendts = !(what & 1);
  if (what & 2)
    header->rtt_us = take (input, 3);
  if (what & 4)
    header->send_time_us = take (input, 4);
  if (what & 8)
    header->timestamp = take (input, 4);
  if (what & 16)
    header->payload_bytes = take (input, 2);
  header->has_flags = (what & 32) != 0;
  if (header->has_flags)
    header->flags = take (input, 1);
  if (what & 64)
    fuzz->path_id = take (input, 1);
  header->has_transport_seq = header->has_rtt_sendts && what & 128;
  if (header->has_transport_seq)
    fuzz->rtp_ahead = take (input, 2);
}

static void
receive_rtcp (Fuzz *fuzz, Input *input)
{
  TfrcWireRtcp rtcp = { 0 };
  unsigned what = take (input, 1);

  rtcp.sender_ssrc = SSRC;
  rtcp.has_sr = !(what & 1);
  rtcp.sr_ntp = what & 2 ? take (input, 8) : (fuzz->now / SECOND + UINT64_C (2208988800)) << 32;
  rtcp.sr_timestamp = what & 4 ? take (input, 4) : fuzz->header.timestamp;
  rtcp.has_clock = !(what & 8);
  rtcp.clock_send_time_us = what & 16 ? take (input, 4) : fuzz->header.send_time_us;
  rtcp.has_bye = (what & 0xe0) == 0xe0;
  gst_tfrc_reception_on_rtcp (fuzz->session, &rtcp, fuzz->now);
}

static void
receive_challenge (Fuzz *fuzz, unsigned what)
{
  GstTfrcReceivedPacket packet = received (fuzz);
  TfrcWireRtcp rtcp = { 0 };

  rtcp.sender_ssrc = SSRC;
  rtcp.has_challenge = TRUE;
  rtcp.challenge[0] = what;
  packet.size = TFRC_WIRE_MIN_PATH_BYTES;
  gst_tfrc_reception_on_challenge (fuzz->session, &rtcp, &packet);
}

static void
serve (Fuzz *fuzz)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp;
  GstTfrcLocalPath path;
  gsize size;
  unsigned i;

  for (i = 0;
       (size = gst_tfrc_reception_write (fuzz->session, OWN_SSRC, "fuzz", fuzz->now, buffer)) > 0;
       i++) {
    CHECK (i < MAX_ROUNDS && size <= sizeof buffer);
    CHECK (tfrc_wire_parse_rtcp (buffer, size, SSRC, &rtcp) == TFRC_WIRE_OK);
    CHECK (rtcp.sender_ssrc == OWN_SSRC);
    CHECK (!rtcp.has_feedback
        || (rtcp.media_ssrc == SSRC && rtcp.feedback.p >= 0 && rtcp.feedback.p <= 1));
  }
  while ((size = gst_tfrc_reception_write_response (fuzz->session, OWN_SSRC, &path, buffer)) > 0)
    CHECK (size == TFRC_WIRE_MIN_PATH_BYTES);
  CHECK (!gst_tfrc_reception_owes_response (fuzz->session));
  CHECK (gst_tfrc_reception_next_ns (fuzz->session) > fuzz->now);
  gst_tfrc_reception_log_handover (fuzz->session, fuzz->now);
  take_events (&fuzz->waiting, GST_TFRC_EVENT_HANDOVER);
}

static void
pop (Fuzz *fuzz)
{
  guint64 ready = gst_tfrc_reorder_ready_ns (fuzz->queue);
  GstTfrcReorderItem item;

  while (gst_tfrc_reorder_pop (fuzz->queue, fuzz->now, &item)) {
    CHECK (ready <= fuzz->now);
    CHECK (fuzz->popped == 0 || item.stream != fuzz->last.stream
        || item.seq == fuzz->last.seq + 1 + item.skipped);
    CHECK (fuzz->popped == 0 || item.due_ns >= fuzz->last.due_ns);
    fuzz->popped++;
    fuzz->last = item;
    ready = gst_tfrc_reorder_ready_ns (fuzz->queue);
  }
  CHECK (ready > fuzz->now);
}

static void
event (Fuzz *fuzz, Input *input)
{
  unsigned what = take (input, 1);
  guint16 next = fuzz->header.seq + 1;
  guint64 time;

  switch (what % 12) {
    case 0:
      fuzz->now += take_duration (input);
      break;
    case 1: /* in order, a little apart */
      for (unsigned n = take (input, 1); n > 0; n--) {
        fuzz->now += SECOND / 1000;
        fuzz->header.send_time_us += 1000;
        fuzz->header.timestamp += 90;
        receive_data (fuzz, fuzz->header.seq + 1, 0);
      }
      break;
    case 2: /* after a loss */
      receive_data (fuzz, next + take (input, 1), what / 12 & 3);
      break;
    case 3: /* late, then the sequence goes on */
      receive_data (fuzz, next - take (input, 1), 0);
      fuzz->header.seq = next - 1;
      break;
    case 4:
      receive_data (fuzz, take (input, 2), 0);
      break;
    case 5:
      describe (fuzz, input);
      break;
    case 6:
      receive_rtcp (fuzz, input);
      break;
    case 7:
      receive_challenge (fuzz, take (input, 1));
      break;
    case 8:
      time = gst_tfrc_reception_next_ns (fuzz->session);
      if (time != G_MAXUINT64 && time > fuzz->now)
        fuzz->now = time;
      serve (fuzz);
      break;
    case 9:
      gst_tfrc_reception_start_handover (
          fuzz->session, take (input, 1), take (input, 5), what / 12 & 1, fuzz->now);
      break;
    case 10:
      fuzz->wall_offset += what / 12 & 1 ? take_duration (input) : -take_duration (input);
      break;
    case 11:
      pop (fuzz);
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  Fuzz fuzz = { 0 };

  random_state = 1;
  if (!start (&fuzz, &input)) {
    gst_tfrc_reorder_free (fuzz.queue);
    return 0;
  }
  fuzz.now = 1000 * SECOND;
  fuzz.header.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  fuzz.header.ssrc = SSRC;
  fuzz.header.has_rtt_sendts = TRUE;
  fuzz.header.rtt_us = 50000;
  fuzz.header.header_bytes = TFRC_WIRE_HEADER_BYTES;
  fuzz.header.payload_bytes = 1316;
  while (input.size > 0) {
    event (&fuzz, &input);
    check (&fuzz);
  }
  gst_tfrc_reorder_free (fuzz.queue);
  CHECK (fuzz.pushed == fuzz.popped + freed);
  gst_tfrc_reception_free (fuzz.session);
  gst_tfrc_events_clear (&fuzz.waiting);
  return 0;
}
