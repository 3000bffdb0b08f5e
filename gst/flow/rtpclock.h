/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of a movie at the receiver: maps RTP time stamps to the monotonic clock of this host.
 *
 * The RTP time stamp of a packet is the time at which the packet was due at the sender
 * (docs/wire-format.md).  The result for a packet is when the packet would have arrived if the packet
 * had left when due, and had been as fast as the fastest packets of the last seconds.  So neither
 * the wait in the sender nor jitter shows in the results.  In a pipeline, the results are time
 * stamps.
 *
 * - The *transit* of a packet is its arrival less its wait in the sender, as far as known, less its
 *   RTP time.  The two clocks have no common zero.
 * - The *offset* is what has to be added to RTP time.  The offset follows the least transit of the
 *   last 5 to 10 s by at most 10 ms in a second.
 * - The *level* keeps the offset from rising with a queue that stays full for longer than that: TFRC
 *   beside a short queue, or beside TCP, may not see the queue empty for minutes.  The level is the
 *   least transit that two windows have seen, and rises by 0.2 ms in a second, as clocks that drift
 *   may need.  The level rises at once as far as it takes to leave the player half of its playout delay,
 *   the *slack*: a transit that is longer than that and stays is another route.
 * - The clock starts again at a packet that comes more than 1 s earlier or 10 s later than the
 *   offset allows, after an hour of silence, and when all transits of a window are longer by more
 *   than 1 s, and by more than the slack.
 *
 * The minimum over a window is the idea of "Real Time Clock Skew Estimation over Network Delays"
 * (Fober, Orlarey, Letz, 2005), which GStreamer's rtpjitterbuffer follows as well.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_RTPCLOCK_H
#define GST_TFRC_RTPCLOCK_H

#include <glib.h>

G_BEGIN_DECLS

/** Length of a window.  A transit counts for one to two windows. */
#define GST_TFRC_RTP_CLOCK_WINDOW_NS (5 * G_GUINT64_CONSTANT (1000000000))

/** The offset moves by the time that has passed, divided by this number, at most. */
#define GST_TFRC_RTP_CLOCK_SLOPE 100

/** The level rises by the time that has passed, divided by this number: two crystals of 100 ppm, the
 * least exact ones that hosts have, drift apart as fast. */
#define GST_TFRC_RTP_CLOCK_DRIFT 5000

/** A packet that comes earlier than the offset allows by more than this starts the clock again. */
#define GST_TFRC_RTP_CLOCK_MAX_EARLY_NS G_GINT64_CONSTANT (1000000000)

/** A packet whose transit is longer than the offset by more than this starts the clock again. */
#define GST_TFRC_RTP_CLOCK_MAX_LATE_NS (10 * G_GINT64_CONSTANT (1000000000))

/** Silence for longer than this starts the clock again, long before differences of RTP time stamps
 * are ambiguous (6.6 h). */
#define GST_TFRC_RTP_CLOCK_MAX_SILENCE_NS (3600 * G_GUINT64_CONSTANT (1000000000))

/** All zero is a clock that has not begun. */
typedef struct
{
  gboolean has_begun;
  guint32 timestamp;  /* of the last packet that something was learnt from */
  gint64 ticks;       /* the same without wraps, in units of 1/90000 s */
  guint64 arrival_ns; /* the newest one */
  gint64 offset_ns;
  guint64 window_ns;  /* when the current window began */
  gint64 least_ns[2]; /* transits in the current window and in the one before; G_MAXINT64: none */
  gint64 level_ns;    /* that the offset does not rise above; G_MAXINT64: not known */
  gint64 slack_ns;
  gint64 early_ns;  /* how long before it is due a packet may come */
  gint64 excess_ns; /* of the last packet's transit over the offset */
  guint64 restarts;
} GstTfrcRtpClock;

/** A data packet has come.
 * @param timestamp RTP time stamp in units of 1/90000 s; wraps
 * @param held_ns how long the packet has waited in the sender after it was due; below 0: it left before
 *   that; 0 if that is not known
 * @param arrival_ns on the monotonic clock of this host
 * @return when the packet was due, on the monotonic clock of this host, see above; at most
 *   @a arrival_ns, unless gst_tfrc_rtp_clock_allow_early() has been called */
guint64 gst_tfrc_rtp_clock_on_packet (
    GstTfrcRtpClock *clock, guint32 timestamp, gint64 held_ns, guint64 arrival_ns);

/** Returns the same for a packet from which nothing is learnt: it is not known when it left, or others have brought it
 * back.
 * @param arrival_ns of the packet, or of the last of these */
guint64 gst_tfrc_rtp_clock_get_due_ns (
    const GstTfrcRtpClock *clock, guint32 timestamp, guint64 arrival_ns);

/** From now on packets may come this long before they are due, or as long as was allowed before.  A packet
 * that comes earlier by more than another GST_TFRC_RTP_CLOCK_MAX_EARLY_NS, which the offset may be wrong by,
 * counts as due that much after its arrival. */
void gst_tfrc_rtp_clock_allow_early (GstTfrcRtpClock *clock, guint64 early_ns);

/** Returns by how much the last packet's transit was longer than the clock allows; below 0: shorter. */
gint64 gst_tfrc_rtp_clock_get_excess_ns (const GstTfrcRtpClock *clock);

/** Sets the slack: a transit that stays longer than before by up to this time is a queue, and the player
 * has time for it.  0, as at first: none is. */
void gst_tfrc_rtp_clock_set_slack_ns (GstTfrcRtpClock *clock, guint64 slack_ns);

/** The next packets come over another path: forgets the transits of the path before.  The offset
 * moves to the least transit of the new path as slowly as ever. */
void gst_tfrc_rtp_clock_change_path (GstTfrcRtpClock *clock);

/** Returns how often the clock has started again. */
guint64 gst_tfrc_rtp_clock_get_restarts (const GstTfrcRtpClock *clock);

G_END_DECLS
#endif
