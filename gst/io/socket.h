/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP sockets: opening and options.  datagrams.h sends and receives. */
#ifndef GST_TFRC_SOCKET_H
#define GST_TFRC_SOCKET_H

#include "address.h"
#include "datagrams.h"

G_BEGIN_DECLS

#define GST_TFRC_SOCKET_DEFAULT_TTL (-1)
#define GST_TFRC_SOCKET_DEFAULT_DSCP (-1)

/** The receive buffer of a socket without another wish, if the system allows it. */
#define GST_TFRC_SOCKET_RECEIVE_BUFFER_BYTES (1 << 22)

/** The settings of a socket.  Start from GST_TFRC_SOCKET_CONFIG_INIT. */
typedef struct
{
  const gchar *bind_address; /**< numeric or a name; NULL or "::": all */
  guint16 bind_port;         /**< 0: any free one */
  gint family;               /**< AF_INET, AF_INET6; AF_UNSPEC: both */
  gint receive_buffer_bytes; /**< 0: GST_TFRC_SOCKET_RECEIVE_BUFFER_BYTES, or as many as allowed */
  gint send_buffer_bytes;    /**< 0: the system's default */
  gint ttl;                  /**< as gst_tfrc_socket_set_ttl() */
  gint dscp;                 /**< as gst_tfrc_socket_set_dscp() */
  gboolean receives_groups;  /**< the kernel may hand over several packets at once, where it can */
} GstTfrcSocketConfig;

#define GST_TFRC_SOCKET_CONFIG_INIT \
  { \
    NULL, 0, AF_UNSPEC, 0, 0, GST_TFRC_SOCKET_DEFAULT_TTL, GST_TFRC_SOCKET_DEFAULT_DSCP, FALSE \
  }

/** Opens an unconnected, non-blocking UDP socket that reports arrival times, local addresses, TTL,
 * ECN marks and ICMP errors.  The kernel fragments its packets by the MTU of the interface alone.
 * A socket for both families receives and sends IPv6 and IPv4; on a host without IPv6 it is an
 * IPv4 socket.
 *
 * @param local NULL, or where to store address and port it is bound to
 * @return a descriptor that the caller closes, or -1 with @a error set: G_RESOLVER_ERROR for the
 *   address, G_IO_ERROR (as g_io_error_from_errno() has it, G_IO_ERROR_ADDRESS_IN_USE for a port
 *   that another socket has; G_IO_ERROR_NOT_FOUND for an address that this host does not have) for
 *   the rest
 *
 * Buffer sizes above the system's limits are cut by the system without an error, see
 * gst_tfrc_socket_receive_buffer_bytes().  Blocks while a name is looked up.  Any thread. */
gint gst_tfrc_socket_open (
    const GstTfrcSocketConfig *config, GstTfrcAddress *local, GError **error);

/** Sets TTL and hop limit of what is sent: 1..255, or -1 for the system's
 * default.  FALSE with errno set if the system refuses. */
gboolean gst_tfrc_socket_set_ttl (gint fd, gint ttl);

/** Returns the TTL or hop limit that packets leave with by themselves: the system's default, too; of
 * a socket for both families, IPv6's. 0 if @a fd is no UDP socket. */
guint gst_tfrc_socket_get_ttl (gint fd);

/** Sets the code point (RFC 2474) of what is sent: 0..63, or -1 for the
 * system's default.  FALSE with errno set if the system refuses. */
gboolean gst_tfrc_socket_set_dscp (gint fd, gint dscp);

/** Returns the TOS or traffic class that packets leave with by themselves: DSCP and ECN field; of a
 * socket for both families, IPv6's.  0 if @a fd is no UDP socket. */
guint8 gst_tfrc_socket_get_tos (gint fd);

/** Says whether the system lets packets leave with ECT(0).  Before packets leave: the function
 * changes the socket's TOS for a moment. */
gboolean gst_tfrc_socket_allows_ecn (gint fd);

/** Return the size that is in force in bytes, without what the kernel adds for its own use; -1 if
 * @a fd is not a socket. */
gint gst_tfrc_socket_receive_buffer_bytes (gint fd);
gint gst_tfrc_socket_send_buffer_bytes (gint fd);

/** @param error errno, for example ECONNREFUSED for "port unreachable"; ETIME for "time to live
 *   exceeded in transit", for which the kernel has no errno of its own
 * @param destination where the packet was going that met it; "no address" if
 *   unknown */
typedef void (*GstTfrcSocketErrorFunc) (
    gpointer user_data, gint error, const GstTfrcAddress *destination);

/** Takes the pending errors off the socket and hands them to @a func, a
 * bounded number: if there are more, the socket still polls POLLERR. An error that the kernel kept
 * without its destination, as memory was short, is dropped.
 * @return how many @a func has got */
guint gst_tfrc_socket_read_errors (gint fd, GstTfrcSocketErrorFunc func, gpointer user_data);

G_END_DECLS
#endif
