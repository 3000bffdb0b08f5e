/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What strangers get: the credit of one (gst/strangers/credit.h), and the limits of hosts
 * (gst/strangers/hostlimits.h) */
#include <gst/check/gstcheck.h>

#include "gst/strangers/credit.h"
#include "gst/strangers/hostlimits.h"
#include "testnet.h"

#define S GST_SECOND

static guint
packets_taken (GstTfrcCredit *credit, gsize bytes)
{
  guint n = 0;

  while (gst_tfrc_credit_take (credit, bytes))
    n++;
  return n;
}

/* Whoever forges a flood does not save up another one. */
GST_START_TEST (test_credit_of_64_packets_and_64_kib_can_be_saved)
{
  GstTfrcCredit credit = { 0 };

  for (guint i = 0; i < 1000; i++)
    gst_tfrc_credit_add (&credit, 1400);
  fail_unless_equals_int (packets_taken (&credit, 20), 64);
  credit = (GstTfrcCredit){ 0 };
  for (guint i = 0; i < 1000; i++)
    gst_tfrc_credit_add (&credit, 1400);
  fail_unless_equals_int (packets_taken (&credit, 1400), 65536 / 1400);
}

GST_END_TEST;

GST_START_TEST (test_no_more_bytes_and_packets_leave_than_came)
{
  GstTfrcCredit credit = { 0 };

  gst_tfrc_credit_add (&credit, 100);
  gst_tfrc_credit_add (&credit, 100);
  fail_if (gst_tfrc_credit_take (&credit, 201));
  fail_unless (gst_tfrc_credit_take (&credit, 150));
  fail_if (gst_tfrc_credit_take (&credit, 51));
  fail_unless (gst_tfrc_credit_take (&credit, 20));
  fail_if (gst_tfrc_credit_take (&credit, 1));
}

GST_END_TEST;

static const guint8 secret[GST_TFRC_SECRET_BYTES] = { 42 };

static guint
hash_of (const gchar *host, guint16 port)
{
  GstTfrcAddress address = test_address (host, port);
  GstTfrcCookies key;

  gst_tfrc_cookies_init (&key, secret);
  return gst_tfrc_cookies_hash_host (&key, &address);
}

/* It has the ports of its addresses, and with IPv6 the addresses of its network. */
GST_START_TEST (test_a_host_cannot_choose_its_share)
{
  guint others = 0;

  for (guint i = 1; i <= 200; i++) {
    gchar *own = g_strdup_printf ("2001:db8::%x:1", i);
    gchar *other = g_strdup_printf ("2001:db8:0:%x::1", i);

    fail_unless_equals_int (hash_of ("198.51.100.7", (guint16) i), hash_of ("198.51.100.7", 0));
    fail_unless_equals_int (hash_of (own, (guint16) i), hash_of ("2001:db8::1", 5004));
    others += hash_of (other, 5004) != hash_of ("2001:db8::1", 5004);
    g_free (own);
    g_free (other);
  }
  fail_unless (others > 150, "%u", others);
}

GST_END_TEST;

/* Of all together 50 at once, of one host 20. */
GST_START_TEST (test_a_host_has_its_limit_and_all_have_theirs)
{
  static const GstTfrcHostRates rates = { .all = { 100, 50 }, .host = { 10, 20 } };
  GstTfrcHostLimits limits;
  GstTfrcCookies key;
  guint n = 0;

  gst_tfrc_cookies_init (&key, secret);
  gst_tfrc_host_limits_init (&limits, &rates, &key);
  for (guint i = 0; i < 100; i++)
    n += gst_tfrc_host_limits_take (&limits, 1, S);
  fail_unless_equals_int (n, 20);
  fail_unless (gst_tfrc_host_limits_next_ns (&limits, 1) > S);
  fail_unless (gst_tfrc_host_limits_next_ns (&limits, 2) <= S);
  for (guint i = 0; i < 100; i++)
    n += gst_tfrc_host_limits_take (&limits, 2 + i % 10, S);
  fail_unless_equals_int (n, 50);
  fail_if (gst_tfrc_host_limits_take (&limits, 20, S));
  gst_tfrc_host_limits_clear (&limits);
}

GST_END_TEST;

static Suite *
strangerlimits_suite (void)
{
  Suite *suite = suite_create ("strangerlimits");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_credit_of_64_packets_and_64_kib_can_be_saved);
  tcase_add_test (tcase, test_no_more_bytes_and_packets_leave_than_came);
  tcase_add_test (tcase, test_a_host_cannot_choose_its_share);
  tcase_add_test (tcase, test_a_host_has_its_limit_and_all_have_theirs);
  return suite;
}

GST_CHECK_MAIN (strangerlimits);
