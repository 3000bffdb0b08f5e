/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DCCP sockets under CCID 3, see dccpsocket.h. */
#include "dccpsocket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/dccp.h>

/* Limits the packets that wait in the kernel.  The buffer has room for all that CCID 3 sends in
 * one tick of its timer, but for little more, so that waiting packets get sent.  A limit in
 * packets (TXQLEN) would not do: at that limit, send fails with EAGAIN instead of waiting. */
#define SEND_BUFFER_BYTES 32768

/* Any number works if both ends use the same. */
#define SERVICE_CODE 0x54465243 /* TFRC */

/* struct tfrc_tx_info of the kernel, for which the kernel exports no header.  Rates are in units
 * of 1/64 byte/s except X_calc; p is in millionths. */
typedef struct
{
  uint64_t x;
  uint64_t x_recv;
  uint32_t x_calc;
  uint32_t rtt_us;
  uint32_t p;
  uint32_t rto_us;
  uint32_t ipi_us;
} KernelSenderState;

static int
failed (const char *what)
{
  fprintf (stderr, "dccp-flow: %s: %s\n", what, strerror (errno));
  return -1;
}

static int
close_failed (int fd, const char *what)
{
  failed (what);
  close (fd);
  return -1;
}

static int
dccp_socket_new (void)
{
  static const uint8_t ccids[] = { DCCPC_CCID3 };
  uint32_t service = htonl (SERVICE_CODE);
  int fd = socket (AF_INET, SOCK_DCCP | SOCK_CLOEXEC, IPPROTO_DCCP);

  if (fd < 0) {
    if (errno == ESOCKTNOSUPPORT || errno == EPROTONOSUPPORT)
      fprintf (stderr,
          "dccp-flow: this kernel has no DCCP now; its module is "
          "dccp_ipv4: as root, modprobe dccp_ipv4\n");
    else
      failed ("socket");
    return -1;
  }
  if (setsockopt (fd, SOL_DCCP, DCCP_SOCKOPT_SERVICE, &service, sizeof (service)) < 0)
    return close_failed (fd, "service code");
  if (setsockopt (fd, SOL_DCCP, DCCP_SOCKOPT_CCID, ccids, sizeof (ccids)) < 0)
    return close_failed (fd,
        "CCID 3, which the kernel has to be built with "
        "(CONFIG_IP_DCCP_CCID3)");
  return fd;
}

int
dccp_socket_listen (uint16_t port)
{
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons (port), .sin_addr = { htonl (INADDR_ANY) }
  };
  int fd = dccp_socket_new ();
  int reuse = 1;

  if (fd < 0)
    return -1;
  if (setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof (reuse)) < 0)
    return close_failed (fd, "SO_REUSEADDR");
  if (bind (fd, (struct sockaddr *) &address, sizeof (address)) < 0)
    return close_failed (fd, "bind");
  if (listen (fd, 1) < 0)
    return close_failed (fd, "listen");
  return fd;
}

static int
resolve (const char *host, uint16_t port, struct sockaddr_in *address)
{
  /* getaddrinfo does not know DCCP; the socket type does not affect the address. */
  struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM };
  struct addrinfo *found;
  int status = getaddrinfo (host, NULL, &hints, &found);

  if (status != 0) {
    fprintf (stderr, "dccp-flow: %s: %s\n", host, gai_strerror (status));
    return -1;
  }
  memcpy (address, found->ai_addr, sizeof (*address));
  address->sin_port = htons (port);
  freeaddrinfo (found);
  return 0;
}

int
dccp_socket_connect (const char *host, uint16_t port, int send_timeout_ms)
{
  struct timeval timeout = { .tv_sec = send_timeout_ms / 1000,
    .tv_usec = send_timeout_ms % 1000 * 1000 };
  struct sockaddr_in address;
  int fd, buffer_bytes = SEND_BUFFER_BYTES;
  int queue_packets = 0; /* no limit in packets, so that the limit of the buffer applies */

  if (resolve (host, port, &address) < 0 || (fd = dccp_socket_new ()) < 0)
    return -1;
  if (setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof (buffer_bytes)) < 0)
    return close_failed (fd, "SO_SNDBUF");
  if (setsockopt (fd, SOL_DCCP, DCCP_SOCKOPT_QPOLICY_TXQLEN, &queue_packets, sizeof (queue_packets))
      < 0)
    return close_failed (fd, "length of the send queue");
  if (connect (fd, (struct sockaddr *) &address, sizeof (address)) < 0)
    return close_failed (fd, "connect");
  if (setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof (timeout)) < 0)
    return close_failed (fd, "SO_SNDTIMEO");
  return fd;
}

int
dccp_socket_max_packet (int fd)
{
  int max_bytes;
  socklen_t length = sizeof (max_bytes);

  if (getsockopt (fd, SOL_DCCP, DCCP_SOCKOPT_GET_CUR_MPS, &max_bytes, &length) < 0)
    return failed ("maximum packet size");
  return max_bytes;
}

int
dccp_socket_sender_state (int fd, DccpSenderState *state)
{
  KernelSenderState kernel;
  socklen_t length = sizeof (kernel);

  if (getsockopt (fd, SOL_DCCP, DCCP_SOCKOPT_CCID_TX_INFO, &kernel, &length) < 0)
    return failed ("state of CCID 3");
  state->X_Bps = kernel.x / 64.0;
  state->X_recv_Bps = kernel.x_recv / 64.0;
  state->X_calc_Bps = kernel.x_calc;
  state->rtt_us = kernel.rtt_us;
  state->p = kernel.p / 1e6;
  state->rto_us = kernel.rto_us;
  state->ipi_us = kernel.ipi_us;
  return 0;
}
