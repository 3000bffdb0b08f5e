/* Random numbers that no peer can guess: those of the system, getrandom(2).
 *
 * SSRC, first sequence number, offset of the clock, CNAME and the data of
 * challenges are such numbers: a host that cannot read the stream must not be
 * able to tell them from others that it has seen. */
#ifndef GST_TFRC_RANDOM_H
#define GST_TFRC_RANDOM_H

#include <gio/gio.h>

G_BEGIN_DECLS

/** Size of a CNAME with its final NUL. */
#define GST_TFRC_RANDOM_CNAME_BYTES 17

/** Fills @a bytes with random bytes.
 * @return FALSE with errno set if the system has none; then the content of
 *   @a bytes is undefined
 *
 * After gst_tfrc_random_is_available() it does not block.  Any thread. */
gboolean gst_tfrc_random_fill (gpointer bytes, gsize size);

/** Writes a CNAME of 96 random bits in base64, 16 characters (RFC 7022 section
 * 5).
 * @return as gst_tfrc_random_fill() */
gboolean gst_tfrc_random_cname (gchar cname[GST_TFRC_RANDOM_CNAME_BYTES]);

/** Tells whether the system has random numbers.  To be called before a stream
 * starts: what the system can do once it can do for ever.
 * @return FALSE with @a error set (G_IO_ERROR)
 *
 * Early in the system's start it waits until the kernel has collected enough
 * randomness.  Any thread but the I/O loop's. */
gboolean gst_tfrc_random_is_available (GError **error);

G_END_DECLS
#endif
