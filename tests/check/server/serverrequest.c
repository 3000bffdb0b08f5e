/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clients send: see tools/server/request.h and hosts.h */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "error.h"
#include "hosts.h"
#include "request.h"

#define RECEIVER "\"movie\":\"a.ts\",\"host\":\"192.0.2.1\",\"port\":5004"

static void
assert_refused (const gchar *text, gsize bytes, const gchar *message)
{
  GError *error = NULL;
  Request request;

  fail_if (request_parse (&request, text, bytes, &error), "%s", text);
  fail_unless (g_error_matches (error, SERVER_ERROR, SERVER_ERROR_BAD_REQUEST));
  fail_unless_equals_string (error->message, message);
  g_error_free (error);
}

GST_START_TEST (a_request_has_movie_receiver_and_properties)
{
  const gchar *text = "{" RECEIVER ",\"max-bitrate\":2000000,\"passphrase\":\"choose your own\"}";
  Request request;
  gint64 rate;

  fail_unless (request_parse (&request, text, strlen (text), NULL));
  fail_unless_equals_string (request.movie, "a.ts");
  fail_unless_equals_string (request.host, "192.0.2.1");
  fail_unless_equals_int (request.port, 5004);
  fail_unless_equals_int (gst_structure_n_fields (request.properties), 2);
  fail_unless (gst_structure_get_int64 (request.properties, "max-bitrate", &rate));
  fail_unless_equals_int64 (rate, 2000000);
  fail_unless_equals_string (
      gst_structure_get_string (request.properties, "passphrase"), "choose your own");
  request_clear (&request);
}

GST_END_TEST;

