/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The maximum of a recent window, see windowed_max.h. */
#include "windowed_max.h"

#include <math.h>

#include "units.h"

void
tfrc_windowed_max_init (TfrcWindowedMax *window)
{
  window->now = window->before = -INFINITY;
  window->since_ns = 0;
}

double
tfrc_windowed_max_update (
    TfrcWindowedMax *window, double value, uint64_t period_ns, uint64_t now_ns)
{
  uint64_t passed_ns = tfrc_sub_ns (now_ns, window->since_ns);

  if (passed_ns >= period_ns) {
    window->before = passed_ns < 2 * period_ns ? window->now : -INFINITY;
    window->now = -INFINITY;
    window->since_ns = now_ns;
  }
  window->now = fmax (window->now, value);
  return fmax (window->now, window->before);
}
