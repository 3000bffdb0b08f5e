/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file with each packet that has come: what scale/overload.py reads */
#ifndef BENCH_ARRIVALLOG_H
#define BENCH_ARRIVALLOG_H

#include <stdio.h>

#include "benchpacket.h"

/* In the machine's byte order.  scale/overload.py has the same fields. */
typedef struct
{
  uint64_t arrival_ns, due_ns; /* CLOCK_REALTIME */
  uint32_t stream, number;
} ArrivalRecord;

/* A packet has come at @time_ns, of CLOCK_REALTIME.  Packets do not count as long as the sources do
 * not know when they are due. */
static inline void
arrival_log_take (FILE *file, const BenchMark *mark, uint64_t time_ns)
{
  const ArrivalRecord record = { time_ns, mark->due_ns, mark->stream, mark->number };

  if (mark->due_ns != 0)
    fwrite (&record, sizeof record, 1, file);
}

#endif
