/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of UDP packets, see datagrams.h. */
#define _GNU_SOURCE 1 /* sendmmsg, recvmmsg, struct in6_pktinfo */
#include "datagrams.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "../common/clock.h"

/* Time stamp, TTL, TOS and local address of both IP versions, and half as much
 * to spare; in the other direction one of each. */
#define CONTROL_BYTES 256

#define ECN_MASK 3

/* An address as the kernel writes it. */
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

/* ---- sending ----------------------------------------------------------- */

/* Errors that ICMP can leave on a socket for the next call to trip over. */
static gboolean
can_be_from_earlier_packet (gint error)
{
  switch (error) {
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case EPROTO:
    case EACCES:
    case EMSGSIZE:
      return TRUE;
    default:
      return FALSE;
  }
}

/* @at: the first free byte, aligned for a control message
 * @return bytes written */
static gsize
put_control (guint8 *at, gint level, gint type, gconstpointer data, gsize size)
{
  struct cmsghdr *control = (gpointer) at;

  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (control), data, size);
  return CMSG_SPACE (size);
}

/* Writes the control message that makes packets leave over this path. The memory is zero.
 * @return its bytes; 0: none is needed */
static gsize
put_path (Control *control, const GstTfrcAddress *to, const GstTfrcLocalPath *path)
{
  gint family = path ? gst_tfrc_address_family (&path->local) : AF_UNSPEC;

  if (family == AF_UNSPEC && path && path->interface != 0)
    family = gst_tfrc_address_family (to);
  if (family == AF_INET) {
    struct in_pktinfo v4 = { .ipi_ifindex = (gint) path->interface,
      .ipi_spec_dst = path->local.u.v4.sin_addr };

    return put_control (control->bytes, IPPROTO_IP, IP_PKTINFO, &v4, sizeof v4);
  }
  if (family == AF_INET6) {
    struct in6_pktinfo v6 = { .ipi6_addr = path->local.u.v6.sin6_addr,
      .ipi6_ifindex = path->interface ? path->interface : path->local.u.v6.sin6_scope_id };

    return put_control (control->bytes, IPPROTO_IPV6, IPV6_PKTINFO, &v6, sizeof v6);
  }
  return 0;
}

/* Writes the control message that gives packets this value of an option, whose name depends on the
 * version of IP.
 * @return its bytes; 0: none is needed */
static gsize
put_option (guint8 *at, const GstTfrcAddress *to, gint v4_name, gint v6_name, guint8 value)
{
  const gint number = value;

  if (value == 0)
    return 0;
  return gst_tfrc_address_family (to) == AF_INET6
      ? put_control (at, IPPROTO_IPV6, v6_name, &number, sizeof number)
      : put_control (at, IPPROTO_IP, v4_name, &number, sizeof number);
}

/* Counts the packets at the beginning that leave with the TTL and the TOS of the first. */
static guint
count_same_control (const GstTfrcSendItem *items, guint n)
{
  guint same = 1;

  while (same < n && items[same].ttl == items[0].ttl && items[same].tos == items[0].tos)
    same++;
  return same;
}

/* Sends up to GST_TFRC_BATCH_PACKETS of one TTL and TOS; -1 with errno set if not even the first
 * could be sent. */
static gint
send_batch (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n)
{
  struct mmsghdr messages[GST_TFRC_BATCH_PACKETS];
  struct iovec buffers[GST_TFRC_BATCH_PACKETS];
  Control control = { 0 };
  gsize control_bytes = put_path (&control, to, path);

  control_bytes += put_option (
      control.bytes + control_bytes, to, IP_TTL, IPV6_HOPLIMIT, items[0].ttl);
  control_bytes += put_option (
      control.bytes + control_bytes, to, IP_TOS, IPV6_TCLASS, items[0].tos);
  n = count_same_control (items, MIN (n, GST_TFRC_BATCH_PACKETS));
  memset (messages, 0, n * sizeof messages[0]);
  for (guint i = 0; i < n; i++) {
    buffers[i].iov_base = (void *) items[i].data;
    buffers[i].iov_len = items[i].size;
    messages[i].msg_hdr.msg_iov = &buffers[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_name = (void *) &to->u;
    messages[i].msg_hdr.msg_namelen = to->len;
    messages[i].msg_hdr.msg_control = control_bytes > 0 ? &control : NULL;
    messages[i].msg_hdr.msg_controllen = control_bytes;
  }
  return sendmmsg (fd, messages, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

guint
gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error)
{
  gboolean tried_again = FALSE;
  guint sent = 0;

  *error = 0;
  while (sent < n) {
    gint result = send_batch (fd, to, path, items + sent, n - sent);

    if (result > 0) {
      sent += (guint) result;
      tried_again = FALSE;
    } else if (errno == EINTR) {
      continue;
    } else if (can_be_from_earlier_packet (errno) && !tried_again) {
      tried_again = TRUE;
    } else {
      *error = errno;
      break;
    }
  }
  return sent;
}

/* ---- receiving --------------------------------------------------------- */

struct _GstTfrcReceiveBatch
{
  struct mmsghdr messages[GST_TFRC_BATCH_PACKETS];
  struct iovec buffers[GST_TFRC_BATCH_PACKETS];
  SocketName names[GST_TFRC_BATCH_PACKETS];
  Control controls[GST_TFRC_BATCH_PACKETS];
  GstTfrcAddress from[GST_TFRC_BATCH_PACKETS];
  GstTfrcReceivedPacket packets[GST_TFRC_BATCH_PACKETS];
  guint8 data[GST_TFRC_BATCH_PACKETS][GST_TFRC_MAX_PACKET_BYTES];
};

GstTfrcReceiveBatch *
gst_tfrc_receive_batch_new (void)
{
  GstTfrcReceiveBatch *batch = g_new0 (GstTfrcReceiveBatch, 1);

  for (guint i = 0; i < GST_TFRC_BATCH_PACKETS; i++) {
    struct msghdr *header = &batch->messages[i].msg_hdr;

    batch->buffers[i].iov_base = batch->data[i];
    batch->buffers[i].iov_len = GST_TFRC_MAX_PACKET_BYTES;
    header->msg_iov = &batch->buffers[i];
    header->msg_iovlen = 1;
    header->msg_name = &batch->names[i];
    header->msg_control = &batch->controls[i];
    batch->packets[i].data = batch->data[i];
    batch->packets[i].from = &batch->from[i];
  }
  return batch;
}

void
gst_tfrc_receive_batch_free (GstTfrcReceiveBatch *batch)
{
  g_free (batch);
}

static gint
control_int (const struct cmsghdr *control)
{
  gint value = 0;

  memcpy (&value, CMSG_DATA (control), sizeof value);
  return value;
}

static guint64
control_time_ns (const struct cmsghdr *control)
{
  struct timespec ts;

  memcpy (&ts, CMSG_DATA (control), sizeof ts);
  return (guint64) ts.tv_sec * G_GUINT64_CONSTANT (1000000000) + (guint64) ts.tv_nsec;
}

/* Where to answer from: the address that the packet was sent to, or one of the
 * interface if that was a group's. */
static void
control_v4_local (const struct cmsghdr *control, GstTfrcReceivedPacket *packet)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET };
  struct in_pktinfo info;

  memcpy (&info, CMSG_DATA (control), sizeof info);
  packet->interface = (guint) info.ipi_ifindex;
  v4.sin_addr = info.ipi_spec_dst;
  gst_tfrc_address_from_sockaddr (&packet->local, (struct sockaddr *) &v4, sizeof v4);
}

