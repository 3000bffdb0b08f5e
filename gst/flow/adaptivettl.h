/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TTL of a stream's packets that follows the length of the route: equation 11 of N. R. Reddy,
 * P. C. Reddy and M. Padmavathamma, "Efficient Traffic Engineering Strategies for Improving the
 * Performance of TCP Friendly Rate Control Protocol" (2018), section 3.3. "TTL" also stands for the
 * hop limit of IPv6.
 *
 * Terms:
 *
 * - The hops of a packet are the links that the packet crosses: one more than the routers that
 *   forward the packet, as traceroute counts. A packet that leaves with TTL s and arrives with TTL
 *   a has crossed s - a + 1 hops.
 * - TTL_est, the estimate, is the number of hops: the least TTL with which a packet arrives.
 * - A signal says that packets may have died on the way: ICMP "time exceeded", or silence of the
 *   receiver. After a signal, estimates of packets that left before the signal do not count: these
 *   packets have taken the old route.
 *
 * No socket, no lock and no clock. docs/decisions/io.md, "A TTL that follows the route", has the
 * reasons. */
#ifndef GST_TFRC_ADAPTIVETTL_H
#define GST_TFRC_ADAPTIVETTL_H

#include <gio/gio.h>

G_BEGIN_DECLS

/** The largest TTL (RFC 791, RFC 8200) */
#define GST_TFRC_MAX_TTL 255

/** Changes of the TTL that are remembered, so that an estimate uses the TTL with which its packet
 * left. Feedback about an older packet gives no estimate. */
#define GST_TFRC_TTL_CHANGES 16

typedef struct
{
  gboolean enabled; /**< FALSE: the TTL does not change, and only hops are counted */
  guint min, max;   /**< TTL_min and TTL_max, 1..GST_TFRC_MAX_TTL, min <= max */
  gdouble alpha;    /**< weight of the newer estimate, 0.5 <= alpha < 1 */
} GstTfrcAdaptiveTtlConfig;

/** Checks the ranges of a configuration. If the TTL is not to adapt, the ranges do not matter.
 * @return FALSE with @a error set (G_IO_ERROR_INVALID_ARGUMENT); the message names the properties
 *   of tfrcsink that are wrong, and their values */
gboolean gst_tfrc_adaptive_ttl_check (const GstTfrcAdaptiveTtlConfig *config, GError **error);

/** Computes equation 11, in whole hops and never below the two estimates:
 *
 *     TTL_rt  = alpha TTL_est(i) + (1 - alpha) TTL_est(i-1) + (TTL_est(i) - TTL_est(i-1))
 *     TTL_new = max (TTL_min, min (max (ceil (TTL_rt), TTL_est(i), TTL_est(i-1)), TTL_max))
 *
 * The inner maximum is not the paper's. On a route that has become shorter, TTL_rt is less than
 * TTL_est(i), and no packet would arrive. With TTL_est(i-1) in the maximum, the TTL falls when two
 * observations in a row are smaller: one forged observation costs no packet.
 * @param estimate TTL_est(i), 1..GST_TFRC_MAX_TTL
 * @param previous TTL_est(i-1), likewise; @a estimate if there is none
 * @param config which has passed gst_tfrc_adaptive_ttl_check()
 * @return TTL_new, 1..GST_TFRC_MAX_TTL */
guint gst_tfrc_ttl_equation (
    guint estimate, guint previous, const GstTfrcAdaptiveTtlConfig *config);

/** A TTL, and from which packet on the TTL was used */
typedef struct
{
  guint32 send_time_us; /* of that packet, on the sender's clock; wraps */
  guint8 ttl;
  guint signals; /* how many there had been */
} GstTfrcTtlChange;

/** The TTL of one stream. For adaptivettl.c and its tests alone. */
typedef struct
{
  GstTfrcAdaptiveTtlConfig config;
  gboolean is_protected; /* FALSE: the TTL never rises above start */
  guint start;           /* the TTL with which the stream began; 0: unknown */
  guint in_use;          /* by packets that leave from now on; 0: unknown */
  guint hops;            /* TTL_est(i); 0: unknown */
  guint32 observed_us;   /* if hops are known: the send time of their packet */
  gboolean has_sent;     /* a packet has left since the last feedback */
  gboolean was_capped;   /* the TTL would have risen above start */
  gboolean has_warned;   /* gst_tfrc_adaptive_ttl_take_warning() has told of it */
  guint signals;         /* that have changed the TTL, and restarts */

  GstTfrcTtlChange changes[GST_TFRC_TTL_CHANGES]; /* a ring */
  guint n_changes;                                /* that there were; the newest is the last */
} GstTfrcAdaptiveTtl;

