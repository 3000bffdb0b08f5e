/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One RTP stream that a flow sends, see rtpstream.h. */
#include "rtpstream.h"

#include <string.h>

#include "../common/random.h"

G_STATIC_ASSERT (GST_TFRC_RTP_STREAMS <= 1 + TFRC_WIRE_MAX_MORE_STREAMS);

#define S_NS G_GUINT64_CONSTANT (1000000000)

/* RFC 8083 asks for a report at least every 4 s. The difference is time to be late. Intervals are random between half
 * of this time and all of it (RFC 3550 section 6.2): streams that begin together would report together for ever. */
#define REPORT_INTERVAL_NS (39 * S_NS / 10)

/* The least time between a sender report and a report that the peer makes leave early */
#define HURRIED_REPORT_INTERVAL_NS S_NS

/* ---- life --------------------------------------------------------------- */

/* An even SSRC leaves the next one for repairs. */
static gboolean
draw_ssrc (guint32 *ssrc)
{
  gboolean ok = gst_tfrc_random_fill (ssrc, sizeof *ssrc);

  *ssrc &= ~1u;
  return ok;
}

static gboolean
draw_numbers (GstTfrcRtpNumbers *numbers)
{
  return draw_ssrc (&numbers->ssrc)
      && gst_tfrc_random_fill (&numbers->clock_offset_us, sizeof numbers->clock_offset_us)
      && gst_tfrc_random_fill (&numbers->first_seq, sizeof numbers->first_seq);
}

/* Without a first stream the CNAME is a new one. */
static gboolean
set_identity (GstTfrcRtpStream *self, const GstTfrcRtpStream *first)
{
  if (first == NULL)
    return gst_tfrc_random_cname (self->cname);
  memcpy (self->cname, first->cname, sizeof self->cname);
  self->clock_offset_us = first->clock_offset_us;
  return TRUE;
}

gboolean
gst_tfrc_rtp_stream_init (GstTfrcRtpStream *self, const GstTfrcRtpStreamConfig *config,
    GstTfrcTransportSeqUse transport_seq, const GstTfrcRtpStream *first, gboolean repairs)
{
  GstTfrcRtpNumbers numbers;

  memset (self, 0, sizeof *self);
  self->report_ns = G_MAXUINT64;
  self->transport_seq = transport_seq;
  self->protector = config->protector;
  self->repaired = repairs ? first : NULL;
  self->is_rist = repairs && config->rist && config->protector.protect == NULL;
  if (config->numbers)
    numbers = *config->numbers;
  else if (!draw_numbers (&numbers))
    return FALSE;
  self->ssrc = numbers.ssrc;
  self->report_random = config->report_seed ? config->report_seed : numbers.ssrc;
  self->clock_offset_us = numbers.clock_offset_us;
  self->next_seq = numbers.first_seq;
  return set_identity (self, first);
}

guint32
gst_tfrc_rtp_stream_get_ssrc (const GstTfrcRtpStream *self)
{
  return self->repaired ? TFRC_WIRE_REPAIR_SSRC (self->repaired->ssrc) : self->ssrc;
}

GstTfrcRtpNumbers
gst_tfrc_rtp_stream_get_numbers (const GstTfrcRtpStream *self)
{
  return (GstTfrcRtpNumbers){ self->ssrc, (guint32) self->clock_offset_us, self->next_seq };
}

const gchar *
gst_tfrc_rtp_stream_get_cname (const GstTfrcRtpStream *self)
{
  return self->cname;
}

const GstTfrcProtector *
gst_tfrc_rtp_stream_get_protector (const GstTfrcRtpStream *self)
{
  return &self->protector;
}

/* ---- beginning and end -------------------------------------------------- */

gboolean
gst_tfrc_rtp_stream_has_begun (const GstTfrcRtpStream *self)
{
  return self->report_ns != G_MAXUINT64;
}

