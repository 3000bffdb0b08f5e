/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc:// URIs that are refused, see gst/common/uri.h. */
#include "uritest.h"

GST_START_TEST (other_schemes_are_refused)
{
  const gchar *uris[] = { "udp://h:1", "http://h", "tfrc", "tfrc:", "tfrc:h:1", "tfrc:/h:1", "",
    "tfrcs://h:1", "h:1", "tfrc:x?y=://h" };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    assert_refused (uris[i], uris[i], GST_URI_ERROR_UNSUPPORTED_PROTOCOL);
  assert_refused (NULL, "tfrc://", GST_URI_ERROR_UNSUPPORTED_PROTOCOL);
}

GST_END_TEST;

GST_START_TEST (bad_ports_are_named)
{
  const gchar *ports[] = { "0", "65536", "70000", "-1", "x", "50o4", "99999999999", "1.5", "+5" };

  for (guint i = 0; i < G_N_ELEMENTS (ports); i++) {
    gchar *uri = g_strdup_printf ("tfrc://example.org:%s?ttl=3", ports[i]);
    gchar *named = g_strdup_printf ("'%s'", ports[i]);

    assert_refused (uri, named, GST_URI_ERROR_BAD_URI);
    g_free (uri);
    g_free (named);
  }
  assert_refused ("tfrc://[::1]:0", "'0'", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://example.org:", "''", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (malformed_authorities_are_refused)
{
  const gchar *uris[] = { "tfrc://[::1:5004", "tfrc://::1:5004", "tfrc://[::1]5004",
    "tfrc://2001:db8::1" };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    assert_refused (uris[i], "", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (user_path_and_fragment_are_refused)
{
  assert_refused ("tfrc://user@h:1", "user@h", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://example.org:5004/movie.ts", "movie.ts", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://example.org:5004#here", "here", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (unknown_keys_are_named)
{
  assert_refused ("tfrc://h:1?bogus=1", "'bogus'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?ttl=3&bogus=1", "'bogus'", GST_URI_ERROR_BAD_REFERENCE);
  /* a property of the base class, a read-only property, and the URI itself */
  assert_refused ("tfrc://h:1?name=x", "'name'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?stats=1", "'stats'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?secret=abc", "'secret' is a secret", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?uri=x", "'uri'", GST_URI_ERROR_BAD_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (bad_values_are_named_with_their_key)
{
  const gchar *keys[] = { "ttl=high", "ttl=", "latency=1s", "keep=maybe", "leaky=sideways",
    "max-bitrate=1e6", "ttl=99999999999" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    gchar **parts = g_strsplit (keys[i], "=", 2);
    gchar *uri = g_strdup_printf ("tfrc://h:1?%s", keys[i]);
    gchar *key = g_strdup_printf ("'%s'", parts[0]);
    gchar *value = g_strdup_printf ("'%s'", parts[1] ? parts[1] : "");

    assert_refused (uri, key, GST_URI_ERROR_BAD_REFERENCE);
    assert_refused (uri, value, GST_URI_ERROR_BAD_REFERENCE);
    g_free (uri);
    g_free (key);
    g_free (value);
    g_strfreev (parts);
  }
}

GST_END_TEST;

GST_START_TEST (a_key_without_a_value_is_named)
{
  assert_refused ("tfrc://h:1?ttl", "'ttl'", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://h:1?ttl=64&bind-address", "bind-address", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (values_out_of_range_are_named_with_their_key)
{
  const gchar *keys[] = { "ttl=256", "ttl=-2", "latency=1001", "latency=-1",
    "max-bitrate=1000000000001", "max-bitrate=-1", "leaky=3", "port=0" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    gchar **parts = g_strsplit (keys[i], "=", 2);
    gchar *uri = g_strdup_printf ("tfrc://h:1?%s", keys[i]);
    gchar *key = g_strdup_printf ("'%s'", parts[0]);

    assert_refused (uri, key, GST_URI_ERROR_BAD_REFERENCE);
    g_free (uri);
    g_free (key);
    g_strfreev (parts);
  }
}

GST_END_TEST;

GST_START_TEST (what_a_key_takes_is_said)
{
  const struct
  {
    const gchar *given, *wanted;
  } values[] = { { "ttl=high", "not a number from -1 to 255" },
    { "latency=1001", "not a number from 0 to 1000" },
    { "max-bitrate=fast", "not a number from 0 to 1000000000000" },
    { "keep=perhaps", "not true or false" },
    { "leaky=sideways", "not one of no, upstream and downstream" } };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    gchar *uri = g_strdup_printf ("tfrc://h:1?%s", values[i].given);

    assert_refused (uri, values[i].wanted, GST_URI_ERROR_BAD_REFERENCE);
    g_free (uri);
  }
}

GST_END_TEST;

GST_START_TEST (escapes_that_are_not_valid_are_refused)
{
  const gchar *uris[] = { "tfrc://h?a%=1", "tfrc://h?ttl=%", "tfrc://h?ttl=%3", "tfrc://h?%00=1",
    "tfrc://h?ttl=3%00", "tfrc://h?host=%ff", "tfrc://h%" };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    assert_refused (uris[i], "", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://h\xff", "UTF-8", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (a_key_that_is_given_twice_is_named)
{
  assert_refused ("tfrc://h:1?port=1", "'port'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h?host=h", "'host'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h?ttl=1&ttl=2", "'ttl'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused (
      "tfrc://h?max-bitrate=1&max_bitrate=1", "'max_bitrate'", GST_URI_ERROR_BAD_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (one_bad_key_leaves_all_properties_unchanged)
{
  assert_refused ("tfrc://example.org:6000?ttl=3&latency=5&leaky=upstream"
                  "&keep=yes&max-bitrate=x",
      "'max-bitrate'", GST_URI_ERROR_BAD_REFERENCE);
  assert_place (DEFAULT_HOST, GST_TFRC_DEFAULT_PORT);
}

GST_END_TEST;

GST_START_TEST (a_running_element_keeps_its_uri)
{
  const GstState running[] = { GST_STATE_PAUSED, GST_STATE_PLAYING };

  for (guint i = 0; i < G_N_ELEMENTS (running); i++) {
    gst_element_set_state (GST_ELEMENT (element), running[i]);
    assert_refused ("tfrc://h:1", "state", GST_URI_ERROR_BAD_STATE);
    assert_refused ("tfrc://h:1?ttl=3", "state", GST_URI_ERROR_BAD_STATE);
  }
  gst_element_set_state (GST_ELEMENT (element), GST_STATE_READY);
  assert_accepted ("tfrc://h:1?ttl=3");
}

GST_END_TEST;

static Suite *
urirefused_suite (void)
{
  Suite *s = suite_create ("urirefused");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, other_schemes_are_refused);
  tcase_add_test (tc, bad_ports_are_named);
  tcase_add_test (tc, malformed_authorities_are_refused);
  tcase_add_test (tc, user_path_and_fragment_are_refused);
  tcase_add_test (tc, unknown_keys_are_named);
  tcase_add_test (tc, bad_values_are_named_with_their_key);
  tcase_add_test (tc, a_key_without_a_value_is_named);
  tcase_add_test (tc, values_out_of_range_are_named_with_their_key);
  tcase_add_test (tc, what_a_key_takes_is_said);
  tcase_add_test (tc, escapes_that_are_not_valid_are_refused);
  tcase_add_test (tc, a_key_that_is_given_twice_is_named);
  tcase_add_test (tc, one_bad_key_leaves_all_properties_unchanged);
  tcase_add_test (tc, a_running_element_keeps_its_uri);
  return s;
}

GST_CHECK_MAIN (urirefused);
