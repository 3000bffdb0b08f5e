/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, see data_limited.h. */
#include "data_limited.h"

#include <string.h>

#include "units.h"

void
tfrc_data_limited_init (TfrcDataLimited *limited)
{
  memset (limited, 0, sizeof *limited);
}

void
tfrc_data_limited_on_limit_reached (TfrcDataLimited *limited, uint64_t now_ns)
{
  if (limited->not_limited1_ns <= limited->t_new_ns)
    limited->not_limited1_ns = now_ns;
  else if (limited->not_limited2_ns <= limited->t_next_ns)
    limited->not_limited2_ns = now_ns;
}

bool
tfrc_data_limited_on_feedback (
    TfrcDataLimited *limited, uint64_t t_new_ns, uint64_t rtt_ns, uint64_t now_ns)
{
  uint64_t t_old_ns = tfrc_sub_ns (t_new_ns, rtt_ns);
  bool not_limited = (limited->not_limited1_ns > t_old_ns && limited->not_limited1_ns <= t_new_ns)
      || (limited->not_limited2_ns > t_old_ns && limited->not_limited2_ns <= t_new_ns);

  limited->t_new_ns = t_new_ns;
  limited->t_next_ns = now_ns;
  if (limited->not_limited1_ns <= t_new_ns && limited->not_limited2_ns > t_new_ns)
    limited->not_limited1_ns = limited->not_limited2_ns;
  return !not_limited;
}
