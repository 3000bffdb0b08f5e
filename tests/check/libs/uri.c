/* tfrc:// URIs, see gst/common/tfrcuri.h. */
#include "uritest.h"

static TestElement *element;

static void
setup (void)
{
  element = g_object_ref_sink (g_object_new (test_element_get_type (), NULL));
}

static void
teardown (void)
{
  gst_element_set_state (GST_ELEMENT (element), GST_STATE_NULL);
  gst_object_unref (element);
}

static void
assert_accepted (const gchar * uri)
{
  GError *error = NULL;

  fail_unless (tfrc_uri_apply (GST_ELEMENT (element), uri, "host", &error),
      "%s: %s", uri, error ? error->message : "no error set");
  fail_unless (error == NULL);
}

/* The message names what is wrong, and no property has been written. */
static void
assert_refused (const gchar * uri, const gchar * named, GstURIError code)
{
  guint writes = element->writes;
  GError *error = NULL;

  fail_if (tfrc_uri_apply (GST_ELEMENT (element), uri, "host", &error),
      "%s was accepted", uri);
  fail_unless (error != NULL);
  fail_unless (error->domain == GST_URI_ERROR);
  fail_unless_equals_int (error->code, code);
  fail_unless (strstr (error->message, named) != NULL, "%s: '%s' lacks '%s'",
      uri, error->message, named);
  fail_unless_equals_int (element->writes, writes);
  g_error_free (error);
  /* nobody needs to ask for the reason */
  fail_if (tfrc_uri_apply (GST_ELEMENT (element), uri, "host", NULL));
}

static void
assert_place (const gchar * host, gint port)
{
  fail_unless_equals_string (element->host, host);
  fail_unless_equals_int (element->port, port);
}

/* ---- what is accepted ---------------------------------------------------- */

GST_START_TEST (host_and_port_come_from_the_authority)
{
  assert_accepted ("tfrc://example.org:6000");
  assert_place ("example.org", 6000);
  assert_accepted ("tfrc://192.0.2.1:1");
  assert_place ("192.0.2.1", 1);
  assert_accepted ("tfrc://192.0.2.1:65535/");
  assert_place ("192.0.2.1", 65535);
  assert_accepted ("TFRC://192.0.2.2:7");
  assert_place ("192.0.2.2", 7);
}

GST_END_TEST;

GST_START_TEST (ipv6_addresses_stand_in_brackets)
{
  assert_accepted ("tfrc://[::1]:6000");
  assert_place ("::1", 6000);
  assert_accepted ("tfrc://[2001:db8::5]");
  assert_place ("2001:db8::5", TFRC_DEFAULT_PORT);
  assert_accepted ("tfrc://[fe80::1%25eth0]:6001?ttl=3");
  assert_place ("fe80::1%eth0", 6001);
}

GST_END_TEST;

GST_START_TEST (what_is_not_said_is_the_default)
{
  assert_accepted ("tfrc://example.org:6000?ttl=9");
  assert_accepted ("tfrc://example.com");
  assert_place ("example.com", TFRC_DEFAULT_PORT);
  /* no host: the element's own stays */
  assert_accepted ("tfrc://:6002");
  assert_place ("example.com", 6002);
  assert_accepted ("tfrc://");
  assert_place ("example.com", TFRC_DEFAULT_PORT);
}

GST_END_TEST;

GST_START_TEST (keys_are_properties_of_any_kind)
{
  assert_accepted ("tfrc://h:1?ttl=64&latency=50&max-bitrate=2000000&keep=true"
      "&leaky=downstream");
  fail_unless_equals_int (element->ttl, 64);
  fail_unless_equals_int (element->latency, 50);
  fail_unless_equals_uint64 (element->max_bitrate, 2000000);
  fail_unless (element->keep);
  fail_unless_equals_int (element->leaky, 2);
  assert_accepted ("tfrc://h:1?leaky=no&keep=0&ttl=-1");
  fail_unless_equals_int (element->leaky, 0);
  fail_if (element->keep);
  fail_unless_equals_int (element->ttl, -1);
}

GST_END_TEST;

GST_START_TEST (limits_of_ranges_are_within)
{
  assert_accepted ("tfrc://h:1?ttl=255&latency=1000&max-bitrate=1000000000000");
  fail_unless_equals_int (element->ttl, 255);
  fail_unless_equals_int (element->latency, 1000);
  assert_accepted ("tfrc://h:1?ttl=-1&latency=0&max-bitrate=0");
  fail_unless_equals_uint64 (element->max_bitrate, 0);
}

GST_END_TEST;

/* ---- what is refused ----------------------------------------------------- */

