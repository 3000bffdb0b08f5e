/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver of many streams that costs little: part of scale.sh.
 *
 *   bench-scale-receiver MODE RATE_BPS [FEEDBACK_DELAY_MS [FILE]]
 *   bench-scale-receiver call RATE_BPS FEEDBACK_DELAY_MS CALLERS ADDRESS
 *
 * MODE udp: packets are counted.  MODE tfrc: libtfrc answers them with feedback.  MODE srt: the
 * packets go to another process, and this one sees them pass.  MODE srtcall: likewise, to callers that
 * all get the same packets.  FILE gets each packet (arrivallog.h).
 * MODE call: so many callers call the sender that listens at the address, and answer with feedback.
 *
 * Except for callers, all streams come to one port, and the number in a packet tells the stream.  The program sleeps for
 * a millisecond, takes all that has come, and sleeps again: it is never woken up by a packet, so that
 * it does not cost the sender the time to wake it.  The times of packets are the kernel's.
 *
 * The program prints "ready", and one line of JSON when its standard input ends. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tfrc/wire.h>

#include "arrivallog.h"
#include "arrivaltime.h"
#include "departures.h"
#include "lightcallers.h"
#include "lightfeedback.h"

#define PORT 21000
#define NAP_NS 1000000
#define BATCH 64
#define PACKET_BYTES 2048
#define SRT_HEADER_BYTES 16
#define SOCKET_BYTES (64 * 1024 * 1024)
#define MAX_DELAY_MS 150 /* see MAX_WAITING in lightfeedback.c */

typedef struct
{
  int socket;
  bool sees_all;                    /* packets have IP and UDP headers */
  bool ports_differ;                /* a stream is known by the port to which its packets go */
  uint32_t of_port[UINT16_MAX + 1]; /* the stream's number plus 1; 0: none yet */
  uint32_t ports;
  size_t header_bytes;
  int64_t realtime_offset_ns;
  Departures *departures;
  LightFeedback *feedback; /* NULL: none */
  LightCallers *callers;   /* NULL: all streams come to the socket */
  FILE *log;               /* NULL: none */
} Receiver;

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

/* ---- sockets --------------------------------------------------------------- */

static int
open_udp (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (PORT) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0)
    fail ("bind");
  return fd;
}

static int
open_packet (void)
{
  int fd = socket (AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, htons (ETH_P_IP));

  if (fd < 0)
    fail ("a packet socket");
  return fd;
}

