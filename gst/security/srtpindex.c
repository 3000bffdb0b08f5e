/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streams of packets that one key protects, see srtpindex.h. */
#include "srtpindex.h"

GstTfrcSrtpStream
gst_tfrc_srtp_stream_of (guint32 ssrc, guint32 packet_ssrc)
{
  if (packet_ssrc == ssrc)
    return GST_TFRC_SRTP_MEDIA;
  return packet_ssrc == gst_tfrc_srtp_repair_ssrc (ssrc) ? GST_TFRC_SRTP_REPAIR
                                                         : GST_TFRC_SRTP_NO_STREAM;
}

GstTfrcSrtpStreams
gst_tfrc_srtp_streams (guint32 ssrc, gboolean has_repairs)
{
  const GstTfrcSrtpStreams streams = { ssrc, has_repairs };

  return streams;
}

guint32
gst_tfrc_srtp_streams_get_media (const GstTfrcSrtpStreams *streams)
{
  return streams->ssrc;
}

GstTfrcSrtpStream
gst_tfrc_srtp_streams_find (const GstTfrcSrtpStreams *streams, guint32 packet_ssrc)
{
  GstTfrcSrtpStream stream = gst_tfrc_srtp_stream_of (streams->ssrc, packet_ssrc);

  return stream == GST_TFRC_SRTP_REPAIR && !streams->has_repairs ? GST_TFRC_SRTP_NO_STREAM : stream;
}

guint64
gst_tfrc_srtp_index_guess_roc (const GstTfrcSrtpIndex *self, guint32 first_roc, guint16 seq)
{
  guint64 roc = self->furthest >> 16;
  guint16 furthest = (guint16) self->furthest;

  if (!self->is_known)
    return first_roc;
  /* RFC 3711 appendix A, and as libsrtp has it: no counter comes before 0. */
  if (furthest < 0x8000)
    return seq - furthest > 0x8000 && roc > 0 ? roc - 1 : roc;
  return furthest - 0x8000 > seq ? roc + 1 : roc;
}

guint64
gst_tfrc_srtp_index_next_roc (const GstTfrcSrtpIndex *self, guint32 first_roc)
{
  return self->is_known ? (self->furthest + 1) >> 16 : first_roc;
}

static void
advance (GstTfrcSrtpIndex *self, guint64 index)
{
  self->furthest = self->is_known ? MAX (self->furthest, index) : index;
  self->is_known = TRUE;
}

void
gst_tfrc_srtp_index_note (GstTfrcSrtpIndex *self, guint64 roc, guint16 seq)
{
  advance (self, roc << 16 | seq);
}

void
gst_tfrc_srtp_index_follow (GstTfrcSrtpIndex *self, const GstTfrcSrtpIndex *other)
{
  if (other->is_known)
    advance (self, other->furthest);
}
