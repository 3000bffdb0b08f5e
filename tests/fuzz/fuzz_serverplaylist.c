/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the playlists of segments (tools/server/playlist.h): any bytes. The segments of one that is
 * taken are plain names of .ts files, so none leaves the folder; of one that is refused, the error names
 * a line. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "tools/server/error.h"
#include "tools/server/names.h"
#include "tools/server/playlist.h"

static void
check_segments (gchar **segments)
{
  guint n;

  for (n = 0; segments[n] != NULL; n++)
    CHECK (names_is_plain (segments[n]) && strchr (segments[n], '/') == NULL
        && g_str_has_suffix (segments[n], ".ts"));
  CHECK (n > 0 && n <= PLAYLIST_MAX_SEGMENTS);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
  GError *error = NULL;
  gchar **segments = playlist_parse ((const gchar *) data, bytes, NULL, &error);

  CHECK ((segments == NULL) == (error != NULL));
  if (segments != NULL)
    check_segments (segments);
  else
    CHECK (g_error_matches (error, SERVER_ERROR, SERVER_ERROR_FAILED)
        && g_str_has_prefix (error->message, "line "));
  g_strfreev (segments);
  g_clear_error (&error);
  return 0;
}
