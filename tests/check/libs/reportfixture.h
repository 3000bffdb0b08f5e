/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each program has whose sender follows receiver reports alone */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include "reporttest.h"

/* W_init in 100 ms: the base; a trial begins at once */
#define FIRST_BASE 43800.0

static ReportTest t;

static inline void
setup (void)
{
  report_test_init (&t);
}

static inline void
teardown (void)
{
  report_test_clear (&t);
}

static inline void
start (void)
{
  fail_unless_equals_int (report_after (&t, 1500 * MS), TFRC_OK);
}

#endif
