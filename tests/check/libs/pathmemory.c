/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process remembers of paths, see gst/port/pathmemory.h. */
#include "gst/port/pathmemory.h"

#include "testnet.h"

#define NOW G_GUINT64_CONSTANT (7200000000000)

static const GstTfrcPathMemory memory = { 500000, 50000000 };
static GstTfrcAddress host;
static GstTfrcLocalPath local;

static void
setup (void)
{
  host = test_address ("192.0.2.1", 5004);
  local.interface = 2;
  local.local = test_address ("192.0.2.9", 40000);
  gst_tfrc_path_memory_clear ();
}

static gdouble
take_rate (const GstTfrcAddress *peer, const GstTfrcLocalPath *from, guint64 now_ns)
{
  return gst_tfrc_path_memory_take (peer, from, now_ns).rate_Bps;
}

GST_START_TEST (one_stream_gets_what_another_has_left)
{
  GstTfrcPathMemory taken;

  fail_unless (take_rate (&host, &local, NOW) == 0);
  gst_tfrc_path_memory_put (&host, &local, &memory, NOW);
  /* ports do not matter */
  gst_tfrc_address_set_port (&host, 6000);
  gst_tfrc_address_set_port (&local.local, 1);
  taken = gst_tfrc_path_memory_take (&host, &local, NOW + 1);
  fail_unless (taken.rate_Bps == memory.rate_Bps);
  fail_unless_equals_uint64 (taken.rtt_ns, memory.rtt_ns);
  /* once */
  fail_unless (take_rate (&host, &local, NOW + 1) == 0);
}

GST_END_TEST;

GST_START_TEST (another_path_is_not_remembered)
{
  GstTfrcAddress other_host = test_address ("192.0.2.2", 5004);
  GstTfrcLocalPath other_interface = local, other_address = local;

  other_interface.interface = 3;
  other_address.local = test_address ("192.0.2.10", 40000);
  gst_tfrc_path_memory_put (&host, &local, &memory, NOW);
  fail_unless (take_rate (&other_host, &local, NOW) == 0);
  fail_unless (take_rate (&host, &other_interface, NOW) == 0);
  fail_unless (take_rate (&host, &other_address, NOW) == 0);
  fail_unless (take_rate (&host, &local, NOW) == memory.rate_Bps);
}

GST_END_TEST;

GST_START_TEST (a_memory_is_forgotten_after_an_hour)
{
  gst_tfrc_path_memory_put (&host, &local, &memory, NOW);
  fail_unless (take_rate (&host, &local, NOW + GST_TFRC_PATH_MEMORY_LIFE_NS) == memory.rate_Bps);
  gst_tfrc_path_memory_put (&host, &local, &memory, NOW);
  fail_unless (take_rate (&host, &local, NOW + GST_TFRC_PATH_MEMORY_LIFE_NS + 1) == 0);
}

GST_END_TEST;

GST_START_TEST (a_newer_memory_takes_the_place_of_an_older_one_and_nothing_takes_none)
{
  const GstTfrcPathMemory newer = { 100000, 60000000 }, nothing = { 0, 60000000 };

  gst_tfrc_path_memory_put (&host, &local, &memory, NOW);
  gst_tfrc_path_memory_put (&host, &local, &newer, NOW + 1);
  gst_tfrc_path_memory_put (&host, &local, &nothing, NOW + 2);
  fail_unless (take_rate (&host, &local, NOW + 3) == newer.rate_Bps);
  fail_unless (take_rate (&host, &local, NOW + 3) == 0);
}

GST_END_TEST;

GST_START_TEST (the_table_is_bounded_and_loses_the_oldest)
{
  for (guint i = 0; i <= GST_TFRC_PATH_MEMORY_ENTRIES; i++) {
    gchar *text = g_strdup_printf ("10.0.0.%u", i + 1);
    GstTfrcAddress peer = test_address (text, 5004);

    gst_tfrc_path_memory_put (&peer, &local, &memory, NOW + i);
    g_free (text);
  }
  host = test_address ("10.0.0.1", 5004);
  fail_unless (take_rate (&host, &local, NOW + 100) == 0);
  host = test_address ("10.0.0.2", 5004);
  fail_unless (take_rate (&host, &local, NOW + 100) == memory.rate_Bps);
  host = test_address ("10.0.0.65", 5004);
  fail_unless (take_rate (&host, &local, NOW + 100) == memory.rate_Bps);
}

GST_END_TEST;

static Suite *
pathmemory_suite (void)
{
  Suite *s = suite_create ("pathmemory");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, one_stream_gets_what_another_has_left);
  tcase_add_test (tc, another_path_is_not_remembered);
  tcase_add_test (tc, a_memory_is_forgotten_after_an_hour);
  tcase_add_test (tc, a_newer_memory_takes_the_place_of_an_older_one_and_nothing_takes_none);
  tcase_add_test (tc, the_table_is_bounded_and_loses_the_oldest);
  return s;
}

GST_CHECK_MAIN (pathmemory);
