/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histogram of times, see histogram.h.  Buckets are 1 us wide up to 32 us; above that each
 * doubling has 32 buckets. */
#include "histogram.h"

#include <math.h>
#include <string.h>

#define PER_OCTAVE GST_TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE
#define N_BUCKETS (GST_TFRC_HISTOGRAM_OCTAVES * PER_OCTAVE)

void
gst_tfrc_histogram_init (GstTfrcHistogram *histogram)
{
  memset (histogram, 0, sizeof *histogram);
}

/* The position of the leading bit selects the octave; the next five bits select the bucket in the
 * octave. */
static guint
bucket_of_us (guint64 value_us)
{
  guint shift = 0;

  while (value_us >> shift >= 2 * PER_OCTAVE)
    shift++;
  return MIN (shift * PER_OCTAVE + (guint) (value_us >> shift), N_BUCKETS - 1);
}

/* The first value that is too large for the bucket */
static guint64
bucket_end_us (guint bucket)
{
  guint shift = bucket < 2 * PER_OCTAVE ? 0 : bucket / PER_OCTAVE - 1;

  return (guint64) (bucket - shift * PER_OCTAVE + 1) << shift;
}

void
gst_tfrc_histogram_add (GstTfrcHistogram *histogram, guint64 value_ns)
{
  histogram->count++;
  histogram->sum_ns += MIN (value_ns, G_MAXUINT64 - histogram->sum_ns);
  histogram->max_ns = MAX (histogram->max_ns, value_ns);
  histogram->buckets[bucket_of_us (value_ns / 1000)]++;
}

guint64
gst_tfrc_histogram_get_count (const GstTfrcHistogram *histogram)
{
  return histogram->count;
}

guint64
gst_tfrc_histogram_mean_ns (const GstTfrcHistogram *histogram)
{
  if (histogram->count == 0)
    return 0;
  return histogram->sum_ns / histogram->count;
}

guint64
gst_tfrc_histogram_quantile_ns (const GstTfrcHistogram *histogram, gdouble fraction)
{
  guint64 wanted = (guint64) ceil (CLAMP (fraction, 0, 1) * histogram->count);
  guint64 seen = 0;
  guint i;

  for (i = 0; i < N_BUCKETS; i++) {
    seen += histogram->buckets[i];
    if (seen > 0 && seen >= wanted)
      return MIN (bucket_end_us (i) * 1000, histogram->max_ns);
  }
  return 0;
}
