/* What feedback still has of a path that packets do not go any more (RFC 9000 section 9.4), when the receiver has moved
 * without announcing a handover: nothing of it may count for the new one. */
#ifndef TFRC_NEW_PATH_H
#define TFRC_NEW_PATH_H

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  TFRC_NEW_PATH_SETTLED, /* nothing: also that of a stream which has had one path only */
  TFRC_NEW_PATH_OLD, /* it is about a packet that went the old way: R and X_recv are not of the new one */
  TFRC_NEW_PATH_FIRST, /* the first about a packet that went the new way: R is, X_recv is not */
  TFRC_NEW_PATH_MIXED  /* the same for those that follow */
} TfrcNewPathFeedback;

typedef struct
{
  TfrcNewPathFeedback expected; /* at least this much is known of the new path */
  uint64_t left_ns;             /* when the old one was left */
  uint64_t old_interval_ns;     /* between feedbacks there: R or more */
} TfrcNewPath;

/* One path, the first */
void tfrc_new_path_init (TfrcNewPath *path);

/* Packets that leave from then on go another way. */
void tfrc_new_path_begin (TfrcNewPath *path, uint64_t old_interval_ns, uint64_t left_ns);

/* Feedback about a packet that left at t_new_ns, on a path where its interval is that */
TfrcNewPathFeedback tfrc_new_path_on_feedback (
    TfrcNewPath *path, uint64_t t_new_ns, uint64_t interval_ns);

#endif
