/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP addresses: IPv4 or IPv6 with a port.  An IPv4 address is never kept as the IPv4-mapped IPv6
 * address that a dual-stack socket shows, so that equal peers compare equal. */
#ifndef GST_TFRC_ADDRESS_H
#define GST_TFRC_ADDRESS_H

#include <gio/gio.h>
#include <netinet/in.h>
#include <sys/socket.h>

G_BEGIN_DECLS

/** A plain value.  All zero is "no address". */
typedef struct
{
  union
  {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } u;
  socklen_t len; /**< 0: no address */
} GstTfrcAddress;

/** Looks up @a host, a name or a numeric address (IPv6 with a scope such as
 * fe80::1%eth0 too), and takes the address that the system prefers.
 *
 * @param address where to store it; "no address" on failure
 * @param family AF_INET, AF_INET6, or AF_UNSPEC for either
 * @return FALSE with @a error set (G_RESOLVER_ERROR, names the host)
 *
 * Blocks while a name is looked up.  Any thread. */
gboolean gst_tfrc_address_resolve (
    GstTfrcAddress *address, const gchar *host, guint16 port, gint family, GError **error);

/** Sets an address to one of the socket interface; to "no address" if that is neither IPv4 nor
 * IPv6, or too short. */
void gst_tfrc_address_from_sockaddr (
    GstTfrcAddress *address, const struct sockaddr *sockaddr, gsize len);

/** Returns whether a single host can have this address and port: it is neither multicast nor
 * broadcast, unspecified, port 0 or "no address". */
gboolean gst_tfrc_address_is_unicast (const GstTfrcAddress *address);

/** Compares address and port, and the scope of link-local addresses. */
gboolean gst_tfrc_address_equal (const GstTfrcAddress *a, const GstTfrcAddress *b);

/** Compares as gst_tfrc_address_equal(), without the ports. */
gboolean gst_tfrc_address_same_host (const GstTfrcAddress *a, const GstTfrcAddress *b);

/** Returns what all addresses that a host can choose from have in common: an address of IPv4, or the first 64
 * bits of one of IPv6 (RFC 4291 section 2.5.4). All link-local addresses have the same. */
guint64 gst_tfrc_address_network (const GstTfrcAddress *address);

/** Returns whether both are of one family and have the same gst_tfrc_address_network(). */
gboolean gst_tfrc_address_same_network (const GstTfrcAddress *a, const GstTfrcAddress *b);

/** Returns AF_INET, AF_INET6 or AF_UNSPEC ("no address"). */
gint gst_tfrc_address_family (const GstTfrcAddress *address);

/** Returns the port, 0 for "no address". */
guint16 gst_tfrc_address_port (const GstTfrcAddress *address);

/** Gives an address of IPv4 or IPv6 another port. */
void gst_tfrc_address_set_port (GstTfrcAddress *address, guint16 port);

/** Returns "192.0.2.1:5004", "[2001:db8::1]:5004" or "none"; free it with
 * g_free(). */
gchar *gst_tfrc_address_to_string (const GstTfrcAddress *address);

/** Room for gst_tfrc_address_write(): a host with scope, brackets and a port */
#define GST_TFRC_ADDRESS_TEXT_BYTES 96

/** Writes the same text.
 * @return @a text */
const gchar *gst_tfrc_address_write (
    const GstTfrcAddress *address, gchar text[GST_TFRC_ADDRESS_TEXT_BYTES]);

/** The same text in memory of the caller's block, for a message of the log */
#define GST_TFRC_ADDRESS_TEXT(address) \
  gst_tfrc_address_write (address, (gchar[GST_TFRC_ADDRESS_TEXT_BYTES]){ 0 })

G_END_DECLS
#endif
