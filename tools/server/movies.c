/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of movies, see movies.h */
#include "movies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "hls.h"
#include "names.h"
#include "renditions.h"

struct _Movies
{
  int fd; /* of the folder: its name may come to lead elsewhere */
};

static const struct
{
  const gchar *suffix;
  MovieFormat format;
} formats[] = { { ".ts", MOVIE_TRANSPORT_STREAM }, { ".mp4", MOVIE_MP4 },
  { ".mkv", MOVIE_MATROSKA }, { ".webm", MOVIE_MATROSKA } };

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

static gboolean
find_format (const gchar *name, MovieFormat *format)
{
  guint i;

  if (!names_is_plain (name))
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
  g_free (movie->error);
  g_free (movie);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Movie *const *first = a, *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

static Movie *
add_movie (GPtrArray *list, const gchar *name, guint64 bytes)
{
  Movie *movie = g_new0 (Movie, 1);

  movie->name = g_strdup (name);
  movie->bytes = bytes;
  g_ptr_array_add (list, movie);
  return movie;
}

/* Opens a folder with a playlist.  @name: plain.  @return -1 with errno set if there is none */
static int
open_hls (int folder, const gchar *name)
{
  int fd = names_open_folder (folder, name);

  if (fd >= 0 && !hls_has_playlist (fd)) {
    close (fd);
    errno = ENOENT;
    return -1;
  }
  return fd;
}

static void
add_hls (GPtrArray *list, int folder, const gchar *name)
{
  int fd = open_hls (folder, name);
  GError *error = NULL;
  Movie *movie;
  gchar **segments;

  if (fd < 0)
    return;
  movie = add_movie (list, name, 0);
  segments = hls_read (fd, &movie->bytes, NULL, &error);
  if (segments == NULL) {
    movie->bytes = 0;
    movie->error = g_strdup_printf ("%s/%s", name, error->message);
    g_error_free (error);
  }
  g_strfreev (segments);
  close (fd);
}

static gchar *
format_unreadable (const gchar *name, int code)
{
  return g_strdup_printf ("%s cannot be read: %s", name, g_strerror (code));
}

static void
add_file (GPtrArray *list, int folder, const gchar *name, guint64 bytes)
{
  Movie *movie = add_movie (list, name, bytes);

  if (faccessat (folder, name, R_OK, AT_EACCESS) != 0)
    movie->error = format_unreadable (name, errno);
}

static void
add_if_movie (GPtrArray *list, int folder, const gchar *name)
{
  MovieFormat format;
  struct stat status;
  gboolean has_name = find_format (name, &format);

  if (fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (has_name && S_ISREG (status.st_mode))
    add_file (list, folder, name, (guint64) status.st_size);
  else if (!has_name && S_ISDIR (status.st_mode) && names_is_plain (name))
    add_hls (list, folder, name);
}

static void
remove_movie (GPtrArray *list, const gchar *name)
{
  guint i;

  for (i = list->len; i > 0; i--)
    if (g_str_equal (((const Movie *) g_ptr_array_index (list, i - 1))->name, name))
      g_ptr_array_remove_index_fast (list, i - 1);
}

/* Adds the movies of which the files are renditions.  A folder with such a name is hidden. */
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
      remove_movie (list, ((const Movie *) value)->name);
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

/* @code: errno
 * @return FALSE if nothing is there that could be a movie; otherwise with the error set */
static gboolean
set_unreadable (const gchar *name, int code, GError **error)
{
  gchar *text;

  if (code == ENOENT || code == ENOTDIR || code == ELOOP || code == EINVAL || code == ENXIO)
    return FALSE;
  text = format_unreadable (name, code);
  g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_FAILED, text);
  g_free (text);
  return TRUE;
}

/* A movie has one name, the listed one: its passphrase is found by that. */
static guint
open_file (Movies *movies, const gchar *name, FeederFile *file, GError **error)
{
  file->fd = names_is_listed (movies->fd, name) ? names_open_file (movies->fd, name) : -1;
  if (file->fd < 0 && !set_unreadable (name, errno, error))
    g_set_error (error, SERVER_ERROR, SERVER_ERROR_NOT_FOUND, "there is no movie %s", name);
  return file->fd >= 0;
}

static guint
refuse_name (GError **error)
{
  g_set_error_literal (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST,
      "movie is not the name of a .ts, .mp4, .mkv or .webm file in the folder of movies, of "
      "renditions, or of a folder with a playlist (.m3u8)");
  return 0;
}

static guint
open_segments (Movies *movies, const gchar *name, FeederFile *file, GError **error)
{
  file->fd = names_is_listed (movies->fd, name) ? open_hls (movies->fd, name) : -1;
  if (file->fd < 0)
    return set_unreadable (name, errno, error) ? 0 : refuse_name (error);
  file->segments = hls_read (file->fd, NULL, &file->duration_ns, error);
  if (file->segments != NULL)
    return 1;
  g_prefix_error (error, "%s/", name);
  close (file->fd);
  return 0;
}

guint
movies_open (
    Movies *movies, const gchar *name, MovieFormat *format, FeederFile *files, GError **error)
{
  gboolean is_file = FALSE;
  guint n;

  if (!names_is_plain (name))
    return refuse_name (error);
  n = renditions_open (movies->fd, name, files);
  if (n == 0)
    is_file = find_format (name, format);
  if (!is_file)
    *format = MOVIE_TRANSPORT_STREAM;
  if (n > 0)
    return n;
  files[0] = (FeederFile){ .fd = -1 };
  return is_file ? open_file (movies, name, &files[0], error)
                 : open_segments (movies, name, &files[0], error);
}
