/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One RTP stream that a flow sends: its SSRC, its numbers, the headers and the protection of its
 * packets, and when its sender reports and its BYE leave (RFC 3550).
 *
 * The streams of a flow have one clock and one CNAME (RFC 3550 section 6.5.1), but each counts and
 * protects its packets by itself.
 *
 * An SSRC that has said BYE is gone (RFC 3550 section 6.3.4): the data that follows is another
 * stream's, which gets another SSRC. The numbers go on.
 *
 * Of the movie the SSRC is even, if it is drawn here, and its repairs (RFC 4588) and its forward error correction
 * have the next one: both carry the movie once more, so one stream with one space of numbers does for them.
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_RTPSTREAM_H
#define GST_TFRC_RTPSTREAM_H

#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#include "../queue/outgoing.h"

G_BEGIN_DECLS

/** When a packet carries the transport sequence number (docs/wire-format.md, element 3) */
typedef enum
{
  GST_TFRC_TRANSPORT_SEQ_IF_DIFFERENT, /**< when the number is not the RTP sequence number: never,
                                          as long as each packet of the stream leaves once */
  GST_TFRC_TRANSPORT_SEQ_ALWAYS        /**< for a peer that asks for the element in every packet */
} GstTfrcTransportSeqUse;

/** The numbers that a stream begins with. They are random, so that no host can guess them. */
typedef struct
{
  guint32 ssrc;
  guint32 clock_offset_us; /**< from the monotonic clock to the times on the wire */
  guint16 first_seq;
} GstTfrcRtpNumbers;

/** Protects packets of data, as SRTP does (RFC 3711). protect() is called once for each packet, after the
 * header has been written, when the packet is about to leave.
 *
 * protect() changes the datagram of @a size bytes in place and may append up to
 * GST_TFRC_PACKET_TAIL_BYTES.
 * @return the size afterwards; 0: the packet cannot be protected, and is dropped */
typedef struct
{
  gsize (*protect) (gpointer user, guint8 *datagram, gsize size); /**< NULL: no protection */
  gpointer user;
} GstTfrcProtector;

typedef struct
{
  const GstTfrcRtpNumbers *numbers; /**< NULL: random ones */
  guint32 report_seed;              /**< of the times of reports; 0: the SSRC */
  GstTfrcProtector protector;       /**< of its own, since keys and numbers go by SSRC */
  gboolean
      rist; /**< repairs are the old packets with this SSRC (VSF TR-06-1 section 5.3.2); not with a
                    protector, as no number may be protected twice */
} GstTfrcRtpStreamConfig;

/** For rtpstream.c alone */
typedef struct GstTfrcRtpStream GstTfrcRtpStream;
struct GstTfrcRtpStream
{
  const GstTfrcRtpStream *repaired; /* whose packets this one repeats; NULL: none */
  guint32 ssrc;                     /* of a stream that repairs: not used */
  gboolean is_rist;                 /* it repairs in the way of RIST */
  gchar cname[24];
  guint64 clock_offset_us; /* between the monotonic clock and the times on the wire */
  guint16 next_seq;        /* of the next packet that has no number */
  GstTfrcTransportSeqUse transport_seq;
  GstTfrcProtector protector;
  guint64 packets, bytes; /* of payload, sent since data began or has begun anew */

  gboolean said_bye;
  gboolean is_renewed; /* the SSRC of the stream after the BYE has been drawn */
  guint64 report_ns;   /* when the next sender report is due; G_MAXUINT64: no data has left yet */
  guint64 report_sent_ns; /* when the last one left */
  guint32 report_random;  /* state of the generator of intervals between reports */
};

/** Starts a stream.
 * @param first the flow's first stream, whose clock and CNAME this one has; NULL: this is the first
 * @param repairs the stream repairs the first one, and has the SSRC behind its
 * @return FALSE if the system has no random numbers */
gboolean gst_tfrc_rtp_stream_init (GstTfrcRtpStream *self, const GstTfrcRtpStreamConfig *config,
    GstTfrcTransportSeqUse transport_seq, const GstTfrcRtpStream *first, gboolean repairs);

guint32 gst_tfrc_rtp_stream_get_ssrc (const GstTfrcRtpStream *self);

