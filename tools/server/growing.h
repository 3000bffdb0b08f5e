/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that one thread writes while others read it, each behind the writer, and which nobody else can open: its
 * space is free again when the last reference is gone, even if the process is killed.
 *
 *     growing --growing_finish(NULL)--> complete
 *        `-----growing_finish(error)--> failed: what was written can still be read
 *
 * Any thread. */
#ifndef SERVER_GROWING_H
#define SERVER_GROWING_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Growing Growing;

/** Makes an empty file.
 *
 * @param folder on whose file system it is
 * @return NULL with @a error set (G_FILE_ERROR) if that is not possible.  The caller has the only reference. */
Growing *growing_new (const gchar *folder, GError **error);

Growing *growing_ref (Growing *growing);
void growing_unref (Growing *growing);

/** Returns whether somebody else than the caller has a reference. */
gboolean growing_is_shared (const Growing *growing);

/** Appends bytes, as the only writer.
 *
 * @return FALSE with @a error set (G_FILE_ERROR; NOSPC on a full disk, or at the end of a quota) if some are not written:
 *   growing_get_bytes() says how many are */
gboolean growing_append (Growing *growing, gconstpointer data, gsize bytes, GError **error);

/** Ends the file.  Of several calls the first counts.  @param problem NULL: the file is complete */
void growing_finish (Growing *growing, const gchar *problem);

/** Lets the writer rest until a reader waits for what is not written yet, at most for a time.
 *
 * @return FALSE: the file has been finished, and the writer can stop */
gboolean growing_rest (Growing *growing, gint64 most_us);

/** Reads bytes, and waits for them as long as the file grows.  A file of which written bytes cannot be
 * read has failed.
 *
 * @param is_interrupted atomic; ends the wait, see growing_wake()
 * @return how many: less than wanted only at the end, after an error or an interruption */
gsize growing_read (
    Growing *growing, guint64 offset, guint8 *data, gsize bytes, const gint *is_interrupted);

/** Lets all readers look at their @a is_interrupted. */
void growing_wake (Growing *growing);

/** Returns how many bytes there are.  @param is_complete set to whether there will be no more; may be NULL */
guint64 growing_get_bytes (Growing *growing, gboolean *is_complete);

/** Returns why the file has failed, for g_free(); NULL: it has not. */
gchar *growing_dup_problem (Growing *growing);

/** How long the movie in the file is to be, when it is complete; 0: not known */
void growing_set_duration (Growing *growing, guint64 duration_ns);
guint64 growing_get_duration (Growing *growing);

G_END_DECLS
#endif
