/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiving batches of UDP packets, see datagrams.h. */
#define _GNU_SOURCE 1 /* recvmmsg, struct in6_pktinfo */
#include "datagrams.h"

#include <string.h>
#include <time.h>

#include "../common/clock.h"
#include "segmentation.h"

/* Time stamp, TTL, TOS and local address of both IP versions, the size of segments, and half as much
 * to spare */
#define CONTROL_BYTES 320

/* The largest message of UDP: one packet, or a group that the kernel has put together (GRO). The
 * memory of a message is used only as far as bytes have come. */
#define MESSAGE_BYTES 65536

/* Messages that a system call reads. A message may contain GST_TFRC_GROUP_MAX_PACKETS packets, and
 * nobody knows before how many: few messages at a time bound what one read can bring. */
#define MESSAGES_PER_CALL 4

/* libsrtp needs packets at such addresses. */
#define ALIGNMENT 4

#define ECN_MASK 3

/* An address as the kernel writes it. */
typedef union
{
  struct sockaddr any;
  struct sockaddr_in6 v6;
} SocketName;

typedef union
{
  gsize align; /* as struct cmsghdr, which begins with a size */
  guint8 bytes[CONTROL_BYTES];
} Control;

/* A message that has been read */
typedef struct
{
  GstTfrcReceivedPacket all; /* what all packets of the message share */
  SocketName name;
  GstTfrcAddress from;
  gsize bytes;
  gsize segment_bytes; /* of each packet but the last one, which may be shorter */
  gboolean is_cut;     /* more bytes came than there was room for */
} Message;

struct _GstTfrcReceiveBatch
{
  struct mmsghdr headers[GST_TFRC_BATCH_PACKETS];
  struct iovec buffers[GST_TFRC_BATCH_PACKETS];
  Control controls[GST_TFRC_BATCH_PACKETS];
  Message messages[GST_TFRC_BATCH_PACKETS];
  guint8 *data; /* MESSAGE_BYTES for each message */
  guint n_messages;
  gboolean is_full; /* the socket may have more */

  /* The next packet that nobody has yet: its message, and where it begins there */
  guint next;
  gsize offset;

  GstTfrcReceivedPacket packets[GST_TFRC_BATCH_PACKETS];
  /* for packets whose address in the message is not aligned */
  guint8 copies[GST_TFRC_BATCH_PACKETS][GST_TFRC_MAX_PACKET_BYTES];
};

GstTfrcReceiveBatch *
gst_tfrc_receive_batch_new (void)
{
  GstTfrcReceiveBatch *batch = g_new0 (GstTfrcReceiveBatch, 1);

  batch->data = g_malloc (GST_TFRC_BATCH_PACKETS * MESSAGE_BYTES);
  for (guint i = 0; i < GST_TFRC_BATCH_PACKETS; i++) {
    struct msghdr *header = &batch->headers[i].msg_hdr;

    batch->buffers[i].iov_base = batch->data + (gsize) i * MESSAGE_BYTES;
    batch->buffers[i].iov_len = MESSAGE_BYTES;
    header->msg_iov = &batch->buffers[i];
    header->msg_iovlen = 1;
    header->msg_name = &batch->messages[i].name;
    header->msg_control = &batch->controls[i];
    batch->messages[i].all.from = &batch->messages[i].from;
  }
  return batch;
}

void
gst_tfrc_receive_batch_free (GstTfrcReceiveBatch *batch)
{
  g_free (batch->data);
  g_free (batch);
}

/* ---- what comes with a message ------------------------------------------ */

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

