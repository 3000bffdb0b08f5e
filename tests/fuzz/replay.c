/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target over the files of the given directories, so that the corpus is an ordinary
 * test with any compiler.  A finding ends the process. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

/* Returns whether the file could be read. */
static int
replay_file (const char *path, size_t size)
{
  FILE *file = fopen (path, "rb");
  uint8_t *bytes;
  int complete;

  if (file == NULL)
    return 0;
  /* exact size, so that a sanitizer detects a read past the end */
  bytes = malloc (size ? size : 1);
  complete = bytes != NULL && fread (bytes, 1, size, file) == size;
  fclose (file);
  if (complete) {
    fprintf (stderr, "%s\n", path);
    LLVMFuzzerTestOneInput (bytes, size);
  }
  free (bytes);
  return complete;
}

static void
replay_directory (const char *name, unsigned *replayed, unsigned *unreadable)
{
  DIR *directory = opendir (name);
  struct dirent *entry;

  if (directory == NULL) {
    (*unreadable)++;
    return;
  }
  while ((entry = readdir (directory)) != NULL) {
    char path[4096];
    struct stat status;

    snprintf (path, sizeof path, "%s/%s", name, entry->d_name);
    if (stat (path, &status) != 0 || !S_ISREG (status.st_mode))
      continue;
    if (replay_file (path, status.st_size))
      (*replayed)++;
    else
      (*unreadable)++;
  }
  closedir (directory);
}

int
main (int argc, char **argv)
{
  unsigned replayed = 0, unreadable = 0, checks;
  int i;

  for (i = 1; i < argc; i++)
    replay_directory (argv[i], &replayed, &unreadable);
  checks = replayed + unreadable;
  printf ("%u%%: Checks: %u, Failures: %u, Errors: 0\n", checks ? 100 * replayed / checks : 0,
      checks, unreadable);
  return replayed == 0 || unreadable > 0;
}
