/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packet socket (packet(7)) with a filter in the kernel, see wiretap.h. */
#define _GNU_SOURCE
#include "wiretap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 32
#define PACKET_BYTES 65536
/* room for seconds of packets at the rates measured here */
#define RECEIVE_BUFFER_BYTES (32 * 1024 * 1024)
/* the longest IP header, and the part of the transport's header that is read */
#define HEADER_BYTES (60 + 20)
#define WHOLE_PACKET 0x40000

struct WireTap
{
  int fd;
  uint64_t dropped;
  struct mmsghdr messages[BATCH];
  struct iovec vectors[BATCH];
  struct sockaddr_ll addresses[BATCH];
  union
  {
    struct cmsghdr align;
    uint8_t bytes[CMSG_SPACE (sizeof (struct timespec))];
  } control[BATCH];
  uint8_t packets[BATCH][PACKET_BYTES];
};

/* A packet socket of one protocol does not see outgoing packets, so the filter selects IPv4.
 * Unwanted packets are not queued. */
static bool
set_filter (int fd, size_t min_udp_bytes, bool all_flows)
{
  const unsigned others = all_flows ? HEADER_BYTES : 0;
  struct sock_filter code[] = {
    /* IPv4, and not a later fragment */
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, (unsigned) (SKF_AD_OFF + SKF_AD_PROTOCOL)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 11),
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, 6),
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 9, 0),
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, 9),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 6, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_DCCP, 5, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 5),
    /* length of UDP header and payload */
    BPF_STMT (BPF_LDX | BPF_B | BPF_MSH, 0),
    BPF_STMT (BPF_LD | BPF_H | BPF_IND, 4),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, (unsigned) (8 + min_udp_bytes), 0, 1),
    BPF_STMT (BPF_RET | BPF_K, WHOLE_PACKET),
    BPF_STMT (BPF_RET | BPF_K, others),
    BPF_STMT (BPF_RET | BPF_K, 0),
  };
  struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };

  return setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

static bool
set_options (int fd)
{
  const int on = 1, bytes = RECEIVE_BUFFER_BYTES;

  /* Only a privileged process may exceed the system's limit.  With the smaller buffer, packets
   * may be lost, which wire_tap_dropped() reports. */
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;
}

static bool
bind_to_interface (int fd, unsigned interface_index)
{
  const struct sockaddr_ll address = {
    .sll_family = AF_PACKET, .sll_protocol = htons (ETH_P_ALL), .sll_ifindex = (int) interface_index
  };

  return bind (fd, (const struct sockaddr *) &address, sizeof address) == 0;
}

WireTap *
wire_tap_new (const char *interface, size_t min_udp_bytes, bool all_flows)
{
  const unsigned index = if_nametoindex (interface);
  WireTap *tap = calloc (1, sizeof *tap);

  if (tap == NULL) {
    fprintf (stderr, "wire-meter: out of memory\n");
    return NULL;
  }
  /* Protocol 0: the socket receives nothing before the filter is set. */
  tap->fd = index == 0 ? -1 : socket (AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (tap->fd < 0 || !set_filter (tap->fd, min_udp_bytes, all_flows) || !set_options (tap->fd)
      || !bind_to_interface (tap->fd, index)) {
    fprintf (stderr, "wire-meter: cannot listen on '%s': %s%s\n", interface, strerror (errno),
        errno == EPERM ? " (it needs CAP_NET_RAW)" : "");
    wire_tap_free (tap);
    return NULL;
  }
  return tap;
}

void
wire_tap_free (WireTap *tap)
{
  if (tap == NULL)
    return;
  if (tap->fd >= 0)
    close (tap->fd);
  free (tap);
}

int
wire_tap_fd (const WireTap *tap)
{
  return tap->fd;
}

static void
prepare (WireTap *tap)
{
  int i;

  for (i = 0; i < BATCH; i++) {
    struct msghdr *header = &tap->messages[i].msg_hdr;

    tap->vectors[i].iov_base = tap->packets[i];
    tap->vectors[i].iov_len = PACKET_BYTES;
    header->msg_name = &tap->addresses[i];
    header->msg_namelen = sizeof tap->addresses[i];
    header->msg_iov = &tap->vectors[i];
    header->msg_iovlen = 1;
    header->msg_control = &tap->control[i];
    header->msg_controllen = sizeof tap->control[i];
  }
}

static uint64_t
timestamp_ns (struct msghdr *message)
{
  struct cmsghdr *c;
  struct timespec time = { 0, 0 };

  for (c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
      memcpy (&time, CMSG_DATA (c), sizeof time);
  return (uint64_t) time.tv_sec * 1000000000u + (uint64_t) time.tv_nsec;
}

bool
wire_tap_read (WireTap *tap, WireTapFunc func, void *data)
{
  for (;;) {
    int i, n;

    prepare (tap);
    n = recvmmsg (tap->fd, tap->messages, BATCH, MSG_DONTWAIT, NULL);
    if (n < 0) {
      if (errno == EAGAIN)
        return true;
      /* An interface that is down may come up again. */
      if (errno == EINTR || errno == ENETDOWN)
        continue;
      fprintf (stderr, "wire-meter: cannot receive: %s\n", strerror (errno));
      return false;
    }
    for (i = 0; i < n; i++)
      func (timestamp_ns (&tap->messages[i].msg_hdr),
          tap->addresses[i].sll_pkttype == PACKET_OUTGOING, tap->packets[i],
          tap->messages[i].msg_len, data);
  }
}

uint64_t
wire_tap_dropped (WireTap *tap)
{
  struct tpacket_stats stats;
  socklen_t size = sizeof stats;

  /* The kernel resets its counter after each request. */
  if (getsockopt (tap->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0)
    tap->dropped += stats.tp_drops;
  return tap->dropped;
}
