/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passphrases from files, see secret.h */
#include "secret.h"

#include <gio/gio.h>
#include <string.h>

#include "tools/secret/secretfile.h"

#define MAX_BYTES 1024

gchar *
secret_read (const gchar *path, GError **error)
{
  gsize size = 0, length;
  gchar *text = secretfile_read (path, MAX_BYTES, &size, error), *secret = NULL;

  if (text == NULL)
    return NULL;
  length = strcspn (text, "\r\n");
  if (length == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s: the first line is empty, where a passphrase should be", path);
  else if (length > MAX_BYTES)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s: the first line is too long for a passphrase", path);
  else
    secret = g_strndup (text, length);
  secretfile_free (text, size);
  return secret;
}

void
secret_free (gchar *secret)
{
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}
