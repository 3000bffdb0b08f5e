/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes a receiver's flow (gst/flow/receiveflow.h) with the selection of its peer, as a port calls
 * it.  Senders at several addresses, with and without TFRC, answer challenges or ignore them.  They
 * send data, reports, BYEs and challenges of their own.  streamchecks.h has the invariants. */
#include "initgst.h"
#include "streamsetup.h"

#define TS_PACKET_BYTES 188

/* ---- incoming packets --------------------------------------------------- */

static void
take_packet (Sender *from, const guint8 *bytes, gsize size, unsigned local)

{
  gboolean stays = is_to_stay (), is_new = FALSE;
  guint8 *copy = g_memdup2 (bytes, size); /* exact size, so that ASan detects a read past the end */
  GstTfrcReceivedPacket packet = { 0 };

  packet.data = copy;
  packet.size = size;
  packet.from = &from->address;
  packet.local = make_address (local);
  packet.read_ns = fuzz.now;
  packet.arrival_ns = fuzz.now - fuzz.behind;
  packet.arrival_wall_ns = packet.arrival_ns + fuzz.wall_offset;
  from->packets++;
  from->bytes += size;
  fuzz.base->klass->on_datagrams (fuzz.base, &packet, 1, fuzz.now);
  is_new = take_events (gst_tfrc_receive_flow_get_events (fuzz.flow), GST_TFRC_EVENT_SENDER);
  fuzz.probe_reasons += is_new;
  CHECK (!is_new
      || !gst_tfrc_reception_has_ended (
          gst_tfrc_intake_get_reception (gst_tfrc_receive_flow_get_intake (fuzz.flow))));
  check_still_there (stays);
  g_free (copy);
}

static gboolean
knows (const Sender *sender, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  for (unsigned i = 0; i < MIN (sender->n_known, KNOWN_CHALLENGES); i++)
    if (memcmp (sender->known[i], data, TFRC_WIRE_PATH_DATA_BYTES) == 0)
      return TRUE;
  return FALSE;
}

static void
respond (Sender *from, guint32 ssrc, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])

{
  guint8 buffer[TFRC_WIRE_MIN_PATH_BYTES];

  from->answered = from->answered || knows (from, data);
  take_packet (from, buffer, tfrc_wire_write_path_response (buffer, ssrc, data), 2);
}

static void
serve_once (void)
{
  GstTfrcReception *reception;
  gboolean stays = is_to_stay ();

  fuzz.base->klass->on_time (fuzz.base, fuzz.now);
  fuzz.probe_reasons += take_events (
      gst_tfrc_receive_flow_get_events (fuzz.flow), GST_TFRC_EVENT_SENDER);
  check_still_there (stays);
  pump ();
  reception = gst_tfrc_intake_get_reception (gst_tfrc_receive_flow_get_intake (fuzz.flow));
  if (reception)
    gst_tfrc_reception_log_handover (reception, fuzz.now);
}

/* All packets that have come are read now. */
static void
serve (void)
{
  unsigned rounds = 0;

  fuzz.late = FALSE;
  fuzz.behind = 0;
  do {
    CHECK (rounds++ < MAX_ROUNDS);
    serve_once ();
    if (fuzz.honest && fuzz.challenged) {
      Sender *honest = &fuzz.senders[0];

      for (unsigned i = 0; i < MIN (honest->n_known, KNOWN_CHALLENGES); i++)
        respond (honest, FIRST_SSRC, honest->known[i]);
    }
    fuzz.challenged = FALSE;
  } while (fuzz.base->klass->deadline (fuzz.base) <= fuzz.now);
}

static void
come (Sender *from, const guint8 *bytes, gsize size, unsigned local)

{
  take_packet (from, bytes, size, local);
  if (!fuzz.late)
    serve ();
}

static void
send_data (Sender *from, unsigned who, guint16 seq)
{
  guint8 packet[TFRC_WIRE_MAX_HEADER_BYTES + 2 * TS_PACKET_BYTES] = { 0 };
  gsize size;

  fuzz.header.transport_seq = seq;
  fuzz.header.seq = (guint16) (seq + (fuzz.header.has_transport_seq ? fuzz.rtp_ahead : 0));
  fuzz.header.ssrc = FIRST_SSRC + (who >> 3 & 3);
  from->seqs[who >> 3 & 3] = seq;
  size = tfrc_wire_write_data (packet, &fuzz.header);
  if (who & 32) { /* plain RTP: no header extension */
    packet[0] &= 0xef;
    size = 12;
  }
  packet[size] = 0x47;
  come (from, packet, size + (who & 64 ? 2 : 1) * TS_PACKET_BYTES, who & 128 ? 4 : 2);
}

/* ---- events -------------------------------------------------------------- */

/* A byte selects the sender: its address, its SSRC, and flags whose meaning depends on the
 * event. */
static Sender *
take_sender (Input *input, unsigned *who)
{
  *who = take (input, 1);
  return &fuzz.senders[(*who & 7) % N_SENDERS];
}

static void
wait (guint64 until)
{
  if (fuzz.late)
    serve ();
  if (until > fuzz.now)
    fuzz.now = until;
}

/* The next packet comes @duration later. */
static void
step (guint64 duration)
{
  if (fuzz.behind >= duration) {
    fuzz.behind -= duration;
    return;
  }
  wait (fuzz.now + duration);
}

static void
receive_data (Input *input)
{
  unsigned who;
  Sender *from = take_sender (input, &who);

  for (unsigned n = take (input, 1); n > 0; n--) {
    step (SECOND / 1000);
    fuzz.header.send_time_us += 1000;
    fuzz.header.timestamp += 90;
    send_data (from, who, from->seqs[who >> 3 & 3] + 1);
  }
}

