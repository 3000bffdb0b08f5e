/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that fork(2), see fork.h. */
#include "fork.h"

#include <pthread.h>

static gint generation; /* atomic */
static gint warned;     /* atomic */
static struct
{
  GMutex *mutex;
  GstTfrcForkForget forget;
} guards[GST_TFRC_FORK_MAX_GUARDS];
static gint n_guards; /* atomic */

static void
before_fork (void)
{
  gint n = g_atomic_int_get (&n_guards);

  for (gint i = 0; i < n; i++)
    g_mutex_lock (guards[i].mutex);
}

static void
unlock_all (void)
{
  for (gint i = g_atomic_int_get (&n_guards); i-- > 0;)
    g_mutex_unlock (guards[i].mutex);
}

static void
after_fork_in_child (void)
{
  g_atomic_int_inc (&generation);
  g_atomic_int_set (&warned, FALSE);
  for (gint i = 0; i < g_atomic_int_get (&n_guards); i++)
    guards[i].forget ();
  unlock_all ();
}

static gpointer
watch_forks (gpointer data)
{
  pthread_atfork (before_fork, unlock_all, after_fork_in_child);
  return data;
}

guint
gst_tfrc_fork_generation (void)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, watch_forks, NULL);
  return (guint) g_atomic_int_get (&generation);
}

gboolean
gst_tfrc_fork_is_inherited (guint of_generation)
{
  if (of_generation == (guint) g_atomic_int_get (&generation))
    return FALSE;
  if (g_atomic_int_compare_and_exchange (&warned, FALSE, TRUE))
    g_warning (
        "This process was made by fork() while a stream was running. "
        "The tfrcsink and tfrcsrc elements of the parent process do nothing in this process; "
        "their streams go on in the parent process.");
  return TRUE;
}

void
gst_tfrc_fork_guard (GMutex *mutex, GstTfrcForkForget forget)
{
  static GMutex adding;

  gst_tfrc_fork_generation ();
  g_mutex_lock (&adding);
  g_assert (n_guards < GST_TFRC_FORK_MAX_GUARDS);
  guards[n_guards].mutex = mutex;
  guards[n_guards].forget = forget;
  g_atomic_int_inc (&n_guards);
  g_mutex_unlock (&adding);
}