static void
set_options (int fd)
{
  int on = 1, bytes = SOCKET_BYTES;

  if (setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    fail ("SO_TIMESTAMPNS");
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* ---- packets --------------------------------------------------------------- */

/* Skips the headers of IPv4 and UDP.  Returns false for a packet that is none of the streams'. */
static bool
skip_headers (
    const uint8_t **packet, size_t *bytes, const struct sockaddr_ll *from, uint16_t *to_port)
{
  struct udphdr udp;
  size_t header;

  /* On the loopback interface each packet passes twice. */
  if (from->sll_pkttype != PACKET_HOST || *bytes < sizeof (struct iphdr))
    return false;
  header = (size_t) (**packet & 0x0f) * 4 + sizeof (struct udphdr);
  if ((*packet)[offsetof (struct iphdr, protocol)] != IPPROTO_UDP || *bytes < header)
    return false;
  memcpy (&udp, *packet + header - sizeof udp, sizeof udp);
  *to_port = ntohs (udp.dest);
  *packet += header;
  *bytes -= header;
  return true;
}

/* Ports get numbers in the order in which they are seen. */
static uint32_t
stream_of_port (Receiver *self, uint16_t port)
{
  if (self->of_port[port] == 0 && self->ports < BENCH_MAX_STREAMS)
    self->of_port[port] = ++self->ports;
  return self->of_port[port] != 0 ? self->of_port[port] - 1 : 0;
}

static void
take (Receiver *self, const uint8_t *packet, size_t bytes, const void *from, uint64_t arrival_ns)
{
  BenchMark mark;
  uint16_t to_port = 0;

  if (self->sees_all && !skip_headers (&packet, &bytes, from, &to_port))
    return;
  if (bytes < self->header_bytes
      || !bench_packet_read (packet + self->header_bytes, bytes - self->header_bytes, &mark))
    return;
  if (self->ports_differ)
    mark.stream = stream_of_port (self, to_port);
  departures_take (self->departures, &mark, arrival_ns);
  if (self->log != NULL)
    arrival_log_take (self->log, &mark, arrival_ns);
  if (self->feedback != NULL)
    light_feedback_take (self->feedback, self->socket, mark.stream, packet, bytes, from,
        arrival_ns - (uint64_t) self->realtime_offset_ns);
}

/* All callers get the same packets, so that the caller tells the stream. */
static void
take_of_caller (
    void *user, uint32_t caller, const uint8_t *packet, size_t bytes, uint64_t arrival_ns)
{
  Receiver *self = user;
  BenchMark mark;

  if (bytes < self->header_bytes
      || !bench_packet_read (packet + self->header_bytes, bytes - self->header_bytes, &mark))
    return;
  mark.stream = caller;
  departures_take (self->departures, &mark, arrival_ns);
  light_feedback_take (self->feedback, light_callers_socket (self->callers, caller), caller, packet,
      bytes, NULL, arrival_ns - (uint64_t) self->realtime_offset_ns);
}

/* Takes up to BATCH packets.  Returns whether there may be more. */
static bool
receive_batch (Receiver *self)
{
  static uint8_t packets[BATCH][PACKET_BYTES];
  static struct
  {
    struct iovec part;
    union
    {
      struct sockaddr_in ip;
      struct sockaddr_ll link;
    } from;
    union
    {
      struct cmsghdr aligned;
      uint8_t bytes[256];
    } control;
  } places[BATCH];
  struct mmsghdr messages[BATCH];
  int i, n;

  memset (messages, 0, sizeof messages);
  for (i = 0; i < BATCH; i++) {
    struct msghdr *header = &messages[i].msg_hdr;

    places[i].part.iov_base = packets[i];
    places[i].part.iov_len = PACKET_BYTES;
    header->msg_iov = &places[i].part;
    header->msg_iovlen = 1;
    header->msg_name = &places[i].from;
    header->msg_namelen = sizeof places[i].from;
    header->msg_control = &places[i].control;
    header->msg_controllen = sizeof places[i].control;
  }
  n = recvmmsg (self->socket, messages, BATCH, MSG_DONTWAIT, NULL);
  for (i = 0; i < n; i++)
    take (self, packets[i], messages[i].msg_len, &places[i].from,
        bench_arrival_ns (&messages[i].msg_hdr));
  return n == BATCH;
}

static void
serve (Receiver *self)
{
  const struct timespec nap = { .tv_nsec = NAP_NS };

  while (!bench_input_has_ended ()) {
    if (self->callers != NULL) {
      light_callers_receive (self->callers, take_of_caller, self);
      light_callers_call (self->callers, bench_clock_ns (CLOCK_MONOTONIC));
    } else {
      while (receive_batch (self))
        ;
    }
    if (self->feedback != NULL)
      light_feedback_send (self->feedback, bench_clock_ns (CLOCK_MONOTONIC));
    clock_nanosleep (CLOCK_MONOTONIC, 0, &nap, NULL);
  }
}

static void
open_callers (Receiver *self, int argc, char **argv)
{
  long n = argc > 4 ? atol (argv[4]) : 0;

  if (argc != 6 || n < 1 || n > BENCH_MAX_STREAMS) {
    fprintf (stderr, "usage: %s call RATE_BPS FEEDBACK_DELAY_MS CALLERS ADDRESS\n", argv[0]);
    exit (2);
  }
  self->callers = light_callers_new ((uint32_t) n, argv[5], PORT);
}

static void
print_result (Receiver *self)
{
  DeparturesSummary summary;

  departures_summarize (self->departures, &summary);
  printf ("{\"arrived\": %u, \"late_min_us\": %.1f, \"late_p50_us\": %.1f, \"late_p99_us\": %.1f, "
          "\"late_max_us\": %.1f, \"bursts\": %.5f}\n",
      summary.packets, summary.late_min_us, summary.late_p50_us, summary.late_p99_us,
      summary.late_max_us, summary.bursts);
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  long rate_bps = argc > 2 ? atol (argv[2]) : 0, delay_ms = argc > 3 ? atol (argv[3]) : 0;
  bool calls = strcmp (mode, "call") == 0, tfrc = calls || strcmp (mode, "tfrc") == 0;
  static Receiver self = { .socket = -1 };

  self.ports_differ = strcmp (mode, "srtcall") == 0;
  self.sees_all = self.ports_differ || strcmp (mode, "srt") == 0;
  if ((!tfrc && !self.sees_all && strcmp (mode, "udp") != 0) || rate_bps <= 0 || delay_ms < 0
      || delay_ms > MAX_DELAY_MS) {
    fprintf (stderr,
        "usage: %s udp|tfrc|srt|srtcall RATE_BPS [FEEDBACK_DELAY_MS, at most %d [FILE]]\n", argv[0],
        MAX_DELAY_MS);
    return 2;
  }
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  bench_run_first ();
  if (calls) {
    open_callers (&self, argc, argv);
  } else {
    self.socket = self.sees_all ? open_packet () : open_udp ();
    set_options (self.socket);
  }
  self.header_bytes = tfrc ? TFRC_WIRE_HEADER_BYTES : self.sees_all ? SRT_HEADER_BYTES : 0;
  self.realtime_offset_ns = bench_realtime_offset_ns ();
  self.departures = departures_new (bench_spacing_ns ((uint64_t) rate_bps));
  if (tfrc)
    self.feedback = light_feedback_new ((uint64_t) delay_ms * 1000000);
  if (!calls && argc > 4 && (self.log = fopen (argv[4], "wbe")) == NULL)
    fail (argv[4]);
  printf ("ready\n");
  fflush (stdout);
  serve (&self);
  print_result (&self);
  departures_free (self.departures);
  if (self.log != NULL && fclose (self.log) != 0)
    fail (argv[4]);
  light_feedback_free (self.feedback);
  light_callers_free (self.callers);
  if (self.socket >= 0)
    close (self.socket);
  return 0;
}
