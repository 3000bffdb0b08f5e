/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Equation 11 of the paper on enhanced TFRC, and the ranges of its parameters, see
 * gst/flow/adaptivettl.h. */
#include <float.h>

#include "gst/flow/adaptivettl.h"
#include "vectors.h"

#define MAX_TTL GST_TFRC_MAX_TTL

GST_START_TEST (equation_11_gives_the_reference_numbers)
{
  Vectors vectors;

  vectors_open (&vectors, "ttl.csv", "estimate,previous,min,max,alpha,ttl");
  while (vectors_next (&vectors)) {
    const GstTfrcAdaptiveTtlConfig config = { TRUE, (guint) vectors_number (&vectors, 2),
      (guint) vectors_number (&vectors, 3), vectors_number (&vectors, 4) };

    vectors_assert (&vectors, 5,
        gst_tfrc_ttl_equation (
            (guint) vectors_number (&vectors, 0), (guint) vectors_number (&vectors, 1), &config),
        0);
  }
  fail_unless_equals_int (vectors.rows, 7200);
}

GST_END_TEST;

GST_START_TEST (the_weights_at_the_ends_of_the_range_are_used)
{
  GstTfrcAdaptiveTtlConfig config = { TRUE, 1, MAX_TTL, 0.5 };

  fail_unless_equals_int (gst_tfrc_ttl_equation (5, 4, &config), 6);
  config.alpha = 1 - DBL_EPSILON / 2;
  fail_unless_equals_int (gst_tfrc_ttl_equation (5, 4, &config), 6);
  fail_unless_equals_int (gst_tfrc_ttl_equation (15, 5, &config), 25);
}

GST_END_TEST;

/* Returns the message of the error, or NULL if the configuration is right. */
static gchar *
check (gboolean enabled, guint min, guint max, gdouble alpha)
{
  const GstTfrcAdaptiveTtlConfig config = { enabled, min, max, alpha };
  GError *error = NULL;
  gchar *message = NULL;

  if (gst_tfrc_adaptive_ttl_check (&config, &error)) {
    fail_unless (error == NULL);
    return NULL;
  }
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT));
  message = g_strdup (error->message);
  g_clear_error (&error);
  return message;
}

static void
check_refused (guint min, guint max, gdouble alpha, const gchar *expected)
{
  gchar *message = check (TRUE, min, max, alpha);

  fail_unless_equals_string (message, expected);
  g_free (message);
}

GST_START_TEST (wrong_configurations_are_refused_by_the_names_of_the_properties)
{
  fail_unless (check (TRUE, 1, 1, 0.5) == NULL);
  fail_unless (check (TRUE, 1, MAX_TTL, 1 - DBL_EPSILON / 2) == NULL);
  check_refused (33, 32, 0.5, "ttl-min 33 is more than ttl-max 32");
  check_refused (0, 32, 0.5, "ttl-min 0 and ttl-max 32 must be 1 to 255");
  check_refused (1, 256, 0.5, "ttl-min 1 and ttl-max 256 must be 1 to 255");
  check_refused (256, 256, 0.5, "ttl-min 256 and ttl-max 256 must be 1 to 255");
  check_refused (1, 0, 0.5, "ttl-min 1 and ttl-max 0 must be 1 to 255");
  check_refused (1, 64, 0.49, "ttl-alpha 0.49 is not at least 0.5 and less than 1");
  check_refused (1, 64, 1, "ttl-alpha 1 is not at least 0.5 and less than 1");
  check_refused (1, 64, NAN, "ttl-alpha nan is not at least 0.5 and less than 1");
  /* What is not used is not wrong. */
  fail_unless (check (FALSE, 33, 32, 7) == NULL);
}

GST_END_TEST;

static Suite *
ttlequation_suite (void)
{
  Suite *s = suite_create ("ttlequation");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, equation_11_gives_the_reference_numbers);
  tcase_add_test (tc, the_weights_at_the_ends_of_the_range_are_used);
  tcase_add_test (tc, wrong_configurations_are_refused_by_the_names_of_the_properties);
  return s;
}

GST_CHECK_MAIN (ttlequation);
