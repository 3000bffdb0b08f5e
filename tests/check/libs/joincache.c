/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver that joins gets (gst/queue/joincache.h). */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/queue/joincache.h"

#define TS_BYTES 188

static GstTfrcJoinCache o;
static GstTfrcPacketPool *pool;
static guint8 next;

static void
setup (void)
{
  memset (&o, 0, sizeof o);
  pool = gst_tfrc_packet_pool_new ();
  next = 1;
}

static void
teardown (void)
{
  gst_tfrc_join_cache_clear (&o);
  gst_tfrc_packet_pool_free (pool);
}

/* Adds a packet with a number of its own. Returns the number. */
static guint8
add (GstTfrcClass importance, guint32 group, gboolean has_pat)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (pool);
  GstTfrcImportance worth = { .class = (guint8) importance, .picture = 1, .group = group };
  guint8 *payload = gst_tfrc_packet_payload (packet);

  memset (payload, 0xff, TS_BYTES);
  payload[0] = 0x47;
  payload[1] = has_pat ? 0x40 : 0x41;
  payload[2] = 0;
  payload[4] = next;
  gst_tfrc_packet_set_payload_bytes (packet, TS_BYTES);
  gst_tfrc_packet_set_importance (packet, &worth);
  gst_tfrc_join_cache_add (&o, packet);
  gst_tfrc_packet_unref (packet);
  return next++;
}

static void
append_number (gpointer text, GstTfrcPacket *packet)
{
  g_string_append_printf (text, "%d ", gst_tfrc_packet_get_payload (packet)[4]);
}

static void
fail_unless_holds (const gchar *expected)
{
  GString *text = g_string_new (NULL);

  gst_tfrc_join_cache_foreach (&o, append_number, text);
  fail_unless_equals_string (text->str, expected);
  g_string_free (text, TRUE);
}

GST_START_TEST (test_nothing_is_kept_before_the_first_random_access_point)
{
  add (GST_TFRC_CLASS_TABLES, 0, TRUE);
  add (GST_TFRC_CLASS_REFERENCE, 0, FALSE);
  fail_unless_holds ("");
}

GST_END_TEST;

/* 1 and 2 are the tables; 4 may have the first bytes of the picture behind audio. */
GST_START_TEST (test_a_cache_begins_with_the_tables_and_the_packet_before_the_picture)
{
  add (GST_TFRC_CLASS_UNKNOWN, 0, TRUE);
  add (GST_TFRC_CLASS_UNKNOWN, 0, FALSE);
  add (GST_TFRC_CLASS_NON_REFERENCE, 0, FALSE);
  add (GST_TFRC_CLASS_AUDIO, 0, FALSE);
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 1, FALSE);
  add (GST_TFRC_CLASS_REFERENCE, 1, FALSE);
  fail_unless_holds ("1 2 4 5 6 ");
}

GST_END_TEST;

GST_START_TEST (test_the_next_group_replaces_the_one_before)
{
  add (GST_TFRC_CLASS_UNKNOWN, 0, TRUE);
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 1, FALSE);
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 1, FALSE);
  add (GST_TFRC_CLASS_UNKNOWN, 0, TRUE);
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 2, FALSE);
  fail_unless_holds ("4 5 ");
}

GST_END_TEST;

GST_START_TEST (test_a_group_that_is_too_large_is_given_up)
{
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 1, FALSE);
  for (guint i = 0; i < GST_TFRC_JOIN_CACHE_MAX_BYTES / TS_BYTES; i++)
    add (GST_TFRC_CLASS_REFERENCE, 1, FALSE);
  fail_unless_equals_int (gst_tfrc_join_cache_length (&o), 0);
  add (GST_TFRC_CLASS_REFERENCE, 1, FALSE);
  fail_unless_equals_int (gst_tfrc_join_cache_length (&o), 0);
  add (GST_TFRC_CLASS_RANDOM_ACCESS, 2, FALSE);
  fail_unless_equals_int (gst_tfrc_join_cache_length (&o), 2);
}

GST_END_TEST;

static Suite *
joincache_suite (void)
{
  Suite *suite = suite_create ("joincache");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_nothing_is_kept_before_the_first_random_access_point);
  tcase_add_test (tcase, test_a_cache_begins_with_the_tables_and_the_packet_before_the_picture);
  tcase_add_test (tcase, test_the_next_group_replaces_the_one_before);
  tcase_add_test (tcase, test_a_group_that_is_too_large_is_given_up);
  return suite;
}

GST_CHECK_MAIN (joincache);
