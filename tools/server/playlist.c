/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media playlists, see playlist.h.  Tags that are not known are skipped (RFC 8216 section 6.3.1). */
#include "playlist.h"

#include <string.h>

#include "error.h"
#include "names.h"

#define MAKE_FILE "make one file of it, for example with ffmpeg -i PLAYLIST -c copy movie.ts"

/* Of a segment; the sum of all of them fits into 64 bits. */
#define MOST_LENGTH_S 100000

typedef struct
{
  GPtrArray *segments;
  gboolean has_duration; /* the tag of the next segment has been there */
  gboolean is_complete;
  gboolean lacks_length; /* of a segment */
  guint64 duration_ns;
} Playlist;

static gboolean
refuse (GError **error, guint number, const gchar *problem)
{
  g_set_error (error, SERVER_ERROR, SERVER_ERROR_FAILED, "line %u: %s", number, problem);
  return FALSE;
}

/* ---- tags ------------------------------------------------------------------- */

/* Tags of playlists that are not played */
static const struct
{
  const gchar *tag, *problem;
} refused[] = {
  { "#EXT-X-STREAM-INF:",
      "this is a playlist of renditions (EXT-X-STREAM-INF): put the media playlist of one of them "
      "with its segments into the folder" },
  { "#EXT-X-MEDIA:",
      "this is a playlist of renditions (EXT-X-MEDIA): put the media playlist of one of them with "
      "its segments into the folder" },
  { "#EXT-X-BYTERANGE:", "segments are parts of a file (EXT-X-BYTERANGE): " MAKE_FILE },
  { "#EXT-X-MAP:", "segments are fragments of MP4 (EXT-X-MAP): " MAKE_FILE },
  { "#EXT-X-I-FRAMES-ONLY",
      "there are only single pictures (EXT-X-I-FRAMES-ONLY): take the "
      "playlist of the whole movie" },
};

static gboolean
is_encrypted (const gchar *line)
{
  static const gchar tag[] = "#EXT-X-KEY:";

  return g_str_has_prefix (line, tag) && strcmp (line + strlen (tag), "METHOD=NONE") != 0;
}

/* A number of seconds without sign and exponent, before a comma or the end (RFC 8216 section 4.3.2.1) */
static gboolean
read_length (const gchar *text, guint64 *length_ns)
{
  gdouble seconds;
  gchar *end;

  while (*text == ' ')
    text++;
  seconds = g_ascii_strtod (text, &end);
  if (end == text || end != text + strspn (text, "0123456789.") || (*end != ',' && *end != '\0')
      || seconds > MOST_LENGTH_S)
    return FALSE;
  *length_ns = (guint64) (seconds * 1e9 + 0.5);
  return TRUE;
}

static void
add_length (Playlist *playlist, const gchar *text)
{
  guint64 length_ns = 0;

  playlist->has_duration = TRUE;
  playlist->lacks_length |= !read_length (text, &length_ns);
  playlist->duration_ns += length_ns;
}

static gboolean
read_tag (Playlist *playlist, const gchar *line, guint number, GError **error)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (refused); i++)
    if (g_str_has_prefix (line, refused[i].tag))
      return refuse (error, number, refused[i].problem);
  if (is_encrypted (line))
    return refuse (error, number, "segments are encrypted (EXT-X-KEY): " MAKE_FILE);
  if (g_str_has_prefix (line, "#EXTINF:"))
    add_length (playlist, line + strlen ("#EXTINF:"));
  else if (g_str_equal (line, "#EXT-X-ENDLIST"))
    playlist->is_complete = TRUE;
  return TRUE;
}

/* ---- segments --------------------------------------------------------------- */

/* Names in a playlist are URIs, but many programs write them as they are. */
static gchar *
decode (const gchar *line)
{
  gchar *name = g_uri_unescape_string (line, NULL);

  return name != NULL ? name : g_strdup (line);
}

static const gchar *
find_problem (const Playlist *playlist, const gchar *name)
{
  if (!playlist->has_duration)
    return "a segment has no EXTINF: this is no playlist of HLS";
  if (playlist->segments->len >= PLAYLIST_MAX_SEGMENTS)
    return "there are too many segments: " MAKE_FILE;
  if (!names_is_plain (name))
    return "a segment is no file right in the folder of the playlist: put it there, and its name "
           "alone into this line";
  if (!g_str_has_suffix (name, ".ts"))
    return "a segment is no .ts file: " MAKE_FILE;
  return NULL;
}

static gboolean
read_segment (Playlist *playlist, const gchar *line, guint number, GError **error)
{
  gchar *name = decode (line);
  const gchar *problem = find_problem (playlist, name);

  if (problem != NULL) {
    g_free (name);
    return refuse (error, number, problem);
  }
  playlist->has_duration = FALSE;
  g_ptr_array_add (playlist->segments, name);
  return TRUE;
}

/* ---- the text ---------------------------------------------------------------- */

static gboolean
read_lines (Playlist *playlist, gchar **lines, GError **error)
{
  guint i;

  if (lines[0] == NULL || !g_str_equal (g_strchomp (lines[0]), "#EXTM3U"))
    return refuse (error, 1, "this is no playlist of HLS, which begins with #EXTM3U");
  for (i = 1; lines[i] != NULL; i++) {
    const gchar *line = g_strchomp (lines[i]);

    if (*line == '#' ? !read_tag (playlist, line, i + 1, error)
                     : *line != '\0' && !read_segment (playlist, line, i + 1, error))
      return FALSE;
  }
  if (!playlist->is_complete)
    return refuse (error, i, "the playlist has no EXT-X-ENDLIST: wait until the movie is complete");
  if (playlist->segments->len == 0)
    return refuse (error, i, "the playlist has no segments");
  return TRUE;
}

gchar **
playlist_parse (const gchar *text, gsize bytes, guint64 *duration_ns, GError **error)
{
  Playlist playlist = { .segments = g_ptr_array_new_with_free_func (g_free) };
  gboolean ok = FALSE;

  if (bytes > PLAYLIST_MAX_BYTES) {
    refuse (error, 1, "the playlist is too long: " MAKE_FILE);
  } else if (!g_utf8_validate_len (text, bytes, NULL)) {
    refuse (error, 1, "the playlist is not UTF-8 text");
  } else {
    gchar *copy = g_strndup (text, bytes), **lines = g_strsplit (copy, "\n", -1);

    ok = read_lines (&playlist, lines, error);
    g_strfreev (lines);
    g_free (copy);
  }
  g_ptr_array_add (playlist.segments, NULL);
  if (duration_ns != NULL)
    *duration_ns = playlist.lacks_length ? 0 : playlist.duration_ns;
  if (ok)
    return (gchar **) g_ptr_array_free (playlist.segments, FALSE);
  g_ptr_array_free (playlist.segments, TRUE);
  return NULL;
}
