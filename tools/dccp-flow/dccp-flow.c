/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dccp-flow: sends one flow over DCCP with CCID 3, the kernel's TFRC, as fast as it may, or
 * receives the flow.  This file has the command line and the two loops.  The payload of each
 * packet begins with its number. */
#include "dccpsocket.h"
#include "intervallog.h"

#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_PACKET_BYTES 65536
#define WAIT_MS 50 /* the longest delay of a log line or of a signal */

#define USAGE \
  "Usage: dccp-flow --listen PORT [--log FILE]\n" \
  "       dccp-flow HOST PORT [--packet-size BYTES] [--duration SECONDS] [--log FILE]\n" \
  "Sends over DCCP with CCID 3 as fast as it allows. The log has a line for each 100 ms.\n"

typedef struct
{
  const char *host; /* NULL: receive */
  uint16_t port;
  size_t packet_bytes;
  double duration_s;
  const char *log;
} Options;

static volatile sig_atomic_t interrupted;

static void
on_signal (int number)
{
  interrupted = 1;
}

static void
catch_signals (void)
{
  /* Without SA_RESTART, so that a signal ends connect() */
  struct sigaction action = { .sa_handler = on_signal };

  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  signal (SIGPIPE, SIG_IGN);
}

/* Sends one packet.  Returns 1 if the kernel has taken it, 0 if it may not leave yet, -1 if the
 * connection is over. */
static int
send_packet (int fd, uint8_t *packet, size_t bytes, uint64_t number)
{
  uint64_t big_endian = htobe64 (number);

  memcpy (packet, &big_endian, sizeof (big_endian));
  if (send (fd, packet, bytes, 0) == (ssize_t) bytes)
    return 1;
  if (errno == EAGAIN || errno == EINTR)
    return 0;
  fprintf (stderr, "dccp-flow: send: %s\n", strerror (errno));
  return -1;
}

static int
log_sender (int fd, IntervalLog *log, uint64_t now_ns)
{
  DccpSenderState state;
  FILE *line;

  while ((line = interval_log_next (log, now_ns)) != NULL) {
    if (dccp_socket_sender_state (fd, &state) < 0)
      return -1;
    fprintf (line, ",%.0f,%.0f,%.0f,%" PRIu32 ",%.6f,%" PRIu32 ",%" PRIu32 "\n", state.X_Bps,
        state.X_recv_Bps, state.X_calc_Bps, state.rtt_us, state.p, state.rto_us, state.ipi_us);
  }
  return 0;
}

static int
send_flow (int fd, const Options *options, IntervalLog *log)
{
  static uint8_t packet[MAX_PACKET_BYTES];
  uint64_t begin_ns = interval_log_now_ns (), now_ns = begin_ns, packets = 0;
  uint64_t duration_ns = (uint64_t) (options->duration_s * 1e9);
  int max_bytes = dccp_socket_max_packet (fd);
  int status = max_bytes < 0 ? -1 : 0;

  if (status == 0 && options->packet_bytes > (size_t) max_bytes) {
    fprintf (stderr,
        "dccp-flow: --packet-size: the path takes at most %d "
        "bytes\n",
        max_bytes);
    return -1;
  }
  while (status >= 0 && !interrupted && now_ns - begin_ns < duration_ns) {
    status = send_packet (fd, packet, options->packet_bytes, packets);
    if (status > 0) {
      packets++;
      interval_log_add (log, options->packet_bytes);
    }
    now_ns = interval_log_now_ns ();
    if (status >= 0 && log_sender (fd, log, now_ns) < 0)
      status = -1;
  }
  printf ("sent %" PRIu64 " packets of %zu bytes in %.1f s: %.3f Mbit/s\n", packets,
      options->packet_bytes, (now_ns - begin_ns) / 1e9,
      packets * options->packet_bytes * 8e3 / (now_ns - begin_ns + 1));
  return status < 0 ? -1 : 0;
}

static bool
wait_readable (int fd)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

  return poll (&poll_fd, 1, WAIT_MS) > 0;
}

/* Returns the first connection to come, or -1 if none came. */
static int
accept_flow (int listener)
{
  int fd = -1;

  while (fd < 0 && !interrupted) {
    if (!wait_readable (listener))
      continue;
    fd = accept (listener, NULL, NULL);
    if (fd < 0 && errno != EINTR && errno != EAGAIN) {
      fprintf (stderr, "dccp-flow: accept: %s\n", strerror (errno));
      return -1;
    }
  }
  return fd;
}

