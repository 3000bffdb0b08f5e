/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cookies, see cookies.h. */
#include "cookies.h"

#include <string.h>

#include <gst/gst.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* The time for which a cookie stays the same.  The cookie of the step before counts as well: a
 * response comes within 2 s, to a challenge that repeats a cookie for 4 s, or for 8 s if its host becomes the
 * provisional peer meanwhile (peer.h). */
#define STEP_NS (10 * G_GUINT64_CONSTANT (1000000000))

/* In place of a step, for a hash that does not change */
#define NO_STEP G_MAXUINT64

/* The unit of a dated cookie's time, and the bits of it that the cookie carries */
#define UNIT_NS (1 << 20)
#define DATE_BYTES 2

/* What a dated cookie has in place of a step is no step */
#define DATED (G_GUINT64_CONSTANT (1) << 63)

/* What a host of IPv6 cannot choose of its address, see gst_tfrc_address_network() */
#define NETWORK_BYTES 8

/* To make a context costs more than a hash. */
static GPrivate thread_context = G_PRIVATE_INIT ((GDestroyNotify) EVP_MAC_CTX_free);

/* A system that allows the algorithms of FIPS 140 alone has no SipHash; there HMAC-SHA-256 takes its place. */
static EVP_MAC_CTX *
new_context (void)
{
  EVP_MAC *mac = EVP_MAC_fetch (NULL, "SIPHASH", "-fips");
  EVP_MAC_CTX *context;

  if (mac == NULL)
    mac = EVP_MAC_fetch (NULL, "HMAC", NULL);
  context = EVP_MAC_CTX_new (mac);
  EVP_MAC_free (mac);
  if (context == NULL)
    g_error (
        "OpenSSL has neither SipHash nor HMAC: is a provider loaded? See openssl list -providers.");
  g_private_set (&thread_context, context);
  return context;
}

/* Each algorithm takes the parameter that is its own. */
static void
begin_hash (EVP_MAC_CTX *context, const GstTfrcCookies *self)
{
  gsize size = TFRC_WIRE_PATH_DATA_BYTES;
  gchar digest[] = "SHA256";
  const OSSL_PARAM params[] = { OSSL_PARAM_construct_size_t (OSSL_MAC_PARAM_SIZE, &size),
    OSSL_PARAM_construct_utf8_string (OSSL_MAC_PARAM_DIGEST, digest, 0),
    OSSL_PARAM_construct_end () };

  EVP_MAC_init (context, self->secret, sizeof self->secret, params);
}

static void
get_hash (const GstTfrcCookies *self, const GstTfrcAddress *address, guint64 step,
    guint8 hash[TFRC_WIRE_PATH_DATA_BYTES])
{
  EVP_MAC_CTX *context = g_private_get (&thread_context);
  guint16 port = gst_tfrc_address_port (address);
  guint8 digest[EVP_MAX_MD_SIZE];
  gsize size;

  if (context == NULL)
    context = new_context ();
  begin_hash (context, self);
  if (gst_tfrc_address_family (address) == AF_INET)
    EVP_MAC_update (context, (const guchar *) &address->u.v4.sin_addr, 4);
  else
    EVP_MAC_update (context, (const guchar *) &address->u.v6.sin6_addr, 16);
  EVP_MAC_update (context, (const guchar *) &port, sizeof port);
  EVP_MAC_update (context, (const guchar *) &step, sizeof step);
  if (!EVP_MAC_final (context, digest, &size, sizeof digest))
    g_error ("OpenSSL has made no hash: is a provider loaded? See openssl list -providers.");
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

static void
get_dated (const GstTfrcCookies *self, const GstTfrcAddress *address, guint64 date,
    guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  get_hash (self, address, date | DATED, cookie);
  GST_WRITE_UINT16_BE (cookie, (guint16) date);
}

void
gst_tfrc_cookies_get_dated (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES])
{
  get_dated (self, address, now_ns / UNIT_NS, cookie);
}

gboolean
gst_tfrc_cookies_check_dated (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 *age_ns)
{
  guint64 now = now_ns / UNIT_NS;
  guint64 date = now - (guint16) (now - GST_READ_UINT16_BE (data));
  guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES];

  *age_ns = MAX (1, now_ns - date * UNIT_NS);
  get_dated (self, address, date, cookie);
  return tfrc_path_is_same_data (data, cookie) & (*age_ns <= GST_TFRC_COOKIES_DATED_NS);
}

guint
gst_tfrc_cookies_hash_host (const GstTfrcCookies *self, const GstTfrcAddress *address)
{
  guint8 hash[TFRC_WIRE_PATH_DATA_BYTES];
  GstTfrcAddress host = *address;

  gst_tfrc_address_set_port (&host, 0);
  if (gst_tfrc_address_family (&host) == AF_INET6)
    memset (&host.u.v6.sin6_addr.s6_addr[NETWORK_BYTES], 0, 16 - NETWORK_BYTES);
  get_hash (self, &host, NO_STEP, hash);
  return hash[0];
}