/** Returns the numbers of a stream that would begin now. */
GstTfrcRtpNumbers gst_tfrc_rtp_stream_get_numbers (const GstTfrcRtpStream *self);

const gchar *gst_tfrc_rtp_stream_get_cname (const GstTfrcRtpStream *self);

/** Returns how packets of the stream are protected. */
const GstTfrcProtector *gst_tfrc_rtp_stream_get_protector (const GstTfrcRtpStream *self);

/* ---- beginning and end -------------------------------------------------- */

/** Has data left since the start? */
gboolean gst_tfrc_rtp_stream_has_begun (const GstTfrcRtpStream *self);

/** Has this stream said BYE, and no data has left since? */
gboolean gst_tfrc_rtp_stream_has_ended (const GstTfrcRtpStream *self);

/** Data is about to leave: a stream that has said BYE gets its new SSRC. The system had random numbers
 * when the stream started; if it has none now, the next number is a new SSRC, too.
 * @return TRUE if the SSRC is another one now */
gboolean gst_tfrc_rtp_stream_renew (GstTfrcRtpStream *self);

/** The first packet of a stream leaves. A stream that has said BYE is renewed first. The first report
 * leaves with the packet, so that the receiver can measure delays from the start. */
void gst_tfrc_rtp_stream_begin (GstTfrcRtpStream *self, guint64 now_ns);

/** Writes a BYE of the first stream, and of the others that have sent packets. After the BYE there are no more
 * reports until data is sent.
 * @param streams the flow's, GST_TFRC_RTP_STREAMS; those that the flow does not have are zero
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if the first stream has not begun */
gsize gst_tfrc_rtp_streams_write_bye (GstTfrcRtpStream *streams, guint8 *buffer);

/* ---- packets of data ---------------------------------------------------- */

/** Gives a packet the next number if it has none. A packet keeps its number for its whole life. */
void gst_tfrc_rtp_stream_number (GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing);

/** Takes the number back that gst_tfrc_rtp_stream_number() has given last. */
void gst_tfrc_rtp_stream_take_back (GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing);

/** Counts a packet for the sender reports: 1; or takes that back: -1. */
void gst_tfrc_rtp_stream_count (
    GstTfrcRtpStream *self, const GstTfrcOutgoing *outgoing, gint packets);

/** Counts from 0 again: the SSRC is another one now. */
void gst_tfrc_rtp_stream_restart_counts (GstTfrcRtpStream *self);

/** Writes the header of a numbered packet, whose due_ns becomes the RTP time stamp.
 * @param data as TFRC has prepared the packet
 * @param ttl that the header tells, and that the packet leaves with; 0: none */
void gst_tfrc_rtp_stream_write_header (
    const GstTfrcRtpStream *self, GstTfrcOutgoing *outgoing, const TfrcData *data, guint8 ttl);

/* ---- sender reports ----------------------------------------------------- */

/** Returns when a report is due; G_MAXUINT64: there is none. */
guint64 gst_tfrc_rtp_stream_report_ns (const GstTfrcRtpStream *self);

/** Has the next report leave early, a second after the last one at the earliest.
 * @return when it leaves */
guint64 gst_tfrc_rtp_stream_hurry_report (GstTfrcRtpStream *self, guint64 now_ns);

/** May a report leave now at the earliest? Data has left, and the last report is a second old. */
gboolean gst_tfrc_rtp_stream_may_report (const GstTfrcRtpStream *self, guint64 now_ns);

/** Takes the report that is due: the next one is due an interval later.
 * @return FALSE if none is due */
gboolean gst_tfrc_rtp_stream_take_report (GstTfrcRtpStream *self, guint64 now_ns);

/** Writes a sender report of the first stream, and of the others that have sent packets.
 * @param streams as of gst_tfrc_rtp_streams_write_bye()
 * @param ntp the wall clock's time
 * @param now_ns the monotonic clock's time at the same moment
 * @param wire_time_us that time as TFRC tells times on the wire
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size */
gsize gst_tfrc_rtp_streams_write_report (const GstTfrcRtpStream *streams, guint64 ntp,
    guint64 now_ns, guint32 wire_time_us, guint8 *buffer);

G_END_DECLS
#endif
