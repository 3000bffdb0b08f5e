/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver of plain RTP, with RTCP on a port of its own. The tests do what a port does, in virtual time. */
#ifndef PLAINTEST_H
#define PLAINTEST_H

#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/flow/receiveflow.h"
#include "gst/flow/udpts.h"
#include "testnet.h"

#define MS GST_MSECOND
#define S GST_SECOND
#define OWN_SSRC 0xfeedbac4
#define SSRC 0x12345678
#define TS_BYTES 188
#define INTERVAL (20 * MS) /* of packets */
#define LATENCY (1000 * MS)
#define FIRST_SEQ 65500 /* wraps in the tests */

static GstTfrcReceiveFlow *flow;
static guint64 now;
static GstTfrcAddress sender, rtcp_port;
static guint32 movie_ssrc;
static gboolean keep_listening;
static guint n_sent; /* packets of the movie, lost ones among them */
static guint
    picture_lead; /* every fourth packet is of a picture that is shown so many packets later */

/* what has left */
static guint n_compounds, n_requests, n_byes, n_key_units;
static guint16 asked_for; /* the first number of the last request */
static GstTfrcAddress sent_to;
static gboolean by_rtcp_port;
static guint64 asked_ns, longest_pause_ns;

static guint n_played;
static guint16 last_played;
static TfrcWireData played; /* the packet that was played last, as RTP output has it */
static gboolean in_order;

static inline guint64
wall_ns (void)
{
  return now;
}

static inline void
begin (gboolean accept_udp_ts)
{
  static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 1 };
  GstTfrcReceiveFlowConfig config = {
    .limits = { .window_ns = LATENCY, .max_time_ns = 5 * S, .repairs = TRUE },
    .accept_udp_ts = accept_udp_ts,
    .keep_listening = keep_listening,
    .ssrc = OWN_SSRC,
    .cname = "test",
    .secret = secret,
    .wall_ns = wall_ns
  };

  now = 1000 * S;
  sender = test_address ("192.0.2.1", 5004);
  rtcp_port = test_address ("192.0.2.1", 5005);
  tfrc_receiver_config_init (&config.receiver);
  flow = gst_tfrc_receive_flow_new (&config, now);
  movie_ssrc = SSRC;
  n_sent = n_compounds = n_requests = n_byes = n_key_units = n_played = 0;
  asked_ns = longest_pause_ns = 0;
  in_order = TRUE;
}

static inline void
setup (void)
{
  keep_listening = FALSE;
  picture_lead = 0;
  begin (FALSE);
}

static inline void
teardown (void)
{
  gst_tfrc_receive_flow_free (flow);
}

/* ---- what leaves -------------------------------------------------------------------- */

/* A request comes behind a report and a CNAME (RFC 3550 section 6.1). */
static inline void
note_request (const GstTfrcDatagram *datagram)
{
  const guint8 *fci;
  gsize bytes;

  fail_unless_equals_int (datagram->data[1], 201);
  fail_unless_equals_int (datagram->data[8 + 1], 202);
  fail_unless (tfrc_wire_find_nack (datagram->data, datagram->size, movie_ssrc, 0, &fci, &bytes));
  fail_unless_equals_int (tfrc_wire_read_nack (fci, bytes, &asked_for, 1), 1);
  if (asked_ns > 0)
    longest_pause_ns = MAX (longest_pause_ns, now - asked_ns);
  asked_ns = now;
  n_requests++;
}

static inline void
note (const GstTfrcDatagram *datagram)
{
  TfrcWireRtcp rtcp;

  fail_unless_equals_int (
      tfrc_wire_parse_rtcp (datagram->data, datagram->size, SSRC, &rtcp), TFRC_WIRE_OK);
  fail_if (rtcp.has_feedback || rtcp.has_state);
  if (rtcp.has_challenge)
    return;
  n_compounds++;
  n_byes += rtcp.has_bye;
  n_key_units += rtcp.plis;
  sent_to = datagram->to;
  by_rtcp_port = datagram->by_rtcp_port;
  if (rtcp.nacks > 0)
    note_request (datagram);
}

