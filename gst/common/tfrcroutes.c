/* The kernel's routes, see tfrcroutes.h. */
#include "tfrcroutes.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tfrcfork.h"

#define ROOM_BYTES 8192 /* for what the kernel says at a time */

static gint
fail (gint fd, const gchar *what, gint error_number, GError **error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (error_number), "%s: %s", what,
      g_strerror (error_number));
  if (fd >= 0)
    close (fd);
  return -1;
}

static gint
open_netlink (guint32 groups, GError **error)
{
  struct sockaddr_nl name = { .nl_family = AF_NETLINK, .nl_groups = groups };
  gint fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

  if (fd < 0)
    return fail (fd, "Could not open a socket to the kernel's routes", errno, error);
  if (bind (fd, (struct sockaddr *) &name, sizeof name) < 0)
    return fail (fd, "Could not listen to the kernel's routes", errno, error);
  return fd;
}

/* ---- asking ------------------------------------------------------------ */

typedef struct
{
  struct nlmsghdr header;
  struct rtmsg route;
  struct rtattr destination;
  guint8 address[sizeof (struct in6_addr)];
} Question;

static gint
ask (gint fd, const TfrcAddress *to)
{
  gboolean v4 = tfrc_address_family (to) == AF_INET;
  gsize bytes = v4 ? sizeof (struct in_addr) : sizeof (struct in6_addr);
  Question question = { 0 };

  question.header.nlmsg_len = G_STRUCT_OFFSET (Question, address) + bytes;
  question.header.nlmsg_type = RTM_GETROUTE;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.route.rtm_family = (guint8) tfrc_address_family (to);
  question.route.rtm_dst_len = (guint8) (bytes * 8);
  question.destination.rta_type = RTA_DST;
  question.destination.rta_len = RTA_LENGTH (bytes);
  memcpy (question.address, v4 ? (const void *) &to->u.v4.sin_addr : &to->u.v6.sin6_addr, bytes);
  return send (fd, &question, question.header.nlmsg_len, 0) < 0 ? errno : 0;
}

static void
read_source (TfrcAddress *local, const struct rtmsg *route, struct rtattr *attribute)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET };
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  gsize bytes = RTA_PAYLOAD (attribute);

  if (route->rtm_family == AF_INET && bytes == sizeof v4.sin_addr) {
    memcpy (&v4.sin_addr, RTA_DATA (attribute), bytes);
    tfrc_address_from_sockaddr (local, (struct sockaddr *) &v4, sizeof v4);
  } else if (route->rtm_family == AF_INET6 && bytes == sizeof v6.sin6_addr) {
    memcpy (&v6.sin6_addr, RTA_DATA (attribute), bytes);
    tfrc_address_from_sockaddr (local, (struct sockaddr *) &v6, sizeof v6);
  }
}

/* Returns 0, or the errno that the answer stands for.
 * @type: RTN_UNICAST and so on */
static gint
read_route (struct nlmsghdr *header, TfrcLink *link, guint8 *type)
{
  struct rtmsg *route = NLMSG_DATA (header);
  struct rtattr *attribute = RTM_RTA (route);
  guint left = RTM_PAYLOAD (header);

  *type = route->rtm_type;
  if (route->rtm_type != RTN_UNICAST && route->rtm_type != RTN_LOCAL)
    return ENETUNREACH;
  memset (link, 0, sizeof *link);
  for (; RTA_OK (attribute, left); attribute = RTA_NEXT (attribute, left)) {
    if (attribute->rta_type == RTA_OIF && RTA_PAYLOAD (attribute) == sizeof link->interface)
      memcpy (&link->interface, RTA_DATA (attribute), sizeof link->interface);
    else if (attribute->rta_type == RTA_PREFSRC)
      read_source (&link->local, route, attribute);
  }
  if (IN6_IS_ADDR_LINKLOCAL (&link->local.u.v6.sin6_addr)
      && tfrc_address_family (&link->local) == AF_INET6)
    link->local.u.v6.sin6_scope_id = link->interface;
  return link->interface != 0 ? 0 : ENETUNREACH;
}

