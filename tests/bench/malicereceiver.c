/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver of many streams, of which the first has a malicious peer: part of malice.sh.
 *
 *   bench-scale-malice WHO RATE_BPS DELAY_MS FLOOD_PPS [ADDRESS PORT]
 *
 * All streams come to one port, as to bench-scale-receiver, and get feedback that is DELAY_MS late.
 * Stream 0 is the victim: it is told of losses at first, so that the equation limits its rate.
 *
 * WHO none: the victim is told of losses for ever.  WHO aside: likewise, and a flood goes to another
 * port of the sender's host (floodlies.h).  WHO peer: after FLOOD_AFTER_NS the victim gets the flood
 * and nothing else.  FLOOD_PPS 0: as many as the machine sends.
 *
 * The program prints "ready", and one line of JSON when its standard input ends. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tfrc/equation.h>
#include <tfrc/wire.h>

#include "departures.h"
#include "floodlies.h"
#include "lightfeedback.h"

#define PORT 21000
#define NAP_NS 1000000
#define PACKET_BYTES 2048
#define SOCKET_BYTES (64 * 1024 * 1024)
#define FLOOD_AFTER_NS UINT64_C (2000000000) /* after the first packet */
#define VICTIM 0

typedef struct
{
  int socket;
  uint64_t delay_ns, first_ns;
  int64_t realtime_offset_ns;
  bool has_flood, floods_victim, floods;
  bool measures;           /* the last packet of another stream was marked as measured */
  uint64_t from_ns, to_ns; /* of the measured packets */
  uint32_t victim_packets; /* meanwhile */
  Departures *departures;
  LightFeedback *feedback;
  FloodLies *lies;
} Receiver;

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

static int
open_socket (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (PORT) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), on = 1, bytes = SOCKET_BYTES;

  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0
      || setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    fail ("a socket");
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return fd;
}

/* ---- packets --------------------------------------------------------------- */

static void
count_victim (Receiver *self, const uint8_t *packet, size_t bytes, const struct sockaddr_in *from,
    uint64_t arrival_ns)
{
  flood_lies_take (self->lies, packet, bytes, from, arrival_ns);
  self->victim_packets += self->measures;
}

static void
count_other (Receiver *self, const BenchMark *mark, uint64_t time_ns)
{
  self->measures = mark->measured;
  if (mark->measured && self->from_ns == 0)
    self->from_ns = time_ns;
  if (mark->measured)
    self->to_ns = time_ns;
  departures_take (self->departures, mark, time_ns);
}

static void
take (Receiver *self, const uint8_t *packet, size_t bytes, const struct sockaddr_in *from,
    uint64_t time_ns)
{
  uint64_t arrival_ns = time_ns - (uint64_t) self->realtime_offset_ns;
  BenchMark mark;

  if (bytes < TFRC_WIRE_HEADER_BYTES
      || !bench_packet_read (
          packet + TFRC_WIRE_HEADER_BYTES, bytes - TFRC_WIRE_HEADER_BYTES, &mark))
    return;
  if (self->first_ns == 0)
    self->first_ns = arrival_ns;
  if (mark.stream == VICTIM) {
    count_victim (self, packet, bytes, from, arrival_ns);
    return;
  }
  count_other (self, &mark, time_ns);
  light_feedback_take (self->feedback, self->socket, mark.stream, packet, bytes, from, arrival_ns);
}

