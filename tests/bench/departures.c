/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "departures.h"

#include <stdlib.h>

#define MAX_PACKETS (8 * 1024 * 1024)

typedef struct
{
  uint64_t last_ns;
  uint32_t next; /* the lowest number that is new */
} Stream;

struct Departures
{
  uint64_t spacing_ns;
  Stream streams[BENCH_MAX_STREAMS];
  double *late_us; /* of each packet; negative: early */
  uint32_t n, uncounted, intervals, bursts;
};

Departures *
departures_new (uint64_t spacing_ns)
{
  Departures *departures = calloc (1, sizeof *departures);

  /* The kernel gives pages of this memory when they are used. */
  if (departures == NULL || (departures->late_us = malloc (MAX_PACKETS * sizeof (double))) == NULL)
    exit (3);
  departures->spacing_ns = spacing_ns;
  return departures;
}

void
departures_free (Departures *departures)
{
  if (departures == NULL)
    return;
  free (departures->late_us);
  free (departures);
}

void
departures_take (Departures *departures, const BenchMark *mark, uint64_t time_ns)
{
  Stream *stream = &departures->streams[mark->stream];

  if (!mark->measured || mark->number < stream->next)
    return;
  stream->next = mark->number + 1;
  if (stream->last_ns != 0) {
    departures->intervals++;
    if (time_ns < stream->last_ns + departures->spacing_ns / 2)
      departures->bursts++;
  }
  stream->last_ns = time_ns;
  if (departures->n == MAX_PACKETS)
    departures->uncounted++;
  else
    departures->late_us[departures->n++] = (double) (int64_t) (time_ns - mark->due_ns) / 1e3;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Returns the value that a share of all values does not exceed. */
static double
quantile (const Departures *departures, double share)
{
  return departures->n ? departures->late_us[(uint32_t) (share * (departures->n - 1))] : 0;
}

void
departures_summarize (Departures *departures, DeparturesSummary *summary)
{
  qsort (departures->late_us, departures->n, sizeof (double), compare);
  summary->packets = departures->n + departures->uncounted;
  summary->late_min_us = quantile (departures, 0);
  summary->late_p50_us = quantile (departures, 0.5);
  summary->late_p99_us = quantile (departures, 0.99);
  summary->late_max_us = quantile (departures, 1);
  summary->bursts = departures->intervals ? (double) departures->bursts / departures->intervals : 0;
}
