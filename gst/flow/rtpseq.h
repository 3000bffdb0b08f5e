/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's RTP sequence numbers, extended to 64 bits, for a stream that has transport
 * sequence numbers beside them (docs/wire-format.md, element 3).
 *
 * TFRC decides by the transport sequence number which packets are used; without the element that is
 * the RTP sequence number. The order of the movie follows from the RTP sequence number alone: a
 * packet that is sent again has its old RTP number and a new transport number.
 *
 * The transport number also bounds the RTP number. A sender gives each new RTP number to a packet
 * with a new transport number. So from one packet to a later one the RTP number cannot rise by more
 * than the transport number does. A packet whose RTP number does is not used: it would make all
 * packets up to that number look late. */
#ifndef GST_TFRC_RTPSEQ_H
#define GST_TFRC_RTPSEQ_H

#include <glib.h>
#include <tfrc/wire.h>

G_BEGIN_DECLS

/** Extended numbers, those of the library as well, begin one wrap above 0, so that late packets have a place below the
 * first one. */
#define GST_TFRC_RTP_SEQ_ORIGIN G_GUINT64_CONSTANT (0x10000)

/** Returns an extended number as RTCP has it: the upper half counts wraps (RFC 3550 section 6.4.1). */
static inline guint32
gst_tfrc_rtp_seq_to_rtcp (guint64 extended)
{
  return (guint32) (extended - MIN (extended, GST_TFRC_RTP_SEQ_ORIGIN));
}

/** All zero is a sequence that has not begun. */
typedef struct
{
  gboolean has_begun;
  gboolean has_ended;   /* the sender has restarted, and no packet of the movie has come since */
  gboolean is_separate; /* a packet with a transport sequence number has come */
  guint64 highest;      /* extended RTP number */
  guint64 highest_transport; /* extended transport number of the packet with `highest' */
  gboolean is_suspect_known; /* the last packet that was TFRC_ARRIVAL_SUSPECT was of the movie */
  guint16 suspect;           /* its RTP number */
} GstTfrcRtpSeq;

/** The result of gst_tfrc_rtp_seq_on_packet() */
typedef struct
{
  gboolean
      is_used; /**< FALSE: a duplicate, or the number cannot be true, or is none of the movie */
  guint64 seq; /**< extended RTP number, if is_used */
  gboolean is_previous_used; /**< the suspect packet is confirmed */
  guint64 previous_seq;      /**< extended RTP number of that packet, if is_previous_used */
} GstTfrcRtpPlace;

/** Is the packet a repair? Its number is that of the packet that it repeats (receiveflow.c). */
static inline gboolean
gst_tfrc_rtp_is_repair (const TfrcWireData *header)
{
  return header->payload_type == TFRC_WIRE_REPAIR_PAYLOAD_TYPE;
}

/** Is the packet forward error correction? Its number is not the movie's. */
static inline gboolean
gst_tfrc_rtp_is_fec (const TfrcWireData *header)
{
  return header->payload_type == TFRC_WIRE_FEC_PAYLOAD_TYPE;
}

/** Is the packet new, and not what brings lost packets back? */
static inline gboolean
gst_tfrc_rtp_is_movie (const TfrcWireData *header)
{
  return !gst_tfrc_rtp_is_repair (header) && !gst_tfrc_rtp_is_fec (header);
}

/** Notes the RTP number of a packet that TFRC does not use yet. */
void gst_tfrc_rtp_seq_on_suspect (GstTfrcRtpSeq *self, const TfrcWireData *header);

/** Extends the RTP number of a packet that TFRC uses: @a arrival->kind is NEXT, LATE, DUPLICATE or
 * RESTART. As long as no packet has had a transport sequence number, the extended RTP number is the
 * library's extended number. */
void gst_tfrc_rtp_seq_on_packet (GstTfrcRtpSeq *self, const TfrcWireData *header,
    const TfrcArrival *arrival, GstTfrcRtpPlace *place);

/** Returns the highest RTP number so far, as RTCP has it. */
guint32 gst_tfrc_rtp_seq_get_highest (const GstTfrcRtpSeq *self);

G_END_DECLS
#endif
