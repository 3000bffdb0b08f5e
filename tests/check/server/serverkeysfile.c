/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of passphrases, see tools/server/keysfile.h */
#include <gst/check/gstcheck.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "keysfile.h"

#define SECRET "correct horse"

static KeysFile *
parse (const gchar *text)
{
  GError *error = NULL;
  KeysFile *keys = keys_file_parse (text, strlen (text), &error);

  g_assert_no_error (error);
  return keys;
}

static void
assert_found (const gchar *text, const gchar *movie, const gchar *expected)
{
  KeysFile *keys = parse (text);

  fail_unless_equals_string (keys_file_find (keys, NULL, movie), expected);
  keys_file_free (keys);
}

static void
assert_refused (const gchar *text, gsize bytes, const gchar *problem)
{
  GError *error = NULL;

  fail_unless (keys_file_parse (text, bytes, &error) == NULL, "%s", text);
  fail_unless (error->domain == G_IO_ERROR);
  fail_unless (strstr (error->message, problem) != NULL, "%s: %s", text, error->message);
  fail_unless (strstr (error->message, "horse") == NULL, "%s", error->message);
  g_error_free (error);
}

GST_START_TEST (a_movie_has_the_passphrase_of_its_line)
{
  const gchar *text = "# comment : no passphrase\n\n  film.ts : " SECRET
                      " \r\n\tother :\tanother one\t\n";

  assert_found (text, "film.ts", SECRET);
  assert_found (text, "other", "another one");
  assert_found (text, "third.ts", NULL);
  assert_found (text, "# comment", NULL);
  assert_found ("a.ts : " SECRET, "a.ts", SECRET);
  assert_found ("", "a.ts", NULL);
  fail_unless (keys_file_find (NULL, NULL, "a.ts") == NULL);
}

GST_END_TEST;

static void
assert_user (const gchar *text, const gchar *user, const gchar *movie, const gchar *expected)
{
  KeysFile *keys = parse (text);

  fail_unless_equals_string (keys_file_find (keys, user, movie), expected);
  keys_file_free (keys);
}

static void
assert_has_users (const gchar *text, const gchar *movie, gboolean expected)
{
  KeysFile *keys = parse (text);

  fail_unless_equals_int (keys_file_has_users (keys, movie), expected);
  keys_file_free (keys);
}

GST_START_TEST (a_user_has_the_passphrase_of_the_line_with_the_user)
{
  const gchar *text = "anna@film.ts : " SECRET
                      "\nbob@film.ts : bob's secret one\ncarl@* : carl's secret one\n"
                      "anna@show : anna's second one\n";

  assert_user (text, "anna", "film.ts", SECRET);
  assert_user (text, "bob", "film.ts", "bob's secret one");
  assert_user (text, "carl", "film.ts", "carl's secret one");
  assert_user (text, "anna", "show.360p.ts", "anna's second one");
  assert_user (text, "bob", "show.360p.ts", NULL);
  assert_user (text, "dora", "film.ts", NULL);
  assert_user (text, NULL, "film.ts", NULL);
  assert_user (text, "carl", "*", "carl's secret one");
  assert_has_users (text, "film.ts", TRUE);
  assert_has_users (text, "other.ts", TRUE); /* carl */
  assert_has_users ("anna@film.ts : " SECRET, "other.ts", FALSE);
  assert_has_users ("film.ts : " SECRET, "film.ts", FALSE);
  fail_if (keys_file_has_users (NULL, "film.ts"));
}

GST_END_TEST;

/* The line of every movie is not for one that is its users', and a line of the movie itself is. */
GST_START_TEST (a_movie_of_users_has_no_passphrase_for_all_but_in_a_line_of_its_own)
{
  assert_user ("* : the one for all\nanna@film.ts : " SECRET, NULL, "film.ts", NULL);
  assert_user ("* : the one for all\nanna@film.ts : " SECRET, NULL, "other.ts", "the one for all");
  assert_user ("* : the one for all\nanna@* : " SECRET, NULL, "film.ts", "the one for all");
  assert_user (
      "film.ts : the one for all\nanna@film.ts : " SECRET, NULL, "film.ts", "the one for all");
}

