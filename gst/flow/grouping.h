/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grouping: the packets of a fast stream leave several at a time.
 *
 * A wake-up of a thread costs more than sending ten packets, and a group of packets hardly more than
 * one (gst/io/segmentation.h).  RFC 5348 (4.6) expects senders whose clock is coarse: what becomes due
 * until a wake-up leaves then, and no rate is lost, as credit grows meanwhile, for a millisecond at
 * least. */
#ifndef GST_TFRC_GROUPING_H
#define GST_TFRC_GROUPING_H

#include "../queue/packet.h"

G_BEGIN_DECLS

/** The rate from which on packets leave in groups, in byte/s: four packets of full size in 1 ms.  A
 * slower stream seldom has as many packets due, and a group that leaves after a pause would count as
 * one packet in a queue that counts packets. */
#define GST_TFRC_GROUPING_FROM_BPS (4.0 * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES * 1000)

/** The shortest time between two wake-ups of a fast stream.  The kernel's TCP sends about a
 * millisecond of data at a time. */
#define GST_TFRC_GROUPING_INTERVAL_NS G_GUINT64_CONSTANT (500000)

/** Returns whether a stream with this rate, in byte/s, sends in groups. */
gboolean gst_tfrc_grouping_is_worth (gdouble rate_Bps);

/** Returns when a packet is to leave that may leave at @a next_ns (monotonic time; G_MAXUINT64: never)
 * at the earliest: then, or at a fast stream's next wake-up, which is less than
 * GST_TFRC_GROUPING_INTERVAL_NS later. */
guint64 gst_tfrc_grouping_time_ns (guint64 next_ns, gdouble rate_Bps);

G_END_DECLS
#endif