gboolean
gst_tfrc_rtp_stream_has_ended (const GstTfrcRtpStream *self)
{
  return self->said_bye;
}

gboolean
gst_tfrc_rtp_stream_renew (GstTfrcRtpStream *self)
{
  if (!self->said_bye || self->is_renewed)
    return FALSE;
  if (!draw_ssrc (&self->ssrc))
    self->ssrc += 2;
  self->is_renewed = TRUE;
  return TRUE;
}

void
gst_tfrc_rtp_stream_begin (GstTfrcRtpStream *self, guint64 now_ns)
{
  gst_tfrc_rtp_stream_renew (self);
  self->report_ns = now_ns;
  self->said_bye = self->is_renewed = FALSE;
}

/* Finds the streams behind the first one that have sent packets: the others are nobody's business yet. */
static gsize
find_more (const GstTfrcRtpStream *streams, TfrcWireStream more[TFRC_WIRE_MAX_MORE_STREAMS])
{
  gsize n = 0;

  for (guint i = 1; i < GST_TFRC_RTP_STREAMS; i++)
    if (streams[i].packets > 0)
      more[n++] = (TfrcWireStream){ gst_tfrc_rtp_stream_get_ssrc (&streams[i]),
        (guint32) streams[i].packets, (guint32) streams[i].bytes };
  return n;
}

gsize
gst_tfrc_rtp_streams_write_bye (GstTfrcRtpStream *streams, guint8 *buffer)
{
  TfrcWireStream more[TFRC_WIRE_MAX_MORE_STREAMS];

  if (!gst_tfrc_rtp_stream_has_begun (streams))
    return 0;
  streams->said_bye = TRUE;
  return tfrc_wire_write_byes (
      buffer, streams->ssrc, more, find_more (streams, more), streams->cname);
}

/* ---- packets of data ---------------------------------------------------- */

/* Send times are the low 32 bits of the monotonic clock in microseconds plus a random offset. RTP
 * time stamps are the same clock in units of 90 kHz. */
static guint32
timestamp_of (const GstTfrcRtpStream *self, guint64 time_ns)
{
  return (guint32) ((time_ns / 1000 + self->clock_offset_us) * 9 / 100);
}

void
gst_tfrc_rtp_stream_number (GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing)
{
  outgoing->is_new = !outgoing->has_rtp_seq;
  if (outgoing->is_new)
    outgoing->rtp_seq = self->next_seq++;
  outgoing->has_rtp_seq = TRUE;
}

void
gst_tfrc_rtp_stream_count (GstTfrcRtpStream *self, const GstTfrcOutgoing *outgoing, gint packets)
{
  self->packets += (guint64) packets;
  self->bytes += (guint64) (packets * (gint64) gst_tfrc_outgoing_get_payload_bytes (outgoing));
}

void
gst_tfrc_rtp_stream_take_back (GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing)
{
  if (!outgoing->is_new)
    return;
  self->next_seq--;
  outgoing->has_rtp_seq = outgoing->is_new = FALSE;
}

/* Does it repair as RFC 4588 says? */
static gboolean
is_rtx (const GstTfrcRtpStream *self)
{
  return self->repaired && !self->is_rist;
}

/* Returns the size of the header. */
static gsize
put_header (GstTfrcOutgoing *outgoing, const TfrcWireData *wire, gboolean repairs)
{
  if (outgoing->is_fec)
    return tfrc_wire_write_fec (outgoing->header, wire, &outgoing->fec);
  return repairs ? tfrc_wire_write_repair (outgoing->header, wire, outgoing->original_seq)
                 : tfrc_wire_write_data (outgoing->header, wire);
}

static guint8
payload_type_of (const GstTfrcRtpStream *self, const GstTfrcOutgoing *outgoing)
{
  if (outgoing->is_fec)
    return TFRC_WIRE_FEC_PAYLOAD_TYPE;
  return is_rtx (self) ? TFRC_WIRE_REPAIR_PAYLOAD_TYPE : TFRC_WIRE_PAYLOAD_TYPE;
}