GST_END_TEST;

/* Some editors begin a text with the bytes EF BB BF, which nobody sees. */
GST_START_TEST (a_byte_order_mark_is_no_part_of_the_first_name)
{
  assert_found ("\xef\xbb\xbf"
                "film.ts : " SECRET "\n",
      "film.ts", SECRET);
  assert_found ("\xef\xbb\xbf# a comment\nfilm.ts : " SECRET "\n", "film.ts", SECRET);
}

GST_END_TEST;

GST_START_TEST (a_star_is_every_movie_without_a_line)
{
  const gchar *text = "* : for all of them\nfilm.ts : " SECRET "\n";

  assert_found (text, "film.ts", SECRET);
  assert_found (text, "other.ts", "for all of them");
}

GST_END_TEST;

GST_START_TEST (names_and_passphrases_may_have_colons)
{
  assert_found ("a:b: c.ts : d:e : f:g:h\n", "a:b: c.ts", "d:e : f:g:h");
}

GST_END_TEST;

GST_START_TEST (a_rendition_has_the_passphrase_of_its_movie)
{
  assert_found ("* : for all of them\nfilm : " SECRET "\n", "film.720p.ts", SECRET);
  assert_found ("film : " SECRET "\n", "film.720p.ts.360p.ts", SECRET);
  assert_found ("* : for all of them\n", "film.720p.ts", "for all of them");
  assert_found ("film : " SECRET "\n", "film.ts", NULL);
  assert_user ("anna@film : " SECRET "\n", "anna", "film.720p.ts.360p.ts", SECRET);
  assert_has_users ("anna@film : " SECRET "\n", "film.720p.ts.360p.ts", TRUE);
}

GST_END_TEST;

GST_START_TEST (a_malformed_line_is_named_by_its_number_alone)
{
  static const gchar *const texts[][2] = {
    { "\nfilm.ts:correct horse\n", "line 2: there is no colon between blanks" },
    { "correct horse", "line 1: there is no colon" },
    { " : correct horse\n", "line 1: there is no colon" },
    { "a.ts : correct horse\na.ts : a second horse\n", "line 2: the movie has had a line" },
    { "../a.ts : correct horse\n", "line 1: what stands before" },
    { ".a.ts : correct horse\n", "line 1: what stands before" },
    { "a.720p.ts : correct horse\n", "line 1: a rendition has the passphrase of its movie" },
    { "anna@a.720p.ts : correct horse\n", "line 1: a rendition has the passphrase" },
    { "a.ts : horse\n", "line 1: the passphrase needs 10 to 79 bytes" },
    { "a.ts : 123456789\n", "line 1: the passphrase needs 10 to 79 bytes" },
    { "a.ts : \n", "line 1: there is no colon" },
  };
  gchar *longest = g_strnfill (KEYS_FILE_MOST_BYTES, 'x'), *text;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++)
    assert_refused (texts[i][0], strlen (texts[i][0]), texts[i][1]);
  assert_refused ("a.ts : \0correct horse", 21, "this is no text");
  text = g_strconcat ("a.ts : ", longest, NULL);
  assert_found (text, "a.ts", longest);
  g_free (text);
  text = g_strconcat ("a.ts : ", longest, "x", NULL);
  assert_refused (text, strlen (text), "10 to 79 bytes");
  g_free (text);
  g_free (longest);
}

GST_END_TEST;

static void
assert_file_refused (const gchar *path, const gchar *problem)
{
  GError *error = NULL;

  fail_unless (keys_file_read (path, &error) == NULL);
  fail_unless (g_str_has_prefix (error->message, path), "%s", error->message);
  fail_unless (strstr (error->message, problem) != NULL, "%s", error->message);
  g_error_free (error);
}

