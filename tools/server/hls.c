/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders with playlists, see hls.h */
#include "hls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "names.h"
#include "playlist.h"

#define USUAL_NAME "index.m3u8"

static gboolean
is_file (int folder, const gchar *name, guint64 *bytes)
{
  struct stat status;

  if (fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  *bytes = (guint64) status.st_size;
  return TRUE;
}

/* @several: set to whether there are more playlists, of which none is index.m3u8
 * @return the name of a playlist; NULL if there is none */
static gchar *
find_playlist (int folder, gboolean *several)
{
  int own = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = own < 0 ? NULL : fdopendir (own);
  const struct dirent *entry;
  gchar *found = NULL;
  guint64 unused;

  *several = FALSE;
  if (entries == NULL) {
    if (own >= 0)
      close (own);
    return NULL;
  }
  if (is_file (folder, USUAL_NAME, &unused))
    found = g_strdup (USUAL_NAME);
  while (!*several && g_strcmp0 (found, USUAL_NAME) != 0 && (entry = readdir (entries)) != NULL) {
    if (!g_str_has_suffix (entry->d_name, ".m3u8") || !names_is_plain (entry->d_name)
        || !is_file (folder, entry->d_name, &unused))
      continue;
    *several = found != NULL;
    if (found == NULL)
      found = g_strdup (entry->d_name);
  }
  closedir (entries);
  return found;
}

gboolean
hls_has_playlist (int folder)
{
  gboolean several;
  gchar *name = find_playlist (folder, &several);

  g_free (name);
  return name != NULL;
}

/* @return NULL with @error if the file cannot be read.  A file that is too long is read as far as
 * that can be seen. */
static gchar *
read_text (int folder, const gchar *name, gsize *bytes, GError **error)
{
  int fd = names_open_file (folder, name);
  gchar *text = g_malloc (PLAYLIST_MAX_BYTES + 1);
  gssize n = 0;

  *bytes = 0;
  while (fd >= 0 && *bytes <= PLAYLIST_MAX_BYTES
      && ((n = read (fd, text + *bytes, PLAYLIST_MAX_BYTES + 1 - *bytes)) > 0
          || (n < 0 && errno == EINTR)))
    *bytes += (gsize) MAX (n, 0);
  if (fd < 0 || n < 0) {
    g_set_error (
        error, SERVER_ERROR, SERVER_ERROR_FAILED, "cannot be read: %s", g_strerror (errno));
    g_clear_pointer (&text, g_free);
  }
  if (fd >= 0)
    close (fd);
  return text;
}

static gboolean
add_sizes (int folder, gchar *const *names, guint64 *sum, GError **error)
{
  guint64 bytes;

  for (*sum = 0; *names != NULL; names++) {
    if (!is_file (folder, *names, &bytes)) {
      g_set_error (error, SERVER_ERROR, SERVER_ERROR_FAILED,
          "the segment %s is not in the folder, or is a symbolic link: copy it there", *names);
      return FALSE;
    }
    *sum += bytes;
  }
  return TRUE;
}

gchar **
hls_read (int folder, guint64 *bytes, guint64 *duration_ns, GError **error)
{
  gboolean several;
  gchar *name = find_playlist (folder, &several), *text = NULL, **names = NULL;
  GError *problem = NULL;
  guint64 sum;
  gsize length;

  if (several)
    g_set_error_literal (&problem, SERVER_ERROR, SERVER_ERROR_FAILED,
        "there are several playlists: name one of them " USUAL_NAME);
  else if (name != NULL)
    text = read_text (folder, name, &length, &problem);
  if (text != NULL)
    names = playlist_parse (text, length, duration_ns, &problem);
  if (names != NULL && !add_sizes (folder, names, bytes != NULL ? bytes : &sum, &problem))
    g_clear_pointer (&names, g_strfreev);
  if (problem != NULL)
    g_propagate_prefixed_error (error, problem, "%s: ", name);
  else if (name == NULL)
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, "there is no playlist");
  g_free (text);
  g_free (name);
  return names;
}
