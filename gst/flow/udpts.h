/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain transport streams over UDP, without RTP, as many encoders send them: a datagram gets an RTP header,
 * with numbers in the order of arrival and the time of arrival, so that the rest sees a sender of plain RTP.
 * Losses and changes of the order cannot be seen.
 *
 * The header proves nothing: any host could take the sender's place. So it is one address at a time, and the
 * next one when the sender has been silent. No lock and no clock. */
#ifndef GST_TFRC_UDPTS_H
#define GST_TFRC_UDPTS_H

#include "../io/addressfilter.h"
#include "../io/datagrams.h"

G_BEGIN_DECLS

/** The most payload: seven packets of the transport stream, which is what fits the MTU of Ethernet */
#define GST_TFRC_UDP_TS_MAX_BYTES (7 * 188)
#define GST_TFRC_UDP_TS_HEADER_BYTES 12

/** The silence after which another address may take over, as of a sender that has proved nothing */
#define GST_TFRC_UDP_TS_SILENCE_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** Packets that cannot be played before the application is told. A scan of ports sends one or two, and a stream
 * as many in a tenth of a second. */
#define GST_TFRC_OTHER_PACKETS 8

/** Packets that cannot be played and came before there was a stream */
typedef struct
{
  guint n; /**< GST_TFRC_OTHER_PACKETS at most */
  GstTfrcAddress from;
  gboolean is_ts; /**< they are a plain transport stream */
} GstTfrcOtherPackets;

/** For udpts.c alone, but `other' */
typedef struct
{
  GstTfrcOtherPackets other; /**< valid when the application is told */
  gboolean counts_others;
  gboolean accepts;
  const GstTfrcAddressFilter *senders;
  guint32 own_ssrc;
  GstTfrcAddress from;
  gboolean has_sender;
  guint64 heard_ns;
  guint32 ssrc;
  guint16 seq;
} GstTfrcUdpTs;

/** A datagram with its header. The packet points to the bytes. */
typedef struct
{
  GstTfrcReceivedPacket packet;
  guint8 bytes[GST_TFRC_UDP_TS_HEADER_BYTES + GST_TFRC_UDP_TS_MAX_BYTES];
} GstTfrcUdpTsPacket;

/** @param own_ssrc of this end, which no sender gets
 * @param senders whose packets count; lives as long as @a self
 * @param accepts whether plain transport streams are played at all */
void gst_tfrc_udp_ts_init (
    GstTfrcUdpTs *self, guint32 own_ssrc, const GstTfrcAddressFilter *senders, gboolean accepts);

/** Gives a datagram a header.
 * @return FALSE: plain transport streams are not played, or this is none, is too large, or comes from another
 *   address than the stream */
gboolean gst_tfrc_udp_ts_wrap (
    GstTfrcUdpTs *self, const GstTfrcReceivedPacket *datagram, GstTfrcUdpTsPacket *wrapped);

/** Counts a packet that cannot be played.
 * @return TRUE, once: the application is to be told, as somebody waits in vain for a picture */
gboolean gst_tfrc_udp_ts_count_other (GstTfrcUdpTs *self, const GstTfrcReceivedPacket *packet);

/** There is a stream: other packets do not matter any more. */
void gst_tfrc_udp_ts_end_count (GstTfrcUdpTs *self);

G_END_DECLS
#endif
