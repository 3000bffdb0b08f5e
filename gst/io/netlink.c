/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket to the kernel's routing tables, see netlink.h. */
#include "netlink.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

void
gst_tfrc_netlink_set_error (GError **error, const gchar *what, gint error_number)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (error_number), "%s: %s", what,
      g_strerror (error_number));
}

gint
gst_tfrc_netlink_open (guint32 groups, GError **error)
{
  struct sockaddr_nl name = { .nl_family = AF_NETLINK, .nl_groups = groups };
  gint fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

  if (fd < 0) {
    gst_tfrc_netlink_set_error (error, "Could not open a socket to the kernel's routes", errno);
    return -1;
  }
  if (bind (fd, (struct sockaddr *) &name, sizeof name) < 0) {
    gst_tfrc_netlink_set_error (error, "Could not listen to the kernel's routes", errno);
    close (fd);
    return -1;
  }
  return fd;
}
