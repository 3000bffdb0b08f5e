/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate for an encoder, see rateestimate.h. */
#include "rateestimate.h"

#include <math.h>

/* A distance of less than this part of the rate counts as none, so that a fall ends. */
#define NEAR 1024

/* A key frame waits this long without harm. */
#define USUAL_WAIT_NS (50 * G_GUINT64_CONSTANT (1000000))

/* A wait that is longer by this time would take the whole rate. */
#define WHOLE_WAIT_NS (400 * G_GUINT64_CONSTANT (1000000))

#define LEAST_SHARE 0.25

gdouble
gst_tfrc_rate_estimate_share (guint64 wait_ns)
{
  guint64 unusual_ns = wait_ns - MIN (wait_ns, USUAL_WAIT_NS);

  return MAX (LEAST_SHARE, 1 - (gdouble) unusual_ns / WHOLE_WAIT_NS);
}

static gdouble
fall (gdouble from, gdouble to, guint64 passed_ns)
{
  gdouble reached = to + (from - to) * exp (-(gdouble) passed_ns / GST_TFRC_RATE_ESTIMATE_FALL_NS);

  return reached - to < to / NEAR ? to : reached;
}

static gdouble
rise (gdouble from, gdouble to, guint64 passed_ns)
{
  return MIN (to, from * pow (GST_TFRC_RATE_ESTIMATE_RISE_PER_S, passed_ns / 1e9));
}

static void
advance (GstTfrcRateEstimate *estimate, guint64 now_ns)
{
  guint64 passed_ns = now_ns - MIN (now_ns, estimate->updated_ns);

  estimate->updated_ns = MAX (now_ns, estimate->updated_ns);
  if (estimate->estimate == estimate->rate)
    return;
  estimate->changed_ns = estimate->updated_ns;
  if (estimate->estimate > estimate->rate)
    estimate->estimate = fall (estimate->estimate, estimate->rate, passed_ns);
  else
    estimate->estimate = rise (estimate->estimate, estimate->rate, passed_ns);
}

void
gst_tfrc_rate_estimate_set_rate (GstTfrcRateEstimate *estimate, gdouble rate, guint64 now_ns)
{
  advance (estimate, now_ns);
  if ((rate == 0) != (estimate->estimate == 0)) {
    estimate->estimate = rate;
    estimate->changed_ns = now_ns;
  }
  estimate->rate = rate;
}

void
gst_tfrc_rate_estimate_limit (
    GstTfrcRateEstimate *estimate, guint64 least, guint64 most, guint64 now_ns)
{
  gdouble limited;

  advance (estimate, now_ns);
  if (estimate->estimate == 0)
    return;
  limited = MAX (estimate->estimate, least);
  if (most > 0)
    limited = MIN (limited, most);
  if (limited != estimate->estimate)
    estimate->changed_ns = now_ns;
  estimate->estimate = limited;
}

guint64
gst_tfrc_rate_estimate_get (GstTfrcRateEstimate *estimate, guint64 now_ns)
{
  advance (estimate, now_ns);
  return (guint64) estimate->estimate;
}

void
gst_tfrc_rate_estimate_set_heard (GstTfrcRateEstimate *estimate, gboolean is_heard)
{
  estimate->is_unheard = !is_heard;
}

/* The first announcement need not wait. */
static guint64
may_announce_ns (const GstTfrcRateEstimate *estimate)
{
  guint64 interval_ns = estimate->is_unheard ? GST_TFRC_RATE_ESTIMATE_UNHEARD_INTERVAL_NS
                                             : GST_TFRC_RATE_ESTIMATE_INTERVAL_NS;

  return estimate->announced_ns ? estimate->announced_ns + interval_ns : 0;
}

static guint64
settles_ns (const GstTfrcRateEstimate *estimate)
{
  return estimate->changed_ns + GST_TFRC_RATE_ESTIMATE_INTERVAL_NS;
}

static gboolean
is_settled (const GstTfrcRateEstimate *estimate, guint64 now_ns)
{
  return estimate->estimate == estimate->rate && now_ns >= settles_ns (estimate);
}

guint64
gst_tfrc_rate_estimate_announce (GstTfrcRateEstimate *estimate, guint64 now_ns)
{
  guint64 value = gst_tfrc_rate_estimate_get (estimate, now_ns);
  guint64 change = MAX (value, estimate->announced) - MIN (value, estimate->announced);

  if (value == 0 || change == 0 || now_ns < may_announce_ns (estimate))
    return 0;
  if (change <= estimate->announced / GST_TFRC_RATE_ESTIMATE_CHANGE
      && !is_settled (estimate, now_ns))
    return 0;
  estimate->announced = value;
  estimate->announced_ns = now_ns;
  return value;
}

guint64
gst_tfrc_rate_estimate_next_ns (const GstTfrcRateEstimate *estimate)
{
  guint64 value = (guint64) estimate->estimate, next_ns;

  if (value == 0)
    return G_MAXUINT64;
  if (estimate->estimate != estimate->rate)
    next_ns = estimate->updated_ns + GST_TFRC_RATE_ESTIMATE_INTERVAL_NS;
  else if (value != estimate->announced)
    next_ns = settles_ns (estimate);
  else
    return G_MAXUINT64;
  return MAX (next_ns, may_announce_ns (estimate));
}
