/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files one after the other, see splice.h */
#include "splice.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"

typedef struct
{
  gchar *name;
  guint64 offset, end; /* in the movie */
} Part;

struct _Splice
{
  GArray *parts;
  int folder; /* -1: the only part is open for ever */
  guint current;
  int fd;              /* of the current part; -1: it cannot be read */
  Growing *growing;    /* takes the place of the rest; NULL: nothing grows */
  gint is_interrupted; /* atomic */
  gchar *problem;      /* the first of reading; NULL: there was none */
};

static void
clear_part (gpointer part)
{
  g_free (((Part *) part)->name);
}

static Splice *
make (int folder, int fd)
{
  Splice *splice = g_new0 (Splice, 1);

  splice->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (splice->parts, clear_part);
  splice->folder = folder;
  splice->fd = fd;
  return splice;
}

/* @name: is taken */
static void
append (Splice *splice, gchar *name, off_t size)
{
  guint64 offset = splice_get_bytes (splice);
  const Part part = { name, offset, offset + (guint64) MAX (0, size) };

  g_array_append_val (splice->parts, part);
}

static void
set_error (GError **error, const gchar *what)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "cannot read %s: %s", what,
      g_strerror (code));
}

Splice *
splice_new (int fd, GError **error)
{
  struct stat status;
  int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  Splice *splice;

  if (own < 0 || fstat (own, &status) != 0) {
    set_error (error, "the movie");
    if (own >= 0)
      close (own);
    return NULL;
  }
  splice = make (-1, own);
  append (splice, NULL, status.st_size);
  return splice;
}

Splice *
splice_new_files (int folder, gchar *const *names, GError **error)
{
  int own = fcntl (folder, F_DUPFD_CLOEXEC, 0);
  Splice *splice;

  if (own < 0) {
    set_error (error, "the movie");
    return NULL;
  }
  splice = make (own, -1);
  splice->current = G_MAXUINT;
  for (; *names != NULL; names++) {
    struct stat status;

    errno = 0;
    if (fstatat (own, *names, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (status.st_mode)) {
      errno = errno != 0 ? errno : EINVAL;
      set_error (error, *names);
      splice_free (splice);
      return NULL;
    }
    append (splice, g_strdup (*names), status.st_size);
  }
  return splice;
}

Splice *
splice_new_growing (Growing *growing)
{
  Splice *splice = make (-1, -1);

  splice->growing = growing_ref (growing);
  return splice;
}

void
splice_free (Splice *splice)
{
  g_clear_pointer (&splice->growing, growing_unref);
  if (splice->fd >= 0)
    close (splice->fd);
  if (splice->folder >= 0)
    close (splice->folder);
  g_array_unref (splice->parts);
  g_free (splice->problem);
  g_free (splice);
}

Growing *
splice_get_growing (const Splice *splice)
{
  return splice->growing;
}

gchar *
splice_dup_problem (const Splice *splice)
{
  return splice->growing != NULL ? growing_dup_problem (splice->growing)
                                 : g_strdup (splice->problem);
}

void
splice_set_interrupted (Splice *splice, gboolean is_interrupted)
{
  g_atomic_int_set (&splice->is_interrupted, is_interrupted);
  if (is_interrupted && splice->growing != NULL)
    growing_wake (splice->growing);
}

gboolean
splice_is_interrupted (const Splice *splice)
{
  return g_atomic_int_get (&splice->is_interrupted);
}

guint64
splice_get_bytes (const Splice *splice)
{
  const GArray *parts = splice->parts;
  gboolean is_complete;
  guint64 bytes;

  if (splice->growing != NULL) {
    bytes = growing_get_bytes (splice->growing, &is_complete);
    return is_complete ? bytes : G_MAXINT64;
  }
  return parts->len > 0 ? g_array_index (parts, Part, parts->len - 1).end : 0;
}

gboolean
splice_grow (Splice *splice, guint64 least_bytes)
{
  struct stat status;
  Part *part;

  if (splice->growing != NULL || splice->folder >= 0 || splice->problem != NULL
      || fstat (splice->fd, &status) != 0)
    return FALSE;
  part = &g_array_index (splice->parts, Part, 0);
  if ((guint64) MAX (0, status.st_size) < part->end + least_bytes)
    return FALSE;
  part->end = (guint64) status.st_size;
  return TRUE;
}

/* @return the number of the part with this byte, which is there */
static guint
find (const Splice *splice, guint64 offset)
{
  guint low = 0, high = splice->parts->len;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (g_array_index (splice->parts, Part, middle).end > offset)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

guint64
splice_get_file_end (const Splice *splice, guint64 offset)
{
  if (splice->growing != NULL || offset >= splice_get_bytes (splice))
    return splice_get_bytes (splice);
  return g_array_index (splice->parts, Part, find (splice, offset)).end;
}

static void
note_problem (Splice *splice, const Part *part, const gchar *reason)
{
  if (splice->problem == NULL)
    splice->problem = g_strdup_printf (
        "cannot read %s: %s", part->name != NULL ? part->name : "the movie", reason);
}

static void
open_part (Splice *splice, guint number)
{
  const Part *part = &g_array_index (splice->parts, Part, number);

  if (splice->folder < 0 || splice->current == number)
    return;
  if (splice->fd >= 0)
    close (splice->fd);
  splice->current = number;
  splice->fd = names_open_file (splice->folder, part->name);
  if (splice->fd < 0)
    note_problem (splice, part, g_strerror (errno));
}

gsize
splice_read (Splice *splice, guint64 offset, guint8 *data, gsize bytes)
{
  gsize done = 0;

  if (splice->growing != NULL)
    return growing_read (splice->growing, offset, data, bytes, &splice->is_interrupted);
  while (done < bytes && offset + done < splice_get_bytes (splice)) {
    guint number = find (splice, offset + done);
    const Part *part = &g_array_index (splice->parts, Part, number);
    guint64 at = offset + done;
    ssize_t n;

    open_part (splice, number);
    n = pread (splice->fd, data + done, (gsize) MIN (bytes - done, part->end - at),
        (off_t) (at - part->offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      note_problem (splice, part, n == 0 ? "it has become shorter" : g_strerror (errno));
      break;
    }
    done += (gsize) n;
  }
  return done;
}
