/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP addresses, see gst/io/address.h. */
#include <string.h>

#include "testnet.h"

static void
assert_address (const GstTfrcAddress *a, const gchar *expected)
{
  gchar *text = gst_tfrc_address_to_string (a);

  fail_unless_equals_string (text, expected);
  g_free (text);
}

GST_START_TEST (addresses_are_written_as_in_a_uri)
{
  GstTfrcAddress a;

  a = test_address ("192.0.2.1", 5004);
  assert_address (&a, "192.0.2.1:5004");
  a = test_address ("2001:db8::1", 5004);
  assert_address (&a, "[2001:db8::1]:5004");
  fail_unless_equals_int (gst_tfrc_address_port (&a), 5004);
  a = test_address ("::ffff:192.0.2.1", 1);
  assert_address (&a, "192.0.2.1:1");
  memset (&a, 0, sizeof a);
  assert_address (&a, "none");
  fail_unless_equals_int (gst_tfrc_address_port (&a), 0);
}

GST_END_TEST;

GST_START_TEST (equivalent_addresses_compare_equal)
{
  GstTfrcAddress v4 = test_address ("192.0.2.1", 5004);
  GstTfrcAddress mapped = test_address ("::ffff:192.0.2.1", 5004);
  GstTfrcAddress other_port = test_address ("192.0.2.1", 5005);
  GstTfrcAddress v6 = test_address ("2001:db8::1", 5004);
  GstTfrcAddress v6_flow = v6;
  GstTfrcAddress link = test_address ("fe80::1", 5004);
  GstTfrcAddress other_link = link;
  GstTfrcAddress none;

  memset (&none, 0, sizeof none);
  v6_flow.u.v6.sin6_flowinfo = 1;
  other_link.u.v6.sin6_scope_id = 7;
  fail_unless (gst_tfrc_address_equal (&v4, &mapped));
  fail_if (gst_tfrc_address_equal (&v4, &other_port));
  fail_if (gst_tfrc_address_equal (&v4, &v6));
  fail_unless (gst_tfrc_address_equal (&v6, &v6_flow));
  fail_if (gst_tfrc_address_equal (&link, &other_link));
  fail_if (gst_tfrc_address_equal (&none, &v4));
  fail_unless (gst_tfrc_address_equal (&none, &none));
  fail_unless (gst_tfrc_address_same_host (&v4, &other_port));
  fail_if (gst_tfrc_address_same_host (&v4, &v6));
  fail_if (gst_tfrc_address_same_host (&link, &other_link));
}

GST_END_TEST;

/* A host of IPv6 has as many addresses as it wants, of its own prefix. */
GST_START_TEST (addresses_that_one_host_can_choose_are_of_one_network)
{
  GstTfrcAddress v6 = test_address ("2001:db8::1", 5004);
  GstTfrcAddress neighbour = test_address ("2001:db8::ffff:0:1", 5006);
  GstTfrcAddress elsewhere = test_address ("2001:db8:0:1::1", 5004);
  GstTfrcAddress v4 = test_address ("192.0.2.1", 5004);
  GstTfrcAddress other_v4 = test_address ("192.0.2.2", 5004);
  GstTfrcAddress none;

  memset (&none, 0, sizeof none);
  fail_unless (gst_tfrc_address_same_network (&v6, &neighbour));
  fail_if (gst_tfrc_address_same_network (&v6, &elsewhere));
  fail_if (gst_tfrc_address_same_network (&v4, &other_v4));
  fail_if (gst_tfrc_address_same_network (&v4, &v6));
  fail_if (gst_tfrc_address_same_network (&none, &v6));
}

GST_END_TEST;

GST_START_TEST (multicast_and_broadcast_addresses_are_not_unicast)
{
  static const struct
  {
    const gchar *host;
    guint16 port;
    gboolean unicast;
  } cases[] = {
    { "192.0.2.1", 5004, TRUE },
    { "2001:db8::1", 5004, TRUE },
    { "127.0.0.1", 5004, TRUE },
    { "::1", 5004, TRUE },
    { "192.0.2.1", 0, FALSE },
    { "0.0.0.0", 5004, FALSE },
    { "::", 5004, FALSE },
    { "255.255.255.255", 5004, FALSE },
    { "224.0.0.1", 5004, FALSE },
    { "239.255.0.1", 5004, FALSE },
    { "ff02::1", 5004, FALSE },
    { "::ffff:224.0.0.1", 5004, FALSE },
  };
  GstTfrcAddress none;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstTfrcAddress a = test_address (cases[i].host, cases[i].port);

    fail_unless (gst_tfrc_address_is_unicast (&a) == cases[i].unicast, "%s", cases[i].host);
  }
  memset (&none, 0, sizeof none);
  fail_if (gst_tfrc_address_is_unicast (&none));
}

GST_END_TEST;

GST_START_TEST (a_scope_names_the_interface)
{
  GstTfrcAddress a = test_address ("fe80::1%lo", 5004);

  fail_unless (a.u.v6.sin6_scope_id != 0);
  assert_address (&a, "[fe80::1%lo]:5004");
}

GST_END_TEST;

GST_START_TEST (a_host_that_cannot_be_resolved_is_named)
{
  /* A label of more than 63 characters never reaches a name server. */
  gchar *host = g_strnfill (70, 'x');
  GError *error = NULL;
  GstTfrcAddress a;

  fail_if (gst_tfrc_address_resolve (&a, host, 5004, AF_UNSPEC, &error));
  fail_unless (error != NULL && error->domain == G_RESOLVER_ERROR);
  fail_unless (strstr (error->message, host) != NULL, "%s", error->message);
  fail_unless_equals_int (gst_tfrc_address_family (&a), AF_UNSPEC);
  g_clear_error (&error);
  g_free (host);

  fail_if (gst_tfrc_address_resolve (&a, "", 5004, AF_UNSPEC, &error));
  g_clear_error (&error);
  fail_if (gst_tfrc_address_resolve (&a, NULL, 5004, AF_UNSPEC, &error));
  g_clear_error (&error);
  fail_if (gst_tfrc_address_resolve (&a, "::1", 5004, AF_INET, &error));
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (foreign_socket_addresses_are_no_address)
{
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  struct sockaddr other = { .sa_family = AF_UNIX };
  GstTfrcAddress a;

  gst_tfrc_address_from_sockaddr (&a, &other, sizeof other);
  fail_unless_equals_int (gst_tfrc_address_family (&a), AF_UNSPEC);
  gst_tfrc_address_from_sockaddr (&a, (struct sockaddr *) &v6, sizeof v6 - 1);
  fail_unless_equals_int (gst_tfrc_address_family (&a), AF_UNSPEC);
  gst_tfrc_address_from_sockaddr (&a, (struct sockaddr *) &v6, 0);
  fail_unless_equals_int (gst_tfrc_address_family (&a), AF_UNSPEC);
}

GST_END_TEST;

static Suite *
address_suite (void)
{
  Suite *s = suite_create ("address");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, addresses_are_written_as_in_a_uri);
  tcase_add_test (tc, equivalent_addresses_compare_equal);
  tcase_add_test (tc, addresses_that_one_host_can_choose_are_of_one_network);
  tcase_add_test (tc, multicast_and_broadcast_addresses_are_not_unicast);
  tcase_add_test (tc, a_scope_names_the_interface);
  tcase_add_test (tc, a_host_that_cannot_be_resolved_is_named);
  tcase_add_test (tc, foreign_socket_addresses_are_no_address);
  return s;
}

GST_CHECK_MAIN (address);
