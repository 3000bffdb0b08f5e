/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loop's thread, see loopthread.h. */
#define _GNU_SOURCE 1 /* syscall, SCHED_RESET_ON_FORK */
#include "loopthread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../common/clock.h"

#define MILLISECOND_NS 1000000
#define SECOND_NS G_GUINT64_CONSTANT (1000000000)

/* The longest timeout, so that timeouts fit every type */
#define MAX_WAIT_NS (3600 * SECOND_NS)

GThread *
gst_tfrc_io_thread_start (GThreadFunc func, gpointer data, GError **error)
{
  GThread *thread;
  sigset_t all, before;

  /* A thread inherits the mask, and so has the mask from its first instruction on. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  thread = g_thread_try_new ("tfrc-io", func, data, error);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return thread;
}

/* struct sched_attr, which C libraries before glibc 2.41 lack, see sched_setattr(2) */
typedef struct
{
  guint32 size, policy;
  guint64 flags;
  gint32 nice;
  guint32 priority;
  guint64 runtime, deadline, period;
} SchedAttr;

/* The shortest slice that the kernel grants.  A thread that asks for less at a time is served earlier
 * after it has woken up; its share of the processor stays the same (EEVDF, Linux 6.12).  Older kernels
 * ignore it, and a sandbox may forbid it: then the thread goes on without. */
static void
ask_for_short_slices (void)
{
#if defined(SYS_sched_getattr) && defined(SYS_sched_setattr)
  SchedAttr attr = { 0 };

  if (syscall (SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0 || attr.policy != SCHED_OTHER)
    return;
  attr.size = sizeof attr;
  attr.runtime = GST_TFRC_IO_SLICE_NS;
  syscall (SYS_sched_setattr, 0, &attr, 0);
#endif
}

/* The lowest real-time priority: before all ordinary threads, behind those of audio servers. */
static gboolean
take_realtime (void)
{
  const struct sched_param param = { .sched_priority = sched_get_priority_min (SCHED_FIFO) };

  return sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

gboolean
gst_tfrc_io_thread_prepare (gboolean want_realtime)
{
  /* With the default slack, the kernel may deliver each timer 50 us late. */
  prctl (PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (want_realtime && take_realtime ())
    return TRUE;
  ask_for_short_slices ();
  return FALSE;
}

gboolean
gst_tfrc_io_thread_give_up_realtime (void)
{
  struct sched_param param = { .sched_priority = 0 };

  /* Without privileges a thread cannot get rid of this flag. */
  if (sched_setscheduler (0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param) != 0)
    return FALSE;
  ask_for_short_slices ();
  return TRUE;
}

#ifdef SYS_epoll_pwait2
/* The system call itself: C libraries before glibc 2.35 lack a wrapper. */
static gint
wait_exactly (gint epoll_fd, struct epoll_event *events, gint max_events, guint64 wait_ns)
{
  struct
  {
    gint64 tv_sec;
    gint64 tv_nsec;
  } timeout = { (gint64) (wait_ns / SECOND_NS), (gint64) (wait_ns % SECOND_NS) };

  return (gint) syscall (SYS_epoll_pwait2, epoll_fd, events, max_events, &timeout, NULL, (gsize) 0);
}
#else
static gint
wait_exactly (gint epoll_fd, struct epoll_event *events, gint max_events, guint64 wait_ns)
{
  errno = ENOSYS;
  return -1;
}
#endif

gint
gst_tfrc_io_thread_wait (
    gint epoll_fd, struct epoll_event *events, gint max_events, guint64 until_ns)
{
  static gint inexact; /* atomic: the system call is not to be had */
  guint64 now_ns = gst_tfrc_clock_now_ns ();
  guint64 wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
  gint n = -1;

  wait_ns = MIN (wait_ns, MAX_WAIT_NS);
  if (!g_atomic_int_get (&inexact)) {
    n = wait_exactly (epoll_fd, events, max_events, wait_ns);
    /* Linux before 5.11 does not know the call, some sandboxes forbid it. */
    if (n < 0 && (errno == ENOSYS || errno == EPERM))
      g_atomic_int_set (&inexact, TRUE);
  }
  if (g_atomic_int_get (&inexact))
    n = epoll_wait (
        epoll_fd, events, max_events, (gint) ((wait_ns + MILLISECOND_NS - 1) / MILLISECOND_NS));
  return MAX (n, 0);
}

static struct timespec
to_timespec (guint64 ns)
{
  return (
      struct timespec){ .tv_sec = (time_t) (ns / SECOND_NS), .tv_nsec = (long) (ns % SECOND_NS) };
}

void
gst_tfrc_io_thread_nap (guint64 until_ns)
{
  const struct timespec until = to_timespec (until_ns);

  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void
gst_tfrc_io_thread_set_alarm (gint timer_fd, guint64 at_ns)
{
  const struct itimerspec alarm = { .it_value = to_timespec (at_ns) };

  timerfd_settime (timer_fd, TFD_TIMER_ABSTIME, &alarm, NULL);
}
