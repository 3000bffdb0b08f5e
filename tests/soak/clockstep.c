/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All libraries of the process call this clock_gettime(), as the program's symbols come first. */
#include "clockstep.h"

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#define S_NS INT64_C (1000000000)

__attribute__ ((visibility ("default"))) int clock_gettime (clockid_t id, struct timespec *time);

static int64_t step_ns; /* atomic */

void
soak_clock_step (double seconds)
{
  __atomic_store_n (&step_ns, (int64_t) (seconds * (double) S_NS), __ATOMIC_RELAXED);
}

int
clock_gettime (clockid_t id, struct timespec *time)
{
  static void *next; /* atomic */
  int (*system) (clockid_t, struct timespec *);
  int64_t ns;
  int result;

  if (__atomic_load_n (&next, __ATOMIC_RELAXED) == NULL)
    __atomic_store_n (&next, dlsym (RTLD_NEXT, "clock_gettime"), __ATOMIC_RELAXED);
  *(void **) &system = __atomic_load_n (&next, __ATOMIC_RELAXED);
  result = system (id, time);
  if (id != CLOCK_REALTIME || result != 0)
    return result;
  ns = time->tv_sec * S_NS + time->tv_nsec + __atomic_load_n (&step_ns, __ATOMIC_RELAXED);
  time->tv_sec = (time_t) (ns / S_NS);
  time->tv_nsec = (long) (ns % S_NS);
  return 0;
}
