/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie's bytes: those of one file, or of several one after the other.  Of several files one is
 * open at a time.
 *
 * An object is used by one thread at a time. */
#ifndef SERVER_SPLICE_H
#define SERVER_SPLICE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Splice Splice;

/** Takes one file.
 *
 * @param fd of a regular file; duplicated.  Its position is neither used nor changed.
 * @return NULL with @a error set (G_FILE_ERROR) if its size cannot be told.  Free the object with
 *   splice_free(). */
Splice *splice_new (int fd, GError **error);

/** Takes files of a folder.
 *
 * @param folder a descriptor; duplicated
 * @param names plain ones (names.h), ended by NULL
 * @return NULL with @a error set (G_FILE_ERROR) if one of them is no regular file */
Splice *splice_new_files (int folder, gchar *const *names, GError **error);

void splice_free (Splice *splice);

guint64 splice_get_bytes (const Splice *splice);

/** Returns where the file ends that has the byte at a position; the end of all bytes behind them. */
guint64 splice_get_file_end (const Splice *splice, guint64 offset);

/** Reads bytes.  @return how many: less than wanted only at the end or after an error */
gsize splice_read (Splice *splice, guint64 offset, guint8 *data, gsize bytes);

G_END_DECLS
#endif
