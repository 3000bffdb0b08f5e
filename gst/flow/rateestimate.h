/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate that an encoder can be given: follows the rate that can be sent, without the steps that
 * an encoder cannot follow.
 *
 * The rate that can be sent changes with each feedback packet, in slow start by a factor of two.
 * The estimate falls fast, because what an encoder makes beyond the rate has to wait or be dropped,
 * and rises slowly, because a rate that rises for a moment is of no use:
 *  - Downwards: of the distance to the rate, 63 % are gone after FALL_NS (exponential).
 *  - Upwards: at most by the factor RISE_PER_S in a second.
 *  - The first rate of all is taken as it is.
 * Between two calls of gst_tfrc_rate_estimate_set_rate() the rate counts as constant, so that the
 * result does not depend on how often the functions are called.
 *
 * The estimate has no lock and no clock: the stream that owns the estimate locks, and says what time
 * it is. */
#ifndef GST_TFRC_RATEESTIMATE_H
#define GST_TFRC_RATEESTIMATE_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_RATE_ESTIMATE_FALL_NS (50 * G_GUINT64_CONSTANT (1000000))
#define GST_TFRC_RATE_ESTIMATE_RISE_PER_S 1.95

/** The least time between two announcements, and for how long an estimate has to stay the same to
 * count as settled */
#define GST_TFRC_RATE_ESTIMATE_INTERVAL_NS (100 * G_GUINT64_CONSTANT (1000000))

/** The least time between two announcements while nobody hears them: what listens later hears the first one after this
 * time. An announcement wakes a thread, which with a hundred streams was 8 % of what they cost. */
#define GST_TFRC_RATE_ESTIMATE_UNHEARD_INTERVAL_NS G_GUINT64_CONSTANT (1000000000)

/** A change by less than this part of the announced value is announced only once the estimate has
 * settled. */
#define GST_TFRC_RATE_ESTIMATE_CHANGE 64

/** Zero-initialise. Rates are in bit/s. */
typedef struct
{
  gdouble estimate; /* at updated_ns; 0: unknown */
  gdouble rate;     /* that can be sent since updated_ns */
  guint64 updated_ns;
  guint64 changed_ns;   /* when the estimate was last not at its rate */
  guint64 announced;    /* 0: none yet */
  guint64 announced_ns; /* 0: none yet */
  gboolean is_unheard;
} GstTfrcRateEstimate;

/** Sets the rate that can be sent from now on.
 * @param rate bit/s, finite; 0: unknown, and so is the estimate then
 * @param now_ns never earlier than in the call before, as in all functions */
void gst_tfrc_rate_estimate_set_rate (GstTfrcRateEstimate *estimate, gdouble rate, guint64 now_ns);

/** Moves the estimate into [@a least, @a most] at once, because the application has set these limits
 * of the rate. Call gst_tfrc_rate_estimate_set_rate() with a rate in this range afterwards.
 * @param most 0: no limit */
void gst_tfrc_rate_estimate_limit (
    GstTfrcRateEstimate *estimate, guint64 least, guint64 most, guint64 now_ns);

/** Returns the part of the rate that an encoder gets while packets of live input wait, so that the
 * queue becomes empty again: 1 for a wait of up to 50 ms, then less, a quarter at the least.
 * @param wait_ns of the oldest packet in the send queue */
gdouble gst_tfrc_rate_estimate_share (guint64 wait_ns);

/** Returns the estimate in bit/s; 0: unknown. */
guint64 gst_tfrc_rate_estimate_get (GstTfrcRateEstimate *estimate, guint64 now_ns);

/** Says whether anybody hears the announcements; at first, somebody does. */
void gst_tfrc_rate_estimate_set_heard (GstTfrcRateEstimate *estimate, gboolean is_heard);

/** Says whether the estimate is to be announced now: 100 ms after the last announcement at the
 * earliest, or 1 s while nobody hears, and if the estimate has changed by more than 1/64, or has settled at another value.
 * @return the value that counts as announced from now on; 0: nothing is to be announced */
guint64 gst_tfrc_rate_estimate_announce (GstTfrcRateEstimate *estimate, guint64 now_ns);

/** Returns when gst_tfrc_rate_estimate_announce() has to be called next; G_MAXUINT64: not before
 * another rate is set. */
guint64 gst_tfrc_rate_estimate_next_ns (const GstTfrcRateEstimate *estimate);

G_END_DECLS
#endif
