/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison of real numbers in tests. */
#ifndef CLOSETO_H
#define CLOSETO_H

#include <math.h>

#include <gst/check/gstcheck.h>

/* Equal but for rounding in the last digits, or within the given relative tolerance */
#define assert_close(actual, expected) assert_within (actual, expected, 1e-9)

#define assert_within(actual, expected, tolerance) \
  G_STMT_START \
  { \
    double actual_ = (actual), expected_ = (expected); \
    fail_unless ( \
        actual_ == expected_ || fabs (actual_ - expected_) <= (tolerance) *fabs (expected_), \
        "'%s' is %.17g, not %.17g", #actual, actual_, expected_); \
  } \
  G_STMT_END

#endif
