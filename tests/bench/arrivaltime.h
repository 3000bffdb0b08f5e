/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the kernel got a packet */
#ifndef BENCH_ARRIVAL_TIME_H
#define BENCH_ARRIVAL_TIME_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Returns the time of a message from a socket with SO_TIMESTAMPNS, of CLOCK_REALTIME, or 0. */
static inline uint64_t
bench_arrival_ns (struct msghdr *message)
{
  struct cmsghdr *control;
  struct timespec time;

  for (control = CMSG_FIRSTHDR (message); control; control = CMSG_NXTHDR (message, control))
    if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS) {
      memcpy (&time, CMSG_DATA (control), sizeof time);
      return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
    }
  return 0;
}

#endif
