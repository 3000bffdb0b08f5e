/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passphrases from files, see secret.h */
#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES 1024

static gboolean
refuse (GError **error, const gchar *path, const gchar *why)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", path, why);
  return FALSE;
}

static gboolean
is_of_owner_alone (int fd, const gchar *path, GError **error)
{
  struct stat info;

  if (fstat (fd, &info) != 0)
    return refuse (error, path, g_strerror (errno));
  if (S_ISDIR (info.st_mode))
    return refuse (error, path, "is a directory");
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return refuse (error, path, "others may open the file with the passphrase (type: chmod 600)");
  return TRUE;
}

/* Reads until the end of the file, or until the buffer is full.  Returns a negative number on
 * error. */
static gssize
read_all (int fd, gchar *text, gsize size)
{
  gsize used = 0;

  while (used < size) {
    gssize n = read (fd, text + used, size - used);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? n : (gssize) used;
    used += (gsize) n;
  }
  return (gssize) used;
}

/* @text: of MAX_BYTES + 1 bytes, all 0 */
static gboolean
read_line (int fd, const gchar *path, gchar *text, GError **error)
{
  gssize n = read_all (fd, text, MAX_BYTES);
  gsize length;

  if (n < 0)
    return refuse (error, path, g_strerror (errno));
  length = strcspn (text, "\r\n");
  if (length == 0)
    return refuse (error, path, "the first line is empty, where a passphrase should be");
  if (length == MAX_BYTES)
    return refuse (error, path, "the first line is too long for a passphrase");
  memset (text + length, 0, MAX_BYTES - length);
  return TRUE;
}

gchar *
secret_read (const gchar *path, GError **error)
{
  gchar text[MAX_BYTES + 1] = { 0 }, *secret = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0) {
    refuse (error, path, g_strerror (errno));
    return NULL;
  }
  if (is_of_owner_alone (fd, path, error) && read_line (fd, path, text, error))
    secret = g_strdup (text);
  explicit_bzero (text, sizeof text);
  close (fd);
  return secret;
}

void
secret_free (gchar *secret)
{
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}
