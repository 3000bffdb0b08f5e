/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurement of CPU time, shared by the benchmarks of the library */
#ifndef COST_H
#define COST_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SEGMENT_BYTES 1316
#define ROUNDS 301

#define MS UINT64_C (1000000)

#define REQUIRE(condition) \
  do { \
    if (!(condition)) { \
      fprintf (stderr, "%s failed\n", #condition); \
      exit (2); \
    } \
  } while (0)

static inline double
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static inline int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static inline double
median (double *values, int n)
{
  qsort (values, n, sizeof *values, compare);
  return values[n / 2];
}

/* Prints a ratio.  Returns whether the ratio is too large. */
static inline int
judge (const char *what, double ratio, double worst)
{
  printf ("%-52s %6.3f (at most %g)%s\n", what, ratio, worst, ratio > worst ? "  MISSED" : "");
  return ratio > worst;
}

#endif
