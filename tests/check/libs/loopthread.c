/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an I/O loop's thread asks the scheduler for, see gst/io/loopthread.h. */
#define _GNU_SOURCE 1
#include <gst/check/gstcheck.h>

#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gst/io/loopthread.h"

typedef struct
{
  guint32 size, policy;
  guint64 flags;
  gint32 nice;
  guint32 priority;
  guint64 runtime, deadline, period;
} SchedAttr;

static SchedAttr
attr_of_this_thread (void)
{
  SchedAttr attr = { 0 };

  fail_unless_equals_int (syscall (SYS_sched_getattr, 0, &attr, sizeof attr, 0), 0);
  return attr;
}

/* Slices of ordinary threads came with Linux 6.12. */
static gboolean
kernel_has_slices (void)
{
  struct utsname name;
  guint major = 0, minor = 0;

  fail_unless_equals_int (uname (&name), 0);
  fail_unless_equals_int (sscanf (name.release, "%u.%u", &major, &minor), 2);
  return major > 6 || (major == 6 && minor >= 12);
}

static gpointer
prepare_without_realtime (gpointer attr)
{
  fail_if (gst_tfrc_io_thread_prepare (FALSE));
  *(SchedAttr *) attr = attr_of_this_thread ();
  return NULL;
}

static gpointer
give_realtime_up (gpointer attr)
{
  if (gst_tfrc_io_thread_prepare (TRUE))
    fail_unless (gst_tfrc_io_thread_give_up_realtime ());
  *(SchedAttr *) attr = attr_of_this_thread ();
  return NULL;
}

static SchedAttr
attr_after (GThreadFunc func)
{
  SchedAttr attr;

  g_thread_join (g_thread_new ("tfrc-io", func, &attr));
  return attr;
}

GST_START_TEST (test_ordinary_thread_has_short_slices)
{
  const SchedAttr before = attr_of_this_thread (), after = attr_after (prepare_without_realtime);

  fail_unless_equals_int (after.policy, SCHED_OTHER);
  fail_unless_equals_int (after.nice, before.nice);
  if (kernel_has_slices ())
    fail_unless_equals_uint64 (after.runtime, GST_TFRC_IO_SLICE_NS);
}

GST_END_TEST;

GST_START_TEST (test_thread_that_gave_realtime_up_has_short_slices)
{
  const SchedAttr after = attr_after (give_realtime_up);

  fail_unless_equals_int (after.policy, SCHED_OTHER);
  if (kernel_has_slices ())
    fail_unless_equals_uint64 (after.runtime, GST_TFRC_IO_SLICE_NS);
}

GST_END_TEST;

/* The caller's own slices are its own. */
GST_START_TEST (test_other_threads_keep_their_slices)
{
  const SchedAttr before = attr_of_this_thread ();

  attr_after (prepare_without_realtime);
  fail_unless_equals_uint64 (attr_of_this_thread ().runtime, before.runtime);
}

GST_END_TEST;

static Suite *
loopthread_suite (void)
{
  Suite *s = suite_create ("loopthread");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_ordinary_thread_has_short_slices);
  tcase_add_test (tc, test_thread_that_gave_realtime_up_has_short_slices);
  tcase_add_test (tc, test_other_threads_keep_their_slices);
  return s;
}

GST_CHECK_MAIN (loopthread);
