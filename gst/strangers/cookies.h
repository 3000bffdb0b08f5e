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
 * A *dated* cookie begins with the lowest 16 bits of the time at which it was given, in units of 2^20 ns
 * (1.05 ms).  The other 48 bits are of a hash of the address and of the whole time in these units, which is the last
 * one that has these bits: a time that somebody else has written, or one of 69 s ago, is refused.
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

/** For how long a dated cookie counts: a call with it comes within R, and is repeated for some seconds if it is lost. */
#define GST_TFRC_COOKIES_DATED_NS (10 * G_GUINT64_CONSTANT (1000000000))

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

/** Writes a cookie that also tells when it was given, so that an answer to it gives a sample of R. */
void gst_tfrc_cookies_get_dated (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, guint8 cookie[TFRC_WIRE_PATH_DATA_BYTES]);

/** As gst_tfrc_cookies_check(), for a dated cookie, which counts for GST_TFRC_COOKIES_DATED_NS.
 * @param age_ns set, unless the result is FALSE, to the time since the cookie was given: at least 1, and up to 1.1 ms
 *   too long.  A host can make it longer, by keeping the cookie for itself, but not shorter. */
gboolean gst_tfrc_cookies_check_dated (const GstTfrcCookies *self, const GstTfrcAddress *address,
    guint64 now_ns, const guint8 data[TFRC_WIRE_PATH_DATA_BYTES], guint64 *age_ns);

/** Returns a hash of a host (gst_tfrc_address_network()), without its port.  No peer can find out which hosts have the
 * same. */
guint gst_tfrc_cookies_hash_host (const GstTfrcCookies *self, const GstTfrcAddress *address);

G_END_DECLS
#endif