void
gst_tfrc_rtp_stream_restart_counts (GstTfrcRtpStream *self)
{
  self->packets = self->bytes = 0;
}

void
gst_tfrc_rtp_stream_write_header (
    const GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing, const TfrcData *data, guint8 ttl)
{
  TfrcWireData wire = { 0 };

  wire.payload_type = payload_type_of (self, outgoing);
  wire.seq = self->is_rist && !outgoing->is_fec ? outgoing->original_seq : outgoing->rtp_seq;
  wire.timestamp = timestamp_of (self, outgoing->due_ns);
  wire.ssrc = gst_tfrc_rtp_stream_get_ssrc (self);
  wire.has_transport_seq = self->repaired || self->transport_seq == GST_TFRC_TRANSPORT_SEQ_ALWAYS
      || data->seq != outgoing->rtp_seq;
  wire.ttl = outgoing->ttl = ttl;
  tfrc_wire_set_data (&wire, data);
  outgoing->header_bytes = (guint8) put_header (outgoing, &wire, is_rtx (self));
}

/* ---- sender reports ----------------------------------------------------- */

/* Returns the next number of a sequence that its first number determines: SplitMix with 32 bits and the finalizer of
 * MurmurHash3. Whoever knows the SSRC may know when reports leave. */
static guint32
next_random (GstTfrcRtpStream *self)
{
  guint32 bits = self->report_random += 0x9e3779b9;

  bits = (bits ^ bits >> 16) * 0x85ebca6b;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35;
  return bits ^ bits >> 16;
}

static guint64
draw_interval_ns (GstTfrcRtpStream *self)
{
  return REPORT_INTERVAL_NS / 2 + (next_random (self) * (REPORT_INTERVAL_NS / 2) >> 32);
}

guint64
gst_tfrc_rtp_stream_report_ns (const GstTfrcRtpStream *self)
{
  return self->said_bye ? G_MAXUINT64 : self->report_ns;
}

guint64
gst_tfrc_rtp_stream_hurry_report (GstTfrcRtpStream *self, guint64 now_ns)
{
  self->report_ns = MIN (
      self->report_ns, MAX (now_ns, self->report_sent_ns + HURRIED_REPORT_INTERVAL_NS));
  return self->report_ns;
}

gboolean
gst_tfrc_rtp_stream_may_report (const GstTfrcRtpStream *self, guint64 now_ns)
{
  return gst_tfrc_rtp_stream_has_begun (self)
      && now_ns >= self->report_sent_ns + HURRIED_REPORT_INTERVAL_NS;
}

gboolean
gst_tfrc_rtp_stream_take_report (GstTfrcRtpStream *self, guint64 now_ns)
{
  if (now_ns < gst_tfrc_rtp_stream_report_ns (self))
    return FALSE;
  self->report_ns = now_ns + draw_interval_ns (self);
  self->report_sent_ns = now_ns;
  return TRUE;
}

gsize
gst_tfrc_rtp_streams_write_report (const GstTfrcRtpStream *streams, guint64 ntp, guint64 now_ns,
    guint32 wire_time_us, guint8 *buffer)
{
  TfrcWireStream more[TFRC_WIRE_MAX_MORE_STREAMS];
  TfrcWireRtcp rtcp = { 0 };

  rtcp.sender_ssrc = streams->ssrc;
  rtcp.sr_ntp = ntp;
  rtcp.sr_timestamp = timestamp_of (streams, now_ns);
  rtcp.clock_send_time_us = wire_time_us;
  rtcp.sr_packets = (guint32) streams->packets;
  rtcp.sr_bytes = (guint32) streams->bytes;
  return tfrc_wire_write_sender_reports (
      buffer, &rtcp, more, find_more (streams, more), streams->cname);
}
