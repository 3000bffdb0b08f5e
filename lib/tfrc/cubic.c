/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput of TCP CUBIC, see cubic.h.
 *
 * RFC 9438 section 5.2 has the mean window of CUBIC with C = 0.4 and beta = 0.7 (Fig. 6):
 *
 *     W = (C (3 + beta) / (4 (1 - beta)))^(1/4) R^(3/4) / p^(3/4) = 1.0538 R^(3/4) / p^(3/4) packets,
 *
 * with R in seconds. A packet leaves each R / W:
 *
 *     s / X = 0.949 R^(1/4) p^(3/4)
 *
 * In the Reno-friendly region (section 4.3), which CUBIC is in while its window would be below that of Reno, its
 * mean is Reno's, R sqrt (2 p / 3) in RFC 5348. So it has the larger of the two windows, and the smaller spacing.
 * Timeouts are those of RFC 5348 section 3.1, as they do not depend on how the window
 * grows:
 *
 *     s / X = min (R sqrt (2 p / 3), 0.949 R^(1/4) p^(3/4)) + t_RTO 3 sqrt (3 p / 8) p (1 + 32 p^2)
 *
 * The second term of the minimum is the smaller one for p < (2/3)^2 / 0.949^4 R^3 = 0.548 R^3. */
#include "cubic.h"

#include <math.h>

/* (4 (1 - beta) / (C (3 + beta)))^(1/4) */
#define K 0.94892061721805597801

/* Of t_RTO: 3 sqrt (3 / 8) */
#define C_RTO 1.83711730708738357365

/* Newton's method from above on a convex increasing function converges monotonically, and quadratically at the end.
 * The bound excludes an endless loop. */
#define MAX_STEPS 64

/* s / X of the cubic region is a polynomial in z = p^(1/4): k z^3 + c (z^6 + 32 z^14). */
static double
spacing (double k, double c, double z)
{
  double z3 = z * z * z, z6 = z3 * z3;

  return k * z3 + c * z6 * (1 + 32 * z6 * z * z);
}

static double
spacing_slope (double k, double c, double z)
{
  double z2 = z * z, z5 = z2 * z2 * z;

  return 3 * k * z2 + c * z5 * (6 + 448 * z5 * z2 * z);
}

static double
k_of (double rtt_s)
{
  return K * sqrt (sqrt (rtt_s));
}

double
tfrc_cubic_rate_Bps (double segment_size_bytes, double rtt_s, double rto_s, double p)
{
  double reno_Bps = tfrc_equation_rate_Bps (segment_size_bytes, rtt_s, rto_s, p);

  if (reno_Bps <= 0 || p <= 0)
    return reno_Bps;
  return fmax (
      reno_Bps, segment_size_bytes / spacing (k_of (rtt_s), C_RTO * rto_s, sqrt (sqrt (p))));
}

/* The p of the cubic region alone; the arguments are valid. */
static double
cubic_region_p (double k, double c, double target_s)
{
  double z;

  if (target_s >= spacing (k, c, 1))
    return 1;
  /* Each term alone is at most the target, which gives three upper bounds of z. */
  z = fmin (cbrt (target_s / k), 1);
  if (c > 0) {
    z = fmin (z, pow (target_s / c, 1.0 / 6));
    z = fmin (z, pow (target_s / (32 * c), 1.0 / 14));
  }
  for (int step = 0; step < MAX_STEPS; step++) {
    double next = z - (spacing (k, c, z) - target_s) / spacing_slope (k, c, z);

    if (!(next < z) || next <= 0)
      break;
    z = next;
  }
  return z * z * z * z;
}

/* X is the larger of the two regions' rates, which both fall with p: the larger p gives it. */
double
tfrc_cubic_p (double segment_size_bytes, double rtt_s, double rto_s, double rate_Bps)
{
  double reno_p = tfrc_equation_p (segment_size_bytes, rtt_s, rto_s, rate_Bps);

  if (reno_p >= 1)
    return 1;
  return fmax (reno_p, cubic_region_p (k_of (rtt_s), C_RTO * rto_s, segment_size_bytes / rate_Bps));
}
