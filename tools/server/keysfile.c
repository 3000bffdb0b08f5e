/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passphrases of movies and users, see keysfile.h */
#include "keysfile.h"

#include <gio/gio.h>
#include <string.h>

#include "names.h"
#include "renditions.h"
#include "tools/secret/secretfile.h"

#define ANY_MOVIE "*"
/* Some editors begin a text with it, unseen: the first name would be that of no movie, and the movie of that line would be
 * played without a passphrase. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct _KeysFile
{
  GHashTable *passphrases; /* by MOVIE and USER@MOVIE */
  GHashTable *with_users;  /* the movies of the latter */
};

static void
free_secret (gpointer secret)
{
  explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

static gboolean
refuse (GError **error, guint number, const gchar *problem)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "line %u: %s", number, problem);
  return FALSE;
}

/* ---- lines ------------------------------------------------------------------- */

static gboolean
is_blank (gchar c)
{
  return c == ' ' || c == '\t';
}

/* Cuts off the blanks at both ends.  @return the beginning */
static gchar *
strip (gchar *text)
{
  gsize length = strlen (text);

  while (length > 0 && (is_blank (text[length - 1]) || text[length - 1] == '\r'))
    text[--length] = '\0';
  while (is_blank (*text))
    text++;
  return text;
}

/* Names may have colons.  @return the first colon between blanks; NULL if there is none */
static gchar *
find_separator (gchar *line)
{
  gchar *at;

  for (at = strchr (line, ':'); at != NULL; at = strchr (at + 1, ':'))
    if (at > line && is_blank (at[-1]) && is_blank (at[1]))
      return at;
  return NULL;
}

static const gchar *
find_problem (const KeysFile *keys, const gchar *movie, const gchar *passphrase)
{
  gsize bytes = strlen (passphrase), unused;

  if (g_str_has_suffix (movie, "@"))
    return "there is no movie behind the user: write USER@MOVIE, or USER@* for every movie";
  if (!g_str_equal (movie, ANY_MOVIE) && !names_is_plain (movie))
    return "what stands before the colon cannot be the name of a movie";
  if (renditions_read_name (movie, &unused) > 0)
    return "a rendition has the passphrase of its movie: leave out .<lines>p.ts";
  if (g_hash_table_contains (keys->passphrases, movie))
    return "the movie has had a line before";
  if (bytes < KEYS_FILE_LEAST_BYTES || bytes > KEYS_FILE_MOST_BYTES)
    return "the passphrase needs 10 to 79 bytes";
  return NULL;
}

static gboolean
read_line (KeysFile *keys, gchar *line, guint number, GError **error)
{
  gchar *separator, *movie, *passphrase, *at;
  const gchar *problem;

  line = strip (line);
  if (*line == '\0' || *line == '#')
    return TRUE;
  separator = find_separator (line);
  if (separator == NULL)
    return refuse (error, number, "there is no colon between blanks: write MOVIE : PASSPHRASE");
  *separator = '\0';
  movie = strip (line);
  passphrase = strip (separator + 1);
  problem = find_problem (keys, movie, passphrase);
  if (problem != NULL)
    return refuse (error, number, problem);
  g_hash_table_insert (keys->passphrases, g_strdup (movie), g_strdup (passphrase));
  at = strchr (movie, '@');
  if (at != NULL && at > movie)
    g_hash_table_add (keys->with_users, g_strdup (at + 1));
  return TRUE;
}

/* @text: is changed */
static gboolean
read_lines (KeysFile *keys, gchar *text, GError **error)
{
  guint number = 1;

  while (text != NULL) {
    gchar *end = strchr (text, '\n');

    if (end != NULL)
      *end++ = '\0';
    if (!read_line (keys, text, number++, error))
      return FALSE;
    text = end;
  }
  return TRUE;
}

KeysFile *
keys_file_parse (const gchar *text, gsize bytes, GError **error)
{
  const gsize mark_bytes = bytes >= 3 && memcmp (text, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
  KeysFile *keys = g_new0 (KeysFile, 1);
  gchar *copy;
  gboolean ok;

  keys->passphrases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_secret);
  keys->with_users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (memchr (text, '\0', bytes) != NULL) {
    ok = refuse (error, 1, "this is no text");
  } else {
    copy = g_strndup (text, bytes);
    ok = read_lines (keys, copy + mark_bytes, error);
    explicit_bzero (copy, bytes);
    g_free (copy);
  }
  if (!ok)
    g_clear_pointer (&keys, keys_file_free);
  return keys;
}

void
keys_file_free (KeysFile *keys)
{
  if (keys == NULL)
    return;
  g_hash_table_unref (keys->passphrases);
  g_hash_table_unref (keys->with_users);
  g_free (keys);
}

/* A rendition is sent under its own name and under that of its movie, so that both have one entry.
 *
 * @return the name of the movie that a file is a rendition of, or the file's own; for g_free() */
static gchar *
dup_whole (const gchar *movie)
{
  gchar *whole = g_strdup (movie);
  gsize bytes;

  while (renditions_read_name (whole, &bytes) > 0)
    whole[bytes] = '\0';
  return whole;
}

static const gchar *
look_up (const KeysFile *keys, const gchar *user, const gchar *movie)
{
  gchar *name = user != NULL ? g_strconcat (user, "@", movie, NULL) : g_strdup (movie);
  const gchar *found = g_hash_table_lookup (keys->passphrases, name);

  g_free (name);
  return found;
}

const gchar *
keys_file_find (const KeysFile *keys, const gchar *user, const gchar *movie)
{
  const gchar *found;
  gchar *whole;

  if (keys == NULL)
    return NULL;
  whole = dup_whole (movie);
  found = look_up (keys, user, whole);
  if (found == NULL && (user != NULL || !g_hash_table_contains (keys->with_users, whole)))
    found = look_up (keys, user, ANY_MOVIE);
  g_free (whole);
  return found;
}

gboolean
keys_file_has_users (const KeysFile *keys, const gchar *movie)
{
  gchar *whole = dup_whole (movie);
  gboolean has = keys != NULL
      && (g_hash_table_contains (keys->with_users, whole)
          || g_hash_table_contains (keys->with_users, ANY_MOVIE));

  g_free (whole);
  return has;
}

/* ---- the file ------------------------------------------------------------------ */

KeysFile *
keys_file_read (const gchar *path, GError **error)
{
  gsize size = 0;
  gchar *text = secretfile_read (path, KEYS_FILE_MAX_BYTES, &size, error);
  KeysFile *keys = NULL;

  if (text == NULL)
    return NULL;
  if (size > KEYS_FILE_MAX_BYTES)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the file is too long");
  else
    keys = keys_file_parse (text, size, error);
  secretfile_free (text, size);
  /* A pipe that was read before is empty, and a file that is being written may be. */
  if (keys != NULL && g_hash_table_size (keys->passphrases) == 0) {
    g_clear_pointer (&keys, keys_file_free);
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "no line has a passphrase, so that all movies would be played without");
  }
  if (keys == NULL)
    g_prefix_error (error, "%s: ", path);
  return keys;
}
