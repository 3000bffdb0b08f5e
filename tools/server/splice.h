/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie's bytes: those of one file, which may grow, or of several one after the other.  Of several files one is
 * open at a time.
 *
 * An object is used by one thread at a time. */
#ifndef SERVER_SPLICE_H
#define SERVER_SPLICE_H

#include "growing.h"

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

/** Takes a file that may still grow: reading waits for what is to come.  @param growing gets a reference */
Splice *splice_new_growing (Growing *growing);

void splice_free (Splice *splice);

/** Returns the file that may grow, as of splice_new_growing(); else NULL. */
Growing *splice_get_growing (const Splice *splice);

/** Lets reading wait no more, or again.  Any thread. */
void splice_set_interrupted (Splice *splice, gboolean is_interrupted);
gboolean splice_is_interrupted (const Splice *splice);

/** Takes what a single file has become longer by.
 *
 * @param least_bytes less counts as nothing
 * @return FALSE: nothing, or reading has failed before */
gboolean splice_grow (Splice *splice, guint64 least_bytes);

/** Returns how many there are; of a file that grows more than there can be. */
guint64 splice_get_bytes (const Splice *splice);

/** Returns where the file ends that has the byte at a position; the end of all bytes behind them. */
guint64 splice_get_file_end (const Splice *splice, guint64 offset);

/** Returns why bytes could not be read, or will not come, for g_free(); NULL: nothing has failed so far. */
gchar *splice_dup_problem (const Splice *splice);

/** Reads bytes.  @return how many: less than wanted only at the end, after an error or if reading is interrupted */
gsize splice_read (Splice *splice, guint64 offset, guint8 *data, gsize bytes);

G_END_DECLS
#endif
