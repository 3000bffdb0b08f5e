/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls of the plugin that fail on request.  The functions in failcalls.c stand before the C
 * library's, as the program exports them; calls of all others go on to the C library. */
#ifndef TEST_FAIL_CALLS_H
#define TEST_FAIL_CALLS_H

#include <glib.h>

typedef enum
{
  FAIL_BIND,
  FAIL_EPOLL_CREATE,
  FAIL_EPOLL_CTL,
  FAIL_EPOLL_WAIT,
  FAIL_EVENTFD,
  FAIL_GETRANDOM,
  FAIL_GETSOCKNAME,
  FAIL_GETSOCKOPT,
  FAIL_RECV,
  FAIL_RECVMMSG,
  FAIL_RECVMSG,
  FAIL_SEND,
  FAIL_SENDMMSG,
  FAIL_SETSOCKOPT,
  FAIL_SOCKET,
  FAIL_TIMERFD_CREATE,
  N_FAIL_CALLS
} FailCall;

const gchar *fail_call_name (FailCall call);

/* Returns an error that the system documents for this call. */
gint fail_call_errno (FailCall call);

/* Forgets what was counted.  From now on the plugin's @nth call fails once; 0: none does.  Any
 * thread may make the call; this function is for times without a stream. */
void fail_calls_arm (FailCall call, guint nth);

/* Returns how many times the plugin has made the call since fail_calls_arm(). */
guint fail_calls_count (FailCall call);

#endif
