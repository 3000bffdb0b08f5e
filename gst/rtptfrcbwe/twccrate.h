/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate of a sender whose receiver sends transport-wide feedback and whose RTP stack has numbered
 * the packets: TFRC (RFC 5348 section 7, sender-based) over what the feedback says, and the estimate
 * for an encoder that follows from X.
 *
 * The packets that the program sends count for X. What feedback is about has its own numbers, send
 * times and sizes, so that packets count which the program does not see, such as those of FEC.
 *
 * No lock and no clock. Times are nanoseconds of one clock, and never go back. */
#ifndef GST_TFRC_TWCCRATE_H
#define GST_TFRC_TWCCRATE_H

#include "twccpackets.h"

G_BEGIN_DECLS

/** R counts as this long before feedback has said it (RFC 9002 section 6.2.2): X is the first rate until
 * then, and if nothing comes for 4 R, X halves. */
#define GST_TFRC_TWCC_INITIAL_RTT_NS (333 * G_GUINT64_CONSTANT (1000000))

typedef struct
{
  guint64 start_bitrate;            /**< bit/s, the first rate */
  guint64 min_bitrate, max_bitrate; /**< bit/s, at least 1; X stays between them */
  gboolean queue_guard; /**< while the path's queue grows, the estimate is at most what arrives */
} GstTfrcTwccRateConfig;

/** Opaque */
typedef struct _GstTfrcTwccRate GstTfrcTwccRate;

/** @return NULL: the minimum is above the maximum; free with gst_tfrc_twcc_rate_free() */
GstTfrcTwccRate *gst_tfrc_twcc_rate_new (const GstTfrcTwccRateConfig *config, guint64 now_ns);

/** NULL is allowed. */
void gst_tfrc_twcc_rate_free (GstTfrcTwccRate *self);

/** Changes the limits.
 * @return FALSE: the minimum is above the maximum, and nothing has changed */
gboolean gst_tfrc_twcc_rate_set_limits (
    GstTfrcTwccRate *self, guint64 min_bitrate, guint64 max_bitrate, guint64 now_ns);

/** A packet leaves.
 * @param size_bytes of payload */
void gst_tfrc_twcc_rate_on_sent (GstTfrcTwccRate *self, gsize size_bytes, guint64 now_ns);

/** Feedback has come.
 * @return FALSE: none of the packets was sent, or lately enough, and nothing has changed */
gboolean gst_tfrc_twcc_rate_on_packets (
    GstTfrcTwccRate *self, const GstTfrcTwccPacket *packets, gsize n, guint64 now_ns);

/** Serves the nofeedback timer, if it has expired (RFC 5348 section 4.4). */
void gst_tfrc_twcc_rate_on_time (GstTfrcTwccRate *self, guint64 now_ns);

/** Returns when gst_tfrc_twcc_rate_on_time() is to be called; G_MAXUINT64: never. */
guint64 gst_tfrc_twcc_rate_next_ns (const GstTfrcTwccRate *self);

/** Returns from when the next packet may leave at the rate X_inst; a time in the past: at once. */
guint64 gst_tfrc_twcc_rate_next_send_ns (const GstTfrcTwccRate *self);

/** Returns the rate that an encoder can be given now, in bit/s, see gst/flow/rateestimate.h. */
guint64 gst_tfrc_twcc_rate_get_estimate (GstTfrcTwccRate *self, guint64 now_ns);

/** Says whether the estimate is to be announced now, see gst_tfrc_rate_estimate_announce().
 * @return the estimate in bit/s; 0: nothing is to be announced */
guint64 gst_tfrc_twcc_rate_announce (GstTfrcTwccRate *self, guint64 now_ns);

/** Returns when gst_tfrc_twcc_rate_announce() is to be called, as gst_tfrc_rate_estimate_next_ns(). */
guint64 gst_tfrc_twcc_rate_announce_ns (const GstTfrcTwccRate *self);

G_END_DECLS
#endif
