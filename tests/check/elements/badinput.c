/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mistakes of users and applications.  Each gives an error that names the mistake. */
#include "tfrctest.h"

#include <gst/app/gstappsrc.h>
#include <string.h>

/* ---- streams ----------------------------------------------------------- */

/* @n packets that begin with 0x47, one every @stride bytes */
static GBytes *
stream_of_stride (guint n, gsize stride)
{
  guint8 *data = g_malloc0 (n * stride);

  for (guint i = 0; i < n; i++)
    data[i * stride] = 0x47;
  return g_bytes_new_take (data, n * stride);
}

static gchar *
send_until_error (GBytes *bytes, gboolean eos)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, NULL);
  GstMessage *message;
  GError *error = NULL;
  guint8 packet[2048];
  gchar *text;

  test_sender_push_bytes (sender, bytes, 4096);
  if (eos)
    test_sender_eos (sender);
  message = test_log_wait (sender->log, 1, GST_MESSAGE_ERROR, NULL, NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE), "%s", error->message);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_uint64 (test_peer_poll (peer, packet, sizeof packet), 0);
  test_sender_free (sender);
  test_peer_free (peer);
  return text;
}

GST_START_TEST (test_data_that_is_no_transport_stream_is_an_error)
{
  GBytes *zeros = g_bytes_new_take (g_malloc0 (200000), 200000);
  gchar *text = send_until_error (zeros, FALSE);

  fail_unless (strstr (text, "not an MPEG transport stream"), "%s", text);
  g_free (text);
  g_bytes_unref (zeros);
}

GST_END_TEST;

GST_START_TEST (test_short_data_that_is_no_transport_stream_is_an_error_at_eos)
{
  GBytes *zeros = g_bytes_new_take (g_malloc0 (100), 100);
  gchar *text = send_until_error (zeros, TRUE);

  fail_unless (strstr (text, "not an MPEG transport stream"), "%s", text);
  g_free (text);
  g_bytes_unref (zeros);
}

GST_END_TEST;

static const gsize other_sizes[] = { 192, 204 };

/* tsparse, for one, makes nothing of a text file. */
GST_START_TEST (test_input_without_data_is_an_error_at_eos)
{
  GBytes *nothing = g_bytes_new_static ("", 0);
  gchar *text = send_until_error (nothing, TRUE);

  fail_unless (strstr (text, "no transport stream in the input"), "%s", text);
  g_free (text);
  g_bytes_unref (nothing);
}

GST_END_TEST;

GST_START_TEST (test_other_packet_sizes_have_an_error_of_their_own)
{
  GBytes *bytes = stream_of_stride (100, other_sizes[__i__]);
  gchar *text = send_until_error (bytes, FALSE);

  fail_unless (strstr (text, "192 or 204"), "%s", text);
  g_free (text);
  g_bytes_unref (bytes);
}

GST_END_TEST;