static inline void
pump (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcPolled polled;

  for (;;) {
    gst_tfrc_polled_init (&polled);
    base->klass->poll (base, now, &polled);
    if (polled.n == 0)
      return;
    for (guint i = 0; i < polled.n; i++)
      note (&polled.datagrams[i]);
    base->klass->on_sent (base, &polled, now);
  }
}

static inline void
read_played (GstBuffer *packet)
{
  GstMapInfo map;

  gst_buffer_map (packet, &map, GST_MAP_READ);
  fail_unless_equals_int (tfrc_wire_parse_data (map.data, map.size, &played), TFRC_WIRE_OK);
  gst_buffer_unmap (packet, &map);
}

static inline void
play (void)
{
  GstTfrcReorderItem item;

  while (gst_tfrc_intake_pop (gst_tfrc_receive_flow_get_intake (flow), now, &item, 1) > 0) {
    in_order = in_order && (n_played == 0 || (guint16) item.seq == (guint16) (last_played + 1));
    last_played = (guint16) item.seq;
    n_played++;
    read_played (item.data);
    gst_buffer_unref (item.data);
  }
}

/* ---- what comes --------------------------------------------------------------------- */

static inline void
serve (void)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  const gchar *broken;

  base->klass->on_time (base, now);
  pump ();
  play ();
  broken = gst_tfrc_receive_flow_check (flow);
  fail_unless (broken == NULL, "%s", broken);
}

static inline void
arrive (const GstTfrcAddress *from, guint8 *data, gsize size)
{
  GstTfrcFlow *base = gst_tfrc_receive_flow_base (flow);
  GstTfrcReceivedPacket packet = { .data = data,
    .size = size,
    .from = from,
    .local = test_address ("192.0.2.2", 0),
    .arrival_ns = now,
    .read_ns = now };

  base->klass->on_datagrams (base, &packet, 1, now);
  serve ();
}

/* Plain RTP with one packet of a transport stream */
static inline void
rtp_arrives (guint8 payload_type, guint32 ssrc, guint16 seq, guint32 number, gboolean has_original)
{
  guint8 data[14 + TS_BYTES] = { 0x80, payload_type };
  guint shown = number % 4 == 0 ? number + picture_lead : number;
  gsize at = 12;

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 4, (guint32) (shown * (INTERVAL / MS) * 90));
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  if (has_original) {
    GST_WRITE_UINT16_BE (data + at, (guint16) (FIRST_SEQ + number));
    at += 2;
  }
  data[at] = 0x47;
  arrive (&sender, data, at + TS_BYTES);
}

static inline void
wait_for (guint64 duration_ns)
{
  for (guint64 end_ns = now + duration_ns; now < end_ns; now += MS)
    serve ();
}

/* Sends packets, of which some are lost. */
static inline void
send_packets (guint n, guint lost_every)
{
  for (guint i = 0; i < n; i++) {
    if (lost_every == 0 || i % lost_every != lost_every - 1)
      rtp_arrives (
          TFRC_WIRE_PAYLOAD_TYPE, movie_ssrc, (guint16) (FIRST_SEQ + n_sent), n_sent, FALSE);
    n_sent++;
    wait_for (INTERVAL);
  }
}

static inline void
report_arrives (const GstTfrcAddress *from, guint32 ssrc)
{
  const TfrcWireRtcp sr = { .sender_ssrc = ssrc, .sr_ntp = G_GUINT64_CONSTANT (1) << 40 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];

  arrive (from, packet, tfrc_wire_write_sender_report (packet, &sr, "sender"));
}

static inline GstTfrcReceiveFlowStats
stats (void)
{
  GstTfrcReceiveFlowStats now_stats;

  gst_tfrc_receive_flow_get_stats (flow, &now_stats);
  return now_stats;
}

static inline void
assert_sent_to_rtcp_port (void)
{
  fail_unless (gst_tfrc_address_equal (&sent_to, &rtcp_port));
  fail_unless (by_rtcp_port);
}

#endif
