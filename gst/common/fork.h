/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that fork(2).
 *
 * A child has no thread of its parent, and shares the sockets of its parent.  Threads and streams
 * of the parent go on in the parent.  In the child they are dead, and must not touch what both
 * processes share.  Threads and streams that the child starts belong to the child.
 *
 * One check refuses the streams of the parent: the element's gate (gate.h).  No function behind the gate
 * has a check of its own.  An element of the child gives up a stream of the parent with the functions
 * whose names end with _close_inherited(): they close descriptors, and leave memory as it is, because
 * another thread of the parent may have been changing it when the process forked.
 *
 * Threads that all streams of a process share are forgotten in the child by gst_tfrc_fork_guard().
 */
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

/** Makes the child forget what threads of the parent did.  Runs in the child before fork() returns
 * there, so it may call only what is safe in a signal handler. */
typedef void (*GstTfrcForkForget) (void);

/** Makes fork() wait for @a mutex, so that the mutex protects consistent data in the child, where
 * @a forget is called with the mutex held.  For at most GST_TFRC_FORK_MAX_GUARDS mutexes, each of which
 * lives as long as the process.  The caller holds no mutex that is guarded.  Any thread. */
#define GST_TFRC_FORK_MAX_GUARDS 5
void gst_tfrc_fork_guard (GMutex *mutex, GstTfrcForkForget forget);

G_END_DECLS
#endif
