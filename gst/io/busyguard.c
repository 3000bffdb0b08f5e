/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The busy guard, see busyguard.h. */
#include "busyguard.h"

void
gst_tfrc_busy_guard_init (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns)
{
  guard->now_ns = now_ns;
  guard->cpu_ns = cpu_ns;
  guard->debt_ns = 0;
}

gboolean
gst_tfrc_busy_guard_on_wakeup (GstTfrcBusyGuard *guard, guint64 now_ns, guint64 cpu_ns)
{
  guint64 passed_ns = now_ns - guard->now_ns;
  guint64 work_ns = cpu_ns - guard->cpu_ns;
  /* The two clocks are read one after the other. */
  guint64 rest_ns = passed_ns - MIN (work_ns, passed_ns);

  /* A rest of this length balances every debt. */
  rest_ns = MIN (rest_ns, GST_TFRC_BUSY_LIMIT_NS);
  guard->debt_ns += work_ns;
  guard->debt_ns -= MIN (rest_ns * GST_TFRC_BUSY_PER_REST, guard->debt_ns);
  guard->now_ns = now_ns;
  guard->cpu_ns = cpu_ns;
  return guard->debt_ns > GST_TFRC_BUSY_LIMIT_NS;
}
