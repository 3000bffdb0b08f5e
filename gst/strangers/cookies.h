/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cookies: the data of challenges to hosts that are not the peer yet.
 *
 * A cookie is a keyed hash (SipHash-2-4, Aumasson and Bernstein, 2012) of the host's address and of
 * the time in steps of 10 s.  SipHash is made for short input that attackers choose, and is cheap: a
 * flood can have two hashes computed for each of its packets.
 *
 * This end needs no memory to recognise its cookies, as with SYN cookies (RFC 4987 section 3.6) and
 * the address validation tokens of RFC 9000 section 8.1.3.  So a response validates an address even
 * if other hosts have taken the place of this host meanwhile.  A cookie counts for 10 to 20 s.
 *
 * No clock, no locks. Any thread: each has a context of its own for the hash. */
#ifndef GST_TFRC_COOKIES_H
#define GST_TFRC_COOKIES_H

#include <tfrc/path.h>
#include <tfrc/wire.h>

#include "../io/address.h"

G_BEGIN_DECLS

/** The key of SipHash: 128 bits */
#define GST_TFRC_SECRET_BYTES 16

/** A plain value. */
typedef struct
{
  guint8 secret[GST_TFRC_SECRET_BYTES];
} GstTfrcCookies;

/** Begins to make cookies.
 * @param secret random bytes that no peer can know */
void gst_tfrc_cookies_init (GstTfrcCookies *self, const guint8 secret[GST_TFRC_SECRET_BYTES]);

/** Writes the cookie of an address and port. */
void gst_tfrc_cookies_get (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns whether the data is the cookie of this address, and not too old.  The comparison takes
 * the same time for all data. */
gboolean gst_tfrc_cookies_check (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES]);

/** Returns a hash of a host, without its port.  No peer can find out which hosts have the same. */
guint gst_tfrc_cookies_hash_host (const GstTfrcCookies *self, const GstTfrcAddress *address);

G_END_DECLS
#endif