/* A group is no address to answer from, and for IPv4 there is the message
 * above, on sockets of both versions too. */
static void
control_v6_local (const struct cmsghdr *control, GstTfrcReceivedPacket *packet)
{
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  struct in6_pktinfo info;

  memcpy (&info, CMSG_DATA (control), sizeof info);
  packet->interface = info.ipi6_ifindex;
  if (IN6_IS_ADDR_V4MAPPED (&info.ipi6_addr) || IN6_IS_ADDR_MULTICAST (&info.ipi6_addr))
    return;
  v6.sin6_addr = info.ipi6_addr;
  if (IN6_IS_ADDR_LINKLOCAL (&info.ipi6_addr))
    v6.sin6_scope_id = info.ipi6_ifindex;
  gst_tfrc_address_from_sockaddr (&packet->local, (struct sockaddr *) &v6, sizeof v6);
}

static void
set_ecn (GstTfrcReceivedPacket *packet, gint tos)
{
  packet->has_ecn = TRUE;
  packet->ecn = (guint8) (tos & ECN_MASK);
}

static void
read_control (GstTfrcReceivedPacket *packet, struct msghdr *header)
{
  struct cmsghdr *c;

  for (c = CMSG_FIRSTHDR (header); c; c = CMSG_NXTHDR (header, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
      packet->arrival_wall_ns = control_time_ns (c);
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
      packet->ttl = (guint8) control_int (c);
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)
      packet->ttl = (guint8) control_int (c);
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      set_ecn (packet, *CMSG_DATA (c)); /* one byte, unlike IPv6's */
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)
      set_ecn (packet, control_int (c));
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
      control_v4_local (c, packet);
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
      control_v6_local (c, packet);
  }
}

static void
fill_packet (GstTfrcReceiveBatch *batch, guint i, const GstTfrcClockMap *clock, guint64 oldest_ns)
{
  GstTfrcReceivedPacket *packet = &batch->packets[i];
  struct msghdr *header = &batch->messages[i].msg_hdr;

  packet->size = batch->messages[i].msg_len;
  packet->truncated = (header->msg_flags & MSG_TRUNC) != 0;
  packet->arrival_wall_ns = clock->wall_ns;
  packet->ttl = 0;
  packet->has_ecn = FALSE;
  packet->ecn = 0;
  packet->interface = 0;
  memset (&packet->local, 0, sizeof packet->local);
  read_control (packet, header);
  packet->arrival_ns = gst_tfrc_clock_map_to_monotonic (
      clock, packet->arrival_wall_ns, oldest_ns, &packet->arrival_slack_ns);
  packet->read_ns = clock->now_ns;
  gst_tfrc_address_from_sockaddr (&batch->from[i], &batch->names[i].any, header->msg_namelen);
}

guint
gst_tfrc_receive_batch_read (GstTfrcReceiveBatch *batch, gint fd, guint64 oldest_ns,
    const GstTfrcReceivedPacket **packets, guint64 *now_ns)
{
  GstTfrcClockMap clock;
  gint n;

  for (guint i = 0; i < GST_TFRC_BATCH_PACKETS; i++) {
    batch->messages[i].msg_hdr.msg_namelen = sizeof batch->names[i];
    batch->messages[i].msg_hdr.msg_controllen = CONTROL_BYTES;
  }
  n = recvmmsg (fd, batch->messages, GST_TFRC_BATCH_PACKETS, MSG_DONTWAIT, NULL);
  gst_tfrc_clock_map_init (&clock);
  for (gint i = 0; i < n; i++)
    fill_packet (batch, (guint) i, &clock, oldest_ns);
  *packets = batch->packets;
  *now_ns = clock.now_ns;
  return (guint) MAX (n, 0);
}
