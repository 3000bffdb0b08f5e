/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of passphrases, see gst/security/passphrasekey.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "forktest.h"
#include "gst/security/passphrasekey.h"

#define PASSPHRASE "correct horse"
#define N_THREADS 8

static GstTfrcPassphraseKey *
get (const gchar *passphrase)
{
  GstTfrcPassphraseKey *key = gst_tfrc_passphrase_key_get (passphrase, strlen (passphrase));

  fail_unless (key != NULL);
  return key;
}

static guint derived_before; /* by the tests before, if all run in one process */

static void
setup (void)
{
  derived_before = gst_tfrc_passphrase_key_count ();
}

/* Keys that have been derived in this test */
static guint
derived (void)
{
  return gst_tfrc_passphrase_key_count () - derived_before;
}

static gboolean
is_equal (const GstTfrcPassphraseKey *a, const GstTfrcPassphraseKey *b)
{
  return memcmp (
             gst_tfrc_passphrase_key_peek (a), gst_tfrc_passphrase_key_peek (b), GST_TFRC_PSK_BYTES)
      == 0;
}

GST_START_TEST (a_passphrase_that_is_in_use_is_derived_once)
{
  GstTfrcPassphraseKey *key = get (PASSPHRASE), *same = get (PASSPHRASE);
  GstTfrcPassphraseKey *other = get (PASSPHRASE "!");

  fail_unless_equals_int (derived (), 2);
  fail_unless (is_equal (key, same));
  fail_if (is_equal (key, other));
  gst_tfrc_passphrase_key_release (key);
  key = get (PASSPHRASE);
  fail_unless_equals_int (derived (), 2);
  fail_unless (is_equal (key, same));
  gst_tfrc_passphrase_key_release (same);
  gst_tfrc_passphrase_key_release (other);
  gst_tfrc_passphrase_key_release (key);
}
GST_END_TEST;

GST_START_TEST (the_last_user_takes_the_key_along)
{
  GstTfrcPassphraseKey *key = get (PASSPHRASE);
  guint8 psk[GST_TFRC_PSK_BYTES];

  memcpy (psk, gst_tfrc_passphrase_key_peek (key), sizeof psk);
  gst_tfrc_passphrase_key_release (key);
  key = get (PASSPHRASE);
  fail_unless_equals_int (derived (), 2);
  fail_unless (memcmp (gst_tfrc_passphrase_key_peek (key), psk, sizeof psk) == 0);
  gst_tfrc_passphrase_key_release (key);
  gst_tfrc_passphrase_key_release (NULL);
}
GST_END_TEST;

static gpointer
get_in_thread (gpointer unused)
{
  return get (PASSPHRASE);
}

GST_START_TEST (threads_with_one_passphrase_wait_for_one_derivation)
{
  GThread *threads[N_THREADS];
  GstTfrcPassphraseKey *keys[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("key", get_in_thread, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    keys[i] = g_thread_join (threads[i]);
  fail_unless_equals_int (derived (), 1);
  for (guint i = 0; i < N_THREADS; i++) {
    fail_unless (is_equal (keys[i], keys[0]));
    if (i > 0)
      gst_tfrc_passphrase_key_release (keys[i]);
  }
  gst_tfrc_passphrase_key_release (keys[0]);
}
GST_END_TEST;

/* A key that a thread of the parent is deriving will not be ready in the child. */
static void
use_in_child (gpointer inherited)
{
  GstTfrcPassphraseKey *key = get (PASSPHRASE);

  if (derived () != 2 || !is_equal (key, inherited))
    _exit (3);
  gst_tfrc_passphrase_key_release (inherited);
  if (get (PASSPHRASE) != key || derived () != 2)
    _exit (4);
}

GST_START_TEST (a_child_of_fork_has_keys_of_its_own)
{
  GstTfrcPassphraseKey *key = get (PASSPHRASE);

  run_in_child (use_in_child, key, 0);
  fail_unless_equals_int (derived (), 1);
  gst_tfrc_passphrase_key_release (key);
}
GST_END_TEST;

static Suite *
passphrasekey_suite (void)
{
  Suite *suite = suite_create ("passphrasekey");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, a_passphrase_that_is_in_use_is_derived_once);
  tcase_add_test (tcase, the_last_user_takes_the_key_along);
  tcase_add_test (tcase, threads_with_one_passphrase_wait_for_one_derivation);
  tcase_add_test (tcase, a_child_of_fork_has_keys_of_its_own);
  return suite;
}

GST_CHECK_MAIN (passphrasekey);
