/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks the kernel for a route, see routequery.h. */
#include "routequery.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

#include "netlink.h"

typedef struct
{
  struct nlmsghdr header;
  struct rtmsg route;
  struct rtattr destination;
  guint8 address[sizeof (struct in6_addr)];
} Question;

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

  fd = gst_tfrc_netlink_open (0, error);
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
  gst_tfrc_netlink_set_error (error, what, error_number);
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
  fd = gst_tfrc_netlink_open (0, NULL);
  if (fd < 0)
    return FALSE;
  if (ask (fd, to) == 0)
    read_answer (fd, &path, &type);
  close (fd);
  return type == RTN_BROADCAST;
}
