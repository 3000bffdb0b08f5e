/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's routes, see routes.h. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "routes.h"
#include "../common/fork.h"
#include "../common/threads.h"

/* Room for one message of the kernel, in bytes */
#define GST_TFRC_NETLINK_BYTES 8192

/* ---- a socket to the kernel -------------------------------------------------- */

/* Sets @error to what failed with this errno. */
static void
netlink_set_error (GError **error, const gchar *what, gint error_number)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (error_number), "%s: %s", what,
      g_strerror (error_number));
}

/* Opens a non-blocking socket, to which the kernel reports changes in these groups (RTMGRP_*; 0:
 * none).
 * @return a descriptor that the caller closes; -1 with @error set (G_IO_ERROR) */
static gint
netlink_open (guint32 groups, GError **error)
{
  struct sockaddr_nl name = { .nl_family = AF_NETLINK, .nl_groups = groups };
  gint fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

  if (fd < 0) {
    netlink_set_error (error, "Could not open a socket to the kernel's routes", errno);
    return -1;
  }
  if (bind (fd, (struct sockaddr *) &name, sizeof name) < 0) {
    netlink_set_error (error, "Could not listen to the kernel's routes", errno);
    close (fd);
    return -1;
  }
  return fd;
}

/* ---- the route to an address ------------------------------------------------- */

typedef struct
{
  struct nlmsghdr header;
  struct rtmsg route;
  struct rtattr destination;
  guint8 address[sizeof (struct in6_addr)];
  struct rtattr out; /* after an address of IPv6 */
  guint32 interface;
} Question;

/* Each link has its own host with a link-local address, and the kernel takes the first link that it finds. */
static void
add_link (Question *question, const GstTfrcAddress *to)
{
  const struct sockaddr_in6 *v6 = &to->u.v6;

  if (v6->sin6_scope_id == 0 || !IN6_IS_ADDR_LINKLOCAL (&v6->sin6_addr))
    return;
  question->out.rta_type = RTA_OIF;
  question->out.rta_len = RTA_LENGTH (sizeof question->interface);
  question->interface = v6->sin6_scope_id;
  question->header.nlmsg_len = sizeof *question;
}

static gint
ask (gint fd, const GstTfrcAddress *to)
{
  gboolean v4 = gst_tfrc_address_family (to) == AF_INET;
  gsize bytes = v4 ? sizeof (struct in_addr) : sizeof (struct in6_addr);
  Question question = { 0 };

  question.header.nlmsg_len = G_STRUCT_OFFSET (Question, address) + bytes;
  question.header.nlmsg_type = RTM_GETROUTE;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.route.rtm_family = (guint8) gst_tfrc_address_family (to);
  question.route.rtm_dst_len = (guint8) (bytes * 8);
  question.destination.rta_type = RTA_DST;
  question.destination.rta_len = RTA_LENGTH (bytes);
  memcpy (question.address, v4 ? (const void *) &to->u.v4.sin_addr : &to->u.v6.sin6_addr, bytes);
  if (!v4)
    add_link (&question, to);
  return send (fd, &question, question.header.nlmsg_len, 0) < 0 ? errno : 0;
}

static void
read_source (GstTfrcAddress *local, const struct rtmsg *route, struct rtattr *attribute)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET };
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  gsize bytes = RTA_PAYLOAD (attribute);

  if (route->rtm_family == AF_INET && bytes == sizeof v4.sin_addr) {
    memcpy (&v4.sin_addr, RTA_DATA (attribute), bytes);
    gst_tfrc_address_from_sockaddr (local, (struct sockaddr *) &v4, sizeof v4);
  } else if (route->rtm_family == AF_INET6 && bytes == sizeof v6.sin6_addr) {
    memcpy (&v6.sin6_addr, RTA_DATA (attribute), bytes);
    gst_tfrc_address_from_sockaddr (local, (struct sockaddr *) &v6, sizeof v6);
  }
}

/* Returns 0, or the errno for the answer.
 * @type: RTN_UNICAST and so on */
static gint
read_route (struct nlmsghdr *header, GstTfrcLocalPath *path, guint8 *type)
{
  struct rtmsg *route = NLMSG_DATA (header);
  struct rtattr *attribute = RTM_RTA (route);
  guint left = RTM_PAYLOAD (header);

  *type = route->rtm_type;
  if (route->rtm_type != RTN_UNICAST && route->rtm_type != RTN_LOCAL)
    return ENETUNREACH;
  memset (path, 0, sizeof *path);
  for (; RTA_OK (attribute, left); attribute = RTA_NEXT (attribute, left)) {
    if (attribute->rta_type == RTA_OIF && RTA_PAYLOAD (attribute) == sizeof path->interface)
      memcpy (&path->interface, RTA_DATA (attribute), sizeof path->interface);
    else if (attribute->rta_type == RTA_PREFSRC)
      read_source (&path->local, route, attribute);
  }
  if (IN6_IS_ADDR_LINKLOCAL (&path->local.u.v6.sin6_addr)
      && gst_tfrc_address_family (&path->local) == AF_INET6)
    path->local.u.v6.sin6_scope_id = path->interface;
  return path->interface != 0 ? 0 : ENETUNREACH;
}

