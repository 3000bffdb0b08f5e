/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files with secrets, which only their owner may open */
#ifndef SECRET_SECRETFILE_H
#define SECRET_SECRETFILE_H

#include <glib.h>

/** Reads a file that only its owner may open, as a private key.  A pipe is good, too, and so is a
 * credential that systemd gave to this service.
 *
 * @param path name of the file
 * @param max_bytes of a longer file, one byte more than these is read
 * @param[out] size number of bytes that were read
 * @return the bytes and a zero behind them, or NULL with an error that names the file;
 * secretfile_free() frees them */
gchar *secretfile_read (const gchar *path, gsize max_bytes, gsize *size, GError **error);

/** Overwrites bytes of secretfile_read() and frees them.
 *
 * @param text may be NULL
 * @param size that of secretfile_read() */
void secretfile_free (gchar *text, gsize size);

#endif
