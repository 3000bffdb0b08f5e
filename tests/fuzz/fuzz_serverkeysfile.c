/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the passphrases of movies and users (tools/server/keysfile.h): any bytes. What is taken has a passphrase of 10 to
 * 79 bytes for each of its lines; of what is refused, the error names a line. */
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "tools/server/keysfile.h"

static void
check_taken (const KeysFile *keys, gchar *name)
{
  gchar *at = strchr (g_strstrip (name), '@');
  const gchar *passphrase;

  if (at != NULL && at > name)
    *at = '\0';
  else
    at = NULL;
  passphrase = keys_file_find (keys, at ? name : NULL, at ? at + 1 : name);
  CHECK (passphrase == NULL
      || (strlen (passphrase) >= KEYS_FILE_LEAST_BYTES
          && strlen (passphrase) <= KEYS_FILE_MOST_BYTES));
  CHECK (at == NULL || keys_file_has_users (keys, at + 1) || passphrase == NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
  GError *error = NULL;
  gchar *text = g_strndup ((const gchar *) data, bytes);
  KeysFile *keys = keys_file_parse (bytes > 0 ? (const gchar *) data : "", bytes, &error);
  gchar **lines = g_strsplit (text, "\n", -1);

  CHECK ((keys == NULL) == (error != NULL));
  CHECK (keys != NULL
      || (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA)
          && g_str_has_prefix (error->message, "line ")));
  for (guint i = 0; keys != NULL && lines[i] != NULL; i++) {
    gchar *colon = strstr (lines[i], " : ");

    if (colon == NULL)
      continue;
    *colon = '\0';
    check_taken (keys, lines[i]);
  }
  g_strfreev (lines);
  keys_file_free (keys);
  g_clear_error (&error);
  g_free (text);
  return 0;
}
