/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that fork(2) makes, and the number of their warnings. */
#ifndef FORKTEST_H
#define FORKTEST_H

#include <gst/check/gstcheck.h>
#include <sys/wait.h>
#include <unistd.h>

/* The run-time libraries of the sanitizers have locks of their own. A fork does not wait for them:
 * ASan's allocator stays locked in the child if another thread was in malloc() or just starting. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CAN_FORK_WITH_THREADS FALSE
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CAN_FORK_WITH_THREADS FALSE
#endif
#endif
#ifndef CAN_FORK_WITH_THREADS
#define CAN_FORK_WITH_THREADS TRUE
#endif

/* Returns whether a process with threads can fork here. If not, prints that the test is skipped. */
static inline gboolean
can_fork (void)
{
  if (!CAN_FORK_WITH_THREADS)
    g_print ("skipped: this sanitizer allows no threads after a fork\n");
  return CAN_FORK_WITH_THREADS;
}

static gint fork_warnings;

static inline void
count_warning (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer unused)
{
  g_atomic_int_inc (&fork_warnings);
}

/* Runs @func in a child and waits for its end. The child has to return within a minute and to log
 * @warnings warnings. */
static inline void
run_in_child (void (*func) (gpointer data), gpointer data, gint warnings)
{
  pid_t child = fork ();
  gint status;

  if (child == 0) {
    alarm (60);
    fork_warnings = 0;
    g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, count_warning, NULL);
    func (data);
    if (fork_warnings != warnings)
      g_printerr ("%d warnings instead of %d\n", fork_warnings, warnings);
    _exit (fork_warnings != warnings);
  }
  fail_unless (waitpid (child, &status, 0) == child);
  fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

#endif
