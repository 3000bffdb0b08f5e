/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs of both elements.  Whatever the text, an element takes its values, or it reports an error
 * and keeps its configuration. */
#include <gst/check/gstcheck.h>

static const gchar *const factories[] = { "tfrcsink", "tfrcsrc" };

/* Returns every property that a URI can set, as text. */
static gchar *
describe (GstElement *element)
{
  GString *text = g_string_new (NULL);
  GParamSpec **specs;
  guint n, i;

  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;
    gchar *contents;

    if (specs[i]->owner_type != G_OBJECT_TYPE (element)
        || (specs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE)
      continue;
    g_value_init (&value, specs[i]->value_type);
    g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
    contents = g_strdup_value_contents (&value);
    g_string_append_printf (text, "%s=%s\n", specs[i]->name, contents);
    g_free (contents);
    g_value_unset (&value);
  }
  g_free (specs);
  return g_string_free (text, FALSE);
}

static void
assert_refused (GstElement *element, const gchar *uri)
{
  gchar *before = describe (element), *after;
  GError *error = NULL;

  fail_if (
      gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri, &error), "%s was accepted", uri);
  fail_unless (error != NULL && error->domain == GST_URI_ERROR, "%s", uri);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  after = describe (element);
  fail_unless_equals_string (after, before);
  g_free (before);
  g_free (after);
  g_error_free (error);
}

static void
assert_accepted (GstElement *element, const gchar *uri, gint port)
{
  GError *error = NULL;
  gint got;

  fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri, &error), "%s: %s", uri,
      error ? error->message : "no error");
  g_object_get (element, "port", &got, NULL);
  fail_unless_equals_int (got, port);
}

GST_START_TEST (an_invalid_uri_is_an_error_and_changes_nothing)
{
  const gchar *uris[] = { /* escapes that are none, of zero, or of no text */
    "tfrc://h:1?a%=1", "tfrc://h:1?a%", "tfrc://h:1?%00=1", "tfrc://h:1?%zz=1", "tfrc://h:1?port=%",
    "tfrc://h:1?port=%00", "tfrc://h:1?port=1%0", "tfrc://h%:1", "tfrc://h%0:1", "tfrc://%00",
    "tfrc://%zz@h", "tfrc://h%ff:1", "tfrc://h:1?%ff=1", "tfrc://h:1?ttl=%ff", "tfrc://h\xff",
    "tfrc://h/%zz", "tfrc://h#%",
    /* given twice, or missing */
    "tfrc://h:1?port=2", "tfrc://?port=1&port=1", "tfrc://h?&&=1", "tfrc://h?=", "tfrc://h?&",
    "tfrc://h?stats-update-interval", "tfrc://h?stats-update-interval=1&stats_update_interval=1",
    /* of another class, not writable, or out of range */
    "tfrc://h?name=x", "tfrc://h?stats=x", "tfrc://h?uri=tfrc://x",
    "tfrc://h?stats-update-interval=-1", "tfrc://h?port=65536",
    "tfrc://h?port=99999999999999999999", "tfrc://h?buffer-size=4294967296",
    "tfrc://h:99999999999999999999", "tfrc://h:-1", "tfrc://h:", "tfrc://:", "tfrc://[",
    "tfrc://[]", "tfrc://[::1", "tfrc://[::1]x", "tfrc://[:1]:1", "tfrc://h:1x", "tfrc://h: 1",
    "tfrc://u:p@h:1", "tfrc://@", "tfrc:////", "tfrc://h:1/a%0Ab",
    /* only the last key is wrong */
    "tfrc://192.0.2.9:7?stats-update-interval=9&buffer-size=70000&port%"
  };

  for (guint f = 0; f < G_N_ELEMENTS (factories); f++) {
    GstElement *element = gst_element_factory_make (factories[f], NULL);

    for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
      assert_refused (element, uris[i]);
    gst_object_unref (element);
  }
}

GST_END_TEST;

