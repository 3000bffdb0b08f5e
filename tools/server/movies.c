/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of movies, see movies.h */
#include "movies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "renditions.h"

struct _Movies
{
  int fd; /* of the folder: its name may come to lead elsewhere */
};

static const struct
{
  const gchar *suffix;
  MovieFormat format;
} formats[] = { { ".ts", MOVIE_TRANSPORT_STREAM }, { ".mp4", MOVIE_MP4 } };

static gboolean
set_file_error (GError **error, const gchar *name)
{
  int code = errno;

  g_set_error (
      error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", name, g_strerror (code));
  return FALSE;
}

Movies *
movies_new (const gchar *folder, GError **error)
{
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Movies *movies;

  if (fd < 0) {
    set_file_error (error, folder);
    return NULL;
  }
  movies = g_new0 (Movies, 1);
  movies->fd = fd;
  return movies;
}

void
movies_free (Movies *movies)
{
  close (movies->fd);
  g_free (movies);
}

/* Names go into JSON, labels of metrics and logs, which want text.  Hidden files are not movies;
 * the rule leaves out "." and ".." as well. */
static gboolean
is_plain_name (const gchar *name)
{
  const gchar *at;

  if (name[0] == '.' || strlen (name) > NAME_MAX || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  for (at = name; *at != '\0'; at = g_utf8_next_char (at))
    if (*at == '/' || g_unichar_iscntrl (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

static gboolean
find_format (const gchar *name, MovieFormat *format)
{
  guint i;

  if (!is_plain_name (name))
    return FALSE;
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (g_str_has_suffix (name, formats[i].suffix)) {
      *format = formats[i].format;
      return TRUE;
    }
  }
  return FALSE;
}

static void
movie_free (gpointer data)
{
  Movie *movie = data;

  g_free (movie->name);
  g_free (movie);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Movie *const *first = a, *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

static void
add_if_movie (GPtrArray *list, int folder, const gchar *name)
{
  MovieFormat format;
  struct stat status;
  Movie *movie;

  if (!find_format (name, &format) || fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0
      || !S_ISREG (status.st_mode))
    return;
  movie = g_new0 (Movie, 1);
  movie->name = g_strdup (name);
  movie->bytes = (guint64) status.st_size;
  g_ptr_array_add (list, movie);
}

/* Adds the movies of which the files are renditions. */
static void
add_groups (GPtrArray *list)
{
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, movie_free);
  GHashTableIter at;
  gpointer value;
  guint i;

  for (i = 0; i < list->len; i++) {
    const Movie *file = g_ptr_array_index (list, i);
    gsize bytes;
    gchar *name = renditions_read_name (file->name, &bytes) > 0 ? g_strndup (file->name, bytes)
                                                                : NULL;
    Movie *group = name != NULL ? g_hash_table_lookup (groups, name) : NULL;

    if (group == NULL && name != NULL) {
      group = g_new0 (Movie, 1);
      group->name = g_strdup (name);
      g_hash_table_insert (groups, group->name, group);
    }
    if (group != NULL) {
      group->bytes += file->bytes;
      group->renditions++;
    }
    g_free (name);
  }
  g_hash_table_iter_init (&at, groups);
  while (g_hash_table_iter_next (&at, NULL, &value))
    if (((const Movie *) value)->renditions > 1) {
      g_hash_table_iter_steal (&at);
      g_ptr_array_add (list, value);
    }
  g_hash_table_unref (groups);
}

GPtrArray *
movies_list (Movies *movies, GError **error)
{
  int fd = openat (movies->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir (fd);
  const struct dirent *entry;
  GPtrArray *list;

  if (folder == NULL) {
    set_file_error (error, "the folder of movies");
    if (fd >= 0)
      close (fd);
    return NULL;
  }
  list = g_ptr_array_new_with_free_func (movie_free);
  while ((entry = readdir (folder)) != NULL)
    add_if_movie (list, fd, entry->d_name);
  closedir (folder);
  add_groups (list);
  g_ptr_array_sort (list, compare);
  return list;
}

static int
open_file (Movies *movies, const gchar *name, MovieFormat *format, GError **error)
{
  struct stat status;
  int fd;

  if (!find_format (name, format)) {
    g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST,
        "movie is not the name of a .ts or .mp4 file in the folder of movies, or of renditions");
    return -1;
  }
  /* O_NONBLOCK: to open a FIFO would wait for its writer. */
  fd = openat (movies->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)) {
    g_set_error (error, SERVER_ERROR, SERVER_ERROR_NOT_FOUND, "there is no movie %s", name);
    if (fd >= 0)
      close (fd);
    return -1;
  }
  return fd;
}

guint
movies_open (
    Movies *movies, const gchar *name, MovieFormat *format, FeederFile *files, GError **error)
{
  guint n = is_plain_name (name) ? renditions_open (movies->fd, name, files) : 0;

  if (n > 0) {
    *format = MOVIE_TRANSPORT_STREAM;
    return n;
  }
  files[0] = (FeederFile){ open_file (movies, name, format, error), 0 };
  return files[0].fd >= 0;
}
