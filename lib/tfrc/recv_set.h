/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set: the recent values of X_recv, which limit the sending rate (RFC 5348 sections 4.3,
 * 4.4 and 8.2.2). */
#ifndef TFRC_RECV_SET_H
#define TFRC_RECV_SET_H

#include <stdint.h>

/* N of section 8.2.2 */
#define TFRC_RECV_SET_SIZE 3

typedef struct
{
  struct
  {
    double x_recv_Bps;
    uint64_t time_ns;
  } items[TFRC_RECV_SET_SIZE]; /* oldest first */
  unsigned n;                  /* 1..TFRC_RECV_SET_SIZE */
} TfrcRecvSet;

/* A single item with the value Infinity. */
void tfrc_recv_set_init (TfrcRecvSet *set, uint64_t now_ns);

/* max (X_recv_set); INFINITY while the initial value is a member */
double tfrc_recv_set_max (const TfrcRecvSet *set);

/* Update X_recv_set (): adds x_recv, deletes what is older than two round-trip times. */
void tfrc_recv_set_update (TfrcRecvSet *set, double x_recv_Bps, uint64_t rtt_ns, uint64_t now_ns);

/* Maximize X_recv_set (): keeps the largest of the set and x_recv; Infinity does not count. */
void tfrc_recv_set_maximize (TfrcRecvSet *set, double x_recv_Bps, uint64_t now_ns);

/* "Halve entries in X_recv_set" */
void tfrc_recv_set_halve (TfrcRecvSet *set);

/* Replaces the contents with the single item x_recv. */
void tfrc_recv_set_replace (TfrcRecvSet *set, double x_recv_Bps, uint64_t now_ns);

#endif
