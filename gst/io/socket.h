/* UDP sockets: opening and options.  What travels through them is in
 * datagrams.h. */
#ifndef GST_TFRC_SOCKET_H
#define GST_TFRC_SOCKET_H

#include "address.h"
#include "datagrams.h"

G_BEGIN_DECLS

#define GST_TFRC_SOCKET_DEFAULT_TTL (-1)
#define GST_TFRC_SOCKET_DEFAULT_DSCP (-1)

/** How to open a socket.  Start from GST_TFRC_SOCKET_CONFIG_INIT. */
typedef struct
{
  const gchar *bind_address; /**< numeric or a name; NULL or "::": all */
  guint16 bind_port;         /**< 0: any free one */
  gint family;               /**< AF_INET, AF_INET6; AF_UNSPEC: both */
  gint receive_buffer_bytes; /**< 0: the system's default */
  gint send_buffer_bytes;    /**< likewise */
  gint ttl;                  /**< as gst_tfrc_socket_set_ttl() */
  gint dscp;                 /**< as gst_tfrc_socket_set_dscp() */
} GstTfrcSocketConfig;

#define GST_TFRC_SOCKET_CONFIG_INIT \
  { \
    NULL, 0, AF_UNSPEC, 0, 0, GST_TFRC_SOCKET_DEFAULT_TTL, GST_TFRC_SOCKET_DEFAULT_DSCP \
  }

/** Opens an unconnected, non-blocking UDP socket that reports arrival times,
 * local addresses, TTL, ECN marks and ICMP errors, and whose packets are cut to no
 * other MTU than the interface's.  One for both families receives IPv6 and
 * IPv4, and sends to both; where the host has no IPv6 it is an IPv4 socket.
 *
 * @param local NULL, or where to store address and port it is bound to
 * @return a descriptor that the caller closes, or -1 with @a error set:
 *   G_RESOLVER_ERROR for the address, G_IO_ERROR (as
 *   g_io_error_from_errno() has it, G_IO_ERROR_ADDRESS_IN_USE for a port that
 *   another socket has) for the rest
 *
 * Buffer sizes above the system's limits are cut by the system without an
 * error, see gst_tfrc_socket_receive_buffer_bytes().  Blocks while a name is looked
 * up.  Any thread. */
gint gst_tfrc_socket_open (
    const GstTfrcSocketConfig *config, GstTfrcAddress *local, GError **error);

/** Sets TTL and hop limit of what is sent: 1..255, or -1 for the system's
 * default.  FALSE with errno set if the system refuses. */
gboolean gst_tfrc_socket_set_ttl (gint fd, gint ttl);

/** Sets the code point (RFC 2474) of what is sent: 0..63, or -1 for the
 * system's default.  FALSE with errno set if the system refuses. */
gboolean gst_tfrc_socket_set_dscp (gint fd, gint dscp);

/** Returns the size that is in force, comparable with what was asked for (the
 * kernel adds as much again for its own use); -1 for what is no socket. */
gint gst_tfrc_socket_receive_buffer_bytes (gint fd);
gint gst_tfrc_socket_send_buffer_bytes (gint fd);

G_END_DECLS
#endif
