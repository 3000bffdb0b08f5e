/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper of attacks/protected.py and attacks/calls.py: sends copies of a packet, each from a random IPv4
 * address and port, and with four random bytes, such as the CSB ID of a key packet, so that no two of them
 * are of one exchange.
 *
 *     key-flood SOCKET ADDRESS PORT PACKETS_PER_S RANDOM_AT <PACKET
 *
 * SOCKET is the descriptor of an inherited raw socket (IPPROTO_RAW); 0 packets per second are as
 * many as the machine sends.  SIGTERM or the end of the calling program ends the flood.  Then this
 * program writes the packets that it has sent, and the seconds. */
#define _GNU_SOURCE 1 /* sendmmsg */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define MAX_PAYLOAD 1400
#define FIRST_PORT 1024
#define TICK_NS 1000000
#define S_NS 1000000000

/* Sources are 10.98.4.1 to 10.98.254.254, beside the networks of attacks.sh. */
#define FIRST_SOURCE 0x0a620401u
#define SOURCE_NETWORKS 251
#define HOSTS 254

typedef struct
{
  struct iphdr ip;
  struct udphdr udp;
  uint8_t payload[MAX_PAYLOAD];
} Packet;

static volatile sig_atomic_t has_to_end;
static size_t random_at;
static Packet packets[BATCH];
static struct iovec buffers[BATCH];
static struct mmsghdr messages[BATCH];
static uint64_t random_state;

static void
end (int number)
{
  (void) number;
  has_to_end = 1;
}

/* Marsaglia's xorshift.  The addresses have to differ, and need not be secret. */
static uint32_t
next_random (void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t) (random_state >> 32);
}

static int64_t
now_ns (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (int64_t) ts.tv_sec * S_NS + ts.tv_nsec;
}

static void
prepare (struct sockaddr_in *to, const uint8_t *payload, size_t size)
{
  for (int i = 0; i < BATCH; i++) {
    Packet *packet = &packets[i];

    packet->ip = (struct iphdr){
      .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP, .daddr = to->sin_addr.s_addr
    };
    packet->udp = (struct udphdr){ .dest = to->sin_port,
      .len = htons ((uint16_t) (sizeof packet->udp + size)) }; /* and no checksum */
    memcpy (packet->payload, payload, size);
    buffers[i] = (struct iovec){ packet, sizeof packet->ip + sizeof packet->udp + size };
    messages[i].msg_hdr = (struct msghdr){
      .msg_name = to, .msg_namelen = sizeof *to, .msg_iov = &buffers[i], .msg_iovlen = 1
    };
  }
}

/* Returns how many of @n packets were sent.  Nothing else than a full queue may keep one back. */
static unsigned
send_batch (int fd, unsigned n)
{
  int sent;

  for (unsigned i = 0; i < n; i++) {
    uint32_t source = FIRST_SOURCE + (next_random () % SOURCE_NETWORKS << 8)
        + next_random () % HOSTS;
    uint32_t bytes = next_random ();

    packets[i].ip.saddr = htonl (source);
    packets[i].udp.source = htons ((uint16_t) (FIRST_PORT + next_random () % (65536 - FIRST_PORT)));
    memcpy (packets[i].payload + random_at, &bytes, sizeof bytes);
  }
  sent = sendmmsg (fd, messages, n, 0);
  if (sent < 0 && errno != ENOBUFS && errno != EINTR) {
    perror ("sendmmsg");
    exit (1);
  }
  return sent > 0 ? (unsigned) sent : 0;
}

/* Sends what is due, at most for one second: a program that was stopped catches up no more. */
static void
flood (int fd, uint64_t per_s)
{
  const struct timespec tick = { .tv_nsec = TICK_NS };
  int64_t start_ns = now_ns (), last_ns = start_ns;
  uint64_t sent = 0;
  double due = 0;

  while (!has_to_end) {
    int64_t time_ns = now_ns ();

    due += (double) per_s * (double) (time_ns - last_ns) / S_NS;
    due = due > (double) per_s ? (double) per_s : due;
    last_ns = time_ns;
    if (per_s > 0 && due < 1) {
      nanosleep (&tick, NULL);
      continue;
    }
    unsigned n = per_s > 0 && due < BATCH ? (unsigned) due : BATCH;

    n = send_batch (fd, n);
    sent += n;
    due -= n;
  }
  printf ("%llu %.3f\n", (unsigned long long) sent, (double) (now_ns () - start_ns) / S_NS);
}

int
main (int argc, char **argv)
{
  struct sockaddr_in to = { .sin_family = AF_INET };
  uint8_t payload[MAX_PAYLOAD];
  struct sigaction action = { .sa_handler = end };
  ssize_t size;

  if (argc != 6 || inet_pton (AF_INET, argv[2], &to.sin_addr) != 1) {
    fprintf (stderr, "usage: %s SOCKET ADDRESS PORT PACKETS_PER_S RANDOM_AT <PACKET\n", argv[0]);
    return 2;
  }
  to.sin_port = htons ((uint16_t) atoi (argv[3]));
  size = read (STDIN_FILENO, payload, sizeof payload);
  random_at = strtoul (argv[5], NULL, 10);
  if (size < 4 || random_at > (size_t) size - 4) {
    fprintf (stderr, "no packet with RANDOM_AT at the standard input\n");
    return 2;
  }
  random_state = (uint64_t) now_ns () | 1;
  prepare (&to, payload, (size_t) size);
  sigaction (SIGTERM, &action, NULL);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  flood (atoi (argv[1]), strtoull (argv[4], NULL, 10));
  return 0;
}
