/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address filter, see addressfilter.h. */
#include "addressfilter.h"

#include <string.h>

#include "../common/number.h"

static const guint8 *
host_bytes (const GstTfrcAddress *address, guint *bits)
{
  if (gst_tfrc_address_family (address) == AF_INET) {
    *bits = 32;
    return (const guint8 *) &address->u.v4.sin_addr;
  }
  *bits = 128;
  return (const guint8 *) &address->u.v6.sin6_addr;
}

static gboolean
refuse (const gchar *text, const gchar *why, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "'%s' is not the address of a sender: %s", text, why);
  return FALSE;
}

/* ---- reading ----------------------------------------------------------- */

static gboolean
read_number (const gchar *digits, guint64 min, guint64 max, guint *number)
{
  guint64 value;

  if (!gst_tfrc_number_read (digits, min, max, &value))
    return FALSE;
  *number = (guint) value;
  return TRUE;
}

static gboolean
parse_prefix (GstTfrcAddressFilter *filter, const gchar *text, const gchar *slash, GError **error)
{
  gchar *host = g_strndup (text, slash - text);
  gboolean numeric = g_hostname_is_ip_address (host)
      && gst_tfrc_address_resolve (&filter->address, host, 0, AF_UNSPEC, NULL);
  guint bits = 0;

  g_free (host);
  if (!numeric)
    return refuse (text, "a prefix begins with a numeric address", error);
  host_bytes (&filter->address, &bits);
  if (!read_number (slash + 1, 0, bits, &filter->prefix_bits))
    return refuse (text,
        "the length of the prefix is not a number of bits that "
        "the address has",
        error);
  return TRUE;
}

static gboolean
resolve (
    GstTfrcAddressFilter *filter, const gchar *text, const gchar *host, guint port, GError **error)
{
  if (*host == '\0')
    return refuse (text, "there is no host", error);
  if (!gst_tfrc_address_resolve (&filter->address, host, (guint16) port, AF_UNSPEC, error))
    return FALSE;
  host_bytes (&filter->address, &filter->prefix_bits);
  if (port != 0 && !gst_tfrc_address_is_unicast (&filter->address))
    return refuse (text, "no single host has it", error);
  return TRUE;
}

/* @colon: in front of the port, or NULL */
static gboolean
parse_host_and_port (GstTfrcAddressFilter *filter, const gchar *text, const gchar *from,
    gsize length, const gchar *colon, GError **error)
{
  gchar *host = g_strndup (from, length);
  guint port = 0;
  gboolean ok;

  if (colon && !read_number (colon + 1, 1, 65535, &port))
    ok = refuse (text, "the port is not a number from 1 to 65535", error);
  else
    ok = resolve (filter, text, host, port, error);
  g_free (host);
  return ok;
}

static gboolean
parse_brackets (GstTfrcAddressFilter *filter, const gchar *text, GError **error)
{
  const gchar *end = strchr (text, ']');

  if (end == NULL || (end[1] != '\0' && end[1] != ':'))
    return refuse (text, "after '[' an address, ']' and ':port' are expected", error);
  return parse_host_and_port (
      filter, text, text + 1, end - text - 1, end[1] == ':' ? end + 1 : NULL, error);
}

gboolean
gst_tfrc_address_filter_parse (GstTfrcAddressFilter *filter, const gchar *text, GError **error)
{
  const gchar *slash, *colon;

  memset (filter, 0, sizeof *filter);
  if (text == NULL || *text == '\0')
    return TRUE;
  slash = strchr (text, '/');
  colon = strchr (text, ':');
  if (slash)
    return parse_prefix (filter, text, slash, error);
  if (*text == '[')
    return parse_brackets (filter, text, error);
  if (colon && colon == strrchr (text, ':'))
    return parse_host_and_port (filter, text, text, colon - text, colon, error);
  /* More than one colon: an IPv6 address */
  return parse_host_and_port (filter, text, text, strlen (text), NULL, error);
}

/* ---- filtering --------------------------------------------------------- */

static gboolean
same_prefix (const guint8 *a, const guint8 *b, guint bits)
{
  guint8 mask = (guint8) (0xff00 >> bits % 8);

  return memcmp (a, b, bits / 8) == 0
      && (bits % 8 == 0 || ((a[bits / 8] ^ b[bits / 8]) & mask) == 0);
}

/* On each interface another host can have the same link-local address.  An address that was given
 * without an interface passes on all of them. */
static gboolean
same_interface (const GstTfrcAddress *wanted, const GstTfrcAddress *address)
{
  return gst_tfrc_address_family (wanted) != AF_INET6 || wanted->u.v6.sin6_scope_id == 0
      || wanted->u.v6.sin6_scope_id == address->u.v6.sin6_scope_id;
}

gboolean
gst_tfrc_address_filter_allows (const GstTfrcAddressFilter *filter, const GstTfrcAddress *from)
{
  guint16 port = gst_tfrc_address_port (&filter->address);
  guint bits;

  if (gst_tfrc_address_family (&filter->address) == AF_UNSPEC)
    return TRUE;
  return gst_tfrc_address_family (from) == gst_tfrc_address_family (&filter->address)
      && (port == 0 || port == gst_tfrc_address_port (from))
      && same_interface (&filter->address, from)
      && same_prefix (
          host_bytes (&filter->address, &bits), host_bytes (from, &bits), filter->prefix_bits);
}

gboolean
gst_tfrc_address_filter_is_one_address (const GstTfrcAddressFilter *filter)
{
  return gst_tfrc_address_port (&filter->address) != 0;
}
