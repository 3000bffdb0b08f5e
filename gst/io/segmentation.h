/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP segmentation offload (GSO) and its counterpart at the receiver (GRO).
 *
 * A group is several packets that pass through the kernel as one message: the packets follow one
 * another in memory, have one size, and the last one may be shorter.  The kernel or the interface cuts
 * the group into packets, each with an IP and a UDP header of its own.  A group costs little more than
 * one packet.  docs/decisions/io.md, "Groups of packets: segmentation offload", tells when packets
 * leave in groups. */
#ifndef GST_TFRC_SEGMENTATION_H
#define GST_TFRC_SEGMENTATION_H

#include "datagrams.h"

G_BEGIN_DECLS

/* <netinet/udp.h> of an older C library lacks these names of the kernel. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

/** Fewer packets leave one by one. */
#define GST_TFRC_GROUP_MIN_PACKETS 4

/** Bounds of a group that every kernel takes: Linux 4.18 allowed 64 packets, and IPv6 carries
 * this number of bytes of UDP payload. */
#define GST_TFRC_GROUP_MAX_PACKETS 64
#define GST_TFRC_GROUP_MAX_BYTES (65535 - 40 - 8)

/** Counts the packets at the beginning that can leave as one group.
 * @param n > 0
 * @return 1 or GST_TFRC_GROUP_MIN_PACKETS..GST_TFRC_GROUP_MAX_PACKETS */
guint gst_tfrc_segmentation_count (const GstTfrcSendItem *items, guint n);

/** Says whether packets may leave in groups from a socket.  The first call asks the system: a kernel
 * that does not know groups would send each group as one packet.  Any thread. */
gboolean gst_tfrc_segmentation_is_allowed (GstTfrcSegmentation *self, gint fd);

/** The system has refused a group, and has taken its packets one by one: no more groups leave.  Any
 * thread. */
void gst_tfrc_segmentation_refuse (GstTfrcSegmentation *self);

G_END_DECLS
#endif
