/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the threads of this process have used, from /proc/self (proc(5)) */
#ifndef BENCH_USAGE_H
#define BENCH_USAGE_H

#include <glib.h>

typedef enum
{
  BENCH_THREADS_STREAMING, /* those of the pipelines */
  BENCH_THREADS_LOOP,      /* loops and timers of elements and libraries: all others */
  BENCH_THREADS_POOL,      /* of GLib's thread pools, which end when there is no more work */
  BENCH_N_THREAD_KINDS
} BenchThreadKind;

typedef struct
{
  guint64 cpu_ns[BENCH_N_THREAD_KINDS];
  guint64 switches[BENCH_N_THREAD_KINDS]; /* voluntary */
  guint threads[BENCH_N_THREAD_KINDS];
  guint64 process_cpu_ns, process_switches; /* of all threads, also of those that have ended */
} BenchUsage;

/* The threads at one time */
typedef struct BenchSnapshot BenchSnapshot;

/* By kinds: all threads but the one that calls, which is the one that measures. */
BenchSnapshot *bench_snapshot_new (void);
void bench_snapshot_free (BenchSnapshot *snapshot);

/* Fills in what the threads of @after have used since @before, and what the process has.  A thread that
 * has ended in between is left out of the kinds.  What @before cost itself is left out of all. */
void bench_usage_between (
    BenchUsage *usage, const BenchSnapshot *before, const BenchSnapshot *after);

/* Returns the resident set of the process in bytes. */
guint64 bench_resident_bytes (void);

#endif
