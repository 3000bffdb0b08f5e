/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The errors on a socket's error queue, see socketerrors.h. */
#include "socketerrors.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <time.h>
/* After <time.h>, which it needs. */
#include <linux/errqueue.h>

/* Room for the error of one packet: struct sock_extended_err and the address of the host that has
 * sent the ICMP message, of both IP versions; and more to spare. */
#define CONTROL_BYTES 256

#define MAX_ERRORS 64 /* taken off a socket at a time */

/* An address as the kernel writes it */
typedef union
{
  struct sockaddr any;
  struct sockaddr_in6 v6;
} SocketName;

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CONTROL_BYTES];
} Control;

/* The kernel says EHOSTUNREACH for several ICMP messages. */
static gint
errno_of (const struct sock_extended_err *extended)
{
  gboolean is_time_exceeded = (extended->ee_origin == SO_EE_ORIGIN_ICMP
                                  && extended->ee_type == ICMP_TIME_EXCEEDED
                                  && extended->ee_code == ICMP_EXC_TTL)
      || (extended->ee_origin == SO_EE_ORIGIN_ICMP6 && extended->ee_type == ICMP6_TIME_EXCEEDED
          && extended->ee_code == ICMP6_TIME_EXCEED_TRANSIT);

  return is_time_exceeded ? ETIME : (gint) extended->ee_errno;
}

/* Returns the errno that an entry of the error queue stands for, or 0. */
static gint
read_extended_error (struct msghdr *header)
{
  struct cmsghdr *c;

  for (c = CMSG_FIRSTHDR (header); c; c = CMSG_NXTHDR (header, c)) {
    if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR)
        || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR)) {
      struct sock_extended_err extended;

      memcpy (&extended, CMSG_DATA (c), sizeof extended);
      return errno_of (&extended);
    }
  }
  return 0;
}

/* Takes the error that the next call would return.  Reading the queue takes it
 * along, unless memory was short and the error came without an entry there. */
static gint
take_pending_error (gint fd)
{
  gint error = 0;
  socklen_t len = sizeof error;

  return getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 ? error : 0;
}

guint
gst_tfrc_socket_read_errors (gint fd, GstTfrcSocketErrorFunc func, gpointer user_data)
{
  GstTfrcAddress destination;
  guint n = 0;
  gint error;

  for (guint i = 0; i < MAX_ERRORS; i++) {
    SocketName name;
    Control control;
    struct msghdr header = { .msg_name = &name,
      .msg_namelen = sizeof name,
      .msg_control = &control,
      .msg_controllen = sizeof control };

    if (recvmsg (fd, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
      break;
    error = read_extended_error (&header);
    if (error == 0)
      continue;
    gst_tfrc_address_from_sockaddr (&destination, &name.any, header.msg_namelen);
    func (user_data, error, &destination);
    n++;
  }
  error = take_pending_error (fd);
  if (error != 0 && n == 0) {
    memset (&destination, 0, sizeof destination);
    func (user_data, error, &destination);
    n++;
  }
  return n;
}
