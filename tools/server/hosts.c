/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The check of receivers' addresses, see hosts.h */
#include "hosts.h"

#include <gio/gnetworking.h>
#include <ifaddrs.h>
#include <string.h>

#include "error.h"

GPtrArray *
hosts_new (gchar **prefixes, GError **error)
{
  GPtrArray *hosts = g_ptr_array_new_with_free_func (g_object_unref);

  for (; prefixes != NULL && *prefixes != NULL; prefixes++) {
    GInetAddressMask *mask = g_inet_address_mask_new_from_string (*prefixes, error);

    if (mask == NULL) {
      g_ptr_array_unref (hosts);
      return NULL;
    }
    g_ptr_array_add (hosts, mask);
  }
  return hosts;
}

/* An IPv4 address can also be written as an IPv6 address, which the prefixes of the list would not
 * match (::ffff:192.0.2.1). */
static GInetAddress *
parse_address (const gchar *text)
{
  static const guint8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
  GInetAddress *address = g_inet_address_new_from_string (text), *inner;
  const guint8 *bytes;

  if (address == NULL || g_inet_address_get_family (address) != G_SOCKET_FAMILY_IPV6)
    return address;
  bytes = g_inet_address_to_bytes (address);
  if (memcmp (bytes, mapped, sizeof mapped) != 0)
    return address;
  inner = g_inet_address_new_from_bytes (bytes + sizeof mapped, G_SOCKET_FAMILY_IPV4);
  g_object_unref (address);
  return inner;
}

/* Names and numbers of interfaces */
static gboolean
is_scope (const gchar *text)
{
  static const gchar chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

  return *text != '\0' && text[strspn (text, chars)] == '\0';
}

/* A link-local address may be on each link of this host: a scope says which (RFC 4007 section 11).
 *
 * @scope: set to what follows the address, with its "%"; "": nothing does */
static GInetAddress *
parse (const gchar *text, const gchar **scope)
{
  const gchar *percent = strchr (text, '%');
  gchar *plain = percent != NULL ? g_strndup (text, (gsize) (percent - text)) : g_strdup (text);
  GInetAddress *address = parse_address (plain);

  g_free (plain);
  *scope = percent != NULL ? percent : "";
  if (address != NULL && percent != NULL
      && (g_inet_address_get_family (address) != G_SOCKET_FAMILY_IPV6
          || !g_inet_address_get_is_link_local (address) || !is_scope (percent + 1)))
    g_clear_object (&address);
  return address;
}

/* 0.0.0.0/8 is "this network", and 240.0.0.0/4 is reserved and has the broadcast address.  tfrcsink
 * finds the broadcast addresses of this host's networks. */
static gboolean
is_unicast (GInetAddress *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (address);

  if (g_inet_address_get_is_any (address) || g_inet_address_get_is_multicast (address))
    return FALSE;
  return g_inet_address_get_family (address) != G_SOCKET_FAMILY_IPV4
      || (bytes[0] != 0 && bytes[0] < 240);
}

static gboolean
is_listed (const GPtrArray *hosts, GInetAddress *address)
{
  guint i;

  for (i = 0; i < hosts->len; i++)
    if (g_inet_address_mask_matches (g_ptr_array_index (hosts, i), address))
      return TRUE;
  return FALSE;
}

gchar *
hosts_check (const GPtrArray *hosts, const gchar *text, GError **error)
{
  const gchar *scope;
  GInetAddress *address = parse (text, &scope);
  gchar *host = NULL, *plain;

  if (address == NULL || !is_unicast (address)) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST,
        "host is not the numeric address of a single host");
  } else if (hosts->len > 0 && !is_listed (hosts, address)) {
    g_set_error_literal (
        error, SERVER_ERROR, SERVER_ERROR_FORBIDDEN, "this server does not play to this host");
  } else {
    plain = g_inet_address_to_string (address);
    host = g_strconcat (plain, scope, NULL);
    g_free (plain);
  }
  g_clear_object (&address);
  return host;
}

static gboolean
is_of_interface (const struct ifaddrs *interface, GInetAddress *address)
{
  GSocketAddress *own;
  gboolean is_same;

  if (interface->ifa_addr == NULL
      || (interface->ifa_addr->sa_family != AF_INET && interface->ifa_addr->sa_family != AF_INET6))
    return FALSE;
  own = g_socket_address_new_from_native (interface->ifa_addr,
      interface->ifa_addr->sa_family == AF_INET ? sizeof (struct sockaddr_in)
                                                : sizeof (struct sockaddr_in6));
  is_same = g_inet_address_equal (
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (own)), address);
  g_object_unref (own);
  return is_same;
}

static gboolean
is_own (GInetAddress *address)
{
  struct ifaddrs *interfaces = NULL, *one;

  if (g_inet_address_get_is_loopback (address))
    return TRUE;
  if (getifaddrs (&interfaces) != 0)
    return FALSE;
  for (one = interfaces; one != NULL && !is_of_interface (one, address);)
    one = one->ifa_next;
  freeifaddrs (interfaces);
  return one != NULL;
}

gboolean
hosts_check_unresponsive (const GPtrArray *hosts, const gchar *text, GError **error)
{
  const gchar *scope;
  GInetAddress *address = parse (text, &scope);
  gboolean may = g_inet_address_get_is_link_local (address) || is_own (address)
      || is_listed (hosts, address);

  g_object_unref (address);
  if (!may)
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FORBIDDEN,
        "this server plays to this host only if it answers (--allow-unresponsive)");
  return may;
}

/* ---- sites ------------------------------------------------------------------ */

#define SITE_BYTES 8 /* of an address of IPv6: its /64 */

static gboolean
is_on_link (const struct ifaddrs *interface, const guint8 *bytes)
{
  const guint8 *own, *mask;
  guint i;

  if (interface->ifa_addr == NULL || interface->ifa_netmask == NULL
      || interface->ifa_addr->sa_family != AF_INET6)
    return FALSE;
  own = ((const struct sockaddr_in6 *) (gconstpointer) interface->ifa_addr)->sin6_addr.s6_addr;
  mask = ((const struct sockaddr_in6 *) (gconstpointer) interface->ifa_netmask)->sin6_addr.s6_addr;
  for (i = 0; i < 16; i++)
    if (((own[i] ^ bytes[i]) & mask[i]) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_near (GInetAddress *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (address);
  struct ifaddrs *interfaces = NULL, *one;

  if (g_inet_address_get_is_link_local (address))
    return TRUE;
  if (getifaddrs (&interfaces) != 0)
    return FALSE;
  for (one = interfaces; one != NULL && !is_on_link (one, bytes);)
    one = one->ifa_next;
  freeifaddrs (interfaces);
  return one != NULL;
}

gchar *
hosts_dup_site (const gchar *text)
{
  const gchar *scope;
  GInetAddress *address = parse (text, &scope), *network;
  guint8 bytes[16] = { 0 };
  gchar *site, *plain;

  if (g_inet_address_get_family (address) != G_SOCKET_FAMILY_IPV6 || is_near (address)) {
    site = g_strdup (text);
  } else {
    memcpy (bytes, g_inet_address_to_bytes (address), SITE_BYTES);
    network = g_inet_address_new_from_bytes (bytes, G_SOCKET_FAMILY_IPV6);
    plain = g_inet_address_to_string (network);
    site = g_strconcat (plain, "/64", NULL);
    g_free (plain);
    g_object_unref (network);
  }
  g_object_unref (address);
  return site;
}
