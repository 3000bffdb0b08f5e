/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sending batches of UDP packets, see datagrams.h. */
#define _GNU_SOURCE 1 /* sendmmsg, struct in6_pktinfo */
#include "datagrams.h"

#include <errno.h>
#include <string.h>

#include "segmentation.h"

/* Local address, TTL and TOS, the size of segments, and half as much to spare */
#define CONTROL_BYTES 160

#define MAX_GROUPS (GST_TFRC_BATCH_PACKETS / GST_TFRC_GROUP_MIN_PACKETS)

typedef union
{
  gsize align; /* as struct cmsghdr, which begins with a size */
  guint8 bytes[CONTROL_BYTES];
} Control;

/* The packets of one system call. All packets of a batch have the same TTL and TOS. */
typedef struct
{
  struct mmsghdr messages[GST_TFRC_BATCH_PACKETS];
  guint packets[GST_TFRC_BATCH_PACKETS]; /* in each message */
  guint n_messages;
  struct iovec buffers[2 * GST_TFRC_BATCH_PACKETS]; /* of all messages, one after the other */
  guint n_buffers;
  Control control; /* of a message with one packet */
  gsize control_bytes;
  Control group_controls[MAX_GROUPS];
  guint n_groups;
} Batch;

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

static void
set_control (Batch *batch, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *item)
{
  guint8 *bytes = batch->control.bytes;
  gsize n;

  memset (&batch->control, 0, sizeof batch->control);
  n = put_path (&batch->control, to, path);
  n += put_option (bytes + n, to, IP_TTL, IPV6_HOPLIMIT, item->ttl);
  n += put_option (bytes + n, to, IP_TOS, IPV6_TCLASS, item->tos);
  batch->control_bytes = n;
}

/* Gives the message of a group the control message that tells the kernel where to cut. */
static void
set_segment_bytes (Batch *batch, struct msghdr *header, gsize segment_bytes)
{
  const guint16 bytes = (guint16) segment_bytes;
  Control *control = &batch->group_controls[batch->n_groups++];

  *control = batch->control;
  header->msg_control = control;
  header->msg_controllen = batch->control_bytes
      + put_control (
          control->bytes + batch->control_bytes, IPPROTO_UDP, UDP_SEGMENT, &bytes, sizeof bytes);
}

static void
add_buffer (Batch *batch, const guint8 *data, gsize size)
{
  batch->buffers[batch->n_buffers++] = (struct iovec){ (void *) data, size };
}

/* Adds a message with @n packets. */
static void
add_message (Batch *batch, const GstTfrcAddress *to, const GstTfrcSendItem *items, guint n)
{
  struct msghdr *header = &batch->messages[batch->n_messages].msg_hdr;
  guint first = batch->n_buffers;

  memset (header, 0, sizeof *header);
  for (guint i = 0; i < n; i++) {
    add_buffer (batch, items[i].data, items[i].size);
    if (items[i].rest_bytes > 0)
      add_buffer (batch, items[i].rest, items[i].rest_bytes);
  }
  header->msg_iov = &batch->buffers[first];
  header->msg_iovlen = batch->n_buffers - first;
  header->msg_name = (void *) &to->u;
  header->msg_namelen = to->len;
  if (batch->control_bytes > 0) {
    header->msg_control = &batch->control;
    header->msg_controllen = batch->control_bytes;
  }
  if (n > 1)
    set_segment_bytes (batch, header, gst_tfrc_send_item_get_bytes (&items[0]));
  batch->packets[batch->n_messages++] = n;
}

/* @groups: packets may leave in groups */
static void
fill_batch (Batch *batch, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gboolean groups)
{
  guint size;

  n = count_same_control (items, MIN (n, GST_TFRC_BATCH_PACKETS));
  set_control (batch, to, path, &items[0]);
  batch->n_messages = batch->n_groups = batch->n_buffers = 0;
  for (guint i = 0; i < n; i += size) {
    size = groups ? gst_tfrc_segmentation_count (items + i, n - i) : 1;
    add_message (batch, to, items + i, size);
  }
}

/* Returns the packets that were sent; 0 with errno set if not even the first message could be sent. */
static guint
send_batch (gint fd, Batch *batch)
{
  gint messages = sendmmsg (fd, batch->messages, batch->n_messages, MSG_DONTWAIT | MSG_NOSIGNAL);
  guint sent = 0;

  for (gint i = 0; i < messages; i++)
    sent += batch->packets[i];
  return sent;
}

/* Can the system refuse a group with this error whose packets it would take one by one? A full buffer
 * or queue refuses both. */
static gboolean
can_be_for_group (gint error)
{
  return error != EAGAIN && error != ENOBUFS;
}

guint
gst_tfrc_socket_send_groups (gint fd, GstTfrcSegmentation *segmentation, const GstTfrcAddress *to,
    const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure)
{
  gboolean groups = segmentation && n >= GST_TFRC_GROUP_MIN_PACKETS
      && gst_tfrc_segmentation_is_allowed (segmentation, fd);
  gboolean tried_again = FALSE, group_failed = FALSE;
  guint sent = 0, result;
  Batch batch;

  failure->error = 0;
  while (sent < n) {
    fill_batch (&batch, to, path, items + sent, n - sent, groups);
    result = send_batch (fd, &batch);
    if (result > 0) {
      /* The packets pass that failed as a group. */
      if (group_failed)
        gst_tfrc_segmentation_refuse (segmentation);
      group_failed = tried_again = FALSE;
      sent += result;
    } else if (errno == EINTR) {
      continue;
    } else if (can_be_from_earlier_packet (errno) && !tried_again) {
      tried_again = TRUE;
    } else if (batch.packets[0] > 1 && can_be_for_group (errno)) {
      groups = tried_again = FALSE;
      group_failed = TRUE;
    } else {
      failure->error = errno;
      failure->packets = batch.packets[0];
      break;
    }
  }
  return sent;
}

guint
gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error)
{
  GstTfrcSendFailure failure;
  guint sent = gst_tfrc_socket_send_groups (fd, NULL, to, path, items, n, &failure);

  *error = failure.error;
  return sent;
}
