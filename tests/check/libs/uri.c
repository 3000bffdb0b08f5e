/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc:// URIs, see gst/common/uri.h. */
#include "uritest.h"

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
  assert_place ("2001:db8::5", GST_TFRC_DEFAULT_PORT);
  assert_accepted ("tfrc://[fe80::1%25eth0]:6001?ttl=3");
  assert_place ("fe80::1%eth0", 6001);
}

GST_END_TEST;

GST_START_TEST (missing_parts_have_their_defaults)
{
  assert_accepted ("tfrc://example.org:6000?ttl=9");
  assert_accepted ("tfrc://example.com");
  assert_place ("example.com", GST_TFRC_DEFAULT_PORT);
  /* without a host, the element keeps its host */
  assert_accepted ("tfrc://:6002");
  assert_place ("example.com", 6002);
  assert_accepted ("tfrc://");
  assert_place ("example.com", GST_TFRC_DEFAULT_PORT);
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

GST_START_TEST (limits_of_ranges_are_accepted)
{
  assert_accepted ("tfrc://h:1?ttl=255&latency=1000&max-bitrate=1000000000000");
  fail_unless_equals_int (element->ttl, 255);
  fail_unless_equals_int (element->latency, 1000);
  assert_accepted ("tfrc://h:1?ttl=-1&latency=0&max-bitrate=0");
  fail_unless_equals_uint64 (element->max_bitrate, 0);
}

GST_END_TEST;

GST_START_TEST (strings_are_not_changed)
{
  assert_accepted ("tfrc://NULL:1");
  assert_place ("NULL", 1);
  assert_accepted ("tfrc://?host=%22a%20b%22");
  assert_place ("\"a b\"", GST_TFRC_DEFAULT_PORT);
  assert_accepted ("tfrc://h\xc3\xa4st:1");
  assert_place ("h\xc3\xa4st", 1);
  assert_accepted ("tfrc://?host=a%26b%3Dc+d=e");
  assert_place ("a&b=c+d=e", GST_TFRC_DEFAULT_PORT);
}

GST_END_TEST;

GST_START_TEST (a_port_is_a_decimal_number)
{
  assert_accepted ("tfrc://h:010");
  assert_place ("h", 10);
}

GST_END_TEST;

/* ---- the property ------------------------------------------------------- */

static void
assert_error_on (GstBus *bus, const gchar *named)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (strstr (error->message, named) != NULL);
  g_error_free (error);
  gst_message_unref (message);
}

GST_START_TEST (an_element_does_not_start_with_another_uri_than_it_was_given)
{
  GstBus *bus = gst_bus_new ();

  fail_unless (gst_tfrc_uri_check (GST_ELEMENT (element)));
  /* the element has no message bus yet */
  gst_tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:1?bogus=1");
  assert_place (DEFAULT_HOST, GST_TFRC_DEFAULT_PORT);
  gst_element_set_bus (GST_ELEMENT (element), bus);
  fail_if (gst_tfrc_uri_check (GST_ELEMENT (element)));
  assert_error_on (bus, "'bogus'");
  gst_tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:x");
  assert_error_on (bus, "'x'");
  fail_if (gst_tfrc_uri_check (GST_ELEMENT (element)));
  assert_error_on (bus, "'x'");

  gst_tfrc_uri_set (GST_ELEMENT (element), "tfrc://h:1");
  fail_unless (gst_tfrc_uri_check (GST_ELEMENT (element)));
  assert_place ("h", 1);
  fail_if (gst_bus_have_pending (bus));
  gst_element_set_bus (GST_ELEMENT (element), NULL);
  gst_object_unref (bus);
}

GST_END_TEST;

/* ---- from host and port to a URI --------------------------------------------- */

GST_START_TEST (a_written_uri_is_read_as_the_same_host_and_port)
{
  const struct
  {
    const gchar *host;
    gint port;
    const gchar *uri;
  } cases[] = {
    { "example.org", 5004, "tfrc://example.org:5004" },
    { "192.0.2.1", 1, "tfrc://192.0.2.1:1" },
    { "::", 65535, "tfrc://[::]:65535" },
    { "2001:db8::1", 6000, "tfrc://[2001:db8::1]:6000" },
    { "fe80::1%eth0", 6000, "tfrc://[fe80::1%25eth0]:6000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *uri = gst_tfrc_uri_format (cases[i].host, cases[i].port, NULL);

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
  tcase_add_test (tc, missing_parts_have_their_defaults);
  tcase_add_test (tc, keys_are_properties_of_any_kind);
  tcase_add_test (tc, limits_of_ranges_are_accepted);
  tcase_add_test (tc, strings_are_not_changed);
  tcase_add_test (tc, a_port_is_a_decimal_number);
  tcase_add_test (tc, an_element_does_not_start_with_another_uri_than_it_was_given);
  tcase_add_test (tc, a_written_uri_is_read_as_the_same_host_and_port);
  return s;
}

GST_CHECK_MAIN (uri);
