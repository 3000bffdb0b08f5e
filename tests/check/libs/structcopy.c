/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between a program's struct and the library's struct. Either struct may be longer. See
 * lib/tfrc/struct_size.h. */
#include <gst/check/gstcheck.h>
#include <tfrc/struct_size.h>

/* The first version of this struct had one field, the second version two. The library knows
 * three. */
typedef struct
{
  guint32 first, second, third;
} Known;

#define FIRST_SIZE TFRC_FIRST_SIZE (Known, first)

GST_START_TEST (test_struct_of_an_older_program_keeps_the_defaults_it_lacks)
{
  Known known = { 1, 2, 3 };
  guint32 *given = g_new (guint32, 2);

  given[0] = 10;
  given[1] = 20;
  fail_unless_equals_int (
      tfrc_struct_read (&known, sizeof known, given, 2 * sizeof *given, FIRST_SIZE), TFRC_OK);
  fail_unless_equals_int (known.first, 10);
  fail_unless_equals_int (known.second, 20);
  fail_unless_equals_int (known.third, 3);
  g_free (given);
}

GST_END_TEST;

GST_START_TEST (test_struct_of_an_older_program_is_not_written_beyond_its_end)
{
  const Known known = { 1, 2, 3 };
  guint32 given[] = { 0, 0, 0xa5a5a5a5 };

  for (gsize fields = 1; fields <= 2; fields++) {
    given[1] = 0xa5a5a5a5;
    fail_unless_equals_int (
        tfrc_struct_write (given, fields * sizeof given[0], &known, sizeof known, FIRST_SIZE),
        TFRC_OK);
    fail_unless_equals_int (given[0], 1);
    fail_unless_equals_int (given[1], fields > 1 ? 2 : 0xa5a5a5a5);
    fail_unless_equals_int (given[2], 0xa5a5a5a5);
  }
}

GST_END_TEST;

GST_START_TEST (test_struct_of_a_newer_program_may_set_no_field_that_is_unknown)
{
  Known known = { 1, 2, 3 };
  guint32 given[] = { 10, 20, 30, 0, 0 };

  fail_unless_equals_int (
      tfrc_struct_read (&known, sizeof known, given, sizeof given, FIRST_SIZE), TFRC_OK);
  fail_unless_equals_int (known.third, 30);
  given[0] = 11;
  given[4] = 1;
  fail_unless_equals_int (
      tfrc_struct_read (&known, sizeof known, given, sizeof given, FIRST_SIZE), TFRC_ERROR_SIZE);
  fail_unless_equals_int (known.first, 10);
}

GST_END_TEST;

GST_START_TEST (test_struct_of_a_newer_program_gets_zero_in_unknown_fields)
{
  const Known known = { 1, 2, 3 };
  guint32 given[] = { 9, 9, 9, 9, 9 };

  fail_unless_equals_int (
      tfrc_struct_write (given, sizeof given, &known, sizeof known, FIRST_SIZE), TFRC_OK);
  fail_unless_equals_int (given[2], 3);
  fail_unless_equals_int (given[3], 0);
  fail_unless_equals_int (given[4], 0);
}

GST_END_TEST;

static const gsize wrong_sizes[] = { 0, 1, FIRST_SIZE - 1, TFRC_MAX_STRUCT_BYTES + 1, G_MAXSIZE };

GST_START_TEST (test_size_that_no_version_has_is_refused)
{
  Known known = { 1, 2, 3 };
  guint32 given[] = { 9, 9, 9, 9, 9 };

  for (guint i = 0; i < G_N_ELEMENTS (wrong_sizes); i++) {
    fail_unless_equals_int (
        tfrc_struct_read (&known, sizeof known, given, wrong_sizes[i], FIRST_SIZE),
        TFRC_ERROR_SIZE);
    fail_unless_equals_int (
        tfrc_struct_write (given, wrong_sizes[i], &known, sizeof known, FIRST_SIZE),
        TFRC_ERROR_SIZE);
  }
  fail_unless_equals_int (known.first, 1);
  fail_unless_equals_int (given[0], 9);
}

GST_END_TEST;

static Suite *
structcopy_suite (void)
{
  Suite *s = suite_create ("structcopy");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_struct_of_an_older_program_keeps_the_defaults_it_lacks);
  tcase_add_test (tc, test_struct_of_an_older_program_is_not_written_beyond_its_end);
  tcase_add_test (tc, test_struct_of_a_newer_program_may_set_no_field_that_is_unknown);
  tcase_add_test (tc, test_struct_of_a_newer_program_gets_zero_in_unknown_fields);
  tcase_add_test (tc, test_size_that_no_version_has_is_refused);
  return s;
}

GST_CHECK_MAIN (structcopy);
