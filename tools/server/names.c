/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files by names from outside, see names.h */
#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rule about hidden files leaves out "." and ".." as well. */
gboolean
names_is_plain (const gchar *name)
{
  const gchar *at;

  if (name[0] == '\0' || name[0] == '.' || strlen (name) > NAME_MAX
      || !g_utf8_validate (name, -1, NULL))
    return FALSE;
  for (at = name; *at != '\0'; at = g_utf8_next_char (at))
    if (*at == '/' || g_unichar_iscntrl (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

gboolean
names_is_listed (int folder, const gchar *name)
{
  int own = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = own < 0 ? NULL : fdopendir (own);
  const struct dirent *entry;
  gboolean is_listed = FALSE;

  if (entries == NULL) {
    if (own >= 0)
      close (own);
    return FALSE;
  }
  while (!is_listed && (entry = readdir (entries)) != NULL)
    is_listed = strcmp (entry->d_name, name) == 0;
  closedir (entries);
  errno = ENOENT;
  return is_listed;
}

/* O_NONBLOCK: to open a FIFO would wait for its writer. */
int
names_open_file (int folder, const gchar *name)
{
  int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;

  if (fd >= 0 && (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))) {
    close (fd);
    errno = EINVAL;
    return -1;
  }
  return fd;
}

int
names_open_folder (int folder, const gchar *name)
{
  return openat (folder, name, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
}
