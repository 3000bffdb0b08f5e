/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A histogram of times in fixed memory.  Mean and maximum are exact; quantiles are exact to
 * 1/32.  The histogram has no lock; its owner has to lock it. */
#ifndef GST_TFRC_HISTOGRAM_H
#define GST_TFRC_HISTOGRAM_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE 32
#define GST_TFRC_HISTOGRAM_OCTAVES 24

typedef struct
{
  guint64 count;
  guint64 sum_ns; /* saturates */
  guint64 max_ns;
  guint64 buckets[GST_TFRC_HISTOGRAM_OCTAVES * GST_TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE];
} GstTfrcHistogram;

void gst_tfrc_histogram_init (GstTfrcHistogram *histogram);

/** Counts one value.  Quantiles take values above 268 s as 268 s. */
void gst_tfrc_histogram_add (GstTfrcHistogram *histogram, guint64 value_ns);

/** Returns how many values were counted. */
guint64 gst_tfrc_histogram_get_count (const GstTfrcHistogram *histogram);

/** Returns the mean in ns, rounded down; 0 if no value was counted. */
guint64 gst_tfrc_histogram_mean_ns (const GstTfrcHistogram *histogram);

/** Returns an upper bound of a quantile: of the value that the given fraction (0..1) of all
 * values does not exceed.  The bound is at most 1/32 (or 1 us) too high; 0 if no value was
 * counted. */
guint64 gst_tfrc_histogram_quantile_ns (const GstTfrcHistogram *histogram, gdouble fraction);

G_END_DECLS
#endif
