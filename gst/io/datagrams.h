/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sending and receiving batches of UDP packets on the sockets of socket.h.  Nothing here blocks.
 * socket.h has the ICMP errors that come back. */
#ifndef GST_TFRC_DATAGRAMS_H
#define GST_TFRC_DATAGRAMS_H

#include "address.h"

G_BEGIN_DECLS

/** Packets that are sent in one system call, or handled at a time. */
#define GST_TFRC_BATCH_PACKETS 32

/** Room for each received packet; longer ones are truncated. */
#define GST_TFRC_MAX_PACKET_BYTES 2048

/** The local end of a path (RFC 9000 section 9): the interface and the address of this host that
 * packets leave from and come to.  All zero is unspecified. */
typedef struct
{
  guint interface;      /**< index; 0: any */
  GstTfrcAddress local; /**< address, whose port does not matter; "no address": any */
} GstTfrcLocalPath;

/** One packet to send: a UDP payload of one or two pieces of memory. */
typedef struct
{
  const guint8 *data;
  gsize size; /**< bytes */
  guint8 ttl; /**< TTL or hop limit; 0: the socket's */
  guint8 tos; /**< TOS or traffic class: DSCP and ECN field (RFC 3168); 0: the socket's */
  const guint8 *rest;
  gsize rest_bytes; /**< of the second piece; 0: there is none */
} GstTfrcSendItem;

static inline gsize
gst_tfrc_send_item_get_bytes (const GstTfrcSendItem *item)
{
  return item->size + item->rest_bytes;
}

/** Sends @a n packets to @a to, in order.  An IPv4 destination is allowed on an IPv6 socket that is
 * not restricted to IPv6.
 *
 * An ICMP error of an earlier packet hides nothing: the packet that meets the error is sent once
 * more.  (The error itself comes with gst_tfrc_socket_read_errors().)
 *
 * Packets keep their order if their TTLs or TOS differ; each change costs one more system call.
 *
 * @param path that the packets leave over, with an address of the family of @a to.  For what the
 *   path leaves unspecified (NULL: all), the socket's binding counts, or the system chooses
 * @param error 0 if all were sent, otherwise the errno of the first that was not: EAGAIN for a
 *   full send buffer, ENETUNREACH, EPERM, EMSGSIZE, ...
 * @return packets sent, 0..n
 *
 * One thread at a time for a socket, unless the order does not matter. */
guint gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error);

/** A socket's permission for groups of packets (segmentation.h).  All zero at first.  The
 * functions that take a pointer to it change it; several threads may use it. */
typedef struct
{
  gint state; /* atomic; segmentation.c has its values */
} GstTfrcSegmentation;

/** Why sending has ended. */
typedef struct
{
  gint error; /**< as for gst_tfrc_socket_send() */
  guint
      packets; /**< that were refused together, 1 or a group: ENOBUFS has dropped all of them once */
} GstTfrcSendFailure;

/** Sends packets as gst_tfrc_socket_send() does.  Four packets or more of one size that follow one
 * another leave as a group, which costs little more than one packet.  If the system refuses a group,
 * the same packets leave one by one, and no more groups leave from this socket.
 *
 * @param segmentation of the socket; NULL: all packets leave one by one
 * @return packets sent, 0..n; a group is sent as a whole or not at all */
guint gst_tfrc_socket_send_groups (gint fd, GstTfrcSegmentation *segmentation,
    const GstTfrcAddress *to, const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure);

/** One received packet.  Valid until the next packets are read. */
typedef struct
{
  guint8 *data;       /**< may be written to */
  gsize size;         /**< of data, at most GST_TFRC_MAX_PACKET_BYTES */
  gboolean truncated; /**< it was longer */
  const GstTfrcAddress *from;
  GstTfrcAddress local;     /**< to answer from, without a port; "no
                                 * address" if unknown */
  guint interface;          /**< index of the one it came in over; 0:
                                 * unknown */
  guint64 arrival_ns;       /**< monotonic, not in the future */
  guint64 arrival_slack_ns; /**< 0: arrival_ns is exact.  Otherwise the
                                 * kernel's time stamp cannot be right, as the
                                 * wall clock was set: arrival_ns is when the
                                 * packet was read, and it came at most this
                                 * long before */
  guint64 arrival_wall_ns;  /**< as the kernel stamped it */
  guint64 read_ns;          /**< monotonic, when it was read: later than its
                                 * arrival by as long as this program was
                                 * stopped */
  guint8 ttl;               /**< TTL or hop limit on arrival; 0: unknown */
  gboolean has_ecn;         /**< the kernel has told the TOS */
  guint8 ecn;               /**< ECN field (RFC 3168), TFRC_ECN_FIELD_*; 0 without has_ecn */

  /* Of a packet that has been unprotected (gst/keys/srckeys.h), otherwise 0 */
  gboolean is_protected;
  gboolean
      proves_address; /**< its keys show that the sender receives what is sent to its address */
  guint64 index;      /**< of data: extended sequence number (RFC 3711 section 3.3.1) */
} GstTfrcReceivedPacket;

/** Returns when an answer to the packet can leave: not before the packet was read. */
static inline guint64
gst_tfrc_received_packet_answer_ns (const GstTfrcReceivedPacket *packet)
{
  return MAX (packet->arrival_ns, packet->read_ns);
}

/** Buffers for what is read at a time: 2 MiB of address space, of which only the pages are used that
 * packets have come to.  Used by one thread at a time. */
typedef struct _GstTfrcReceiveBatch GstTfrcReceiveBatch;

/** Allocates the buffers; the caller frees them with
 * gst_tfrc_receive_batch_free(). */
GstTfrcReceiveBatch *gst_tfrc_receive_batch_new (void);
void gst_tfrc_receive_batch_free (GstTfrcReceiveBatch *batch);

/** Reads what waits.  A message with several packets (GRO, see segmentation.h) comes as these packets,
 * which then have their time stamp, TTL and ECN field in common.  What else waits in the socket is not
 * read once there are GST_TFRC_BATCH_PACKETS packets; the last messages may bring more than these, at
 * most four groups.
 *
 * @param oldest_ns monotonic time, at which none of these packets waited yet; 0
 *   if that is not known.  It distinguishes packets that have waited long, because the
 *   process was stopped, from a wall clock that was set.
 * @param packets set to the first packets, which @a batch owns
 * @param now_ns monotonic time after reading
 * @return packets in @a packets, at most GST_TFRC_BATCH_PACKETS; 0 if none was read, or an error in its
 *   place */
guint gst_tfrc_receive_batch_read (GstTfrcReceiveBatch *batch, gint fd, guint64 oldest_ns,
    const GstTfrcReceivedPacket **packets, guint64 *now_ns);

/** Goes on to further packets of the last read.  The packets before are no longer valid.
 *
 * @param packets set to these packets
 * @return their number, at most GST_TFRC_BATCH_PACKETS; 0: there are no more */
guint gst_tfrc_receive_batch_more (
    GstTfrcReceiveBatch *batch, const GstTfrcReceivedPacket **packets);

/** Says whether the last read may have left packets in the socket. */
gboolean gst_tfrc_receive_batch_is_full (const GstTfrcReceiveBatch *batch);

G_END_DECLS
#endif
