/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP: threads, and what many SSRCs cost, see gst/security/srtp.h. */
#include <malloc.h>

#include "srtptest.h"

static gpointer
use_another (gpointer cipher)
{
  GstTfrcStreamKeys keys = make_keys (GPOINTER_TO_INT (cipher), 1);

  for (guint i = 0; i < 20; i++) {
    GstTfrcSrtp *end = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
    Packet packet = make_data (1);

    fail_unless (gst_tfrc_srtp_install (end, &keys, SSRC, 0, 0, NULL));
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

/* ---- one object ---------------------------------------------------------- */

#define N_PACKETS 1000
#define N_GENERATIONS 8

static GMutex lock;    /* stands for the port's */
static gint has_ended; /* atomic */

/* The I/O loop's thread: keys change with the lock held, packets are protected without it. */
static gpointer
serve (gpointer cipher)
{
  for (guint8 generation = 2; generation < 2 + N_GENERATIONS; generation++) {
    g_mutex_lock (&lock);
    install (sender, GPOINTER_TO_INT (cipher), generation, gst_tfrc_srtp_get_roc (sender, 0));
    gst_tfrc_srtp_switch (sender, NOW);
    g_mutex_unlock (&lock);
    for (guint i = 0; i < N_PACKETS / N_GENERATIONS; i++) {
      Packet packet = make_data ((guint16) i);

      fail_unless (protect (sender, FALSE, &packet) > 0);
    }
  }
  g_atomic_int_set (&has_ended, TRUE);
  return NULL;
}

GST_START_TEST (test_another_thread_asks_for_keys_while_packets_are_protected)
{
  GThread *loop;

  start (__i__);
  g_atomic_int_set (&has_ended, FALSE);
  loop = g_thread_new ("loop", serve, GINT_TO_POINTER (__i__));
  while (!g_atomic_int_get (&has_ended)) {
    g_mutex_lock (&lock);
    fail_unless (gst_tfrc_srtp_can_protect (sender));
    g_mutex_unlock (&lock);
  }
  g_thread_join (loop);
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
  EACH_CIPHER (test_another_thread_asks_for_keys_while_packets_are_protected);
  EACH_CIPHER (test_forged_ssrcs_take_no_memory);
  return suite;
}

GST_CHECK_MAIN (srtpthreads);
