/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notifies of changes of the kernel's routes, see routewatch.h. */
#include "routewatch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/fork.h"
#include "../common/threads.h"
#include "netlink.h"

struct _GstTfrcRouteWatch
{
  guint generation;
  GstTfrcRoutesChangedFunc func;
  gpointer user_data;
};

/* Protects the monitor and its watches.  The mutex is never held during a callback or a system
 * call. */
GST_TFRC_DECLARE_MUTEX (WatchMutex, watch_mutex)

typedef struct
{
  guint generation; /* of the process that has the thread */
  GThread *thread;
  gint netlink_fd;
  gint wake_fd; /* becomes readable when the thread is to end */
  GList *watches GST_TFRC_GUARDED_BY (watch_mutex);
  GstTfrcRouteWatch *called GST_TFRC_GUARDED_BY (watch_mutex); /* its function runs */
} Monitor;

static WatchMutex mutex;
static GCond call_ended;
static Monitor *monitor GST_TFRC_GUARDED_BY (watch_mutex); /* NULL: there is no watch */

/* Takes all messages of the kernel, whatever they say.  ENOBUFS means that there were more than the
 * socket has room for.
 * @return FALSE if there was no message */
static gboolean
take_messages (gint fd)
{
  guint8 room[GST_TFRC_NETLINK_BYTES];
  gboolean any = FALSE;

  while (recv (fd, room, sizeof room, MSG_TRUNC) >= 0 || errno == ENOBUFS)
    any = TRUE;
  return any;
}

/* Releases the mutex during each call.  A watch may be removed before its turn. */
static void
tell_all (Monitor *self) GST_TFRC_REQUIRES (watch_mutex)
{
  GList *all = g_list_copy (self->watches);

  for (GList *l = all; l; l = l->next) {
    GstTfrcRouteWatch *watch = l->data;

    if (g_list_find (self->watches, watch) == NULL)
      continue;
    self->called = watch;
    watch_mutex_unlock (&mutex);
    watch->func (watch->user_data);
    watch_mutex_lock (&mutex);
    self->called = NULL;
    g_cond_broadcast (&call_ended);
  }
  g_list_free (all);
}

static gpointer
listen_to_kernel (gpointer data)
{
  Monitor *self = data;
  struct pollfd fds[] = { { self->netlink_fd, POLLIN, 0 }, { self->wake_fd, POLLIN, 0 } };

  for (;;) {
    if (poll (fds, G_N_ELEMENTS (fds), -1) < 0 && errno != EINTR)
      break;
    if (fds[1].revents != 0)
      break;
    if (!take_messages (self->netlink_fd))
      continue;
    watch_mutex_lock (&mutex);
    tell_all (self);
    watch_mutex_unlock (&mutex);
  }
  return NULL;
}

static void
monitor_free (Monitor *self)
{
  if (self->thread) {
    eventfd_write (self->wake_fd, 1);
    g_thread_join (self->thread);
  }
  if (self->wake_fd >= 0)
    close (self->wake_fd);
  if (self->netlink_fd >= 0)
    close (self->netlink_fd);
  g_free (self);
}

static Monitor *
monitor_new (GError **error)
{
  Monitor *self = g_new0 (Monitor, 1);

  self->generation = gst_tfrc_fork_generation ();
  self->wake_fd = -1;
  self->netlink_fd = gst_tfrc_netlink_open (
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
      error);
  if (self->netlink_fd >= 0) {
    self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->wake_fd < 0)
      gst_tfrc_netlink_set_error (error, "Could not make an eventfd", errno);
  }
  if (self->wake_fd >= 0)
    self->thread = g_thread_try_new ("tfrc-routes", listen_to_kernel, self, error);
  if (self->thread)
    return self;
  monitor_free (self);
  return NULL;
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex);
  return data;
}

/* A fork leaves the thread in the parent, which reads the same sockets.
 * @return the monitor of the parent, or NULL */
static Monitor *
forget_inherited_monitor (void) GST_TFRC_REQUIRES (watch_mutex)
{
  Monitor *inherited = NULL;

  if (monitor && monitor->generation != gst_tfrc_fork_generation ()) {
    inherited = monitor;
    monitor = NULL;
  }
  return inherited;
}

static void
close_inherited (Monitor *inherited)
{
  if (inherited == NULL)
    return;
  close (inherited->wake_fd);
  close (inherited->netlink_fd);
}

/* To make a monitor takes system calls: the mutex is released meanwhile, and another thread may
 * make one as well.
 * @unused: set to the monitor that the caller has to free, or NULL
 * @return FALSE with @error set if there is no monitor */
static gboolean
ensure_monitor (Monitor **unused, GError **error) GST_TFRC_REQUIRES (watch_mutex)
{
  Monitor *inherited = forget_inherited_monitor ();
  Monitor *made;

  *unused = NULL;
  if (monitor)
    return TRUE;
  watch_mutex_unlock (&mutex);
  close_inherited (inherited);
  made = monitor_new (error);
  watch_mutex_lock (&mutex);
  if (made == NULL)
    return FALSE;
  if (monitor)
    *unused = made;
  else
    monitor = made;
  return TRUE;
}

GstTfrcRouteWatch *
gst_tfrc_routes_watch (GstTfrcRoutesChangedFunc func, gpointer user_data, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcRouteWatch *watch = NULL;
  Monitor *unused;

  g_once (&once, guard_mutex, NULL);
  watch_mutex_lock (&mutex);
  if (ensure_monitor (&unused, error)) {
    watch = g_new (GstTfrcRouteWatch, 1);
    watch->generation = monitor->generation;
    watch->func = func;
    watch->user_data = user_data;
    monitor->watches = g_list_append (monitor->watches, watch);
  }
  watch_mutex_unlock (&mutex);
  if (unused)
    monitor_free (unused);
  return watch;
}

void
gst_tfrc_routes_unwatch (GstTfrcRouteWatch *watch)
{
  Monitor *last = NULL;

  if (watch == NULL || gst_tfrc_fork_is_inherited (watch->generation))
    return;
  watch_mutex_lock (&mutex);
  monitor->watches = g_list_remove (monitor->watches, watch);
  while (monitor && monitor->called == watch)
    watch_mutex_wait (&mutex, &call_ended);
  if (monitor && monitor->watches == NULL) {
    last = monitor;
    monitor = NULL;
  }
  watch_mutex_unlock (&mutex);
  if (last)
    monitor_free (last);
  g_free (watch);
}
