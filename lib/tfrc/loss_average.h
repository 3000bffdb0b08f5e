/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods that make an average of the loss intervals: one function for each value of
 * TfrcLossIntervalMethod.  A new method is a new function and a new line of the table in
 * loss_average.c.
 *
 * The methods of enhanced TFRC (eq. 6 to 10, see docs/decisions/enhanced.md) change the closed
 * intervals alone.  The average of the closed intervals and the average with the newest interval
 * follow, and the larger one counts, as in sections 5.4 and 5.5. */
#ifndef TFRC_LOSS_AVERAGE_H
#define TFRC_LOSS_AVERAGE_H

#include <tfrc/tfrc.h>

/* The loss intervals that a method averages, in packets.  The weights are tfrc_loss_weight(). */
typedef struct
{
  double newest;          /* I_0: the packets since the last loss event, at least 1 */
  double newest_discount; /* DF, the factor on the weights of the closed intervals beside I_0
                             (section 5.5); 1: history discounting is off, or I_0 is not long */
  uint32_t n;             /* number of intervals that count, 2..TFRC_MAX_HISTORY_LENGTH */
  uint32_t closed;        /* number of closed intervals, 1..n */
  const double *length;   /* I_i is length[i], 1 <= i <= closed */
  const double *discount; /* DF_i is discount[i] */
} TfrcLossAverageInput;

/* Returns the average loss interval I_mean in packets, more than 0. */
typedef double (*TfrcLossAverageFunc) (const TfrcLossAverageInput *input);

/* Returns the method's function; NULL: there is no such method. */
TfrcLossAverageFunc tfrc_loss_average_find (TfrcLossIntervalMethod method);

/* w_i of section 5.4, 0 <= i < n */
double tfrc_loss_weight (uint32_t i, uint32_t n);

/* The weighted average of the closed intervals alone, I_tot1 / W_tot1 of section 5.5.  Does not use
 * newest and newest_discount. */
double tfrc_loss_average_of_closed (const TfrcLossAverageInput *input);

#endif
