/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP: several threads at once, and what many SSRCs cost, see gst/security/srtp.h. */
#include <malloc.h>

#include "srtptest.h"

#define N_PACKETS 1000

static Packet data[N_PACKETS], reports[N_PACKETS];

static gpointer
protect_data (gpointer unused)
{
  for (guint i = 0; i < N_PACKETS; i++) {
    data[i] = make_data ((guint16) (65000 + i));
    protect (sender, FALSE, &data[i]);
  }
  return NULL;
}

static gpointer
protect_reports (gpointer unused)
{
  for (guint i = 0; i < N_PACKETS; i++) {
    reports[i] = make_report (SSRC, 7);
    protect (sender, TRUE, &reports[i]);
  }
  return NULL;
}

GST_START_TEST (test_two_threads_protect_at_once)
{
  GstTfrcSrtpUsage usage;
  GThread *threads[2];

  start (__i__);
  threads[0] = g_thread_new ("data", protect_data, NULL);
  threads[1] = g_thread_new ("reports", protect_reports, NULL);
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);
  for (guint i = 0; i < N_PACKETS; i++) {
    expect_data (data[i], (guint16) (65000 + i));
    fail_unless_equals_int (
        unprotect_at (receiver, TRUE, &reports[i], NOW), GST_TFRC_UNPROTECTED_OK);
  }
  gst_tfrc_srtp_get_usage (sender, &usage);
  fail_unless_equals_int (usage.packets, 2 * N_PACKETS);
}
GST_END_TEST;

static gpointer
use_another (gpointer cipher)
{
  GstTfrcStreamKeys keys = make_keys (GPOINTER_TO_INT (cipher), 1);

  for (guint i = 0; i < 20; i++) {
    GstTfrcSrtp *end = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
    Packet packet = make_data (1);

    fail_unless (gst_tfrc_srtp_install (end, &keys, SSRC, 0, NULL));
    fail_unless (protect (end, FALSE, &packet) > 0);
    gst_tfrc_srtp_free (end);
  }
  return NULL;
}

GST_START_TEST (test_threads_make_and_free_objects_at_once)
{
  GThread *threads[N_CIPHERS];

  for (gint i = 0; i < N_CIPHERS; i++)
    threads[i] = g_thread_new ("another", use_another, GINT_TO_POINTER (i));
  for (gint i = 0; i < N_CIPHERS; i++)
    g_thread_join (threads[i]);
}
GST_END_TEST;

GST_START_TEST (test_keys_change_while_another_thread_protects)
{
  GThread *thread;

  start (__i__);
  thread = g_thread_new ("data", protect_data, NULL);
  for (guint8 generation = 2; generation < 10; generation++) {
    install (sender, __i__, generation, gst_tfrc_srtp_get_roc (sender, 0));
    gst_tfrc_srtp_switch (sender, NOW);
  }
  g_thread_join (thread);
  for (guint i = 0; i < N_PACKETS; i++)
    fail_unless (data[i].size > DATA_BYTES);
}
GST_END_TEST;

/* ---- memory ------------------------------------------------------------- */

/* Returns 0 with an allocator that does not count, as a sanitizer's. */
static gsize
bytes_in_use (void)
{
#if __GLIBC_PREREQ(2, 33)
  return mallinfo2 ().uordblks;
#else
  return 0;
#endif
}

static void
flood (GstTfrcSrtp *end, gboolean is_rtcp, guint32 lowest, guint32 n)
{
  for (guint32 ssrc = lowest; ssrc < lowest + n; ssrc++) {
    Packet forged = is_rtcp ? make_report (ssrc, 0xff) : make_data_of (ssrc, (guint16) ssrc, 100);

    forged.size += is_rtcp ? 20 : 0; /* tag and index, both all ones */
    memset (bytes_of (&forged) + REPORT_BYTES, 0xff, 20);
    fail_unless_equals_int (unprotect_at (end, is_rtcp, &forged, NOW), GST_TFRC_UNPROTECTED_FORGED);
  }
}

GST_START_TEST (test_forged_ssrcs_take_no_memory)
{
  gsize before;

  start (__i__);
  flood (sender, TRUE, 1, 100);
  flood (receiver, TRUE, 1, 100);
  flood (receiver, FALSE, 1, 100);
  before = bytes_in_use ();
  flood (sender, TRUE, 1000, 5000);
  flood (receiver, TRUE, 1000, 5000);
  flood (receiver, FALSE, 1000, 5000);
  fail_unless (
      bytes_in_use () <= before + 4096, "%" G_GSIZE_FORMAT " bytes more", bytes_in_use () - before);
}
GST_END_TEST;

static Suite *
srtpthreads_suite (void)
{
  Suite *suite = suite_create ("srtpthreads");
  TCase *tcase = add_case (suite, "each cipher");

#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, N_CIPHERS)
  tcase_add_test (tcase, test_threads_make_and_free_objects_at_once);
  EACH_CIPHER (test_two_threads_protect_at_once);
  EACH_CIPHER (test_keys_change_while_another_thread_protects);
  EACH_CIPHER (test_forged_ssrcs_take_no_memory);
  return suite;
}

GST_CHECK_MAIN (srtpthreads);
