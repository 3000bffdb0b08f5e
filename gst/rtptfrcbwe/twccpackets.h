/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtpsession says of transport-wide feedback: the custom upstream event "RTPTWCCPackets", whose
 * field "packets" is an array of structures "RTPTWCCPacket", one for each packet:
 *
 * | field     | type    | meaning                                                                 |
 * |-----------|---------|-------------------------------------------------------------------------|
 * | seqnum    | uint    | transport sequence number                                               |
 * | local-ts  | uint64  | when rtpsession sent the packet, on the system clock; none: it did not  |
 * | remote-ts | uint64  | when the packet arrived, on the receiver's clock; none: it is lost      |
 * | size      | uint    | bytes of payload                                                        |
 * | lost      | boolean | the packet is lost                                                      |
 *
 * The receiver decides what seqnum, remote-ts and lost are, so that none of them is relied on. */
#ifndef GST_TFRC_TWCCPACKETS_H
#define GST_TFRC_TWCCPACKETS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** A packet that feedback is about */
typedef struct
{
  guint16 seq;
  guint16 size_bytes;
  gboolean arrived;
  guint64 sent_ns;    /**< on the system clock */
  guint64 arrival_ns; /**< on the receiver's clock; 0: it has not arrived */
} GstTfrcTwccPacket;

/** Is this the event of rtpsession? */
gboolean gst_tfrc_twcc_packets_is_event (GstEvent *event);

/** Reads the event. Entries of packets that were not sent, or are not as the table says, are left
 * out, and so is what comes after 8192 packets, which is more than any feedback has.
 * @return GstTfrcTwccPacket in the event's order; free with g_array_unref() */
GArray *gst_tfrc_twcc_packets_read (GstEvent *event);

G_END_DECLS
#endif
