/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A malicious peer: the feedback that it gives at first, and then a flood from a thread of its own.
 *
 * The flood has four kinds of packets in turn:
 *   - bytes without meaning
 *   - feedback with X_recv = 2^32 - 1 and p = 0
 *   - the same about a packet that is not sent yet (optimistic t_recvdata)
 *   - a challenge */
#ifndef BENCH_FLOOD_LIES_H
#define BENCH_FLOOD_LIES_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

/* The loss event rate that the victim is told at first */
#define FLOOD_LIES_P 0.1

typedef struct FloodLies FloodLies;

/* @socket: from which all is sent.  @delay_ns: the round-trip time that the victim is to measure.
 * @pps: of the flood; 0: as many as the machine sends.  @aside: where the flood goes; NULL: to the
 * victim.  Ends the process if there is no memory. */
FloodLies *flood_lies_new (
    int socket, uint64_t delay_ns, uint64_t pps, const struct sockaddr_in *aside);
void flood_lies_free (FloodLies *lies);

/* A packet of the victim has come at @arrival_ns, of CLOCK_MONOTONIC. */
void flood_lies_take (FloodLies *lies, const uint8_t *packet, size_t bytes,
    const struct sockaddr_in *from, uint64_t arrival_ns);

/* Sends feedback about losses, if it is due.  To be called once a millisecond. */
void flood_lies_send_losses (FloodLies *lies, uint64_t now_ns);

/* Starts the flood. */
void flood_lies_start (FloodLies *lies);

/* Ends the flood.  Returns the packets that it has sent in a second. */
double flood_lies_stop (FloodLies *lies);

#endif
