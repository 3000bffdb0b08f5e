/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The passphrases of movies and of their users, from a file with a line for each: MOVIE : PASSPHRASE, or USER@MOVIE :
 * PASSPHRASE.  man/tfrc-server.1 has the format. */
#ifndef SERVER_KEYSFILE_H
#define SERVER_KEYSFILE_H

#include <glib.h>

G_BEGIN_DECLS

/** Bytes of a passphrase, as tfrcsink takes it */
#define KEYS_FILE_LEAST_BYTES 10
#define KEYS_FILE_MOST_BYTES 79

/** The longest file that is read */
#define KEYS_FILE_MAX_BYTES (1 << 20)

typedef struct _KeysFile KeysFile;

/** Reads a file that its owner alone may open, or a credential of this service (systemd's
 * CREDENTIALS_DIRECTORY).
 *
 * @return NULL with @a error set (G_IO_ERROR) if it cannot be read, if others may open it, if no line has a
 *   passphrase, or as of keys_file_parse().  The message begins with the name of the file. */
KeysFile *keys_file_read (const gchar *path, GError **error);

/** Reads the text of such a file.
 *
 * @return NULL with @a error set (G_IO_ERROR) if a line is malformed.  The message has the number of
 *   the line, and nothing that may be a passphrase.  Free the object with keys_file_free(). */
KeysFile *keys_file_parse (const gchar *text, gsize bytes, GError **error);

/** Overwrites the passphrases and frees them.  NULL is allowed. */
void keys_file_free (KeysFile *keys);

/** Finds the passphrase of a movie: that of its entry, and of a file with a rendition (renditions.h)
 * that of the movie; else that of the entry "*", unless users of the movie have entries.  A
 * rendition has no entry of its own, since it is sent under the name of the movie as well.
 *
 * @param keys NULL has no entries
 * @param user whose passphrase it is, of the entries with this user; NULL: of those without a user
 * @param movie may be anything
 * @return the passphrase, which stays the object's; NULL if there is none */
const gchar *keys_file_find (const KeysFile *keys, const gchar *user, const gchar *movie);

/** Returns whether users of a movie, or of every movie, have entries. */
gboolean keys_file_has_users (const KeysFile *keys, const gchar *movie);

G_END_DECLS
#endif
