/* A histogram of times in fixed memory: mean and maximum are exact, quantiles
 * to 1/32.  No locks: whoever owns it also locks it. */
#ifndef TFRC_HISTOGRAM_H
#define TFRC_HISTOGRAM_H

#include <glib.h>

G_BEGIN_DECLS

#define TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE 32
#define TFRC_HISTOGRAM_OCTAVES 24

typedef struct
{
  guint64 count;
  guint64 sum_ns; /* stays at the maximum once there */
  guint64 max_ns;
  guint32 buckets[TFRC_HISTOGRAM_OCTAVES * TFRC_HISTOGRAM_BUCKETS_PER_OCTAVE];
} TfrcHistogram;

void tfrc_histogram_init (TfrcHistogram *histogram);

/** Counts one value; those above 268 s count as 268 s in quantiles. */
void tfrc_histogram_add (TfrcHistogram *histogram, guint64 value_ns);

/** Returns the mean in ns, rounded down, 0 if nothing was counted. */
guint64 tfrc_histogram_mean_ns (const TfrcHistogram *histogram);

/** Returns an upper bound, at most 1/32 (or 1 us) too high, of the value that
 * the given fraction (0..1) of all values does not exceed; 0 if nothing was
 * counted. */
guint64 tfrc_histogram_quantile_ns (const TfrcHistogram *histogram, gdouble fraction);

G_END_DECLS
#endif
