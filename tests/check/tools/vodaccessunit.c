/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access units of a given size, see tools/vod-replay/accessunit.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "accessunit.h"

#define NAL_TYPES 32

/* How often each type of NAL unit occurs.  Start codes have four bytes. */
static void
count_nal_units (const guint8 *data, gsize bytes, guint counts[NAL_TYPES])
{
  gsize i;

  memset (counts, 0, NAL_TYPES * sizeof counts[0]);
  fail_unless (memcmp (data, "\0\0\0\1", 4) == 0);
  for (i = 0; i + 3 < bytes; i++)
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1)
      counts[data[i + 3] & 31]++;
}

static void
start_stream (AccessUnitWriter *writer)
{
  guint8 data[1000];

  access_unit_writer_init (writer, 1);
  access_unit_write (writer, FRAME_TYPE_I, 0, data, sizeof data);
}

GST_START_TEST (the_smallest_are_small)
{
  fail_unless_equals_int (access_unit_min_bytes (FRAME_TYPE_I), 51);
  fail_unless_equals_int (access_unit_min_bytes (FRAME_TYPE_P), 15);
  fail_unless_equals_int (access_unit_min_bytes (FRAME_TYPE_B), 15);
}

GST_END_TEST;

GST_START_TEST (every_size_is_filled_and_nothing_beyond)
{
  guint8 data[70000];
  AccessUnitWriter writer;
  guint type;

  start_stream (&writer);
  for (type = 0; type < N_FRAME_TYPES; type++) {
    gsize min = access_unit_min_bytes (type), bytes;

    for (bytes = min; bytes < sizeof data; bytes += bytes < 1500 ? 1 : 251) {
      guint counts[NAL_TYPES];

      memset (data, 0xee, bytes + 1);
      access_unit_write (&writer, type, bytes, data, bytes);
      fail_unless_equals_int (data[bytes], 0xee);
      count_nal_units (data, bytes, counts);
      fail_unless_equals_int (counts[9], 1);
      fail_unless_equals_int (counts[1], 1);
      fail_unless_equals_int (counts[5], 0);
      fail_unless_equals_int (counts[6], type == FRAME_TYPE_I);
      fail_unless_equals_int (counts[30], bytes >= min + 6);
      fail_unless_equals_int (counts[7], type == FRAME_TYPE_I);
      fail_unless_equals_int (counts[8], type == FRAME_TYPE_I);
    }
  }
}

GST_END_TEST;

/* A classifier that reads the first packet of a unit knows the picture. */
GST_START_TEST (the_slice_comes_before_the_filler)
{
  static const guint8 slice_headers[] = { 0x61, 0x41, 0x01 };
  guint8 data[70000];
  AccessUnitWriter writer;
  guint type;

  start_stream (&writer);
  for (type = 0; type < N_FRAME_TYPES; type++) {
    gsize min = access_unit_min_bytes (type), at;

    access_unit_write (&writer, type, 1, data, sizeof data);
    for (at = min; at > 0 && (memcmp (data + at, "\0\0\0\1", 4) != 0 || at == min); at--)
      ;
    fail_unless_equals_int (data[at + 4], slice_headers[type]);
    fail_unless (memcmp (data + min, "\0\0\0\1\36", 5) == 0);
  }
}

GST_END_TEST;

GST_START_TEST (only_the_first_picture_is_idr)
{
  guint8 data[1000];
  guint counts[NAL_TYPES];
  AccessUnitWriter writer;

  access_unit_writer_init (&writer, 1);
  access_unit_write (&writer, FRAME_TYPE_I, 0, data, sizeof data);
  count_nal_units (data, sizeof data, counts);
  fail_unless_equals_int (counts[5], 1);
  fail_unless_equals_int (counts[1], 0);
  access_unit_write (&writer, FRAME_TYPE_I, 1, data, sizeof data);
  count_nal_units (data, sizeof data, counts);
  fail_unless_equals_int (counts[5], 0);
  fail_unless_equals_int (counts[1], 1);
}

GST_END_TEST;

GST_START_TEST (seeds_make_streams_that_differ_and_repeat)
{
  guint8 a[1000], b[1000];
  AccessUnitWriter writer;

  access_unit_writer_init (&writer, 7);
  access_unit_write (&writer, FRAME_TYPE_I, 0, a, sizeof a);
  access_unit_writer_init (&writer, 7);
  access_unit_write (&writer, FRAME_TYPE_I, 0, b, sizeof b);
  fail_unless (memcmp (a, b, sizeof a) == 0);
  access_unit_writer_init (&writer, 8);
  access_unit_write (&writer, FRAME_TYPE_I, 0, b, sizeof b);
  fail_if (memcmp (a, b, sizeof a) == 0);
  access_unit_writer_init (&writer, G_MAXUINT64);
  access_unit_write (&writer, FRAME_TYPE_I, 0, a, sizeof a);
  /* 500 and 508 are bytes of the random part */
  fail_if (memcmp (a + 500, a + 508, 8) == 0);
}

GST_END_TEST;

static Suite *
vodaccessunit_suite (void)
{
  Suite *s = suite_create ("vodaccessunit");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_smallest_are_small);
  tcase_add_test (tc, every_size_is_filled_and_nothing_beyond);
  tcase_add_test (tc, the_slice_comes_before_the_filler);
  tcase_add_test (tc, only_the_first_picture_is_idr);
  tcase_add_test (tc, seeds_make_streams_that_differ_and_repeat);
  return s;
}

GST_CHECK_MAIN (vodaccessunit);
