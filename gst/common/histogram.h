/* A histogram of times in fixed memory: mean and maximum are exact, quantiles
 * to 1/32.  No locks: whoever owns it also locks it. */
#ifndef GST_TFRC_HISTOGRAM_H
#define GST_TFRC_HISTOGRAM_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE 32
#define GST_TFRC_HISTOGRAM_OCTAVES 24

typedef struct
{
  guint64 count;
  guint64 sum_ns; /* stays at the maximum once there */
  guint64 max_ns;
  guint32 buckets[GST_TFRC_HISTOGRAM_OCTAVES * GST_TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE];
} GstTfrcHistogram;

void gst_tfrc_histogram_init (GstTfrcHistogram *histogram);

/** Counts one value; those above 268 s count as 268 s in quantiles. */
void gst_tfrc_histogram_add (GstTfrcHistogram *histogram, guint64 value_ns);

/** Returns the mean in ns, rounded down, 0 if nothing was counted. */
guint64 gst_tfrc_histogram_mean_ns (const GstTfrcHistogram *histogram);

/** Returns an upper bound, at most 1/32 (or 1 us) too high, of the value that
 * the given fraction (0..1) of all values does not exceed; 0 if nothing was
 * counted. */
guint64 gst_tfrc_histogram_quantile_ns (const GstTfrcHistogram *histogram, gdouble fraction);

G_END_DECLS
#endif
