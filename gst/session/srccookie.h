/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cookies: the data of challenges to senders that are not the peer yet.
 *
 * A cookie is a keyed hash (HMAC-SHA-256, RFC 2104) of the sender's address and of the time in
 * steps of 10 s.  The source needs no memory to recognise its cookies, as with SYN cookies (RFC
 * 4987 section 3.6) and the address validation tokens of RFC 9000 section 8.1.3.  So a response
 * validates an address even if other senders have taken the place of this sender meanwhile.  A
 * cookie counts for 10 to 20 s.
 *
 * No clock, no locks. */
#ifndef GST_TFRC_SRCCOOKIE_H
#define GST_TFRC_SRCCOOKIE_H

#include <tfrc/wire.h>

#include "../io/address.h"

G_BEGIN_DECLS

#define GST_TFRC_SRC_SECRET_BYTES 32

/** A plain value. */
typedef struct
{
  guint8 secret[GST_TFRC_SRC_SECRET_BYTES];
} GstTfrcSrcCookies;

/** Begins to make cookies.
 * @param secret random bytes that no peer can know */
void gst_tfrc_src_cookies_init (
    GstTfrcSrcCookies *self, const guint8 secret[GST_TFRC_SRC_SECRET_BYTES]);

/** Writes the cookie of an address and port. */
void gst_tfrc_src_cookies_get (const GstTfrcSrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns whether the data is the cookie of this address, and not too old.  The comparison takes
 * the same time for all data. */
gboolean gst_tfrc_src_cookies_check (const GstTfrcSrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns a hash of a host, without its port.  No peer can find out which hosts have the same. */
guint gst_tfrc_src_cookies_hash_host (const GstTfrcSrcCookies *self, const GstTfrcAddress *address);

G_END_DECLS
#endif
