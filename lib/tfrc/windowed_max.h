/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The greatest value of the last one to two periods.  A period begins with a value, so that where values
 * are rare, one may count for a third period.  After two periods without a value none of before counts. */
#ifndef TFRC_WINDOWED_MAX_H
#define TFRC_WINDOWED_MAX_H

#include <stdint.h>

typedef struct
{
  double now;        /* of this period; -INFINITY: no value yet */
  double before;     /* of the period before */
  uint64_t since_ns; /* when this period started */
} TfrcWindowedMax;

void tfrc_windowed_max_init (TfrcWindowedMax *window);

/* Returns the greatest value, this one included. */
double tfrc_windowed_max_update (
    TfrcWindowedMax *window, double value, uint64_t period_ns, uint64_t now_ns);

#endif
