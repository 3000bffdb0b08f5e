/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes a share of a processor from all others: part of scale.sh.
 *
 *   bench-scale-spinner CPU SHARE SECONDS
 *   bench-scale-spinner ordinary
 *
 * The first form takes a share that no ordinary program gets.  The program runs with a real-time priority above that of the I/O loops, on one processor.  It works
 * for SHARE of each 10 ms, at most 0.9, and sleeps for the rest.  At its end it prints one line of
 * JSON: when it began and ended, by CLOCK_REALTIME.  The time before its first work does not count.
 *
 * The second form works without rest, as any other busy program, until it is killed. */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "benchpacket.h"

#define PERIOD_NS 10000000
#define PRIORITY 50
#define MAX_SHARE 0.9
#define MAX_SECONDS 60

/* Returns whether the system allows it. */
static bool
take_processor (int cpu)
{
  const struct sched_param param = { .sched_priority = PRIORITY };
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  return sched_setaffinity (0, sizeof set, &set) == 0
      && sched_setscheduler (0, SCHED_FIFO, &param) == 0;
}

static void
sleep_until (uint64_t time_ns)
{
  const struct timespec until = { (time_t) (time_ns / 1000000000), (long) (time_ns % 1000000000) };

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
}

static void
spin (double share, double seconds)
{
  const uint64_t begin_ns = bench_clock_ns (CLOCK_MONOTONIC);
  const uint64_t end_ns = begin_ns + (uint64_t) (seconds * 1e9);
  uint64_t period_ns;

  for (period_ns = begin_ns; period_ns < end_ns; period_ns += PERIOD_NS) {
    while (bench_clock_ns (CLOCK_MONOTONIC) < period_ns + (uint64_t) (share * PERIOD_NS))
      ;
    sleep_until (period_ns + PERIOD_NS);
  }
}

static void
work_for_ever (void)
{
  volatile unsigned done = 0;

  for (;;)
    done++;
}

int
main (int argc, char **argv)
{
  int cpu = argc == 4 ? atoi (argv[1]) : -1;
  double share = argc == 4 ? atof (argv[2]) : 0, seconds = argc == 4 ? atof (argv[3]) : 0;
  uint64_t begin_ns;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (argc == 2 && strcmp (argv[1], "ordinary") == 0)
    work_for_ever ();
  if (cpu < 0 || cpu >= CPU_SETSIZE || !(share > 0 && share <= MAX_SHARE)
      || !(seconds > 0 && seconds <= MAX_SECONDS)) {
    fprintf (stderr,
        "usage: %s CPU SHARE SECONDS, a share of at most %g and at most %d s\n"
        "       %s ordinary\n",
        argv[0], MAX_SHARE, MAX_SECONDS, argv[0]);
    return 2;
  }
  if (!take_processor (cpu)) {
    perror ("a real-time priority on one processor");
    return 1;
  }
  begin_ns = bench_clock_ns (CLOCK_REALTIME);
  spin (share, seconds);
  printf ("{\"begin_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64 "}\n", begin_ns,
      bench_clock_ns (CLOCK_REALTIME));
  return 0;
}
