/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers of the system, getrandom(2), which no peer can guess.
 *
 * SSRC, first sequence number, offset of the clock, CNAME and the data of challenges are such
 * numbers.  A host that cannot read the stream must not be able to compute them from other
 * numbers of this host that it has seen. */
#ifndef GST_TFRC_RANDOM_H
#define GST_TFRC_RANDOM_H

#include <gio/gio.h>

G_BEGIN_DECLS

/** Size of a CNAME with its final NUL. */
#define GST_TFRC_RANDOM_CNAME_BYTES 17

/** Fills @a bytes with random bytes.
 * @return FALSE with errno set if the system has no random bytes; then the content of @a bytes is
 *   undefined
 *
 * Does not block after gst_tfrc_random_is_available() has returned TRUE.  Any thread. */
gboolean gst_tfrc_random_fill (gpointer bytes, gsize size);

/** Writes a CNAME of 96 random bits in base64, 16 characters (RFC 7022 section
 * 5).
 * @return as gst_tfrc_random_fill() */
gboolean gst_tfrc_random_cname (gchar cname[GST_TFRC_RANDOM_CNAME_BYTES]);

/** Returns whether the system has random numbers.  To be called before a stream starts: a system
 * that has random numbers once always has them.
 * @return FALSE with @a error set (G_IO_ERROR)
 *
 * Blocks while the host starts, until the kernel has collected enough randomness.  Any thread
 * but the I/O loop's. */
gboolean gst_tfrc_random_is_available (GError **error);

/** Sets @a error (G_IO_ERROR) to what errno says after a failure of the functions above.  Any
 * thread. */
void gst_tfrc_random_set_error (GError **error);

G_END_DECLS
#endif