/* Of 20 runs of garbage the first, second, fourth, eighth and sixteenth are told. */
GST_START_TEST (test_damage_all_over_is_told_ever_more_seldom)
{
  const guint8 garbage[12] = { 0 };
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (21 * 7, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);

  for (guint i = 0; i < 21; i++) {
    test_sender_push (sender, data + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    if (i < 20)
      test_sender_push (sender, garbage, sizeof garbage);
  }
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_sender_wait_eos (sender);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 5);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* Bytes are missing in front of the second buffer, whose flag says so. */
GST_START_TEST (test_a_gap_that_is_told_costs_no_packet_behind_it)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (4 * 7, 1);
  const guint8 *data = g_bytes_get_data (movie, NULL);
  GByteArray *before = g_byte_array_new ();
  GstBuffer *behind;

  g_byte_array_append (before, data, 2 * PAYLOAD_BYTES);
  g_byte_array_append (before, data, 50);
  behind = gst_buffer_new_memdup (data + 2 * PAYLOAD_BYTES, 2 * PAYLOAD_BYTES);
  GST_BUFFER_FLAG_SET (behind, GST_BUFFER_FLAG_DISCONT);
  test_sender_push (sender, before->data, before->len);
  fail_unless_equals_int (
      gst_app_src_push_buffer (GST_APP_SRC (sender->appsrc), behind), GST_FLOW_OK);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_sender_wait_eos (sender);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_byte_array_unref (before);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- addresses --------------------------------------------------------- */

/* With this property the element does not start, and posts an error with @code. */
static void
check_start_fails (
    const gchar *factory, const gchar *property, gconstpointer text, gint number, gint code)
{
  GstElement *element = gst_check_setup_element (factory);
  TestLog *log = test_log_new (element);

  if (text)
    g_object_set (element, property, text, NULL);
  else
    g_object_set (element, property, number, NULL);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  test_log_wait_error (log, GST_RESOURCE_ERROR, code);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (element);
  test_log_free (log);
}

GST_START_TEST (test_host_that_does_not_resolve_is_an_error)
{
  check_start_fails ("tfrcsink", "host", "no.such.host.invalid", 0, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_start_fails ("tfrcsink", "host", "", 0, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_start_fails ("tfrcsink", "host", "127.0.0.1\r\na=x", 0, GST_RESOURCE_ERROR_SETTINGS);
  check_start_fails (
      "tfrcsink", "bind-address", "no.such.host.invalid", 0, GST_RESOURCE_ERROR_OPEN_WRITE);
  check_start_fails ("tfrcsrc", "address", "no.such.host.invalid", 0, GST_RESOURCE_ERROR_OPEN_READ);
}

GST_END_TEST;

GST_START_TEST (test_address_of_another_machine_is_an_error)
{
  check_start_fails ("tfrcsrc", "address", "192.0.2.1", 0, GST_RESOURCE_ERROR_OPEN_READ);
  check_start_fails ("tfrcsink", "bind-address", "192.0.2.1", 0, GST_RESOURCE_ERROR_OPEN_WRITE);
}

GST_END_TEST;

GST_START_TEST (test_host_that_is_no_single_host_is_an_error)
{
  const gchar *hosts[] = { "224.0.0.1", "239.1.2.3", "ff02::1", "255.255.255.255",
    "127.255.255.255", "0.0.0.0", "::" };

  for (guint i = 0; i < G_N_ELEMENTS (hosts); i++)
    check_start_fails ("tfrcsink", "host", hosts[i], 0, GST_RESOURCE_ERROR_OPEN_WRITE);
}

GST_END_TEST;

GST_START_TEST (test_port_in_use_is_an_error)
{
  TestReceiver *receiver = test_receiver_new ("address=::");

  check_start_fails ("tfrcsrc", "port", NULL, receiver->port, GST_RESOURCE_ERROR_OPEN_READ);
  check_start_fails ("tfrcsink", "bind-port", NULL, receiver->port, GST_RESOURCE_ERROR_OPEN_WRITE);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* ---- URIs -------------------------------------------------------------- */

typedef struct
{
  const gchar *factory;
  const gchar *uri;
  const gchar *named; /* text that the error has to contain */
} BadUri;

static const BadUri bad_uris[] = {
  { "tfrcsink", "udp://127.0.0.1:5004", "udp" },
  { "tfrcsink", "127.0.0.1:5004", "127.0.0.1" },
  { "tfrcsink", "tfrc:", "tfrc:" },
  { "tfrcsink", "tfrc://127.0.0.1:70000", "70000" },
  { "tfrcsink", "tfrc://127.0.0.1:4294967297", "4294967297" },
  { "tfrcsink", "tfrc://127.0.0.1:0", "0" },
  { "tfrcsink", "tfrc://127.0.0.1:-1", "-1" },
  { "tfrcsink", "tfrc://127.0.0.1:http", "http" },
  { "tfrcsink", "tfrc://127.0.0.1:", "Port" },
  { "tfrcsink", "tfrc://127.0.0.1:5004/movie?mode=listener", "path" },
  { "tfrcsink", "tfrc://:5004/movie", "path" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?no-such-key=1", "no-such-key" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?latency=1", "latency" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?stats=1", "stats" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?uri=tfrc://127.0.0.1", "uri" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?sync=false", "sync" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl", "ttl" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl=", "ttl" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl=abc", "ttl" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl=256", "ttl" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl=99999999999", "ttl" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?max-queue-packets=0", "max-queue-packets" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?max-queue-time=-1", "max-queue-time" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?leaky=sideways", "leaky" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl=5&max-bitrate=fast", "max-bitrate" },
  { "tfrcsink", "tfrc://10.9.8.7%0d%0aa=x:6000", "control character" },
  { "tfrcsink", "tfrc://10.9.8.7%20:6000", "space" },
  { "tfrcsink", "tfrc://:6000?host=10.9.8.7%0a", "control character" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?max-bitrate=-18446744073709550616", "max-bitrate" },
  { "tfrcsink", "tfrc://10.9.8.7:6000?ttl-min=-18446744073709551615", "ttl-min" },
  { "tfrcsrc", "tfrc://10.9.8.7:6000?timeout=-18446744073709551615", "timeout" },
  { "tfrcsrc", "tfrc://10.9.8.7:6000?max-bitrate=1", "max-bitrate" },
  { "tfrcsrc", "tfrc://10.9.8.7:6000?keep-listening=perhaps", "keep-listening" },
};

GST_START_TEST (test_bad_uri_is_refused_and_changes_nothing)
{
  const BadUri *bad = &bad_uris[__i__];
  GstElement *element = gst_check_setup_element (bad->factory);
  GError *error = NULL;
  gchar *before, *after;

  g_object_get (element, "uri", &before, NULL);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (element), bad->uri, &error), "%s is accepted",
      bad->uri);
  fail_unless (error && error->domain == GST_URI_ERROR, "%s", bad->uri);
  fail_unless (strstr (error->message, bad->named),
      "%s: \"%s\" does not "
      "name %s",
      bad->uri, error->message, bad->named);
  g_object_get (element, "uri", &after, NULL);
  fail_unless_equals_string (before, after);
  if (g_str_equal (bad->factory, "tfrcsink")) {
    gint ttl;

    g_object_get (element, "ttl", &ttl, NULL);
    fail_unless_equals_int (ttl, -1);
  }
  g_error_free (error);
  g_free (before);
  g_free (after);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_bad_uri_property_is_an_element_error)
{
  GstElement *element = gst_check_setup_element ("tfrcsink");
  TestLog *log = test_log_new (element);

  g_object_set (element, "uri", "tfrc://127.0.0.1?nonsense=1", NULL);
  test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
  gst_object_unref (element);
  test_log_free (log);
}

GST_END_TEST;

GST_START_TEST (test_good_uri_sets_properties)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GstElement *src = gst_element_make_from_uri (
      GST_URI_SRC, "tfrc://[::1]:6001?latency=70&keep-listening=true", NULL, NULL);
  gchar *host, *uri, *address;
  guint64 max_bitrate;
  gint port, ttl, leaky;
  gboolean keep_listening;
  guint latency;

  g_object_set (
      sink, "uri", "tfrc://127.0.0.2:6000?ttl=7&max-bitrate=1000000&leaky=downstream", NULL);
  g_object_get (sink, "host", &host, "port", &port, "ttl", &ttl, "max-bitrate", &max_bitrate,
      "leaky", &leaky, "uri", &uri, NULL);
  fail_unless_equals_string (host, "127.0.0.2");
  fail_unless_equals_int (port, 6000);
  fail_unless_equals_int (ttl, 7);
  fail_unless_equals_uint64 (max_bitrate, 1000000);
  fail_unless_equals_int (leaky, 2);
  fail_unless_equals_string (uri, "tfrc://127.0.0.2:6000");
  g_free (host);
  g_free (uri);
  gst_object_unref (sink);

  fail_unless (src != NULL);
  g_object_get (src, "address", &address, "port", &port, "latency", &latency, "keep-listening",
      &keep_listening, "uri", &uri, NULL);
  fail_unless_equals_string (address, "::1");
  fail_unless_equals_int (port, 6001);
  fail_unless_equals_int (latency, 70);
  fail_unless (keep_listening);
  fail_unless_equals_string (uri, "tfrc://[::1]:6001");
  g_free (address);
  g_free (uri);
  gst_object_unref (src);
}

GST_END_TEST;

static void
check_uri_is_refused_while_playing (GstElement *element)
{
  GError *error = NULL;

  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (element), "tfrc://127.0.0.1:5000", &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
  g_error_free (error);
}

GST_START_TEST (test_uri_is_refused_while_playing)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);
  gint port;

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  check_uri_is_refused_while_playing (sender->sink);
  check_uri_is_refused_while_playing (receiver->src);
  g_object_get (sender->sink, "port", &port, NULL);
  fail_unless_equals_int (port, receiver->port);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* A property that is set in READY takes effect, as its flags say. */
GST_START_TEST (test_address_set_in_ready_is_used)
{
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7, 1);
  TestSender *sender = test_sender_new (test_free_port (), NULL);

  test_set_state (sender->pipeline, GST_STATE_READY);
  g_object_set (sender->sink, "port", peer->port, NULL);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  test_sender_push_bytes (sender, movie, 0);
  test_peer_receive_data (peer, NULL);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* GObject ignores or clamps a value that is out of range. */
GST_START_TEST (test_properties_keep_their_ranges)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GObjectClass *klass = G_OBJECT_GET_CLASS (sink);
  const struct
  {
    const gchar *name;
    gint64 bad;
  } cases[] = { { "port", 0 }, { "port", 65536 }, { "bind-port", -1 }, { "ttl", 256 },
    { "ttl", -2 }, { "qos-dscp", 64 }, { "max-queue-packets", 0 }, { "buffer-size", -1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GParamSpec *spec = g_object_class_find_property (klass, cases[i].name);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    if (G_VALUE_HOLDS_INT (&value))
      g_value_set_int (&value, (gint) cases[i].bad);
    else
      g_value_set_uint (&value, (guint) cases[i].bad);
    fail_unless (g_param_value_validate (spec, &value), "%s", cases[i].name);
    g_value_unset (&value);
  }
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
badinput_suite (void)
{
  Suite *suite = suite_create ("badinput");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_data_that_is_no_transport_stream_is_an_error);
  tcase_add_test (tcase, test_short_data_that_is_no_transport_stream_is_an_error_at_eos);
  tcase_add_test (tcase, test_input_without_data_is_an_error_at_eos);
  tcase_add_loop_test (
      tcase, test_other_packet_sizes_have_an_error_of_their_own, 0, G_N_ELEMENTS (other_sizes));
  tcase_add_test (tcase, test_damage_all_over_is_told_ever_more_seldom);
  tcase_add_test (tcase, test_a_gap_that_is_told_costs_no_packet_behind_it);
  tcase_add_test (tcase, test_host_that_does_not_resolve_is_an_error);
  tcase_add_test (tcase, test_address_of_another_machine_is_an_error);
  tcase_add_test (tcase, test_host_that_is_no_single_host_is_an_error);
  tcase_add_test (tcase, test_port_in_use_is_an_error);
  tcase_add_loop_test (
      tcase, test_bad_uri_is_refused_and_changes_nothing, 0, G_N_ELEMENTS (bad_uris));
  tcase_add_test (tcase, test_bad_uri_property_is_an_element_error);
  tcase_add_test (tcase, test_good_uri_sets_properties);
  tcase_add_test (tcase, test_uri_is_refused_while_playing);
  tcase_add_test (tcase, test_address_set_in_ready_is_used);
  tcase_add_test (tcase, test_properties_keep_their_ranges);
  return suite;
}

GST_CHECK_MAIN (badinput);
