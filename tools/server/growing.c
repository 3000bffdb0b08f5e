/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that grows, see growing.h */
#include "growing.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

struct _Growing
{
  gint refs; /* atomic */
  int fd;
  GMutex lock;  /* of the rest */
  GCond change; /* of any of it */
  guint64 bytes, duration_ns;
  guint waiting; /* readers */
  gboolean is_finished;
  gchar *problem;
};

Growing *
growing_new (const gchar *folder, GError **error)
{
  gchar *path = g_build_filename (folder, "tfrc-server-XXXXXX", NULL);
  int fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  int code = errno;
  Growing *growing = NULL;

  if (fd >= 0) {
    g_unlink (path);
    growing = g_new0 (Growing, 1);
    growing->refs = 1;
    growing->fd = fd;
    g_mutex_init (&growing->lock);
    g_cond_init (&growing->change);
  } else {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "cannot write to %s: %s",
        folder, g_strerror (code));
  }
  g_free (path);
  return growing;
}

Growing *
growing_ref (Growing *growing)
{
  g_atomic_int_inc (&growing->refs);
  return growing;
}

void
growing_unref (Growing *growing)
{
  if (!g_atomic_int_dec_and_test (&growing->refs))
    return;
  close (growing->fd);
  g_free (growing->problem);
  g_cond_clear (&growing->change);
  g_mutex_clear (&growing->lock);
  g_free (growing);
}

gboolean
growing_is_shared (const Growing *growing)
{
  return g_atomic_int_get (&growing->refs) > 1;
}

/* ---- the writer ---------------------------------------------------------------- */

gboolean
growing_append (Growing *growing, gconstpointer data, gsize bytes, GError **error)
{
  const guint8 *at = data;

  while (bytes > 0) {
    gssize n = pwrite (growing->fd, at, bytes, (off_t) growing_get_bytes (growing, NULL));
    int code = errno;

    if (n < 0 && code == EINTR)
      continue;
    if (n <= 0) {
      g_set_error_literal (error, G_FILE_ERROR,
          code == EDQUOT ? G_FILE_ERROR_NOSPC : g_file_error_from_errno (code), g_strerror (code));
      return FALSE;
    }
    at += n;
    bytes -= (gsize) n;
    g_mutex_lock (&growing->lock);
    growing->bytes += (guint64) n;
    g_cond_broadcast (&growing->change);
    g_mutex_unlock (&growing->lock);
  }
  return TRUE;
}

void
growing_finish (Growing *growing, const gchar *problem)
{
  g_mutex_lock (&growing->lock);
  if (!growing->is_finished)
    growing->problem = g_strdup (problem);
  growing->is_finished = TRUE;
  g_cond_broadcast (&growing->change);
  g_mutex_unlock (&growing->lock);
}

gboolean
growing_rest (Growing *growing, gint64 most_us)
{
  const gint64 end_us = g_get_monotonic_time () + most_us;
  gboolean grows;

  g_mutex_lock (&growing->lock);
  while (growing->waiting == 0 && !growing->is_finished
      && g_cond_wait_until (&growing->change, &growing->lock, end_us))
    ;
  grows = !growing->is_finished;
  g_mutex_unlock (&growing->lock);
  return grows;
}

/* ---- readers ---------------------------------------------------------------------- */

/* @return up to where can be read */
static guint64
wait_for (Growing *growing, guint64 end, const gint *is_interrupted)
{
  guint64 bytes;

  g_mutex_lock (&growing->lock);
  growing->waiting++;
  g_cond_broadcast (&growing->change);
  while (growing->bytes < end && !growing->is_finished && !g_atomic_int_get (is_interrupted))
    g_cond_wait (&growing->change, &growing->lock);
  growing->waiting--;
  bytes = growing->bytes;
  g_mutex_unlock (&growing->lock);
  return bytes;
}

static void
note_problem (Growing *growing, const gchar *reason)
{
  g_mutex_lock (&growing->lock);
  if (growing->problem == NULL)
    growing->problem = g_strdup_printf ("cannot read the cache: %s", reason);
  growing->is_finished = TRUE;
  g_cond_broadcast (&growing->change);
  g_mutex_unlock (&growing->lock);
}

gsize
growing_read (
    Growing *growing, guint64 offset, guint8 *data, gsize bytes, const gint *is_interrupted)
{
  guint64 end = growing_get_bytes (growing, NULL);
  gsize done = 0;

  if (offset + bytes > end)
    end = wait_for (growing, offset + bytes, is_interrupted);
  bytes = offset < end ? (gsize) MIN (bytes, end - offset) : 0;
  while (done < bytes) {
    gssize n = pread (growing->fd, data + done, bytes - done, (off_t) (offset + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      note_problem (growing, n == 0 ? "it has become shorter" : g_strerror (errno));
      break;
    }
    done += (gsize) n;
  }
  return done;
}

void
growing_wake (Growing *growing)
{
  g_mutex_lock (&growing->lock);
  g_cond_broadcast (&growing->change);
  g_mutex_unlock (&growing->lock);
}

/* ---- queries ------------------------------------------------------------------------ */

guint64
growing_get_bytes (Growing *growing, gboolean *is_complete)
{
  guint64 bytes;

  g_mutex_lock (&growing->lock);
  bytes = growing->bytes;
  if (is_complete != NULL)
    *is_complete = growing->is_finished;
  g_mutex_unlock (&growing->lock);
  return bytes;
}

gchar *
growing_dup_problem (Growing *growing)
{
  gchar *problem;

  g_mutex_lock (&growing->lock);
  problem = g_strdup (growing->problem);
  g_mutex_unlock (&growing->lock);
  return problem;
}

void
growing_set_duration (Growing *growing, guint64 duration_ns)
{
  g_mutex_lock (&growing->lock);
  growing->duration_ns = duration_ns;
  g_mutex_unlock (&growing->lock);
}

guint64
growing_get_duration (Growing *growing)
{
  guint64 duration_ns;

  g_mutex_lock (&growing->lock);
  duration_ns = growing->duration_ns;
  g_mutex_unlock (&growing->lock);
  return duration_ns;
}
