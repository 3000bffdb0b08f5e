/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passphrases from files, see "The visibility of a passphrase" in docs/security.md */
#ifndef STREAM_SECRET_H
#define STREAM_SECRET_H

#include <glib.h>

/** Reads a passphrase: the first line of a file, without the end of the line.
 *
 * The file must be one that only its owner may open, as that of a private key.  A pipe is good, too.
 *
 * @param path name of the file
 * @return the passphrase, or NULL with an error; secret_free() frees it */
gchar *secret_read (const gchar *path, GError **error);

/** Overwrites a passphrase and frees it.
 *
 * @param secret may be NULL */
void secret_free (gchar *secret);

#endif