/* Returns when the kernel got the packet. */
static uint64_t
arrival_of (struct msghdr *message)
{
  struct cmsghdr *control = CMSG_FIRSTHDR (message);
  struct timespec time = { 0 };

  if (control != NULL && control->cmsg_type == SCM_TIMESTAMPNS)
    memcpy (&time, CMSG_DATA (control), sizeof time);
  return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

/* Returns false if no packet waits. */
static bool
receive_one (Receiver *self)
{
  static uint8_t packet[PACKET_BYTES];
  union
  {
    struct cmsghdr aligned;
    uint8_t bytes[256];
  } control;
  struct sockaddr_in from;
  struct iovec part = { packet, sizeof packet };
  struct msghdr message = { .msg_name = &from,
    .msg_namelen = sizeof from,
    .msg_iov = &part,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof control };
  ssize_t bytes = recvmsg (self->socket, &message, MSG_DONTWAIT);

  if (bytes < 0)
    return false;
  take (self, packet, (size_t) bytes, &from, arrival_of (&message));
  return true;
}

static void
send_feedback (Receiver *self)
{
  uint64_t now_ns = bench_clock_ns (CLOCK_MONOTONIC);

  light_feedback_send (self->feedback, now_ns);
  if (self->has_flood && !self->floods && self->first_ns != 0
      && now_ns >= self->first_ns + FLOOD_AFTER_NS) {
    self->floods = true;
    flood_lies_start (self->lies);
  }
  if (!self->floods || !self->floods_victim)
    flood_lies_send_losses (self->lies, now_ns);
}

/* ---- the program ----------------------------------------------------------- */

static void
print_result (Receiver *self)
{
  double seconds = (double) (self->to_ns - self->from_ns) / 1e9;
  double victim_bps = seconds > 0 ? self->victim_packets * BENCH_PACKET_BYTES * 8 / seconds : 0;
  double due_Bps = tfrc_equation_rate_Bps (BENCH_PACKET_BYTES, (double) self->delay_ns / 1e9,
      4 * (double) self->delay_ns / 1e9, FLOOD_LIES_P);
  DeparturesSummary summary;

  departures_summarize (self->departures, &summary);
  printf ("{\"arrived\": %u, \"late_p50_us\": %.1f, \"late_p99_us\": %.1f, \"late_max_us\": %.1f, "
          "\"victim_bps\": %.0f, \"equation_bps\": %.0f, \"flood_pps\": %.0f}\n",
      summary.packets, summary.late_p50_us, summary.late_p99_us, summary.late_max_us, victim_bps,
      due_Bps * 8, flood_lies_stop (self->lies));
}

int
main (int argc, char **argv)
{
  const char *who = argc > 1 ? argv[1] : "";
  long rate_bps = argc > 2 ? atol (argv[2]) : 0, delay_ms = argc > 3 ? atol (argv[3]) : 0;
  long flood_pps = argc > 4 ? atol (argv[4]) : -1;
  const struct timespec nap = { .tv_nsec = NAP_NS };
  struct sockaddr_in aside = { .sin_family = AF_INET };
  Receiver self = { .has_flood = strcmp (who, "none") != 0,
    .floods_victim = strcmp (who, "peer") == 0 };

  if (rate_bps <= 0 || delay_ms <= 0 || delay_ms > 150 || flood_pps < 0
      || (argc == 7) != (strcmp (who, "aside") == 0)
      || (argc == 7 && inet_pton (AF_INET, argv[5], &aside.sin_addr) != 1)) {
    fprintf (stderr,
        "usage: %s none|aside|peer RATE_BPS DELAY_MS (1 to 150) FLOOD_PPS [ADDRESS PORT]\n",
        argv[0]);
    return 2;
  }
  if (argc == 7)
    aside.sin_port = htons ((uint16_t) atoi (argv[6]));
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  bench_run_first ();
  self.delay_ns = (uint64_t) delay_ms * 1000000;
  self.socket = open_socket ();
  self.realtime_offset_ns = bench_realtime_offset_ns ();
  self.departures = departures_new (bench_spacing_ns ((uint64_t) rate_bps));
  self.feedback = light_feedback_new (self.delay_ns);
  self.lies = flood_lies_new (
      self.socket, self.delay_ns, (uint64_t) flood_pps, argc == 7 ? &aside : NULL);
  printf ("ready\n");
  fflush (stdout);
  while (!bench_input_has_ended ()) {
    while (receive_one (&self))
      ;
    send_feedback (&self);
    clock_nanosleep (CLOCK_MONOTONIC, 0, &nap, NULL);
  }
  print_result (&self);
  departures_free (self.departures);
  light_feedback_free (self.feedback);
  flood_lies_free (self.lies);
  close (self.socket);
  return 0;
}