/* Counts packets until the sender closes the connection. */
static int
receive_flow (int fd, IntervalLog *log)
{
  static uint8_t packet[MAX_PACKET_BYTES];
  uint64_t packets = 0, bytes = 0, expected = 0, lost = 0, lost_logged = 0;
  FILE *line;
  int status = 0;

  while (!interrupted) {
    ssize_t length = -1;

    if (wait_readable (fd)) {
      length = recv (fd, packet, sizeof (packet), MSG_DONTWAIT);
      if (length == 0)
        break;
      if (length < 0 && errno != EAGAIN && errno != EINTR) {
        fprintf (stderr, "dccp-flow: receive: %s\n", strerror (errno));
        status = -1;
        break;
      }
    }
    while ((line = interval_log_next (log, interval_log_now_ns ())) != NULL) {
      fprintf (line, ",%" PRId64 "\n", (int64_t) (lost - lost_logged));
      lost_logged = lost;
    }
    if (length >= (ssize_t) sizeof (uint64_t)) {
      uint64_t number;

      memcpy (&number, packet, sizeof (number));
      number = be64toh (number);
      packets++;
      bytes += (uint64_t) length;
      expected = number >= expected ? number + 1 : expected;
      lost = expected - packets;
      interval_log_add (log, (uint64_t) length);
    }
  }
  printf (
      "received %" PRIu64 " packets, %" PRIu64 " bytes; lost %" PRIu64 "\n", packets, bytes, lost);
  return status;
}

static int
run_sender (const Options *options)
{
  IntervalLog log;
  int status, fd = dccp_socket_connect (options->host, options->port, WAIT_MS);

  if (fd < 0)
    return -1;
  if (!interval_log_init (
          &log, options->log, ",X_Bps,X_recv_Bps,X_calc_Bps,rtt_us,p,rto_us,ipi_us"))
    status = -1;
  else
    status = send_flow (fd, options, &log);
  close (fd);
  return interval_log_close (&log, options->log) ? status : -1;
}

static int
run_receiver (const Options *options)
{
  IntervalLog log;
  int status = -1, fd, listener = dccp_socket_listen (options->port);

  if (listener < 0)
    return -1;
  fd = accept_flow (listener);
  close (listener);
  if (fd < 0) {
    fprintf (stderr, "dccp-flow: no sender came\n");
    return -1;
  }
  if (interval_log_init (&log, options->log, ",lost"))
    status = receive_flow (fd, &log);
  close (fd);
  return interval_log_close (&log, options->log) ? status : -1;
}

static double
parse_number (const char *what, const char *text, double min, double max)
{
  char *end;
  double number = strtod (text, &end);

  /* The condition is negated so that it refuses NaN too. */
  if (end == text || *end != '\0' || !(number >= min && number <= max)) {
    fprintf (stderr, "dccp-flow: %s: '%s' is not a number from %g to %g\n", what, text, min, max);
    exit (2);
  }
  return number;
}

static uint32_t
parse_whole (const char *what, const char *text, uint16_t min, uint32_t max)
{
  double number = parse_number (what, text, min, max);

  if (number != (uint32_t) number) {
    fprintf (stderr, "dccp-flow: %s: '%s' is not a whole number\n", what, text);
    exit (2);
  }
  return (uint32_t) number;
}

static uint16_t
parse_port (const char *text)
{
  return (uint16_t) parse_whole ("port", text, 1, 65535);
}

static Options
parse_options (int argc, char **argv)
{
  static const struct option longs[] = { { "listen", required_argument, NULL, 'l' },
    { "packet-size", required_argument, NULL, 's' }, { "duration", required_argument, NULL, 'd' },
    { "log", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 } };
  Options options = { .packet_bytes = 1316, .duration_s = 1e9 };
  int option;

  while ((option = getopt_long (argc, argv, "", longs, NULL)) != -1) {
    switch (option) {
      case 'l':
        options.port = parse_port (optarg);
        break;
      case 's':
        options.packet_bytes = parse_whole (
            "--packet-size", optarg, sizeof (uint64_t), MAX_PACKET_BYTES);
        break;
      case 'd':
        options.duration_s = parse_number ("--duration", optarg, 0.1, 1e9);
        break;
      case 'o':
        options.log = optarg;
        break;
      case 'h':
        fputs (USAGE, stdout);
        exit (0);
      default:
        fputs (USAGE, stderr);
        exit (2);
    }
  }
  if (argc - optind == (options.port == 0 ? 2 : 0)) {
    if (options.port == 0) {
      options.host = argv[optind];
      options.port = parse_port (argv[optind + 1]);
    }
    return options;
  }
  fputs (USAGE, stderr);
  exit (2);
}

int
main (int argc, char **argv)
{
  Options options = parse_options (argc, argv);
  int status;

  catch_signals ();
  status = options.host != NULL ? run_sender (&options) : run_receiver (&options);
  return status < 0 ? 1 : 0;
}