GST_START_TEST (what_is_no_request_is_refused)
{
  static const struct
  {
    const gchar *text, *message;
  } cases[] = {
    { "", "the request is not a JSON object" },
    { "[]", "the request is not a JSON object" },
    { "null", "the request is not a JSON object" },
    { "{", "the request is not a JSON object" },
    { "{\"movie\":\"\xff\"}", "the request is not a JSON object" },
    { "{}", "the request does not have all of movie, host and port" },
    { "{\"movie\":\"a.ts\",\"host\":\"::1\"}",
        "the request does not have all of movie, host and port" },
    { "{\"movie\":1}", "movie is not a string" },
    { "{\"movie\":null}", "movie is not a string" },
    { "{\"host\":[\"::1\"]}", "host is not a string" },
    { "{\"port\":\"5004\"}", "port is not a whole number from 1 to 65535" },
    { "{\"port\":0}", "port is not a whole number from 1 to 65535" },
    { "{\"port\":-1}", "port is not a whole number from 1 to 65535" },
    { "{\"port\":65536}", "port is not a whole number from 1 to 65535" },
    { "{\"port\":50.5}", "port is not a whole number from 1 to 65535" },
    { "{\"port\":{}}", "port is not a whole number from 1 to 65535" },
    { "{" RECEIVER ",\"max-bitrate\":\"2M\"}", "max-bitrate is not a whole number" },
    { "{" RECEIVER ",\"max-bitrate\":true}", "max-bitrate is not a whole number" },
    { "{" RECEIVER ",\"passphrase\":5}", "passphrase is not a string" },
    { "{" RECEIVER ",\"unresponsive-receiver\":1}",
        "unresponsive-receiver is neither true nor false" },
    { "{" RECEIVER ",\"private-key-file\":\"/etc/key\"}",
        "the request has a member that is not known" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (cases[i].text, strlen (cases[i].text), cases[i].message);
  assert_refused (
      "{" RECEIVER "}\0{}", strlen ("{" RECEIVER "}") + 3, "the request is not a JSON object");
}

GST_END_TEST;

GST_START_TEST (long_and_deep_requests_are_refused)
{
  gchar *deep = g_strnfill (REQUEST_MAX_BYTES, '[');
  gchar *wide = g_strnfill (REQUEST_MAX_BYTES + 1, ' ');

  assert_refused (deep, REQUEST_MAX_BYTES, "the request is not a JSON object");
  memcpy (wide, "{" RECEIVER "}", strlen ("{" RECEIVER "}"));
  assert_refused (wide, REQUEST_MAX_BYTES + 1, "the request is not a JSON object");
  g_free (wide);
  g_free (deep);
}

GST_END_TEST;

static void
check_host (const GPtrArray *hosts, const gchar *text, const gchar *expected, ServerError code)
{
  GError *error = NULL;
  gchar *host = hosts_check (hosts, text, &error);

  fail_unless_equals_string (host, expected);
  fail_unless (expected != NULL || g_error_matches (error, SERVER_ERROR, (gint) code), "%s", text);
  g_clear_error (&error);
  g_free (host);
}

GST_START_TEST (a_host_is_the_numeric_address_of_a_single_host)
{
  static const gchar *const refused[] = { "", "localhost", "example.org", "1.2.3", "1.2.3.4.5",
    "0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "ff02::1", "::ffff:224.0.0.1", "::ffff:0.0.0.0", "192.0.2.1:80", "192.0.2.0/24", " 192.0.2.1" };
  GPtrArray *hosts = hosts_new (NULL, NULL);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (refused); i++)
    check_host (hosts, refused[i], NULL, SERVER_ERROR_BAD_REQUEST);
  check_host (hosts, "192.0.2.1", "192.0.2.1", 0);
  check_host (hosts, "2001:DB8:0::1", "2001:db8::1", 0);
  check_host (hosts, "::ffff:192.0.2.1", "192.0.2.1", 0);
  g_ptr_array_unref (hosts);
}

GST_END_TEST;

GST_START_TEST (an_allow_list_refuses_all_other_hosts)
{
  gchar *prefixes[] = { "192.0.2.0/24", "2001:db8::/32", "198.51.100.7", NULL };
  GPtrArray *hosts = hosts_new (prefixes, NULL);

  check_host (hosts, "192.0.2.255", "192.0.2.255", 0);
  check_host (hosts, "2001:db8:1::1", "2001:db8:1::1", 0);
  check_host (hosts, "198.51.100.7", "198.51.100.7", 0);
  check_host (hosts, "::ffff:192.0.2.1", "192.0.2.1", 0);
  check_host (hosts, "192.0.3.1", NULL, SERVER_ERROR_FORBIDDEN);
  check_host (hosts, "198.51.100.8", NULL, SERVER_ERROR_FORBIDDEN);
  check_host (hosts, "::ffff:192.0.3.1", NULL, SERVER_ERROR_FORBIDDEN);
  check_host (hosts, "2001:db9::1", NULL, SERVER_ERROR_FORBIDDEN);
  check_host (hosts, "127.0.0.1", NULL, SERVER_ERROR_FORBIDDEN);
  g_ptr_array_unref (hosts);
}

GST_END_TEST;

/* The same address may be on each link of this host: the scope says which. */
GST_START_TEST (a_link_local_host_has_a_scope)
{
  static const gchar *const wrong[] = { "fe80::1%", "fe80::1%a b", "fe80::1%eth0%eth1", "fe80::1%]",
    "2001:db8::1%eth0", "192.0.2.1%eth0", "169.254.7.7%eth0", "ff02::1%eth0", "%eth0" };
  gchar *prefixes[] = { "fe80::/64", NULL };
  GPtrArray *all = hosts_new (NULL, NULL), *some = hosts_new (prefixes, NULL);
  guint i;

  check_host (all, "FE80:0::1%br-lan.7", "fe80::1%br-lan.7", 0);
  check_host (some, "fe80::1%eth0", "fe80::1%eth0", 0);
  check_host (some, "fe80:1::1%eth0", NULL, SERVER_ERROR_FORBIDDEN);
  for (i = 0; i < G_N_ELEMENTS (wrong); i++)
    check_host (all, wrong[i], NULL, SERVER_ERROR_BAD_REQUEST);
  g_ptr_array_unref (all);
  g_ptr_array_unref (some);
}

GST_END_TEST;

static void
check_site (const gchar *host, const gchar *expected)
{
  gchar *site = hosts_dup_site (host);

  fail_unless_equals_string (site, expected);
  g_free (site);
}

/* A customer of a provider has all addresses of a /64 of IPv6, and one of IPv4. */
GST_START_TEST (the_addresses_of_a_network_of_ipv6_are_one_host)
{
  check_site ("2001:db8::1", "2001:db8::/64");
  check_site ("2001:db8::ffff:0:0:1", "2001:db8::/64");
  check_site ("2001:db8:0:1::1", "2001:db8:0:1::/64");
  check_site ("192.0.2.1", "192.0.2.1");
  check_site ("fe80::1", "fe80::1");
  check_site ("fe80::1%eth0", "fe80::1%eth0");
  check_site ("127.0.0.1", "127.0.0.1");
}

GST_END_TEST;

static void
check_unresponsive (const GPtrArray *hosts, const gchar *host, gboolean may)
{
  GError *error = NULL;

  fail_unless (hosts_check_unresponsive (hosts, host, &error) == may, "%s", host);
  fail_unless (may || g_error_matches (error, SERVER_ERROR, SERVER_ERROR_FORBIDDEN), "%s", host);
  g_clear_error (&error);
}

GST_START_TEST (only_local_and_listed_hosts_need_not_answer)
{
  gchar *prefixes[] = { "192.0.2.0/24", NULL };
  GPtrArray *none = hosts_new (NULL, NULL), *some = hosts_new (prefixes, NULL);

  check_unresponsive (none, "127.0.0.2", TRUE);
  check_unresponsive (none, "::1", TRUE);
  check_unresponsive (none, "169.254.7.7", TRUE);
  check_unresponsive (none, "fe80::1", TRUE);
  check_unresponsive (none, "fe80::1%eth0", TRUE);
  check_unresponsive (none, "192.0.2.1", FALSE);
  check_unresponsive (none, "2001:db8::1", FALSE);
  check_unresponsive (some, "192.0.2.1", TRUE);
  check_unresponsive (some, "192.0.3.1", FALSE);
  g_ptr_array_unref (none);
  g_ptr_array_unref (some);
}

GST_END_TEST;

GST_START_TEST (a_request_says_whether_the_receiver_answers)
{
  const gchar *mute = "{" RECEIVER ",\"unresponsive-receiver\":true}";
  const gchar *minimum = "{" RECEIVER ",\"min-bitrate\":20000000}";
  Request request;

  fail_unless (request_parse (&request, mute, strlen (mute), NULL));
  fail_unless (request_is_unresponsive (&request));
  request_clear (&request);
  fail_unless (request_parse (&request, minimum, strlen (minimum), NULL));
  fail_if (request_is_unresponsive (&request));
  request_clear (&request);
}

GST_END_TEST;

GST_START_TEST (a_wrong_prefix_is_an_error)
{
  static gchar *const wrong[] = { "192.0.2.0/33", "192.0.2.1/24", "example.org", "" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gchar *prefixes[] = { wrong[i], NULL };
    GError *error = NULL;

    fail_unless (hosts_new (prefixes, &error) == NULL, "%s", wrong[i]);
    fail_unless (error != NULL);
    g_error_free (error);
  }
}

GST_END_TEST;

static Suite *
serverrequest_suite (void)
{
  Suite *s = suite_create ("serverrequest");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_request_has_movie_receiver_and_properties);
  tcase_add_test (tc, what_is_no_request_is_refused);
  tcase_add_test (tc, long_and_deep_requests_are_refused);
  tcase_add_test (tc, a_host_is_the_numeric_address_of_a_single_host);
  tcase_add_test (tc, an_allow_list_refuses_all_other_hosts);
  tcase_add_test (tc, a_link_local_host_has_a_scope);
  tcase_add_test (tc, the_addresses_of_a_network_of_ipv6_are_one_host);
  tcase_add_test (tc, only_local_and_listed_hosts_need_not_answer);
  tcase_add_test (tc, a_request_says_whether_the_receiver_answers);
  tcase_add_test (tc, a_wrong_prefix_is_an_error);
  return s;
}

GST_CHECK_MAIN (serverrequest);
