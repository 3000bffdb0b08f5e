/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cookies, see cookies.h. */
#include "cookies.h"

#include <string.h>

/* The time for which a cookie stays the same.  The cookie of the step before counts as well: a
 * response comes within 2 s, to a challenge that repeats a cookie for 4 s. */
#define STEP_NS (10 * G_GUINT64_CONSTANT (1000000000))

/* In place of a step, for a hash that does not change */
#define NO_STEP G_MAXUINT64

static void
get_hash (const GstTfrcCookies *self, const GstTfrcAddress *address, guint64 step,
    guint8 hash[TFRC_WIRE_PATH_DATA_BYTES])
{
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, self->secret, sizeof self->secret);
  guint16 port = gst_tfrc_address_port (address);
  guint8 digest[32];
  gsize size = sizeof digest;

  if (gst_tfrc_address_family (address) == AF_INET)
    g_hmac_update (hmac, (const guchar *) &address->u.v4.sin_addr, 4);
  else
    g_hmac_update (hmac, (const guchar *) &address->u.v6.sin6_addr, 16);
  g_hmac_update (hmac, (const guchar *) &port, sizeof port);
  g_hmac_update (hmac, (const guchar *) &step, sizeof step);
  g_hmac_get_digest (hmac, digest, &size);
  g_hmac_unref (hmac);
  memcpy (hash, digest, TFRC_WIRE_PATH_DATA_BYTES);
}

void
gst_tfrc_cookies_init (GstTfrcCookies *self, const guint8 secret[GST_TFRC_SECRET_BYTES])
{
  memcpy (self->secret, secret, GST_TFRC_SECRET_BYTES);
}

void
gst_tfrc_cookies_get (const GstTfrcCookies *self, const GstTfrcAddress *address, guint64 now_ns,
    guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  get_hash (self, address, now_ns / STEP_NS, cookie);
}

gboolean
gst_tfrc_cookies_check (const GstTfrcCookies *self, const GstTfrcAddress *address, guint64 now_ns,
    const guint8 data[TFRC_WIRE_PATH_DATA_BYTES])
{
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES], before[TFRC_WIRE_PATH_DATA_BYTES];
  gboolean is_cookie, is_before;

  get_hash (self, address, now_ns / STEP_NS, cookie);
  get_hash (self, address, now_ns / STEP_NS - 1, before);
  /* Both comparisons run in any case, so that the time reveals nothing. */
  is_cookie = tfrc_path_is_same_data (data, cookie);
  is_before = tfrc_path_is_same_data (data, before);
  return is_cookie | is_before;
}

guint
gst_tfrc_cookies_hash_host (const GstTfrcCookies *self, const GstTfrcAddress *address)
{
  guint8 hash[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcAddress host = *address;

  if (gst_tfrc_address_family (&host) == AF_INET)
    host.u.v4.sin_port = 0;
  else
    host.u.v6.sin6_port = 0;
  get_hash (self, &host, NO_STEP, hash);
  return hash[0];
}
