/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of feedback that is still about a path which packets have left (RFC 9000 section 9.4),
 * after the receiver has moved without announcing a handover.  Nothing about the old path may count
 * for the new one. */
#ifndef TFRC_NEW_PATH_H
#define TFRC_NEW_PATH_H

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  /* the feedback is about the new path alone; or the stream has had one path */
  TFRC_NEW_PATH_SETTLED,
  /* the feedback is about a packet on the old path: neither R nor X_recv is of the new one */
  TFRC_NEW_PATH_OLD,
  /* the first feedback about a packet on the new path: R is of the new path, X_recv is not */
  TFRC_NEW_PATH_FIRST,
  TFRC_NEW_PATH_MIXED /* later feedback, as FIRST */
} TfrcNewPathFeedback;

typedef struct
{
  TfrcNewPathFeedback expected; /* the next feedback is about this much of the new path, or more */
  uint64_t left_ns;             /* when packets left the old path */
  uint64_t old_interval_ns;     /* time between feedback packets on the old path: R or more */
} TfrcNewPath;

/* The stream has had one path. */
void tfrc_new_path_init (TfrcNewPath *path);

/* Packets that leave from left_ns on take another path. */
void tfrc_new_path_begin (TfrcNewPath *path, uint64_t old_interval_ns, uint64_t left_ns);

/* Judges feedback about a packet that left at t_new_ns. interval_ns: the interval that feedback
 * covers now */
TfrcNewPathFeedback tfrc_new_path_on_feedback (
    TfrcNewPath *path, uint64_t t_new_ns, uint64_t interval_ns);

#endif
