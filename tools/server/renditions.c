/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a movie with renditions, see renditions.h */
#include "renditions.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

#define SUFFIX "p.ts"
#define MOST_DIGITS 5

guint
renditions_read_name (const gchar *file, gsize *bytes)
{
  const gsize length = strlen (file);
  gsize digits, at;
  guint lines = 0;

  if (!g_str_has_suffix (file, SUFFIX))
    return 0;
  at = length - strlen (SUFFIX);
  for (digits = 0; digits < at && g_ascii_isdigit (file[at - digits - 1]); digits++)
    ;
  if (digits == 0 || digits > MOST_DIGITS || at < digits + 2 || file[at - digits - 1] != '.')
    return 0;
  *bytes = at - digits - 1;
  for (; digits > 0; digits--)
    lines = lines * 10 + (guint) (file[at - digits] - '0');
  return lines;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  guint first = ((const FeederFile *) a)->rendition, second = ((const FeederFile *) b)->rendition;

  return (first > second) - (first < second);
}

/* Keeps the files in order; what has no room is closed. */
static void
insert (FeederFile *files, guint *n, FeederFile file)
{
  if (*n == LADDER_MOST_RENDITIONS && files[*n - 1].rendition <= file.rendition) {
    close (file.fd);
    return;
  }
  if (*n == LADDER_MOST_RENDITIONS)
    close (files[--*n].fd);
  files[(*n)++] = file;
  qsort (files, *n, sizeof *files, compare);
}

guint
renditions_open (int folder, const gchar *movie, FeederFile *files)
{
  int own = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = own < 0 ? NULL : fdopendir (own);
  const gsize length = strlen (movie);
  const struct dirent *entry;
  guint n = 0;

  if (entries == NULL && own >= 0)
    close (own);
  while (entries != NULL && (entry = readdir (entries)) != NULL) {
    gsize bytes;
    guint lines = renditions_read_name (entry->d_name, &bytes);
    int fd = -1;

    if (lines > 0 && bytes == length && memcmp (entry->d_name, movie, bytes) == 0)
      fd = names_open_file (folder, entry->d_name);
    if (fd >= 0)
      insert (files, &n, (FeederFile){ .fd = fd, .rendition = lines });
  }
  if (entries != NULL)
    closedir (entries);
  if (n < 2) {
    renditions_close (files, n);
    n = 0;
  }
  return n;
}

void
renditions_close (const FeederFile *files, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    close (files[i].fd);
    g_strfreev (files[i].segments);
    if (files[i].growing != NULL)
      growing_unref (files[i].growing);
  }
}
