/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that fork(2).
 *
 * A child has no thread of its parent, and shares the sockets of its parent.  Threads and streams
 * of the parent go on in the parent.  In the child they are dead, and must not touch what both
 * processes share.  Threads and streams that the child starts belong to the child.
 *
 * Threads and streams remember the process that started them by the generation of the process.
 * They compare generations before they take a lock, because another thread may have held the
 * lock when the process forked. */
#ifndef GST_TFRC_FORK_H
#define GST_TFRC_FORK_H

#include <glib.h>

G_BEGIN_DECLS

/** Returns how often this process and its ancestors have forked since the
 * first call in one of them.  Any thread. */
guint gst_tfrc_fork_generation (void);

/** Returns whether an object of that generation belongs to an ancestor of this process.  Writes a
 * warning the first time that it returns TRUE in a process.  Any thread. */
gboolean gst_tfrc_fork_is_inherited (guint generation);

/** Makes fork() wait for @a mutex, so that the mutex is free in the child and protects
 * consistent data there.  For at most GST_TFRC_FORK_MAX_MUTEXES mutexes, each of which lives as
 * long as the process.  The caller holds none of them. */
#define GST_TFRC_FORK_MAX_MUTEXES 4
void gst_tfrc_fork_guard (GMutex *mutex);

G_END_DECLS
#endif