/* The kernel has answered before the question's send() returns. */
static gint
read_answer (gint fd, GstTfrcLocalPath *path, guint8 *type)
{
  union
  {
    struct nlmsghdr header;
    guint8 bytes[GST_TFRC_NETLINK_BYTES];
  } answer;
  gssize size = recv (fd, &answer, sizeof answer, 0);
  struct nlmsgerr *refusal = NLMSG_DATA (&answer.header);

  if (size < 0)
    return errno;
  if (!NLMSG_OK (&answer.header, (gsize) size))
    return EPROTO;
  if (answer.header.nlmsg_type == NLMSG_ERROR
      && answer.header.nlmsg_len >= NLMSG_LENGTH (sizeof *refusal))
    return refusal->error != 0 ? -refusal->error : EPROTO;
  if (answer.header.nlmsg_type != RTM_NEWROUTE
      || answer.header.nlmsg_len < NLMSG_LENGTH (sizeof (struct rtmsg)))
    return EPROTO;
  return read_route (&answer.header, path, type);
}

gboolean
gst_tfrc_route_get (const GstTfrcAddress *to, GstTfrcLocalPath *path, GError **error)
{
  gint fd, error_number;
  gchar *text, *what;
  guint8 type;

  fd = netlink_open (0, error);
  if (fd < 0)
    return FALSE;
  error_number = gst_tfrc_address_family (to) == AF_UNSPEC ? EAFNOSUPPORT : ask (fd, to);
  if (error_number == 0)
    error_number = read_answer (fd, path, &type);
  close (fd);
  if (error_number == 0)
    return TRUE;
  text = gst_tfrc_address_to_string (to);
  what = g_strdup_printf ("No route to %s", text);
  netlink_set_error (error, what, error_number);
  g_free (what);
  g_free (text);
  return FALSE;
}

gboolean
gst_tfrc_route_is_broadcast (const GstTfrcAddress *to)
{
  guint8 type = RTN_UNSPEC;
  GstTfrcLocalPath path;
  gint fd;

  if (gst_tfrc_address_family (to) != AF_INET)
    return FALSE;
  fd = netlink_open (0, NULL);
  if (fd < 0)
    return FALSE;
  if (ask (fd, to) == 0)
    read_answer (fd, &path, &type);
  close (fd);
  return type == RTN_BROADCAST;
}

/* ---- changes ----------------------------------------------------------------- */

struct _GstTfrcRouteWatch
{
  GstTfrcRoutesChangedFunc func;
  gpointer user_data;
  gboolean is_called; /* its function runs; the mutex guards it */
};

/* Protects the monitor and its watches.  The mutex is never held during a callback or a system
 * call. */
GST_TFRC_DECLARE_MUTEX (WatchMutex, watch_mutex)

typedef struct
{
  GThread *thread;
  gint netlink_fd;
  gint wake_fd; /* becomes readable when the thread is to end */
  GList *watches GST_TFRC_GUARDED_BY (watch_mutex);
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
    watch->is_called = TRUE;
    watch_mutex_unlock (&mutex);
    watch->func (watch->user_data);
    watch_mutex_lock (&mutex);
    watch->is_called = FALSE;
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

  self->wake_fd = -1;
  self->netlink_fd = netlink_open (
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
      error);
  if (self->netlink_fd >= 0) {
    self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->wake_fd < 0)
      netlink_set_error (error, "Could not make an eventfd", errno);
  }
  if (self->wake_fd >= 0)
    self->thread = g_thread_try_new ("tfrc-routes", listen_to_kernel, self, error);
  if (self->thread)
    return self;
  monitor_free (self);
  return NULL;
}

/* The thread is the parent's and goes on reading the same sockets there, so the child only closes
 * its own descriptors. */
static void
forget_monitor (void) GST_TFRC_REQUIRES (watch_mutex)
{
  if (monitor == NULL)
    return;
  close (monitor->wake_fd);
  close (monitor->netlink_fd);
  monitor = NULL;
}

static gpointer
guard_mutex (gpointer data)
{
  gst_tfrc_fork_guard (&mutex.mutex, forget_monitor);
  return data;
}

/* To make a monitor takes system calls: the mutex is released meanwhile, and another thread may
 * make one as well.
 * @unused: set to the monitor that the caller has to free, or NULL
 * @return FALSE with @error set if there is no monitor */
static gboolean
ensure_monitor (Monitor **unused, GError **error) GST_TFRC_REQUIRES (watch_mutex)
{
  Monitor *made;

  *unused = NULL;
  if (monitor)
    return TRUE;
  watch_mutex_unlock (&mutex);
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
    watch = g_new0 (GstTfrcRouteWatch, 1);
    watch->func = func;
    watch->user_data = user_data;
    monitor->watches = g_list_append (monitor->watches, watch);
  }
  watch_mutex_unlock (&mutex);
  if (unused)
    monitor_free (unused);
  return watch;
}

/* The end of the last other watch may end the monitor while this one waits. */
void
gst_tfrc_routes_unwatch (GstTfrcRouteWatch *watch)
{
  Monitor *last = NULL;

  if (watch == NULL)
    return;
  watch_mutex_lock (&mutex);
  monitor->watches = g_list_remove (monitor->watches, watch);
  while (watch->is_called)
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