GST_START_TEST (other_schemes_are_refused)
{
  const gchar *uris[] = { "udp://h:1", "http://h", "tfrc", "tfrc:", "tfrc:h:1",
    "tfrc:/h:1", "", "tfrcs://h:1", "h:1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    assert_refused (uris[i], uris[i], GST_URI_ERROR_UNSUPPORTED_PROTOCOL);
  assert_refused (NULL, "tfrc://", GST_URI_ERROR_UNSUPPORTED_PROTOCOL);
}

GST_END_TEST;

GST_START_TEST (bad_ports_are_named)
{
  const gchar *ports[] =
      { "0", "65536", "70000", "-1", "x", "50o4", "99999999999",
    "1.5", "+5"
  };

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
  const gchar *uris[] = { "tfrc://[::1:5004", "tfrc://::1:5004",
    "tfrc://[::1]5004", "tfrc://2001:db8::1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    assert_refused (uris[i], "", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (user_path_and_fragment_are_refused)
{
  assert_refused ("tfrc://user@h:1", "user@h", GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://example.org:5004/movie.ts", "movie.ts",
      GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc://example.org:5004#here", "here",
      GST_URI_ERROR_BAD_URI);
  assert_refused ("tfrc:x?y=://h", "path", GST_URI_ERROR_BAD_URI);
}

GST_END_TEST;

GST_START_TEST (unknown_keys_are_named)
{
  assert_refused ("tfrc://h:1?bogus=1", "'bogus'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?ttl=3&bogus=1", "'bogus'",
      GST_URI_ERROR_BAD_REFERENCE);
  /* of the base class, read-only, or itself */
  assert_refused ("tfrc://h:1?name=x", "'name'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?stats=1", "'stats'", GST_URI_ERROR_BAD_REFERENCE);
  assert_refused ("tfrc://h:1?uri=x", "'uri'", GST_URI_ERROR_BAD_REFERENCE);
}

GST_END_TEST;

GST_START_TEST (bad_values_are_named_with_their_key)
{
  const gchar *keys[] = { "ttl=high", "ttl=", "ttl", "latency=1s", "keep=maybe",
    "leaky=sideways", "max-bitrate=1e6", "ttl=99999999999"
  };

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

GST_START_TEST (values_out_of_range_are_named_with_their_key)
{
  const gchar *keys[] = { "ttl=256", "ttl=-2", "latency=1001", "latency=-1",
    "max-bitrate=1000000000001", "max-bitrate=-1", "leaky=3", "port=0"
  };

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

GST_START_TEST (one_bad_key_spoils_all)
{
  assert_refused ("tfrc://example.org:6000?ttl=3&latency=5&leaky=upstream"
      "&keep=yes&max-bitrate=x", "'max-bitrate'", GST_URI_ERROR_BAD_REFERENCE);
  assert_place (DEFAULT_HOST, TFRC_DEFAULT_PORT);
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

/* ---- the property ------------------------------------------------------- */

static void
assert_error_on (GstBus * bus, const gchar * named)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (strstr (error->message, named) != NULL);
  g_error_free (error);
  gst_message_unref (message);
}

GST_START_TEST (an_element_does_not_start_with_another_uri_than_it_was_given)
{
  GstBus *bus = gst_bus_new ();

  fail_unless (tfrc_uri_check (GST_ELEMENT (element)));
  /* nobody listens yet */
  tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:1?bogus=1", "host");
  assert_place (DEFAULT_HOST, TFRC_DEFAULT_PORT);
  gst_element_set_bus (GST_ELEMENT (element), bus);
  fail_if (tfrc_uri_check (GST_ELEMENT (element)));
  assert_error_on (bus, "'bogus'");
  tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:x", "host");
  assert_error_on (bus, "'x'");
  fail_if (tfrc_uri_check (GST_ELEMENT (element)));
  assert_error_on (bus, "'x'");

  tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:1", "host");
  fail_unless (tfrc_uri_check (GST_ELEMENT (element)));
  assert_place ("h", 1);
  fail_if (gst_bus_have_pending (bus));
  gst_element_set_bus (GST_ELEMENT (element), NULL);
  gst_object_unref (bus);
}

GST_END_TEST;

/* ---- and back ------------------------------------------------------------ */

GST_START_TEST (uris_are_written_as_they_are_read)
{
  const struct
  {
    const gchar *host;
    gint port;
    const gchar *uri;
  } cases[] = {
    {"example.org", 5004, "tfrc://example.org:5004"},
    {"192.0.2.1", 1, "tfrc://192.0.2.1:1"},
    {"::", 65535, "tfrc://[::]:65535"},
    {"2001:db8::1", 6000, "tfrc://[2001:db8::1]:6000"},
    {"fe80::1%eth0", 6000, "tfrc://[fe80::1%25eth0]:6000"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *uri = tfrc_uri_format (cases[i].host, cases[i].port);

    fail_unless_equals_string (uri, cases[i].uri);
    assert_accepted (uri);
    assert_place (cases[i].host, cases[i].port);
    g_free (uri);
  }
}

GST_END_TEST;

static Suite *
uri_suite (void)
{
  Suite *s = suite_create ("uri");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, host_and_port_come_from_the_authority);
  tcase_add_test (tc, ipv6_addresses_stand_in_brackets);
  tcase_add_test (tc, what_is_not_said_is_the_default);
  tcase_add_test (tc, keys_are_properties_of_any_kind);
  tcase_add_test (tc, limits_of_ranges_are_within);
  tcase_add_test (tc, other_schemes_are_refused);
  tcase_add_test (tc, bad_ports_are_named);
  tcase_add_test (tc, malformed_authorities_are_refused);
  tcase_add_test (tc, user_path_and_fragment_are_refused);
  tcase_add_test (tc, unknown_keys_are_named);
  tcase_add_test (tc, bad_values_are_named_with_their_key);
  tcase_add_test (tc, values_out_of_range_are_named_with_their_key);
  tcase_add_test (tc, one_bad_key_spoils_all);
  tcase_add_test (tc, a_running_element_keeps_its_uri);
  tcase_add_test (tc,
      an_element_does_not_start_with_another_uri_than_it_was_given);
  tcase_add_test (tc, uris_are_written_as_they_are_read);
  return s;
}

GST_CHECK_MAIN (uri);