GST_START_TEST (a_host_in_both_authority_and_query_is_an_error)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstElement *src = gst_element_factory_make ("tfrcsrc", NULL);

  assert_refused (sink, "tfrc://192.0.2.1?host=192.0.2.2");
  assert_accepted (sink, "tfrc://?host=192.0.2.2&port=7", 7);
  assert_refused (src, "tfrc://192.0.2.1?address=192.0.2.2");
  assert_accepted (src, "tfrc://?address=192.0.2.2&port=7", 7);
  gst_object_unref (sink);
  gst_object_unref (src);
}

GST_END_TEST;

GST_START_TEST (port_0_means_the_same_in_authority_and_query)
{
  const gchar *uris[] = { "tfrc://127.0.0.1:0", "tfrc://127.0.0.1?port=0", "tfrc://:0",
    "tfrc://?port=0" };
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstElement *src = gst_element_factory_make ("tfrcsrc", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    /* a packet cannot be sent to port 0 */
    assert_refused (sink, uris[i]);
    assert_refused (sink, uris[i]);
    /* any free port */
    assert_accepted (src, uris[i], 0);
    assert_accepted (src, uris[i], 0);
  }
  gst_object_unref (sink);
  gst_object_unref (src);
}

GST_END_TEST;

GST_START_TEST (an_element_accepts_its_own_uri)
{
  for (guint f = 0; f < G_N_ELEMENTS (factories); f++) {
    GstElement *element = gst_element_factory_make (factories[f], NULL);
    const gint ports[] = { 1, 5004, 65535, 0 };
    guint n = G_N_ELEMENTS (ports) - (f == 0); /* no receiver has port 0 */

    for (guint i = 0; i < n; i++) {
      gchar *uri;

      g_object_set (element, "port", ports[i], NULL);
      g_object_get (element, "uri", &uri, NULL);
      g_object_set (element, "port", 77, NULL);
      assert_accepted (element, uri, ports[i]);
      g_free (uri);
    }
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* playbin and uridecodebin make their elements in this way. */
GST_START_TEST (no_element_is_made_from_an_invalid_uri)
{
  const GstURIType types[] = { GST_URI_SINK, GST_URI_SRC };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    GError *error = NULL;

    fail_unless (gst_element_make_from_uri (types[i], "tfrc://h?a%=1", NULL, &error) == NULL);
    fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI));
    fail_unless (strstr (error->message, "a%=1") != NULL);
    g_error_free (error);
  }
}

GST_END_TEST;

static void
assert_call (GstElement *element, const gchar *mode, const gchar *stream_id)
{
  GValue value = G_VALUE_INIT;
  gchar *got;

  g_object_get_property (G_OBJECT (element), "mode", &value);
  got = gst_value_serialize (&value);
  fail_unless_equals_string (got, mode);
  g_value_unset (&value);
  g_free (got);
  g_object_get (element, "streamid", &got, NULL);
  fail_unless_equals_string (got, stream_id);
  g_free (got);
}

/* An application that called a film listens for a sender with the next URI. */
GST_START_TEST (what_a_path_has_set_goes_with_the_next_uri)
{
  const gchar *modes[] = { "caller", "listener" };

  for (guint f = 0; f < G_N_ELEMENTS (factories); f++) {
    GstElement *element = gst_element_factory_make (factories[f], NULL);

    assert_accepted (element, "tfrc://192.0.2.1:7/film", 7);
    assert_call (element, "caller", "film");
    assert_refused (element, "tfrc://192.0.2.1:7/a%0Ab");
    assert_accepted (element, "tfrc://127.0.0.1:8", 8);
    assert_call (element, modes[f], "");
    /* What the application has set, or a key, stays. */
    gst_util_set_object_arg (G_OBJECT (element), "mode", "caller");
    g_object_set (element, "streamid", "series", NULL);
    assert_accepted (element, "tfrc://127.0.0.1:9", 9);
    assert_call (element, "caller", "series");
    assert_accepted (element, "tfrc://127.0.0.1:9?streamid=key&mode=listener", 9);
    assert_accepted (element, "tfrc://127.0.0.1:10", 10);
    assert_call (element, "listener", "key");
    gst_object_unref (element);
  }
}

