/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A DCCP socket (RFC 4340) with the kernel's TFRC, CCID 3 (RFC 4342), and the state of that
 * CCID.  On an error, functions print a message and return -1. */
#ifndef DCCP_SOCKET_H
#define DCCP_SOCKET_H

#include <stdint.h>

/** The sender's state. */
typedef struct
{
  double X_Bps; /**< allowed rate */
  double X_recv_Bps;
  double X_calc_Bps; /**< rate of the throughput equation; 0 before the first loss */
  uint32_t rtt_us;
  double p; /**< loss event rate */
  uint32_t rto_us;
  uint32_t ipi_us; /**< inter-packet interval, t_ipi */
} DccpSenderState;

/** Returns a listening socket. */
int dccp_socket_listen (uint16_t port);

/** Returns a connected socket.  Its buffer holds few packets: send waits for room, at most @a
 * send_timeout_ms. */
int dccp_socket_connect (const char *host, uint16_t port, int send_timeout_ms);

/** Returns the largest packet that the connection takes, in bytes of payload. */
int dccp_socket_max_packet (int fd);

/** Reads the sender's state.  Returns 0. */
int dccp_socket_sender_state (int fd, DccpSenderState *state);

#endif
