/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender that nobody answers */
#include <errno.h>

#include <gst/check/gstcheck.h>

#include "gst/flow/silence.h"

#define START_NS (1000 * G_GUINT64_CONSTANT (1000000000))

GST_START_TEST (silence_is_noticed_once_after_four_seconds)
{
  GstTfrcSilence silence = { 0 };

  gst_tfrc_silence_on_packet (&silence, START_NS);
  fail_unless_equals_uint64 (gst_tfrc_silence_next_ns (&silence), START_NS + 4 * GST_SECOND);
  fail_if (gst_tfrc_silence_is_noticed (&silence, START_NS + 4 * GST_SECOND - 1));
  gst_tfrc_silence_on_packet (&silence, START_NS + GST_SECOND);
  fail_unless (gst_tfrc_silence_is_noticed (&silence, START_NS + 4 * GST_SECOND));
  fail_if (gst_tfrc_silence_is_noticed (&silence, START_NS + 4 * GST_SECOND));
  gst_tfrc_silence_on_packet (&silence, START_NS + 5 * GST_SECOND);
  fail_unless_equals_uint64 (gst_tfrc_silence_next_ns (&silence), G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (stream_without_packets_waits_for_no_answer)
{
  GstTfrcSilence silence = { 0 };

  fail_unless_equals_uint64 (gst_tfrc_silence_next_ns (&silence), G_MAXUINT64);
  fail_if (gst_tfrc_silence_is_noticed (&silence, START_NS));
}

GST_END_TEST;

GST_START_TEST (answer_ends_the_wait)
{
  GstTfrcSilence silence = { 0 };

  gst_tfrc_silence_on_packet (&silence, START_NS);
  gst_tfrc_silence_on_answer (&silence);
  fail_unless_equals_uint64 (gst_tfrc_silence_next_ns (&silence), G_MAXUINT64);
  fail_if (gst_tfrc_silence_is_noticed (&silence, START_NS + 4 * GST_SECOND));
}

GST_END_TEST;

GST_START_TEST (last_error_is_kept)
{
  GstTfrcSilence silence = { 0 };

  gst_tfrc_silence_on_packet (&silence, START_NS);
  gst_tfrc_silence_on_error (&silence, EHOSTUNREACH);
  gst_tfrc_silence_on_error (&silence, ECONNREFUSED);
  fail_unless (gst_tfrc_silence_is_noticed (&silence, START_NS + 4 * GST_SECOND));
  fail_unless_equals_int (silence.error, ECONNREFUSED);
}

GST_END_TEST;

static Suite *
silence_suite (void)
{
  Suite *suite = suite_create ("silence");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, silence_is_noticed_once_after_four_seconds);
  tcase_add_test (tcase, stream_without_packets_waits_for_no_answer);
  tcase_add_test (tcase, answer_ends_the_wait);
  tcase_add_test (tcase, last_error_is_kept);
  return suite;
}

GST_CHECK_MAIN (silence);