/** Starts a stream.
 * @param config which has passed gst_tfrc_adaptive_ttl_check()
 * @param start the TTL that packets leave with now; 0: unknown, then nothing is counted and the TTL
 *   does not adapt
 * @param is_protected the stream has a GstTfrcProtector (rtpstream.h): a packet that strays into
 *   another network shows nothing there */
void gst_tfrc_adaptive_ttl_init (GstTfrcAdaptiveTtl *ttl, const GstTfrcAdaptiveTtlConfig *config,
    guint start, gboolean is_protected);

/** Begins afresh with this TTL, as for a new stream: the receiver has moved, or the application has
 * chosen another TTL. */
void gst_tfrc_adaptive_ttl_restart (GstTfrcAdaptiveTtl *ttl, guint start);

/** Returns the TTL for a packet that leaves now, to be told in the packet's header.
 * @param send_time_us of the packet; not before that of the last packet
 * @return 1..GST_TFRC_MAX_TTL; 0: the TTL of the socket, and the header tells no TTL */
guint8 gst_tfrc_adaptive_ttl_on_send (GstTfrcAdaptiveTtl *ttl, guint32 send_time_us);

/** Handles feedback that has passed all other checks. A TTL that cannot be true is ignored. Two
 * feedback packets about one data packet are one observation.
 * @param send_time_us of the packet that the feedback tells
 * @param seen the TTL of that packet on arrival; 0: not known */
void gst_tfrc_adaptive_ttl_on_feedback (GstTfrcAdaptiveTtl *ttl, guint32 send_time_us, guint8 seen);

/** Handles a signal: the TTL becomes TTL_max at once, if that is more. Without protection the TTL
 * becomes at most what the stream began with. */
void gst_tfrc_adaptive_ttl_on_signal (GstTfrcAdaptiveTtl *ttl);

/** The receiver is silent, or a router says that a packet has died. If packets have left since the
 * last feedback, that is a signal. */
void gst_tfrc_adaptive_ttl_on_silence (GstTfrcAdaptiveTtl *ttl);

/** The receiver has moved: the TTL begins afresh. */
void gst_tfrc_adaptive_ttl_on_new_path (GstTfrcAdaptiveTtl *ttl);

/** Handles feedback that announces a handover, in the place of gst_tfrc_adaptive_ttl_on_feedback(). The route over the
 * other link may be longer, and packets are on both: the TTL is at least that with which the stream began, and packets
 * that have left so far give no estimate. */
void gst_tfrc_adaptive_ttl_on_handover (GstTfrcAdaptiveTtl *ttl);

/** The application has given the socket this TTL. If that is another one, the TTL begins afresh. */
void gst_tfrc_adaptive_ttl_set_start (GstTfrcAdaptiveTtl *ttl, guint start);

/** Returns the TTL of packets that leave now; 0: unknown. */
guint gst_tfrc_adaptive_ttl_get (const GstTfrcAdaptiveTtl *ttl);

/** Returns that TTL for RTCP to the receiver; 0: the socket's. */
guint8 gst_tfrc_adaptive_ttl_get_for_rtcp (const GstTfrcAdaptiveTtl *ttl);

/** Returns the hops to the receiver; 0: unknown. */
guint gst_tfrc_adaptive_ttl_get_hops (const GstTfrcAdaptiveTtl *ttl);

/** Says whether packets leave with a larger TTL than the stream began with. */
gboolean gst_tfrc_adaptive_ttl_is_raised (const GstTfrcAdaptiveTtl *ttl);

/** Says once for each stream that the TTL stays at the TTL with which the stream began, because the
 * stream is not protected. */
gboolean gst_tfrc_adaptive_ttl_take_warning (GstTfrcAdaptiveTtl *ttl);

G_END_DECLS
#endif
