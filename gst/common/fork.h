/* Processes that fork(2).
 *
 * A child has none of its parent's threads, and shares its parent's sockets.
 * What the parent has started goes on in the parent; in the child it is dead,
 * and must not touch what both share.  What the child starts itself is its own.
 *
 * Threads and streams remember the process that started them by its generation,
 * and look whether they are in that process before they take a lock: another
 * thread may have held it when the process forked. */
#ifndef GST_TFRC_FORK_H
#define GST_TFRC_FORK_H

#include <glib.h>

G_BEGIN_DECLS

/** Returns how often this process and its ancestors have forked since the
 * first call in one of them.  Any thread. */
guint gst_tfrc_fork_generation (void);

/** Tells whether something of that generation was inherited from another
 * process.  The first time in a process that this is so it warns.  Any thread. */
gboolean gst_tfrc_fork_is_inherited (guint generation);

/** Has a fork wait for @a mutex, so that nobody else holds it in the child and
 * what it protects is consistent there.  At most GST_TFRC_FORK_MAX_MUTEXES, each of
 * which lives as long as the process; with none of them held. */
#define GST_TFRC_FORK_MAX_MUTEXES 4
void gst_tfrc_fork_guard (GMutex *mutex);

G_END_DECLS
#endif
