/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of each received packet, see gst/flow/receivepaths.h */
#include "gst/flow/receivepaths.h"

#include "testnet.h"

static GstTfrcReceivePaths paths;

static void
setup (void)
{
  paths = (GstTfrcReceivePaths){ .id = 0 };
}

static GstTfrcLocalPath
link_to (guint interface, const gchar *host)
{
  GstTfrcLocalPath path = { .interface = interface };

  if (host)
    path.local = test_address (host, 0);
  return path;
}

static void
change (guint interface, const gchar *host)
{
  GstTfrcLocalPath path = link_to (interface, host);

  gst_tfrc_receive_paths_change (&paths, &path);
}

/* Returns the number of the path of a packet that came over this interface to this address. */
static guint8
number_of (guint interface, const gchar *host)
{
  GstTfrcReceivedPacket packet = { .interface = interface };

  if (host)
    packet.local = test_address (host, 0);
  return gst_tfrc_receive_paths_get_id (&paths, &packet);
}

GST_START_TEST (before_a_handover_there_is_one_path)
{
  fail_unless_equals_int (number_of (1, "192.0.2.1"), 0);
  fail_unless_equals_int (number_of (2, "2001:db8::1"), 0);
  fail_unless_equals_int (number_of (0, NULL), 0);
}

GST_END_TEST;

GST_START_TEST (an_interface_identifies_the_new_path)
{
  change (2, NULL);
  fail_unless_equals_int (number_of (2, "192.0.2.1"), 1);
  fail_unless_equals_int (number_of (1, "192.0.2.1"), 0);
  fail_unless_equals_int (number_of (0, "192.0.2.1"), 0);
}

GST_END_TEST;

GST_START_TEST (an_address_identifies_the_new_path)
{
  change (0, "192.0.2.2");
  fail_unless_equals_int (number_of (1, "192.0.2.2"), 1);
  fail_unless_equals_int (number_of (1, "192.0.2.1"), 0);
  fail_unless_equals_int (number_of (1, "2001:db8::2"), 0);
  fail_unless_equals_int (number_of (1, NULL), 0);
}

GST_END_TEST;

GST_START_TEST (interface_and_address_both_have_to_match)
{
  change (2, "192.0.2.2");
  fail_unless_equals_int (number_of (2, "192.0.2.2"), 1);
  fail_unless_equals_int (number_of (1, "192.0.2.2"), 0);
  fail_unless_equals_int (number_of (2, "192.0.2.1"), 0);
}

GST_END_TEST;

GST_START_TEST (going_back_is_another_handover)
{
  change (2, NULL);
  change (1, NULL);
  fail_unless_equals_int (number_of (1, NULL), 2);
  fail_unless_equals_int (number_of (2, NULL), 1);
}

GST_END_TEST;

GST_START_TEST (numbers_wrap)
{
  for (guint i = 0; i < 256; i++)
    change (i % 2 + 1, NULL);
  fail_unless_equals_int (number_of (2, NULL), 0);
  fail_unless_equals_int (number_of (1, NULL), 255);
}

GST_END_TEST;

GST_START_TEST (after_a_reset_every_packet_belongs_to_the_active_path)
{
  change (2, "192.0.2.2");
  gst_tfrc_receive_paths_reset (&paths);
  fail_unless_equals_int (number_of (1, "192.0.2.1"), 1);
  fail_unless_equals_int (number_of (2, "192.0.2.2"), 1);
}

GST_END_TEST;

GST_START_TEST (ports_do_not_matter)
{
  GstTfrcAddress a = test_address ("192.0.2.1", 1), b = a, c;

  b = test_address ("192.0.2.1", 2);
  c = test_address ("192.0.2.2", 1);
  fail_unless (gst_tfrc_address_same_host (&a, &b));
  fail_if (gst_tfrc_address_same_host (&a, &c));
  a = test_address ("2001:db8::1", 1);
  b = test_address ("2001:db8::1", 2);
  fail_unless (gst_tfrc_address_same_host (&a, &b));
  fail_if (gst_tfrc_address_same_host (&a, &c));
}

GST_END_TEST;

static Suite *
srcpaths_suite (void)
{
  Suite *s = suite_create ("srcpaths");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, before_a_handover_there_is_one_path);
  tcase_add_test (tc, an_interface_identifies_the_new_path);
  tcase_add_test (tc, an_address_identifies_the_new_path);
  tcase_add_test (tc, interface_and_address_both_have_to_match);
  tcase_add_test (tc, going_back_is_another_handover);
  tcase_add_test (tc, numbers_wrap);
  tcase_add_test (tc, after_a_reset_every_packet_belongs_to_the_active_path);
  tcase_add_test (tc, ports_do_not_matter);
  return s;
}

GST_CHECK_MAIN (srcpaths);
