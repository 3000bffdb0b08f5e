/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The I/O loop's thread as the operating system sees it: priority, timer
 * slack, signals, and a wait that is exact to nanoseconds. */
#ifndef GST_TFRC_LOOPTHREAD_H
#define GST_TFRC_LOOPTHREAD_H

#include <glib.h>
#include <sys/epoll.h>

G_BEGIN_DECLS

/** Starts a thread "tfrc-io" that handles no signals: the application's threads handle them.
 * @return to be joined with g_thread_join(), or NULL with @a error set */
GThread *gst_tfrc_io_thread_start (GThreadFunc func, gpointer data, GError **error);

/** What an ordinary thread asks the kernel for: to run for so long at a time, the shortest that EEVDF
 * grants, so that it runs soon after it has woken up (sched(7)). */
#define GST_TFRC_IO_SLICE_NS G_GUINT64_CONSTANT (100000)

/** Sets priority and timer slack of the calling thread.  One that does not run in real time gets slices
 * of GST_TFRC_IO_SLICE_NS where the kernel has them (Linux 6.12).
 * @return TRUE if the thread runs in real time, which the system may refuse */
gboolean gst_tfrc_io_thread_prepare (gboolean want_realtime);

/** Makes the calling thread an ordinary one again, with short slices.
 * @return FALSE if the system refuses */
gboolean gst_tfrc_io_thread_give_up_realtime (void);

/** Waits like epoll_wait() until something happens, or until a time.
 * @param until_ns monotonic; never returns without an event before; G_MAXUINT64: for ever; a time
 *   that has passed: does not wait
 * @return how many events there are; 0 also when a signal interrupts */
gint gst_tfrc_io_thread_wait (
    gint epoll_fd, struct epoll_event *events, gint max_events, guint64 until_ns);

/** Sleeps, whatever happens, until a monotonic time. */
void gst_tfrc_io_thread_nap (guint64 until_ns);

/** Makes a timer expire.
 * @param timer_fd a timerfd of CLOCK_MONOTONIC
 * @param at_ns monotonic time; a time that has passed: at once.  Not 0 */
void gst_tfrc_io_thread_set_alarm (gint timer_fd, guint64 at_ns);

G_END_DECLS
#endif