static void
receive_jump (Input *input)
{
  unsigned who;
  Sender *from = take_sender (input, &who);

  send_data (from, who, from->seqs[who >> 3 & 3] + take (input, 2));
}

static void
describe (Input *input)
{
  TfrcWireData *header = &fuzz.header;
  unsigned what = take (input, 1);

  if (what & 1)
    header->rtt_us = take (input, 3);
  if (what & 2)
    header->send_time_us = take (input, 4);
  header->has_flags = (what & 4) != 0;
  if (header->has_flags)
    header->flags = take (input, 1);
  if (what & 8)
    fuzz.wall_offset += take_duration (input);
  header->has_transport_seq = (what & 16) != 0;
  if (header->has_transport_seq)
    fuzz.rtp_ahead = take (input, 2);
}

static void
receive_rtcp (Input *input, unsigned kind)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES] = { 0 };
  TfrcWireRtcp rtcp = { 0 };
  unsigned who;
  Sender *from = take_sender (input, &who);
  gsize size;

  rtcp.sender_ssrc = FIRST_SSRC + (who >> 3 & 3);
  rtcp.sr_ntp = (fuzz.now / SECOND + UINT64_C (2208988800)) << 32;
  rtcp.sr_timestamp = fuzz.header.timestamp;
  rtcp.clock_send_time_us = fuzz.header.send_time_us;
  if (kind == 4)
    size = tfrc_wire_write_sender_report (buffer, &rtcp, "fuzz");
  else if (kind == 5)
    size = tfrc_wire_write_bye (buffer, rtcp.sender_ssrc, "fuzz");
  else
    size = tfrc_wire_write_path_challenge (
        buffer, TFRC_WIRE_MIN_PATH_BYTES, rtcp.sender_ssrc, buffer);
  come (from, buffer, size, 2);
}

/* A response to a challenge to this sender, to a challenge to another sender, or with other
 * bytes */
static void
receive_response (Input *input)
{
  guint8 data[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };
  unsigned who, which;
  Sender *from = take_sender (input, &who), *asked = from;

  which = take (input, 1);
  if (who & 32)
    asked = &fuzz.senders[which >> 3 & 3];
  if (fuzz.honest && asked == &fuzz.senders[0])
    asked = &fuzz.senders[1];
  memcpy (data, asked->known[which & 7], sizeof data);
  if (who & 64)
    data[which >> 5]++;
  respond (from, FIRST_SSRC + (who >> 3 & 3), data);
  if (!fuzz.late)
    serve ();
}

/* Any bytes but a response: a random response might match a challenge that was not sent. */
static void
receive_raw (Input *input)
{
  guint8 bytes[64];
  unsigned who, n;
  Sender *from = take_sender (input, &who);
  TfrcWireRtcp rtcp;

  n = take (input, 1) % sizeof bytes;
  for (unsigned i = 0; i < n; i++)
    bytes[i] = take (input, 1);
  if (tfrc_wire_parse_rtcp (bytes, n, 0, &rtcp) == TFRC_WIRE_OK && rtcp.has_response)
    return;
  come (from, bytes, n, 2);
}

static void
change_path (Input *input)
{
  GstTfrcLocalPath path = { 0 };
  unsigned what = take (input, 1);

  if (what & 1)
    path.local = make_address (what & 2 ? 4 : 2);
  gst_tfrc_intake_start_handover (gst_tfrc_receive_flow_get_intake (fuzz.flow), &path,
      gst_tfrc_intake_get_reception (gst_tfrc_receive_flow_get_intake (fuzz.flow)) ? take (input, 5)
                                                                                   : 0,
      what & 4, fuzz.now);
  serve ();
}

static void
pop (void)
{
  GstTfrcReorder *queue = gst_tfrc_intake_get_queue (gst_tfrc_receive_flow_get_intake (fuzz.flow));
  GstTfrcReceiveFlowStats stats;
  GstTfrcReorderItem item;

  while (gst_tfrc_reorder_pop (queue, fuzz.now, &item)) {
    CHECK (item.stream != fuzz.last.stream || item.seq > fuzz.last.seq);
    fuzz.last = item;
    gst_buffer_unref (item.data);
  }
  gst_tfrc_receive_flow_get_stats (fuzz.flow, &stats);
  CHECK (stats.has_sender
      == (gst_tfrc_intake_get_reception (gst_tfrc_receive_flow_get_intake (fuzz.flow)) != NULL));
}

static void
stall (guint64 duration)
{
  if (fuzz.late)
    serve (); /* packets that were read together are served at once */
  fuzz.late = TRUE;
  fuzz.behind = duration;
  fuzz.now += duration;
}

static void
event (Input *input)
{
  guint64 next = fuzz.base->klass->deadline (fuzz.base);
  unsigned kind = take (input, 1) % 13;

  switch (kind) {
    case 0:
      wait (fuzz.now + take_duration (input));
      break;
    case 1:
      wait (next == G_MAXUINT64 ? fuzz.now : next);
      serve ();
      break;
    case 2:
      receive_data (input);
      break;
    case 3:
      receive_jump (input);
      break;
    case 4:
    case 5:
    case 6:
      receive_rtcp (input, kind);
      break;
    case 7:
      receive_response (input);
      break;
    case 8:
      receive_raw (input);
      break;
    case 9:
      describe (input);
      break;
    case 10:
      stall (take_duration (input));
      break;
    case 11:
      change_path (input);
      break;
    case 12:
      pop ();
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };

  init_gstreamer ();
  random_state = 1;
  memset (&fuzz, 0, sizeof fuzz);
  start (take (&input, 1));
  serve ();
  while (input.size > 0) {
    event (&input);
    check ();
  }
  stop ();
  return 0;
}