GST_END_TEST;

GST_START_TEST (the_uri_of_an_element_that_calls_names_the_stream)
{
  const gchar *expected = "tfrc://192.0.2.1:7/films/100%25%20%3F",
              *listening[] = { "tfrc://[::]:7", "tfrc://192.0.2.1:7" };

  for (guint f = 0; f < G_N_ELEMENTS (factories); f++) {
    GstElement *element = gst_element_factory_make (factories[f], NULL);
    gchar *uri;

    assert_accepted (element, "tfrc://192.0.2.1:7/films/100%25%20%3f?stats-update-interval=9", 7);
    g_object_get (element, "uri", &uri, NULL);
    fail_unless_equals_string (uri, expected);
    assert_accepted (element, uri, 7);
    assert_call (element, "caller", "films/100% ?");
    g_free (uri);
    /* Who listens takes senders that name this stream. */
    gst_util_set_object_arg (G_OBJECT (element), "mode", "listener");
    g_object_get (element, "uri", &uri, NULL);
    fail_unless_equals_string (uri, listening[f]);
    g_free (uri);
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* As any string property, "uri" takes NULL for its default. */
GST_START_TEST (null_is_the_default_uri)
{
  for (guint f = 0; f < G_N_ELEMENTS (factories); f++) {
    GstElement *element = gst_element_factory_make (factories[f], NULL);
    gchar *before = describe (element), *after;
    GstBus *bus = gst_bus_new ();

    gst_element_set_bus (element, bus);
    g_object_set (element, "uri", "tfrc://192.0.2.9:7", NULL);
    g_object_set (element, "uri", "tfrc://refused:99999", NULL);
    gst_message_unref (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
    g_object_set (element, "uri", NULL, NULL);
    after = describe (element);
    fail_unless_equals_string (after, before);
    g_object_set (element, f == 0 ? "bind-port" : "port", 0, NULL);
    fail_if (gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (bus);
    gst_object_unref (element);
    g_free (before);
    g_free (after);
  }
}

GST_END_TEST;

/* A sink stays in READY until its first buffer comes, and the stream is open long before. */
GST_START_TEST (a_uri_comes_too_late_for_a_sink_that_waits_for_its_first_buffer)
{
  GstElement *pipeline = gst_parse_launch ("appsrc ! tfrcsink name=sink port=5004", NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GError *error = NULL;

  fail_unless_equals_int (
      gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_ASYNC);
  fail_unless_equals_int (GST_STATE (sink), GST_STATE_READY);
  assert_refused (sink, "tfrc://127.0.0.1:5005");
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (sink), "tfrc://127.0.0.1:5005", &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
  g_error_free (error);
  gst_element_set_state (pipeline, GST_STATE_READY);
  assert_accepted (sink, "tfrc://127.0.0.1:5005", 5005);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static Suite *
uris_suite (void)
{
  Suite *s = suite_create ("uris");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, an_invalid_uri_is_an_error_and_changes_nothing);
  tcase_add_test (tc, a_host_in_both_authority_and_query_is_an_error);
  tcase_add_test (tc, port_0_means_the_same_in_authority_and_query);
  tcase_add_test (tc, an_element_accepts_its_own_uri);
  tcase_add_test (tc, no_element_is_made_from_an_invalid_uri);
  tcase_add_test (tc, what_a_path_has_set_goes_with_the_next_uri);
  tcase_add_test (tc, the_uri_of_an_element_that_calls_names_the_stream);
  tcase_add_test (tc, null_is_the_default_uri);
  tcase_add_test (tc, a_uri_comes_too_late_for_a_sink_that_waits_for_its_first_buffer);
  return s;
}

GST_CHECK_MAIN (uris);
