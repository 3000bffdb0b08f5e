/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a stream for players, see sdpfile.h */
#include "sdpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail (const gchar *path, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "cannot write %s: %s", path,
      g_strerror (errno));
  return FALSE;
}

static gboolean
write_all (int fd, const gchar *path, const gchar *text, GError **error)
{
  gsize rest = strlen (text);

  while (rest > 0) {
    gssize n = write (fd, text, rest);

    if (n < 0 && errno != EINTR)
      return fail (path, error);
    if (n > 0) {
      text += n;
      rest -= (gsize) n;
    }
  }
  return TRUE;
}

static gboolean
write_through (const gchar *path, const gchar *text, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  gboolean ok;

  if (fd < 0)
    return fail (path, error);
  ok = write_all (fd, path, text, error);
  if (close (fd) != 0 && ok)
    ok = fail (path, error);
  return ok;
}

gboolean
sdp_file_write (const gchar *path, const gchar *text, GError **error)
{
  struct stat info;

  if (strcmp (path, "-") == 0)
    return write_all (STDOUT_FILENO, "standard output", text, error);
  if (lstat (path, &info) == 0 && !S_ISREG (info.st_mode))
    return write_through (path, text, error);
  return g_file_set_contents (path, text, -1, error);
}