/* The address to answer from: the address that the packet was sent to, or one of the
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

/* A multicast group cannot be the address to answer from.  IPv4 has the message above, on sockets
 * of both versions too. */
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
read_control (Message *message, struct msghdr *header)
{
  GstTfrcReceivedPacket *packet = &message->all;
  struct cmsghdr *c;

  for (c = CMSG_FIRSTHDR (header); c; c = CMSG_NXTHDR (header, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
      packet->arrival_wall_ns = control_time_ns (c);
    else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO)
      message->segment_bytes = (gsize) MAX (control_int (c), 1);
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

/* ---- reading ------------------------------------------------------------- */

/* Reads all but the times. */
static void
fill_message (GstTfrcReceiveBatch *batch, guint i)
{
  Message *message = &batch->messages[i];
  GstTfrcReceivedPacket *packet = &message->all;
  struct msghdr *header = &batch->headers[i].msg_hdr;

  message->bytes = batch->headers[i].msg_len;
  message->segment_bytes = MESSAGE_BYTES;
  message->is_cut = (header->msg_flags & MSG_TRUNC) != 0;
  packet->arrival_wall_ns = 0;
  packet->ttl = 0;
  packet->has_ecn = FALSE;
  packet->ecn = 0;
  packet->interface = 0;
  memset (&packet->local, 0, sizeof packet->local);
  read_control (message, header);
  gst_tfrc_address_from_sockaddr (&message->from, &message->name.any, header->msg_namelen);
}

static void
set_times (Message *message, const GstTfrcClockMap *clock, guint64 oldest_ns)
{
  GstTfrcReceivedPacket *packet = &message->all;

  if (packet->arrival_wall_ns == 0)
    packet->arrival_wall_ns = clock->wall_ns;
  packet->arrival_ns = gst_tfrc_clock_map_to_monotonic (
      clock, packet->arrival_wall_ns, oldest_ns, &packet->arrival_slack_ns);
  packet->read_ns = clock->now_ns;
}

/* An empty message is an empty packet. */
static guint
count_packets (const Message *message)
{
  return (guint) MAX ((message->bytes + message->segment_bytes - 1) / message->segment_bytes, 1);
}

/* Appends the messages of one system call to those of the batch.
 * @packets: increased by the packets in them
 * @return FALSE if the socket had fewer messages than there was room for */
static gboolean
read_some (GstTfrcReceiveBatch *batch, gint fd, guint *packets)
{
  struct mmsghdr *headers = &batch->headers[batch->n_messages];
  gint n;

  for (guint i = 0; i < MESSAGES_PER_CALL; i++) {
    headers[i].msg_hdr.msg_namelen = sizeof (SocketName);
    headers[i].msg_hdr.msg_controllen = CONTROL_BYTES;
  }
  n = recvmmsg (fd, headers, MESSAGES_PER_CALL, MSG_DONTWAIT, NULL);
  for (gint i = 0; i < n; i++) {
    fill_message (batch, batch->n_messages);
    *packets += count_packets (&batch->messages[batch->n_messages++]);
  }
  return n == MESSAGES_PER_CALL;
}

guint
gst_tfrc_receive_batch_read (GstTfrcReceiveBatch *batch, gint fd, guint64 oldest_ns,
    const GstTfrcReceivedPacket **packets, guint64 *now_ns)
{
  GstTfrcClockMap clock;
  guint n_packets = 0;

  batch->n_messages = batch->next = 0;
  batch->offset = 0;
  do {
    batch->is_full = read_some (batch, fd, &n_packets);
  } while (batch->is_full && n_packets < GST_TFRC_BATCH_PACKETS);
  gst_tfrc_clock_map_init (&clock);
  for (guint i = 0; i < batch->n_messages; i++)
    set_times (&batch->messages[i], &clock, oldest_ns);
  *now_ns = clock.now_ns;
  return gst_tfrc_receive_batch_more (batch, packets);
}

gboolean
gst_tfrc_receive_batch_is_full (const GstTfrcReceiveBatch *batch)
{
  return batch->is_full;
}

/* ---- packets ------------------------------------------------------------- */

static void
align (GstTfrcReceivedPacket *packet, guint8 *copy)
{
  if ((guintptr) packet->data % ALIGNMENT == 0)
    return;
  memcpy (copy, packet->data, packet->size);
  packet->data = copy;
}

/* Takes the next packet of the message, which has one. */
static void
take_packet (GstTfrcReceiveBatch *batch, guint i)
{
  GstTfrcReceivedPacket *packet = &batch->packets[i];
  const Message *message = &batch->messages[batch->next];
  gsize bytes = MIN (message->bytes - batch->offset, message->segment_bytes);
  guint8 *data = batch->data + (gsize) batch->next * MESSAGE_BYTES + batch->offset;

  *packet = message->all;
  packet->data = data;
  packet->size = MIN (bytes, GST_TFRC_MAX_PACKET_BYTES);
  align (packet, batch->copies[i]);
  batch->offset += bytes;
  packet->truncated = bytes > packet->size;
  if (batch->offset < message->bytes)
    return;
  packet->truncated |= message->is_cut;
  batch->next++;
  batch->offset = 0;
}

guint
gst_tfrc_receive_batch_more (GstTfrcReceiveBatch *batch, const GstTfrcReceivedPacket **packets)
{
  guint n;

  for (n = 0; n < GST_TFRC_BATCH_PACKETS && batch->next < batch->n_messages; n++)
    take_packet (batch, n);
  *packets = batch->packets;
  return n;
}
