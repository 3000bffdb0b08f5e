/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are the sender's although they have another SSRC, payload type or port than its movie.
 *
 * - *Repairs* (RFC 4588): payload type 97, and the SSRC behind the movie's. A sender that does not know TFRC
 *   may also send the old packet again with that SSRC and nothing else changed, as RIST does (VSF TR-06-1
 *   section 5.3.2).
 * - *Forward error correction* (SMPTE ST 2022-1): payload type 96, and the SSRC behind the movie's; of a sender
 *   that does not know TFRC the movie's, or 0.
 * - *RTCP of the repairs* in compounds of its own, as rtpsession sends it.
 * - *RTCP from another port*, of a sender that does not know TFRC and does not multiplex (RFC 3550 section 11):
 *   RTCP to this sender goes there.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_PEERPACKETS_H
#define GST_TFRC_PEERPACKETS_H

#include "../io/addressfilter.h"
#include "intake.h"

G_BEGIN_DECLS

/** For peerpackets.c alone; all zero has heard no RTCP. */
typedef struct
{
  GstTfrcAddress
      rtcp; /* where the sender's RTCP has come from; "no address": none has, or it knows TFRC */
} GstTfrcPeerPackets;

typedef enum
{
  GST_TFRC_DATA_OF_NOBODY, /**< nothing that can be played */
  GST_TFRC_DATA_MOVIE, /**< the sender's or a stranger's; also a repair that TFRC counts, and FEC */
  GST_TFRC_DATA_PLAIN_REPAIR /**< the sender's, which does not know TFRC */
} GstTfrcDataKind;

/** Reads what a data packet is. The header of a repair gets the SSRC and the number of the original; the payload
 * type tells that it is a repair. That of FEC gets the movie's SSRC.
 * @param intake of the sender */
GstTfrcDataKind gst_tfrc_peer_packets_read_data (
    const GstTfrcIntake *intake, const GstTfrcReceivedPacket *packet, TfrcWireData *header);

/** Reads whose an RTCP compound is. One of the sender that comes from another port gets the address of its data,
 * and one of its repairs the movie's SSRC and nothing else, as they have no clock and no end that matter.
 * @param filter whose packets are taken
 * @return FALSE: nobody needs it */
gboolean gst_tfrc_peer_packets_read_rtcp (GstTfrcPeerPackets *self, const GstTfrcIntake *intake,
    const GstTfrcAddressFilter *filter, GstTfrcReceivedPacket *packet, TfrcWireRtcp *rtcp);

/** Another sender takes the place of this one. */
void gst_tfrc_peer_packets_begin (GstTfrcPeerPackets *self);

/** Returns where RTCP to a sender without TFRC goes; NULL: to where its data comes from. */
const GstTfrcAddress *gst_tfrc_peer_packets_get_rtcp (const GstTfrcPeerPackets *self);

G_END_DECLS
#endif
