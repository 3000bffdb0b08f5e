/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The IPTD at the receiver, with its two parts: the delay of the sender and the delay of the
 * network.
 *
 * A sender report says which RTP time stamp and which send time belong to one instant of the
 * sender's wall clock.  With the report, each data packet reports two times of the sender's wall
 * clock: when the packet was due (RTP time stamp) and when the packet left (send time).  The
 * receiver's wall clock shows when the packet arrived.
 *
 * The sender's delay is the time from due to sent; the receiver's clock does not matter for it.  A packet that
 * runs ahead leaves before it is due: its sender delay counts as 0, and its IPTD is what it comes late by, 0
 * at least.
 * The network's delay is the time from sent to arrived, if both wall clocks agree.  The clocks
 * agree if the smallest network delay is more than 0 and less than the smallest round-trip time.
 *
 * Both minima cover the last 10 to 20 s, so that the receiver notices a clock that drifts, and a
 * clock that was corrected.  When a wall clock is set, its offset to the monotonic clock of the
 * same host changes; then the minima start again at once. */
#ifndef GST_TFRC_DELAYS_H
#define GST_TFRC_DELAYS_H

#include "histogram.h"

G_BEGIN_DECLS

/** Length of a window.  A minimum counts for one to two windows. */
#define GST_TFRC_DELAYS_WINDOW_NS (10 * G_GUINT64_CONSTANT (1000000000))

/** No network delays a packet for longer than the maximum segment lifetime (RFC 9293).  A longer
 * delay is a difference of the clocks, and is not counted. */
#define GST_TFRC_DELAYS_MAX_NETWORK_NS (120 * G_GINT64_CONSTANT (1000000000))

/** The smallest values of one window */
typedef struct
{
  gint64 network_ns; /* on clocks that may differ; G_MAXINT64: none */
  guint64 rtt_ns;    /* 0: none */
} GstTfrcDelayMinima;

typedef struct
{
  gboolean mapped; /* an SR has come */
  guint64 sr_wall_ns;
  guint32 sr_timestamp;
  guint32 sr_send_time_us;

  guint64 window_ns;            /* when the current window began, monotonic */
  GstTfrcDelayMinima minima[2]; /* of the current window and of the one before */
  gboolean has_wall_offset;
  guint64 wall_offset_ns; /* wall clock minus monotonic clock of this host, modulo 2^64, at the last
                           * packet */
  GstTfrcHistogram sender;
  GstTfrcHistogram network; /* this and the next: while the clocks agreed */
  GstTfrcHistogram iptd;
} GstTfrcDelays;

void gst_tfrc_delays_init (GstTfrcDelays *delays);

/** A sender report has come.  The three times are of the same instant.
 * @param ntp wall clock of the sender, in NTP format
 * @param timestamp RTP time stamp
 * @param send_time_us send time, as in data packets; wraps */
void gst_tfrc_delays_on_sender_report (
    GstTfrcDelays *delays, guint64 ntp, guint32 timestamp, guint32 send_time_us);

/** A data packet has come.
 * @param rtt_us round-trip time in the packet; 0: unknown
 * @param arrival_ns on the monotonic clock of this host
 * @param arrival_wall_ns the same instant on the wall clock of this host */
void gst_tfrc_delays_on_data (GstTfrcDelays *delays, guint32 timestamp, guint32 send_time_us,
    guint32 rtt_us, guint64 arrival_ns, guint64 arrival_wall_ns);

/** Tells how long a packet has waited in the sender after it was due.
 * @param timestamp RTP time stamp
 * @param send_time_us send time of the packet; both wrap, and are compared with the last report
 * @param held_ns set to the time; below 0: the packet left before it was due
 * @return FALSE if no report has come; @a held_ns is then as it was */
gboolean gst_tfrc_delays_get_held_ns (
    const GstTfrcDelays *delays, guint32 timestamp, guint32 send_time_us, gint64 *held_ns);

/** Returns whether a report has come. */
gboolean gst_tfrc_delays_know_sender (const GstTfrcDelays *delays);

/** Returns whether the wall clocks of both ends agree now, as far as the packets show.  Clocks
 * that agree may differ by a round-trip time.  FALSE if @a delays is all zero.  The histograms
 * `network' and `iptd' hold only what was measured while the clocks agreed. */
gboolean gst_tfrc_delays_clocks_agree (const GstTfrcDelays *delays);

G_END_DECLS
#endif
