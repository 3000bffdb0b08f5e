/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TCP throughput equation and its inverse (RFC 5348 sections 3.1 and 8.1), with b = 1. */
#include "rtt.h"

#include <math.h>

/* R / X in units of s, that is, s / X = R sqrt (2 p / 3) + t_RTO 3 sqrt (3 p / 8) p (1 + 32
 * p^2), is a polynomial in y = sqrt (p): s / X = a y + c (y^3 + 32 y^7), with these factors of R
 * and t_RTO. */
#define A 0.81649658092772603273 /* sqrt (2 / 3) */
#define C 1.83711730708738357365 /* 3 sqrt (3 / 8) */

/* Newton's method from above on a convex increasing function converges monotonically, and
 * quadratically at the end.  The starting points below need at most 8 steps; the bound excludes
 * an endless loop. */
#define MAX_STEPS 64

static double
spacing (double a, double c, double y)
{
  double y2 = y * y;

  return y * (a + c * y2 * (1 + 32 * y2 * y2));
}

static double
spacing_slope (double a, double c, double y)
{
  double y2 = y * y;

  return a + c * y2 * (3 + 224 * y2 * y2);
}

static bool
arguments_valid (double s, double rtt_s, double rto_s)
{
  /* The condition is written so that it refuses NaN as well. */
  return s > 0 && isfinite (s) && rtt_s > 0 && isfinite (rtt_s) && rto_s >= 0 && isfinite (rto_s);
}

double
tfrc_equation_f (double p)
{
  double clamped = p > 0 ? fmin (p, 1) : 0;

  return spacing (A, C * TFRC_RTO_RTTS, sqrt (clamped));
}

double
tfrc_equation_rate_Bps (double segment_size_bytes, double rtt_s, double rto_s, double p)
{
  if (!arguments_valid (segment_size_bytes, rtt_s, rto_s) || !(p >= 0 && p <= 1))
    return 0;
  if (p == 0)
    return INFINITY; /* even if C t_RTO overflows */
  return segment_size_bytes / spacing (A * rtt_s, C * rto_s, sqrt (p));
}

double
tfrc_equation_p (double segment_size_bytes, double rtt_s, double rto_s, double rate_Bps)
{
  double a = A * rtt_s, c = C * rto_s, target_s, y;

  if (!arguments_valid (segment_size_bytes, rtt_s, rto_s) || !(rate_Bps > 0))
    return 1;

  target_s = segment_size_bytes / rate_Bps;
  if (target_s >= spacing (a, c, 1))
    return 1;

  /* Each term alone is at most the target, which gives three upper bounds of y. */
  y = fmin (target_s / a, 1);
  if (c > 0) {
    y = fmin (y, cbrt (target_s / c));
    y = fmin (y, pow (target_s / (32 * c), 1.0 / 7));
  }
  for (int step = 0; step < MAX_STEPS; step++) {
    double next = y - (spacing (a, c, y) - target_s) / spacing_slope (a, c, y);

    if (!(next < y) || next <= 0)
      break;
    y = next;
  }
  return y * y;
}
