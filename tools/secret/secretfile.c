/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files with secrets, see secretfile.h */
#include "secretfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
refuse (GError **error, const gchar *path, gint code, const gchar *why)
{
  g_set_error (error, G_IO_ERROR, code, "%s: %s", path, why);
  return FALSE;
}

static gboolean
refuse_errno (GError **error, const gchar *path, int number)
{
  return refuse (error, path, g_io_error_from_errno (number), g_strerror (number));
}

/* Whether systemd gave the file to this service, in a folder that only the service can enter. From version 254 on an ACL lets
 * the service's user read it, whose mask stands where the rights of a group would: it is not a right of others then. */
static gboolean
is_credential (const gchar *path)
{
  gchar *folder = g_path_get_dirname (path);
  gboolean result = g_strcmp0 (folder, g_getenv ("CREDENTIALS_DIRECTORY")) == 0;

  g_free (folder);
  return result;
}

static gboolean
is_of_owner_alone (int fd, const gchar *path, GError **error)
{
  mode_t others = (S_IRWXG | S_IRWXO) & ~(is_credential (path) ? S_IRGRP : 0);
  struct stat status;

  if (fstat (fd, &status) != 0)
    return refuse_errno (error, path, errno);
  if (S_ISDIR (status.st_mode))
    return refuse (error, path, G_IO_ERROR_IS_DIRECTORY, "is a directory");
  if ((status.st_mode & others) != 0)
    return refuse (error, path, G_IO_ERROR_PERMISSION_DENIED,
        "others may open the file with the secret (type: chmod 600)");
  return TRUE;
}

/* Reads until the end of the file, or until the buffer is full. */
static gboolean
read_all (int fd, const gchar *path, gchar *text, gsize size, gsize *used, GError **error)
{
  *used = 0;
  while (*used < size) {
    gssize n = read (fd, text + *used, size - *used);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return refuse_errno (error, path, errno);
    if (n == 0)
      break;
    *used += (gsize) n;
  }
  return TRUE;
}

gchar *
secretfile_read (const gchar *path, gsize max_bytes, gsize *size, GError **error)
{
  int fd = open (path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
  gchar *text;
  gboolean ok;

  if (fd < 0) {
    refuse_errno (error, path, errno);
    return NULL;
  }
  text = g_malloc0 (max_bytes + 2);
  ok = is_of_owner_alone (fd, path, error) && read_all (fd, path, text, max_bytes + 1, size, error);
  close (fd);
  if (ok)
    return text;
  secretfile_free (text, max_bytes + 1);
  return NULL;
}

void
secretfile_free (gchar *text, gsize size)
{
  if (text != NULL)
    explicit_bzero (text, size);
  g_free (text);
}
