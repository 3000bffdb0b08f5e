/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of data that one key of a sender protects: two streams that differ by the SSRC, the
 * media and its repairs (RFC 4588), each with an index of its own (RFC 3711 section 3.3.1).
 *
 * The SSRC is a part of every nonce, so that packets of the two streams with the same index have
 * different ones (RFC 3711 section 4.1.1, RFC 7714 section 8.1).
 *
 * Plain values: no clock, no locks. */
#ifndef GST_TFRC_SRTPINDEX_H
#define GST_TFRC_SRTPINDEX_H

#include <glib.h>

G_BEGIN_DECLS

/* SSRCs that reports under one key may have.  A receiver has one, and takes another one if it clashes
 * (RFC 3550 section 8.2).  A context keeps a replay window for each that has had a right tag, so that
 * without a bound who has the keys could fill the sender's memory.  Reports with further ones are
 * forged. */
#define GST_TFRC_SRTP_REPORT_SSRCS 8

typedef enum
{
  GST_TFRC_SRTP_MEDIA,
  GST_TFRC_SRTP_REPAIR,
  GST_TFRC_SRTP_NO_STREAM /**< a packet of another SSRC */
} GstTfrcSrtpStream;

#define GST_TFRC_SRTP_STREAMS 2

/** Returns the SSRC of the repairs, as TFRC_WIRE_REPAIR_SSRC() does, of which this directory does not
 * know; @a ssrc itself if the media have no repairs. */
static inline guint32
gst_tfrc_srtp_repair_ssrc (guint32 ssrc)
{
  return ssrc | 1;
}

/** Returns which of the streams a packet is of.  A medium with an odd SSRC, which foreign and older
 * senders may have, has no repairs.
 * @param ssrc of the media
 * @param packet_ssrc in the packet */
GstTfrcSrtpStream gst_tfrc_srtp_stream_of (guint32 ssrc, guint32 packet_ssrc);

/** The streams of data that a context has.  For gst_tfrc_srtp_streams_find() alone. */
typedef struct
{
  guint32 ssrc; /* of the media */
  gboolean has_repairs;
} GstTfrcSrtpStreams;

/** @param ssrc of the media
 * @param has_repairs the repairs of the media have a stream as well, unless the SSRC is odd */
GstTfrcSrtpStreams gst_tfrc_srtp_streams (guint32 ssrc, gboolean has_repairs);

/** Returns the SSRC of the media. */
guint32 gst_tfrc_srtp_streams_get_media (const GstTfrcSrtpStreams *streams);

/** Returns which of the streams a packet is of. */
GstTfrcSrtpStream gst_tfrc_srtp_streams_find (
    const GstTfrcSrtpStreams *streams, guint32 packet_ssrc);

/** The furthest packet of a stream.  A plain value, all zero at first: no packet.  For srtpindex.c
 * alone. */
typedef struct
{
  gboolean is_known;
  guint64 furthest; /* 48 bits: rollover counter and sequence number */
} GstTfrcSrtpIndex;

/** Returns the rollover counter of the packet with this number; 2^32 if all counters are used up.
 * @param first_roc of the first packet, if there was none yet */
guint64 gst_tfrc_srtp_index_guess_roc (
    const GstTfrcSrtpIndex *self, guint32 first_roc, guint16 seq);

/** Returns the rollover counter of the packet behind the furthest; 2^32 if all are used up. */
guint64 gst_tfrc_srtp_index_next_roc (const GstTfrcSrtpIndex *self, guint32 first_roc);

/** A packet has been protected or unprotected. */
void gst_tfrc_srtp_index_note (GstTfrcSrtpIndex *self, guint64 roc, guint16 seq);

/** Takes over how far the same stream has come elsewhere. */
void gst_tfrc_srtp_index_follow (GstTfrcSrtpIndex *self, const GstTfrcSrtpIndex *other);

G_END_DECLS
#endif
