/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was the interval that a feedback packet covers data-limited (RFC 5348 section 8.2.1)?
 * Remembers two times at which the sender had sent all that it was allowed to send. */
#ifndef TFRC_DATA_LIMITED_H
#define TFRC_DATA_LIMITED_H

#include <stdbool.h>
#include <stdint.h>

/* All times are send times, from 1 on: 0 means "none". */
typedef struct
{
  uint64_t not_limited1_ns;
  uint64_t not_limited2_ns;
  uint64_t t_new_ns;
  uint64_t t_next_ns;
} TfrcDataLimited;

void tfrc_data_limited_init (TfrcDataLimited *limited);

/* To be called after a segment, if the sender has now sent all that it is allowed to send. */
void tfrc_data_limited_on_limit_reached (TfrcDataLimited *limited, uint64_t now_ns);

/* To be called on feedback whose t_recvdata is t_new.  Returns whether the round-trip time that
 * the feedback covers, (t_new - rtt, t_new], was data-limited from end to end. */
bool tfrc_data_limited_on_feedback (
    TfrcDataLimited *limited, uint64_t t_new_ns, uint64_t rtt_ns, uint64_t now_ns);

#endif
