/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media that a flow sends: its RTP streams (rtpstream.h), TFRC (ratecontrol.h), and the TTL
 * (adaptivettl.h) and the ECN field (<tfrc/ecn.h>) of its packets.
 *
 * No socket, no lock and no clock. */
#ifndef GST_TFRC_SENDMEDIA_H
#define GST_TFRC_SENDMEDIA_H

#include <tfrc/ecn.h>

#include "adaptivettl.h"
#include "ratecontrol.h"
#include "rtpstream.h"

G_BEGIN_DECLS

typedef struct
{
  GstTfrcSinkRateConfig rate;
  GstTfrcTransportSeqUse transport_seq;
  GstTfrcAdaptiveTtlConfig adaptive_ttl; /**< has passed gst_tfrc_adaptive_ttl_check() */
  guint ttl;    /**< the TTL of the socket that packets leave from; 0: unknown */
  gboolean ecn; /**< packets carry ECT(0) where receiver and path can use it */
  GstTfrcRtpStreamConfig streams[GST_TFRC_RTP_STREAMS];
} GstTfrcSendMediaConfig;

/** For sendmedia.c alone */
typedef struct
{
  GstTfrcRtpStream streams[GST_TFRC_RTP_STREAMS];
  GstTfrcRateControl control;
  GstTfrcAdaptiveTtl ttl;
  TfrcEcn *ecn; /* NULL: not wanted */
  guint64 last_packet_ns;
} GstTfrcSendMedia;

/** Zero-initialise @a self before.
 * @return FALSE if TFRC refuses the configuration, or the system has no random numbers or no memory;
 *   clear it all the same */
gboolean gst_tfrc_send_media_init (GstTfrcSendMedia *self, const GstTfrcSendMediaConfig *config);
void gst_tfrc_send_media_clear (GstTfrcSendMedia *self);

/** Return the parts; the ECN is NULL if it is not wanted.
 * @param stream GST_TFRC_RTP_MEDIA, ...; a stream of the configuration */
GstTfrcRtpStream *gst_tfrc_send_media_get_rtp (GstTfrcSendMedia *self, guint stream);
GstTfrcRateControl *gst_tfrc_send_media_get_control (GstTfrcSendMedia *self);
GstTfrcAdaptiveTtl *gst_tfrc_send_media_get_ttl (GstTfrcSendMedia *self);
TfrcEcn *gst_tfrc_send_media_get_ecn (GstTfrcSendMedia *self);

typedef enum
{
  GST_TFRC_PREPARED, /**< the datagram is to be sealed and to leave now */
  GST_TFRC_TOO_EARLY /**< TFRC does not allow a packet yet; nothing has changed */
} GstTfrcPrepareResult;

/** Makes a packet ready to leave now: gives it a number of its RTP stream and writes the header, which
 * has the due time as the RTP time stamp.
 *
 * Two numbers count separately. TFRC counts what leaves: each prepared packet gets the next
 * transport sequence number. RTP counts the packets of a stream: a packet that has an RTP sequence
 * number from an earlier call keeps that number.
 *
 * A sealed packet is ready: the packet leaves as the same bytes, with the numbers that were sealed.
 * TFRC is not asked again.
 *
 * @param data the numbers that TFRC gives, if the packet was not sealed
 * @param begins set to TRUE if the packet is the first of its SSRC; otherwise not changed */
GstTfrcPrepareResult gst_tfrc_send_media_prepare (GstTfrcSendMedia *self, GstTfrcOutgoing *outgoing,
    guint64 now_ns, TfrcData *data, gboolean *begins);

/** Takes back a prepared packet that did not leave. Packets are taken back in the reverse order of
 * their preparation, before other packets are prepared.
 *
 * The numbers of a packet without protection become free for the next packet that is prepared. The
 * numbers of a sealed packet stay the packet's own: a key must not be used twice with one number.
 * If the sealed packet is dropped, its numbers are burnt. */
void gst_tfrc_send_media_take_back (GstTfrcSendMedia *self, GstTfrcOutgoing *outgoing);

/** Writes the sender report that is due, of all streams that have sent packets.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if none is due */
gsize gst_tfrc_send_media_write_report (GstTfrcSendMedia *self, guint64 now_ns, guint8 *buffer);

/** Writes the BYE of these streams. There are no more reports until data is sent.
 * @param buffer TFRC_WIRE_MAX_RTCP_BYTES
 * @return its size; 0 if no data has been sent */
gsize gst_tfrc_send_media_write_bye (GstTfrcSendMedia *self, guint8 *buffer);

/** Feedback of TFRC has come.
 * @param counts_anew its counters cannot be compared with earlier ones
 * @return FALSE if TFRC refuses the feedback; nothing has changed */
gboolean gst_tfrc_send_media_on_feedback (
    GstTfrcSendMedia *self, const TfrcWireRtcp *rtcp, gboolean counts_anew, guint64 now_ns);

/** Has nothing left for so long that the age of the last packet has wrapped in feedback, whose times have 32 bits (71.6
 * min)? TFRC refuses such feedback. */
gboolean gst_tfrc_send_media_has_age_wrapped (const GstTfrcSendMedia *self, guint64 now_ns);

/** Packets go to another address now.
 * @param is_new_path to another host, and no handover has announced it
 * @param rtt_ns R there; 0: unknown */
void gst_tfrc_send_media_on_moved (
    GstTfrcSendMedia *self, gboolean is_new_path, guint64 rtt_ns, guint64 now_ns);

/** Serves TFRC's timers. */
void gst_tfrc_send_media_on_time (GstTfrcSendMedia *self, guint64 now_ns);

/** Returns the rate at which packets leave in bit/s once there has been feedback to estimate X from; 0
 * before. */
guint64 gst_tfrc_send_media_get_bitrate (const GstTfrcSendMedia *self);

G_END_DECLS
#endif
