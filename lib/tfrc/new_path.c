/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback after a change of paths, see new_path.h. */
#include "new_path.h"

#include <string.h>

#include "units.h"

/* A receiver measures X_recv over the interval before the feedback, and over at most twice that
 * time (section 6.2 step 2). */
#define X_RECV_INTERVALS 2

void
tfrc_new_path_init (TfrcNewPath *path)
{
  memset (path, 0, sizeof *path);
}

void
tfrc_new_path_begin (TfrcNewPath *path, uint64_t old_interval_ns, uint64_t left_ns)
{
  bool settled = path->expected == TFRC_NEW_PATH_SETTLED;

  path->expected = TFRC_NEW_PATH_FIRST;
  path->left_ns = left_ns;
  path->old_interval_ns = settled ? old_interval_ns
                                  : tfrc_max_ns (path->old_interval_ns, old_interval_ns);
}

TfrcNewPathFeedback
tfrc_new_path_on_feedback (TfrcNewPath *path, uint64_t t_new_ns, uint64_t interval_ns)
{
  TfrcNewPathFeedback now = path->expected;
  uint64_t measured_ns = X_RECV_INTERVALS * tfrc_max_ns (interval_ns, path->old_interval_ns);

  if (now == TFRC_NEW_PATH_SETTLED)
    return now;
  if (t_new_ns < path->left_ns)
    return TFRC_NEW_PATH_OLD;
  path->expected = TFRC_NEW_PATH_MIXED;
  if (now == TFRC_NEW_PATH_MIXED && t_new_ns >= tfrc_add_ns (path->left_ns, measured_ns))
    now = path->expected = TFRC_NEW_PATH_SETTLED;
  return now;
}
