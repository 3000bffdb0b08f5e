/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wire-meter: logs when packets of transport stream pass an interface.
 *
 * This file has the command line, the loop that reads, and the log of packets; wiretap.c has the
 * socket, and flowtable.c counts flows. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "flowtable.h"
#include "meterlog.h"
#include "packethash.h"
#include "wirepacket.h"
#include "wiretap.h"

#define EXIT_USAGE 2
/* The kernel stamps packets, so reading them can wait.  To wake up for each packet would load
 * the measured machine more than the packets themselves. */
#define REST_MS 250

typedef struct
{
  MeterLog log;
  MeterLog flows_log;
  FlowTable flows;
  uint64_t packets;
  bool failed;
} Meter;

static void
on_packet (uint64_t time_ns, bool outgoing, const uint8_t *bytes, size_t captured, void *data)
{
  Meter *meter = data;
  WirePacket packet;

  if (!wire_packet_parse (&packet, bytes, captured))
    return;
  if (packet.payload_end != NULL && packet.payload_bytes >= PACKET_HASH_BYTES) {
    meter->packets++;
    if (meter->log.file != NULL)
      fprintf (meter->log.file, "%" PRIu64 ",%s,%016" PRIx64 ",udp,%u,%u\n", time_ns,
          outgoing ? "out" : "in", packet_hash (packet.payload_end - PACKET_HASH_BYTES),
          packet.flow.sport, packet.flow.dport);
  }
  if (meter->flows_log.file != NULL && !meter->failed
      && !flow_table_add (&meter->flows, &meter->flows_log, time_ns, outgoing, &packet)) {
    fprintf (stderr, "wire-meter: out of memory for flows\n");
    meter->failed = true;
  }
}

/* Returns a descriptor that is readable after SIGINT or SIGTERM. */
static int
open_signals (void)
{
  sigset_t signals;

  sigemptyset (&signals);
  sigaddset (&signals, SIGINT);
  sigaddset (&signals, SIGTERM);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  return signalfd (-1, &signals, SFD_CLOEXEC);
}

/* Waits without limit for a packet, then waits REST_MS for more packets, then reads all of them. */
static void
run (Meter *meter, WireTap *tap, int signals)
{
  struct pollfd fds[] = {
    { .fd = signals, .events = POLLIN },
    { .fd = wire_tap_fd (tap), .events = POLLIN },
  };
  bool ended = false;

  while (!ended && !meter->failed) {
    if (poll (fds, 2, -1) < 0 && errno != EINTR) {
      perror ("wire-meter: poll");
      meter->failed = true;
      return;
    }
    ended = (fds[0].revents & POLLIN) != 0 || poll (fds, 1, REST_MS) > 0;
    if (!wire_tap_read (tap, on_packet, meter))
      meter->failed = true;
  }
}

static bool
finish (Meter *meter, WireTap *tap, const char *interface)
{
  const uint64_t dropped = wire_tap_dropped (tap);
  bool written;

  if (meter->flows_log.file != NULL)
    flow_table_finish (&meter->flows, &meter->flows_log);
  written = meter_log_close (&meter->log);
  written = meter_log_close (&meter->flows_log) && written;
  printf ("wire-meter: %" PRIu64 " packets on %s\n", meter->packets, interface);
  if (dropped > 0)
    fprintf (stderr,
        "wire-meter: %" PRIu64 " packets on %s were not seen:"
        " the kernel had no room for them\n",
        dropped, interface);
  return written && dropped == 0 && !meter->failed;
}

static void
print_usage (FILE *file)
{
  fprintf (file,
      "usage: wire-meter INTERFACE [--log FILE] [--flows FILE]\n"
      "Logs when packets of transport stream pass INTERFACE, until SIGINT.\n"
      "  --log FILE    CSV of UDP packets with %d bytes of payload or more:\n"
      "                time_ns,direction,hash,proto,sport,dport\n"
      "  --flows FILE  CSV of what every UDP, TCP and DCCP flow carried in"
      " each 100 ms:\n                " FLOW_LOG_HEADER "\n",
      PACKET_HASH_BYTES);
}

int
main (int argc, char **argv)
{
  static const struct option options[] = { { "log", required_argument, NULL, 'l' },
    { "flows", required_argument, NULL, 'f' }, { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 } };
  const char *log_path = NULL, *flows_path = NULL;
  Meter meter = { 0 };
  WireTap *tap;
  int option, signals;
  bool good;

  while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
    switch (option) {
      case 'l':
        log_path = optarg;
        break;
      case 'f':
        flows_path = optarg;
        break;
      case 'h':
        print_usage (stdout);
        return EXIT_SUCCESS;
      default:
        print_usage (stderr);
        return EXIT_USAGE;
    }
  }
  if (optind != argc - 1) {
    print_usage (stderr);
    return EXIT_USAGE;
  }

  signals = open_signals ();
  tap = wire_tap_new (argv[optind], PACKET_HASH_BYTES, flows_path != NULL);
  if (signals < 0 || tap == NULL
      || !meter_log_open (&meter.log, log_path, "time_ns,direction,hash,proto,sport,dport")
      || !meter_log_open (&meter.flows_log, flows_path, FLOW_LOG_HEADER))
    return EXIT_FAILURE;
  printf ("wire-meter: listening on %s\n", argv[optind]);
  fflush (stdout);

  run (&meter, tap, signals);
  good = finish (&meter, tap, argv[optind]);
  wire_tap_free (tap);
  close (signals);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
