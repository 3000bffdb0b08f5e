/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender of many streams that costs little: part of scale.sh.
 *
 *   bench-scale-feeder tfrc|udp ADDRESS STREAMS RATE_BPS SECONDS
 *
 * Sends to one port for each stream.  The packets of mode tfrc are those that tfrcsrc expects of a
 * TFRC sender with a round-trip time of 10 ms; their sender pays no attention to feedback.  Every
 * millisecond the program sends what is due in one system call. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tfrc/wire.h>

#include "benchpacket.h"

#define FIRST_PORT 21000
#define NAP_NS 1000000
#define BATCH 64
/* Of the path, as each packet says: a source answers once in it, so that a shorter one makes more feedback than most
 * paths do. */
#define RTT_US 50000
#define FIRST_SSRC UINT32_C (0x10000000)

typedef struct
{
  bool tfrc;
  int socket;
  uint32_t streams, waiting;
  uint64_t refused;
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  struct sockaddr_in addresses[BATCH];
  uint8_t packets[BATCH][TFRC_WIRE_MAX_HEADER_BYTES + BENCH_PACKET_BYTES];
} Feeder;

static Feeder feeder;

static void
flush (Feeder *self)
{
  uint32_t sent = 0;

  while (sent < self->waiting) {
    int n = sendmmsg (self->socket, self->messages + sent, self->waiting - sent, 0);

    /* The first packet is refused, for example because nobody listens at its port. */
    if (n <= 0) {
      self->refused++;
      n = 1;
    }
    sent += (uint32_t) n;
  }
  self->waiting = 0;
}

static void
add (Feeder *self, in_addr_t address, const BenchMark *mark, uint64_t now_ns)
{
  uint32_t i = self->waiting++;
  size_t header = 0;
  TfrcWireData data = { 0 };

  if (self->tfrc) {
    data.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
    data.seq = (uint16_t) mark->number;
    data.timestamp = (uint32_t) (mark->due_ns / 1000 * 9 / 100);
    data.ssrc = FIRST_SSRC + mark->stream;
    data.rtt_us = RTT_US;
    data.send_time_us = (uint32_t) (now_ns / 1000);
    header = tfrc_wire_write_data (self->packets[i], &data);
  }
  bench_packet_fill (self->packets[i] + header, mark);
  self->addresses[i].sin_family = AF_INET;
  self->addresses[i].sin_addr.s_addr = address;
  self->addresses[i].sin_port = htons ((uint16_t) (FIRST_PORT + mark->stream));
  self->parts[i].iov_base = self->packets[i];
  self->parts[i].iov_len = header + BENCH_PACKET_BYTES;
  self->messages[i].msg_hdr.msg_iov = &self->parts[i];
  self->messages[i].msg_hdr.msg_iovlen = 1;
  self->messages[i].msg_hdr.msg_name = &self->addresses[i];
  self->messages[i].msg_hdr.msg_namelen = sizeof self->addresses[i];
  if (self->waiting == BATCH)
    flush (self);
}

/* Sends for @seconds.  All streams have the same pace, one after the other within a spacing. */
static void
feed (Feeder *self, in_addr_t address, uint64_t spacing_ns, long seconds)
{
  const struct timespec nap = { .tv_nsec = NAP_NS };
  uint64_t begin_ns = bench_clock_ns (CLOCK_MONOTONIC), now_ns = begin_ns, packets = 0;
  BenchMark mark = { .magic = BENCH_MARK_MAGIC };

  while (now_ns < begin_ns + (uint64_t) seconds * 1000000000) {
    while (begin_ns + packets * spacing_ns / self->streams <= now_ns) {
      mark.due_ns = begin_ns + packets * spacing_ns / self->streams;
      mark.stream = (uint32_t) (packets % self->streams);
      mark.number = (uint32_t) (packets / self->streams);
      add (self, address, &mark, now_ns);
      packets++;
    }
    flush (self);
    clock_nanosleep (CLOCK_MONOTONIC, 0, &nap, NULL);
    now_ns = bench_clock_ns (CLOCK_MONOTONIC);
  }
}

int
main (int argc, char **argv)
{
  struct in_addr address;
  long streams = argc > 3 ? atol (argv[3]) : 0, rate_bps = argc > 4 ? atol (argv[4]) : 0;
  long seconds = argc > 5 ? atol (argv[5]) : 0;

  if (argc != 6 || inet_pton (AF_INET, argv[2], &address) != 1 || streams < 1
      || streams > BENCH_MAX_STREAMS || rate_bps < 1000 || seconds < 1) {
    fprintf (stderr, "usage: %s tfrc|udp ADDRESS STREAMS RATE_BPS SECONDS\n", argv[0]);
    return 2;
  }
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  bench_run_first ();
  feeder.tfrc = strcmp (argv[1], "tfrc") == 0;
  feeder.streams = (uint32_t) streams;
  feeder.socket = socket (AF_INET, SOCK_DGRAM, 0);
  if (feeder.socket < 0) {
    perror ("socket");
    return 1;
  }
  feed (&feeder, address.s_addr, bench_spacing_ns ((uint64_t) rate_bps), seconds);
  if (feeder.refused > 0)
    fprintf (stderr, "%llu packets were refused\n", (unsigned long long) feeder.refused);
  close (feeder.socket);
  return 0;
}