GST_START_TEST (a_file_that_others_may_open_is_refused)
{
  static const int modes[] = { 0640, 0604, 0660, 0610 };
  gchar *top = g_dir_make_tmp (NULL, NULL), *path = g_build_filename (top, "keys", NULL);
  GError *error = NULL;
  KeysFile *keys;
  guint i;

  fail_unless (g_file_set_contents (path, "a.ts : " SECRET "\n", -1, NULL));
  for (i = 0; i < G_N_ELEMENTS (modes); i++) {
    fail_unless (g_chmod (path, modes[i]) == 0);
    assert_file_refused (path, "chmod 600");
  }
  fail_unless (g_chmod (path, 0600) == 0);
  keys = keys_file_read (path, &error);
  g_assert_no_error (error);
  fail_unless_equals_string (keys_file_find (keys, NULL, "a.ts"), SECRET);
  keys_file_free (keys);
  fail_unless (g_file_set_contents (path, "a.ts\n", -1, NULL));
  fail_unless (g_chmod (path, 0600) == 0);
  assert_file_refused (path, "line 1");
  g_unlink (path);
  assert_file_refused (path, "No such file");
  assert_file_refused (top, top);
  g_rmdir (top);
  g_free (path);
  g_free (top);
}

GST_END_TEST;

/* As a pipe that was read before, or a file that is being written: all movies would be without a passphrase. */
GST_START_TEST (a_file_without_a_passphrase_is_refused)
{
  static const gchar *const texts[] = { "", "\n", "# film.ts : " SECRET "\n\n" };
  gchar *top = g_dir_make_tmp (NULL, NULL), *path = g_build_filename (top, "keys", NULL);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    fail_unless (g_file_set_contents (path, texts[i], -1, NULL));
    fail_unless (g_chmod (path, 0600) == 0);
    assert_file_refused (path, "no line has a passphrase");
  }
  g_unlink (path);
  g_rmdir (top);
  g_free (path);
  g_free (top);
}

GST_END_TEST;

/* systemd lets the user of a service read its credentials by an ACL, whose mask looks like the right of a group. */
GST_START_TEST (a_credential_of_the_service_may_have_a_mask_for_reading)
{
  gchar *top = g_dir_make_tmp (NULL, NULL), *path = g_build_filename (top, "keys", NULL);
  GError *error = NULL;
  KeysFile *keys;

  fail_unless (g_file_set_contents (path, "a.ts : " SECRET "\n", -1, NULL));
  fail_unless (g_chmod (path, 0440) == 0);
  assert_file_refused (path, "chmod 600");
  g_setenv ("CREDENTIALS_DIRECTORY", top, TRUE);
  keys = keys_file_read (path, &error);
  g_assert_no_error (error);
  fail_unless_equals_string (keys_file_find (keys, NULL, "a.ts"), SECRET);
  keys_file_free (keys);
  fail_unless (g_chmod (path, 0460) == 0);
  assert_file_refused (path, "chmod 600");
  fail_unless (g_chmod (path, 0444) == 0);
  assert_file_refused (path, "chmod 600");
  g_setenv ("CREDENTIALS_DIRECTORY", "/run/credentials/other.service", TRUE);
  fail_unless (g_chmod (path, 0440) == 0);
  assert_file_refused (path, "chmod 600");
  g_unsetenv ("CREDENTIALS_DIRECTORY");
  g_unlink (path);
  g_rmdir (top);
  g_free (path);
  g_free (top);
}

GST_END_TEST;

static Suite *
serverkeysfile_suite (void)
{
  Suite *s = suite_create ("serverkeysfile");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_movie_has_the_passphrase_of_its_line);
  tcase_add_test (tc, a_user_has_the_passphrase_of_the_line_with_the_user);
  tcase_add_test (tc, a_movie_of_users_has_no_passphrase_for_all_but_in_a_line_of_its_own);
  tcase_add_test (tc, a_star_is_every_movie_without_a_line);
  tcase_add_test (tc, names_and_passphrases_may_have_colons);
  tcase_add_test (tc, a_byte_order_mark_is_no_part_of_the_first_name);
  tcase_add_test (tc, a_rendition_has_the_passphrase_of_its_movie);
  tcase_add_test (tc, a_malformed_line_is_named_by_its_number_alone);
  tcase_add_test (tc, a_file_that_others_may_open_is_refused);
  tcase_add_test (tc, a_file_without_a_passphrase_is_refused);
  tcase_add_test (tc, a_credential_of_the_service_may_have_a_mask_for_reading);
  return s;
}

GST_CHECK_MAIN (serverkeysfile);
