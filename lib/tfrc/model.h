/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Models: the throughput equations that the rate can come from, two functions for each value of
 * TfrcModel.  A new model is two new functions and a new line of the table in model.c.
 *
 * The sender computes in bytes and seconds.  The receiver needs a loss interval for a rate before it may
 * know R, so it computes in packets and round-trip times.  Reno's equation is the same in all units.
 * Other equations are not: the rate of CUBIC (RFC 9438 section 5.2) depends on R in seconds.  So the
 * input tells the unit. */
#ifndef TFRC_MODEL_H
#define TFRC_MODEL_H

#include <tfrc/tfrc.h>

/* The values beside p that the rate depends on */
typedef struct
{
  double segment; /* s, in the unit of size: 1 if that is the packet */
  double rtt;     /* R, in the unit of time: 1 if that is R */
  double rto;     /* t_RTO of the equation, in the unit of time */
  double unit_s;  /* the unit of time in seconds; 0: it is R, which is not known */
} TfrcModelInput;

typedef struct
{
  /* Returns X at p = 0..1, in units of size per unit of time; INFINITY for p = 0; 0 if an input is out
   * of its range. */
  double (*rate) (const TfrcModelInput *input, double p);
  /* Returns the p at which X is this rate, 0..1; 1 also if no p gives so little. */
  double (*p) (const TfrcModelInput *input, double rate);
} TfrcModelFuncs;

/* Returns the model's functions: static; NULL if there is no such model. */
const TfrcModelFuncs *tfrc_model_find (TfrcModel model);

/* Section 6.3.1: returns the first loss interval, the one with which the model gives this rate, or half a
 * packet in R if the rate is lower. */
double tfrc_model_first_interval (TfrcModel model, const TfrcModelInput *input, double rate);

#endif
