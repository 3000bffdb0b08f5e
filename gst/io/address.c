/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP addresses, see address.h. */
#include "address.h"

#include <netdb.h>
#include <string.h>

static gint
resolver_error (gint result)
{
  switch (result) {
    case EAI_AGAIN:
      return G_RESOLVER_ERROR_TEMPORARY_FAILURE;
    case EAI_NONAME:
    case EAI_FAMILY:
      return G_RESOLVER_ERROR_NOT_FOUND;
    default:
      return G_RESOLVER_ERROR_INTERNAL;
  }
}

gboolean
gst_tfrc_address_resolve (
    GstTfrcAddress *address, const gchar *host, guint16 port, gint family, GError **error)
{
  /* Without AI_ADDRCONFIG, which hides loopback addresses on a host that has no others. */
  struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_DGRAM };
  struct addrinfo *found = NULL;
  gint result = EAI_NONAME;

  memset (address, 0, sizeof *address);
  if (host && *host)
    result = getaddrinfo (host, NULL, &hints, &found);
  if (result != 0) {
    g_set_error (error, G_RESOLVER_ERROR, resolver_error (result),
        "Could not resolve host \"%s\": %s", host ? host : "", gai_strerror (result));
    return FALSE;
  }
  gst_tfrc_address_from_sockaddr (address, found->ai_addr, found->ai_addrlen);
  freeaddrinfo (found);
  if (gst_tfrc_address_family (address) == AF_INET)
    address->u.v4.sin_port = htons (port);
  else
    address->u.v6.sin6_port = htons (port);
  return TRUE;
}

void
gst_tfrc_address_from_sockaddr (GstTfrcAddress *address, const struct sockaddr *sockaddr, gsize len)
{
  memset (address, 0, sizeof *address);
  if (len >= sizeof (struct sockaddr_in) && sockaddr->sa_family == AF_INET) {
    memcpy (&address->u.v4, sockaddr, sizeof address->u.v4);
    address->len = sizeof address->u.v4;
  } else if (len >= sizeof (struct sockaddr_in6) && sockaddr->sa_family == AF_INET6) {
    struct sockaddr_in6 v6;

    memcpy (&v6, sockaddr, sizeof v6);
    if (IN6_IS_ADDR_V4MAPPED (&v6.sin6_addr)) {
      address->u.v4.sin_family = AF_INET;
      address->u.v4.sin_port = v6.sin6_port;
      memcpy (&address->u.v4.sin_addr, &v6.sin6_addr.s6_addr[12], 4);
      address->len = sizeof address->u.v4;
    } else {
      address->u.v6 = v6;
      address->len = sizeof address->u.v6;
    }
  }
}

gboolean
gst_tfrc_address_is_unicast (const GstTfrcAddress *address)
{
  if (gst_tfrc_address_port (address) == 0)
    return FALSE;
  if (gst_tfrc_address_family (address) == AF_INET) {
    in_addr_t v4 = ntohl (address->u.v4.sin_addr.s_addr);

    return v4 != INADDR_ANY && v4 != INADDR_BROADCAST && !IN_MULTICAST (v4);
  }
  return !IN6_IS_ADDR_UNSPECIFIED (&address->u.v6.sin6_addr)
      && !IN6_IS_ADDR_MULTICAST (&address->u.v6.sin6_addr);
}

static gboolean
same_v6_host (const struct sockaddr_in6 *a, const struct sockaddr_in6 *b)
{
  return IN6_ARE_ADDR_EQUAL (&a->sin6_addr, &b->sin6_addr)
      && (a->sin6_scope_id == b->sin6_scope_id || !IN6_IS_ADDR_LINKLOCAL (&a->sin6_addr));
}

gboolean
gst_tfrc_address_same_host (const GstTfrcAddress *a, const GstTfrcAddress *b)
{
  if (gst_tfrc_address_family (a) != gst_tfrc_address_family (b))
    return FALSE;
  switch (gst_tfrc_address_family (a)) {
    case AF_INET:
      return a->u.v4.sin_addr.s_addr == b->u.v4.sin_addr.s_addr;
    case AF_INET6:
      return same_v6_host (&a->u.v6, &b->u.v6);
    default:
      return TRUE;
  }
}

gboolean
gst_tfrc_address_equal (const GstTfrcAddress *a, const GstTfrcAddress *b)
{
  return gst_tfrc_address_port (a) == gst_tfrc_address_port (b)
      && gst_tfrc_address_same_host (a, b);
}

guint64
gst_tfrc_address_network (const GstTfrcAddress *address)
{
  guint64 network;

  if (gst_tfrc_address_family (address) != AF_INET6)
    return address->u.v4.sin_addr.s_addr;
  memcpy (&network, &address->u.v6.sin6_addr, sizeof network);
  return GUINT64_FROM_BE (network); /* no address of IPv4 is as large */
}

gboolean
gst_tfrc_address_same_network (const GstTfrcAddress *a, const GstTfrcAddress *b)
{
  return gst_tfrc_address_family (a) == gst_tfrc_address_family (b)
      && gst_tfrc_address_network (a) == gst_tfrc_address_network (b);
}

gint
gst_tfrc_address_family (const GstTfrcAddress *address)
{
  return address->len > 0 ? address->u.any.sa_family : AF_UNSPEC;
}

guint16
gst_tfrc_address_port (const GstTfrcAddress *address)
{
  switch (gst_tfrc_address_family (address)) {
    case AF_INET:
      return ntohs (address->u.v4.sin_port);
    case AF_INET6:
      return ntohs (address->u.v6.sin6_port);
    default:
      return 0;
  }
}

void
gst_tfrc_address_set_port (GstTfrcAddress *address, guint16 port)
{
  if (gst_tfrc_address_family (address) == AF_INET6)
    address->u.v6.sin6_port = g_htons (port);
  else
    address->u.v4.sin_port = g_htons (port);
}

const gchar *
gst_tfrc_address_write (const GstTfrcAddress *address, gchar text[GST_TFRC_ADDRESS_TEXT_BYTES])
{
  gchar host[GST_TFRC_ADDRESS_TEXT_BYTES - 8]; /* brackets, a colon and five digits */

  if (address->len == 0
      || getnameinfo (&address->u.any, address->len, host, sizeof host, NULL, 0, NI_NUMERICHOST)
          != 0)
    g_strlcpy (text, "none", GST_TFRC_ADDRESS_TEXT_BYTES);
  else
    g_snprintf (text, GST_TFRC_ADDRESS_TEXT_BYTES,
        address->u.any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
        gst_tfrc_address_port (address));
  return text;
}

gchar *
gst_tfrc_address_to_string (const GstTfrcAddress *address)
{
  gchar text[GST_TFRC_ADDRESS_TEXT_BYTES];

  return g_strdup (gst_tfrc_address_write (address, text));
}
