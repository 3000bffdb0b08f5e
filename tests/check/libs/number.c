/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in text, see gst/common/number.h */
#include "gst/common/number.h"
#include <errno.h>
#include <gst/check/gstcheck.h>

GST_START_TEST (digits_in_the_range_are_a_number)
{
  guint64 number = 7;

  fail_unless (gst_tfrc_number_read ("1", 1, 64, &number) && number == 1);
  fail_unless (gst_tfrc_number_read ("0064", 1, 64, &number) && number == 64);
  fail_unless (gst_tfrc_number_read ("18446744073709551615", 0, G_MAXUINT64, &number));
  fail_unless_equals_uint64 (number, G_MAXUINT64);
}

GST_END_TEST;

GST_START_TEST (anything_else_is_none_and_changes_nothing)
{
  static const gchar *const texts[] = { "", " 3", "3 ", "+3", "-3", "0x3", "3.0", "0", "65",
    "18446744073709551616", "18446744073709551619", "99999999999999999999999" };
  guint64 number = 7;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    fail_if (gst_tfrc_number_read (texts[i], 1, 64, &number), "%s", texts[i]);
  fail_if (gst_tfrc_number_read (NULL, 1, 64, &number));
  fail_unless_equals_uint64 (number, 7);
}

GST_END_TEST;

/* What an earlier call has left in errno says nothing about the number. */
GST_START_TEST (errno_is_not_looked_at)
{
  guint64 number = 0;

  errno = EAGAIN;
  fail_unless (gst_tfrc_number_read ("3", 1, 64, &number) && number == 3);
  fail_unless_equals_int (errno, EAGAIN);
}

GST_END_TEST;

static Suite *
number_suite (void)
{
  Suite *s = suite_create ("number");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, digits_in_the_range_are_a_number);
  tcase_add_test (tc, anything_else_is_none_and_changes_nothing);
  tcase_add_test (tc, errno_is_not_looked_at);
  return s;
}

GST_CHECK_MAIN (number);
