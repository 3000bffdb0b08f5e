/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that fail, see failcalls.h. */
#include "failcalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const struct
{
  const gchar *name;
  gint error;
} calls[N_FAIL_CALLS] = {
  [FAIL_BIND] = { "bind", EADDRINUSE },
  [FAIL_EPOLL_CREATE] = { "epoll_create1", EMFILE },
  [FAIL_EPOLL_CTL] = { "epoll_ctl", ENOSPC },
  [FAIL_EPOLL_WAIT] = { "epoll_pwait2", EINTR },
  [FAIL_EVENTFD] = { "eventfd", EMFILE },
  [FAIL_GETRANDOM] = { "getrandom", ENOSYS },
  [FAIL_GETSOCKNAME] = { "getsockname", ENOBUFS },
  [FAIL_GETSOCKOPT] = { "getsockopt", ENOPROTOOPT },
  [FAIL_RECV] = { "recv", ENOBUFS },
  [FAIL_RECVMMSG] = { "recvmmsg", ENOMEM },
  [FAIL_RECVMSG] = { "recvmsg", ENOMEM },
  [FAIL_SEND] = { "send", ENOBUFS },
  [FAIL_SENDMMSG] = { "sendmmsg", ENOMEM },
  [FAIL_SETSOCKOPT] = { "setsockopt", ENOPROTOOPT },
  [FAIL_SOCKET] = { "socket", EMFILE },
  [FAIL_TIMERFD_CREATE] = { "timerfd_create", EMFILE },
};

static guint counts[N_FAIL_CALLS]; /* atomic */
static guint armed_call, armed_nth;

const gchar *
fail_call_name (FailCall call)
{
  return calls[call].name;
}

gint
fail_call_errno (FailCall call)
{
  return calls[call].error;
}

void
fail_calls_arm (FailCall call, guint nth)
{
  for (guint i = 0; i < N_FAIL_CALLS; i++)
    g_atomic_int_set (&counts[i], 0);
  g_atomic_int_set (&armed_nth, 0);
  g_atomic_int_set (&armed_call, call);
  g_atomic_int_set (&armed_nth, nth);
}

guint
fail_calls_count (FailCall call)
{
  return (guint) g_atomic_int_get (&counts[call]);
}

/* @caller: an address in the code that called */
static gboolean
fails (FailCall call, const void *caller)
{
  Dl_info info;
  guint nth;

  if (dladdr (caller, &info) == 0 || strstr (info.dli_fname, "libgsttfrc") == NULL)
    return FALSE;
  nth = (guint) g_atomic_int_add (&counts[call], 1) + 1;
  if (g_atomic_int_get (&armed_call) != (gint) call || g_atomic_int_get (&armed_nth) != (gint) nth)
    return FALSE;
  errno = calls[call].error;
  return TRUE;
}

/* ---- the C library's names ---------------------------------------------- */

#define EXPORT __attribute__ ((visibility ("default")))

/* Locks nothing, as the functions that lock may make system calls. */
static gpointer
find (gpointer *next, const gchar *name)
{
  if (g_atomic_pointer_get (next) == NULL)
    g_atomic_pointer_set (next, dlsym (RTLD_NEXT, name));
  return g_atomic_pointer_get (next);
}

/* Defines the function and its way to the C library's. */
#define FAILING(call, type, name, parameters, arguments) \
  EXPORT type name parameters \
  { \
    static gpointer next; \
\
    if (fails (call, __builtin_return_address (0))) \
      return (type) -1; \
    return ((type (*) parameters) find (&next, #name)) arguments; \
  }

FAILING (FAIL_BIND, int, bind, (int fd, const struct sockaddr *address, socklen_t len),
    (fd, address, len))
FAILING (FAIL_EPOLL_CREATE, int, epoll_create1, (int flags), (flags))
FAILING (FAIL_EPOLL_CTL, int, epoll_ctl, (int epoll_fd, int op, int fd, struct epoll_event *event),
    (epoll_fd, op, fd, event))
FAILING (FAIL_EVENTFD, int, eventfd, (unsigned int value, int flags), (value, flags))
FAILING (FAIL_GETRANDOM, ssize_t, getrandom, (void *buffer, size_t size, unsigned int flags),
    (buffer, size, flags))
FAILING (FAIL_GETSOCKNAME, int, getsockname,
    (int fd, struct sockaddr *restrict address, socklen_t *restrict len), (fd, address, len))
FAILING (FAIL_GETSOCKOPT, int, getsockopt,
    (int fd, int level, int name, void *restrict value, socklen_t *restrict len),
    (fd, level, name, value, len))
FAILING (FAIL_RECV, ssize_t, recv, (int fd, void *buffer, size_t size, int flags),
    (fd, buffer, size, flags))
FAILING (FAIL_RECVMMSG, int, recvmmsg,
    (int fd, struct mmsghdr *messages, unsigned int n, int flags, struct timespec *timeout),
    (fd, messages, n, flags, timeout))
FAILING (FAIL_RECVMSG, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags),
    (fd, message, flags))
FAILING (FAIL_SEND, ssize_t, send, (int fd, const void *data, size_t size, int flags),
    (fd, data, size, flags))
FAILING (FAIL_SENDMMSG, int, sendmmsg,
    (int fd, struct mmsghdr *messages, unsigned int n, int flags), (fd, messages, n, flags))
FAILING (FAIL_SETSOCKOPT, int, setsockopt,
    (int fd, int level, int name, const void *value, socklen_t len), (fd, level, name, value, len))
FAILING (FAIL_SOCKET, int, socket, (int family, int kind, int protocol), (family, kind, protocol))
FAILING (FAIL_TIMERFD_CREATE, int, timerfd_create, (int clock, int flags), (clock, flags))

/* The plugin makes one system call in this way.  Callers pass as many arguments as their call has;
 * what the others read is not used. */
EXPORT long any_call (long number, long a, long b, long c, long d, long e, long f) __asm__(
    "syscall");

long
any_call (long number, long a, long b, long c, long d, long e, long f)
{
  static gpointer next;
  long (*call) (long, ...);

  if (number == SYS_epoll_pwait2 && fails (FAIL_EPOLL_WAIT, __builtin_return_address (0)))
    return -1;
  call = (long (*) (long, ...)) find (&next, "syscall");
  return call (number, a, b, c, d, e, f);
}
