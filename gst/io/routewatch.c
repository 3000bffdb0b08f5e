/* Tells of changes of the kernel's routes, see routewatch.h. */
#include "routewatch.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/fork.h"
#include "netlink.h"

struct _GstTfrcRouteWatch
{
  guint generation;
  GstTfrcRoutesChangedFunc func;
  gpointer user_data;
};

typedef struct
{
  guint generation; /* of the process that has the thread */
  GThread *thread;
  gint netlink_fd;
  gint wake_fd; /* becomes readable when it is to end */
  GList *watches;
  GstTfrcRouteWatch *called; /* its function runs */
} Monitor;

static GMutex mutex; /* of all below, never held during a call */
static GCond call_ended;
static Monitor *monitor; /* NULL: nobody wants news */

/* What has changed does not matter; that more has than fits (ENOBUFS) is news
 * as well.  FALSE if there was nothing. */
static gboolean
take_news (gint fd)
{
  guint8 room[GST_TFRC_NETLINK_BYTES];
  gboolean news = FALSE;

  while (recv (fd, room, sizeof room, MSG_TRUNC) >= 0 || errno == ENOBUFS)
    news = TRUE;
  return news;
}

/* Mutex held, released meanwhile: calls each that is still there in its turn. */
static void
tell_all (Monitor *self)
{
  GList *all = g_list_copy (self->watches);

  for (GList *l = all; l; l = l->next) {
    GstTfrcRouteWatch *watch = l->data;

    if (g_list_find (self->watches, watch) == NULL)
      continue;
    self->called = watch;
    g_mutex_unlock (&mutex);
    watch->func (watch->user_data);
    g_mutex_lock (&mutex);
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
    if (!take_news (self->netlink_fd))
      continue;
    g_mutex_lock (&mutex);
    tell_all (self);
    g_mutex_unlock (&mutex);
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
  gst_tfrc_fork_guard (&mutex);
  return data;
}

/* A fork leaves the thread in the parent, which reads the same sockets. */
static void
forget_inherited_monitor (void)
{
  if (monitor == NULL || monitor->generation == gst_tfrc_fork_generation ())
    return;
  close (monitor->wake_fd);
  close (monitor->netlink_fd);
  monitor = NULL;
}

GstTfrcRouteWatch *
gst_tfrc_routes_watch (GstTfrcRoutesChangedFunc func, gpointer user_data, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  GstTfrcRouteWatch *watch = NULL;

  g_once (&once, guard_mutex, NULL);
  g_mutex_lock (&mutex);
  forget_inherited_monitor ();
  if (monitor == NULL)
    monitor = monitor_new (error);
  if (monitor) {
    watch = g_new (GstTfrcRouteWatch, 1);
    watch->generation = monitor->generation;
    watch->func = func;
    watch->user_data = user_data;
    monitor->watches = g_list_append (monitor->watches, watch);
  }
  g_mutex_unlock (&mutex);
  return watch;
}

void
gst_tfrc_routes_unwatch (GstTfrcRouteWatch *watch)
{
  Monitor *last = NULL;

  if (watch == NULL || gst_tfrc_fork_is_inherited (watch->generation))
    return;
  g_mutex_lock (&mutex);
  monitor->watches = g_list_remove (monitor->watches, watch);
  while (monitor && monitor->called == watch)
    g_cond_wait (&call_ended, &mutex);
  if (monitor && monitor->watches == NULL) {
    last = monitor;
    monitor = NULL;
  }
  g_mutex_unlock (&mutex);
  if (last)
    monitor_free (last);
  g_free (watch);
}
