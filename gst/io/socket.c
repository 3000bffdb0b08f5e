/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP sockets and their ICMP errors, see socket.h. */
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <tfrc/packets.h>
#include <time.h>
#include <unistd.h>
/* After <time.h>, which it needs. */
#include <linux/errqueue.h>

#include "socket.h"
#include "segmentation.h"

/* ---- socket ------------------------------------------------------------------ */

#define DSCP_MASK 0xfc

static gboolean
set_option (gint fd, gint level, gint name, gint value)
{
  return setsockopt (fd, level, name, &value, sizeof value) == 0;
}

static gint
get_option (gint fd, gint level, gint name)
{
  gint value = -1;
  socklen_t len = sizeof value;

  return getsockopt (fd, level, name, &value, &len) == 0 ? value : -1;
}

/* Returns the option of the socket's own version of IP; 0: unknown. */
static guint
get_option_of_own (gint fd, gint v4_name, gint v6_name)
{
  gint value = get_option (fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6
      ? get_option (fd, IPPROTO_IPV6, v6_name)
      : get_option (fd, IPPROTO_IP, v4_name);

  return (guint) MAX (value, 0);
}

/* An IPv6 socket that also carries IPv4 has the options of both. */
static gboolean
set_option_of_both (gint fd, gint v4_name, gint v6_name, gint value)
{
  gint domain = get_option (fd, SOL_SOCKET, SO_DOMAIN);

  if (domain == AF_INET6 && !set_option (fd, IPPROTO_IPV6, v6_name, value))
    return FALSE;
  return set_option (fd, IPPROTO_IP, v4_name, value);
}

static gboolean
in_range (gint value, gint min, gint max)
{
  if (value >= min && value <= max)
    return TRUE;
  errno = EINVAL;
  return FALSE;
}

gboolean
gst_tfrc_socket_set_ttl (gint fd, gint ttl)
{
  return (ttl == GST_TFRC_SOCKET_DEFAULT_TTL || in_range (ttl, 1, 255))
      && set_option_of_both (fd, IP_TTL, IPV6_UNICAST_HOPS, ttl);
}

guint
gst_tfrc_socket_get_ttl (gint fd)
{
  return get_option_of_own (fd, IP_TTL, IPV6_UNICAST_HOPS);
}

gboolean
gst_tfrc_socket_set_dscp (gint fd, gint dscp)
{
  /* The lower two bits of the octet are ECN's (RFC 3168). */
  return in_range (dscp, GST_TFRC_SOCKET_DEFAULT_DSCP, 63)
      && set_option_of_both (fd, IP_TOS, IPV6_TCLASS, MAX (dscp, 0) << 2);
}

guint8
gst_tfrc_socket_get_tos (gint fd)
{
  return (guint8) get_option_of_own (fd, IP_TOS, IPV6_TCLASS);
}

gboolean
gst_tfrc_socket_allows_ecn (gint fd)
{
  const guint8 before = gst_tfrc_socket_get_tos (fd);
  const gint with_ect = (before & DSCP_MASK) | TFRC_ECN_FIELD_ECT_0;
  gboolean allows = set_option_of_both (fd, IP_TOS, IPV6_TCLASS, with_ect)
      && gst_tfrc_socket_get_tos (fd) == with_ect;

  set_option_of_both (fd, IP_TOS, IPV6_TCLASS, before);
  return allows;
}

/* SO_*BUFFORCE exceeds the system's limits, if the process may. */
static void
set_buffer (gint fd, gint force_name, gint name, gint bytes)
{
  if (bytes > 0 && !set_option (fd, SOL_SOCKET, force_name, bytes))
    set_option (fd, SOL_SOCKET, name, bytes);
}

gint
gst_tfrc_socket_receive_buffer_bytes (gint fd)
{
  gint bytes = get_option (fd, SOL_SOCKET, SO_RCVBUF);

  return bytes < 0 ? bytes : bytes / 2;
}

gint
gst_tfrc_socket_send_buffer_bytes (gint fd)
{
  gint bytes = get_option (fd, SOL_SOCKET, SO_SNDBUF);

  return bytes < 0 ? bytes : bytes / 2;
}

/* Packets wait in the receive buffer while other programs have the processor. Without a wish of the
 * application the buffer is as large as the system allows everybody (net.core.rmem_max). */
static void
set_receive_buffer (gint fd, gint bytes)
{
  if (bytes > 0)
    set_buffer (fd, SO_RCVBUFFORCE, SO_RCVBUF, bytes);
  else if (gst_tfrc_socket_receive_buffer_bytes (fd) < GST_TFRC_SOCKET_RECEIVE_BUFFER_BYTES)
    set_option (fd, SOL_SOCKET, SO_RCVBUF, GST_TFRC_SOCKET_RECEIVE_BUFFER_BYTES);
}

/* Asks for what a received packet comes with.  A system that lacks an option only makes the stream
 * know less, and so a failure does not matter. */
static void
ask_for_ancillary_data (gint fd)
{
  static const struct
  {
    gint level, name;
  } options[] = {
    { SOL_SOCKET, SO_TIMESTAMPNS },
    { IPPROTO_IP, IP_RECVERR },
    { IPPROTO_IPV6, IPV6_RECVERR },
    { IPPROTO_IP, IP_RECVTTL },
    { IPPROTO_IPV6, IPV6_RECVHOPLIMIT },
    { IPPROTO_IP, IP_RECVTOS },
    { IPPROTO_IPV6, IPV6_RECVTCLASS },
    { IPPROTO_IP, IP_PKTINFO },
    { IPPROTO_IPV6, IPV6_RECVPKTINFO },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    set_option (fd, options[i].level, options[i].name, 1);
}

/* Every host can forge the ICMP message that a path takes small packets only.  The kernel would
 * then send each packet in fragments.  With these options the kernel uses the MTU of the interface
 * alone.  A system that lacks them behaves as before. */
static void
ignore_path_mtu (gint fd)
{
  set_option (fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_OMIT);
  set_option (fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_OMIT);
}

static gint
fail (gint fd, const gchar *what, const GstTfrcAddress *address, GError **error)
{
  gint saved_errno = errno;
  gchar *text = gst_tfrc_address_to_string (address);

  /* GLib has no code for an address of another host. */
  g_set_error (error, G_IO_ERROR,
      saved_errno == EADDRNOTAVAIL ? G_IO_ERROR_NOT_FOUND : g_io_error_from_errno (saved_errno),
      "%s %s: %s", what, text, g_strerror (saved_errno));
  g_free (text);
  if (fd >= 0)
    close (fd);
  return -1;
}

static gint
open_at (const GstTfrcSocketConfig *config, const GstTfrcAddress *address, gboolean dual_stack,
    GError **error)
{
  gint family = gst_tfrc_address_family (address);
  gint fd = socket (family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return fail (fd, "Could not create a UDP socket for", address, error);
  if (family == AF_INET6 && !set_option (fd, IPPROTO_IPV6, IPV6_V6ONLY, !dual_stack))
    return fail (fd, "Could not choose the IP versions of", address, error);
  if (config->ttl != GST_TFRC_SOCKET_DEFAULT_TTL && !gst_tfrc_socket_set_ttl (fd, config->ttl))
    return fail (fd, "Could not set the TTL of", address, error);
  if (config->dscp != GST_TFRC_SOCKET_DEFAULT_DSCP && !gst_tfrc_socket_set_dscp (fd, config->dscp))
    return fail (fd, "Could not set the DSCP of", address, error);
  set_receive_buffer (fd, config->receive_buffer_bytes);
  set_buffer (fd, SO_SNDBUFFORCE, SO_SNDBUF, config->send_buffer_bytes);
  ask_for_ancillary_data (fd);
  if (config->receives_groups)
    set_option (fd, IPPROTO_UDP, UDP_GRO, 1); /* without, packets come one by one */
  ignore_path_mtu (fd);
  if (bind (fd, &address->u.any, address->len) < 0)
    return fail (fd, "Could not bind a UDP socket to", address, error);
  return fd;
}

static gboolean
get_local_address (gint fd, GstTfrcAddress *local)
{
  struct sockaddr_in6 bound;
  socklen_t len = sizeof bound;

  if (getsockname (fd, (struct sockaddr *) &bound, &len) < 0)
    return FALSE;
  gst_tfrc_address_from_sockaddr (local, (struct sockaddr *) &bound, len);
  return TRUE;
}

gint
gst_tfrc_socket_open (const GstTfrcSocketConfig *config, GstTfrcAddress *local, GError **error)
{
  const gchar *host = config->bind_address;
  gboolean every_address = host == NULL || *host == '\0' || g_str_equal (host, "::");
  gboolean dual_stack = every_address && config->family == AF_UNSPEC;
  GError *open_error = NULL;
  GstTfrcAddress address;
  gint fd;

  if (every_address)
    host = config->family == AF_INET ? "0.0.0.0" : "::";
  if (!gst_tfrc_address_resolve (&address, host, config->bind_port, config->family, error))
    return -1;
  fd = open_at (config, &address, dual_stack, &open_error);
  /* On a host without IPv6 the socket is an IPv4 socket; but not if only the IPv6 port is taken. */
  if (fd < 0 && dual_stack
      && !g_error_matches (open_error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)) {
    g_clear_error (&open_error);
    gst_tfrc_address_resolve (&address, "0.0.0.0", config->bind_port, AF_INET, NULL);
    fd = open_at (config, &address, FALSE, &open_error);
  }
  if (fd < 0)
    g_propagate_error (error, open_error);
  else if (local && !get_local_address (fd, local))
    return fail (fd, "Could not find the port of", &address, error);
  return fd;
}

/* ---- errors ------------------------------------------------------------------ */

/* After <time.h>, which it needs. */

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

/* Takes off the error that the next call would return. The kernel sets it after it has queued the
 * entry, so that a thread that was quick has read the entry before: the error is not another one. If
 * memory was short, there is no entry; nobody could tell then what the error was about. */
static void
drop_pending_error (gint fd)
{
  gint error;
  socklen_t len = sizeof error;

  getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &len);
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
  drop_pending_error (fd);
  return n;
}