/* The kernel has answered before the question's send() returns. */
static gint
read_answer (gint fd, TfrcLink *link, guint8 *type)
{
  union
  {
    struct nlmsghdr header;
    guint8 bytes[ROOM_BYTES];
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
  return read_route (&answer.header, link, type);
}

gboolean
tfrc_route_get (const TfrcAddress *to, TfrcLink *link, GError **error)
{
  gint fd, error_number;
  gchar *text, *what;
  guint8 type;

  fd = open_netlink (0, error);
  if (fd < 0)
    return FALSE;
  error_number = tfrc_address_family (to) == AF_UNSPEC ? EAFNOSUPPORT : ask (fd, to);
  if (error_number == 0)
    error_number = read_answer (fd, link, &type);
  if (error_number == 0) {
    close (fd);
    return TRUE;
  }
  text = tfrc_address_to_string (to);
  what = g_strdup_printf ("No route to %s", text);
  fail (fd, what, error_number, error);
  g_free (what);
  g_free (text);
  return FALSE;
}

gboolean
tfrc_route_is_broadcast (const TfrcAddress *to)
{
  guint8 type = RTN_UNSPEC;
  TfrcLink link;
  gint fd;

  if (tfrc_address_family (to) != AF_INET)
    return FALSE;
  fd = open_netlink (0, NULL);
  if (fd < 0)
    return FALSE;
  if (ask (fd, to) == 0)
    read_answer (fd, &link, &type);
  close (fd);
  return type == RTN_BROADCAST;
}

/* ---- news -------------------------------------------------------------- */

struct _TfrcRouteWatch
{
  guint generation;
  TfrcRoutesChangedFunc func;
  gpointer user_data;
};

typedef struct
{
  guint generation; /* of the process that has the thread */
  GThread *thread;
  gint netlink_fd;
  gint wake_fd; /* becomes readable when it is to end */
  GList *watches;
  TfrcRouteWatch *called; /* its function runs */
} Monitor;

static GMutex mutex; /* of all below, never held during a call */
static GCond call_ended;
static Monitor *monitor; /* NULL: nobody wants news */

/* What has changed does not matter; that more has than fits (ENOBUFS) is news
 * as well.  FALSE if there was nothing. */
static gboolean
take_news (gint fd)
{
  guint8 room[ROOM_BYTES];
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
    TfrcRouteWatch *watch = l->data;

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

  self->generation = tfrc_fork_generation ();
  self->wake_fd = -1;
  self->netlink_fd = open_netlink (
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
      error);
  if (self->netlink_fd >= 0) {
    self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->wake_fd < 0)
      fail (-1, "Could not make an eventfd", errno, error);
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
  tfrc_fork_guard (&mutex);
  return data;
}

/* A fork leaves the thread in the parent, which reads the same sockets. */
static void
forget_inherited_monitor (void)
{
  if (monitor == NULL || monitor->generation == tfrc_fork_generation ())
    return;
  close (monitor->wake_fd);
  close (monitor->netlink_fd);
  monitor = NULL;
}

TfrcRouteWatch *
tfrc_routes_watch (TfrcRoutesChangedFunc func, gpointer user_data, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  TfrcRouteWatch *watch = NULL;

  g_once (&once, guard_mutex, NULL);
  g_mutex_lock (&mutex);
  forget_inherited_monitor ();
  if (monitor == NULL)
    monitor = monitor_new (error);
  if (monitor) {
    watch = g_new (TfrcRouteWatch, 1);
    watch->generation = monitor->generation;
    watch->func = func;
    watch->user_data = user_data;
    monitor->watches = g_list_append (monitor->watches, watch);
  }
  g_mutex_unlock (&mutex);
  return watch;
}

void
tfrc_routes_unwatch (TfrcRouteWatch *watch)
{
  Monitor *last = NULL;

  if (watch == NULL || tfrc_fork_is_inherited (watch->generation))
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
