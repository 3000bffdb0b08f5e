/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time per packet of a sending process with many streams: tfrcsink and udpsink in turns.
 *
 *   bench-streams [STREAMS [SECONDS [ROUNDS]]]
 *   bench-streams --passphrase [STREAMS [SECONDS [ROUNDS]]]
 *
 * With --passphrase: tfrcsink and tfrcsrc with and without protection (AES-128-GCM).  Each round is
 * a pair of measurements next to each other in time, and the result is the ratio of each pair: other
 * work on the machine changes both alike.
 *
 * scale.sh measures more, and against more peers.  This program has real receivers for protected
 * streams.
 *
 * A sending process has STREAMS pipelines, each of 640 kbit/s in packets of 1316 bytes that are due
 * at a steady pace.  Another process receives them, so that only the sender's CPU time counts: user
 * and system time of the process while it plays, divided by the number of packets that left. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchsrc.h"
#include "pipelines.h"

#define WARM_UP_S 2
#define PASSPHRASE "passphrase=0123456789"

/* ---- processes ----------------------------------------------------------- */

static BenchPipelines *
play (const gchar *line, guint n)
{
  BenchPipelines *pipelines = bench_pipelines_new (line, 0, n);

  bench_pipelines_set_state (pipelines, GST_STATE_PLAYING);
  return pipelines;
}

static pid_t
start_receivers (const gchar *self, const gchar *line, guint n)
{
  gchar *count = g_strdup_printf ("%u", n);
  pid_t child = fork ();

  if (child == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    execl (self, self, "--receive", line, count, NULL);
    _exit (127);
  }
  g_free (count);
  return child;
}

static void
receive (const gchar *line, guint n)
{
  play (line, n);
  for (;;)
    pause ();
}

/* ---- measuring ------------------------------------------------------------ */

static gdouble
cpu_s (const struct rusage *usage)
{
  return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec
      + (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Returns the CPU time of all threads of a process. */
static gdouble
cpu_of_process_s (pid_t pid)
{
  gchar *tasks = g_strdup_printf ("/proc/%d/task", pid);
  GDir *directory = g_dir_open (tasks, 0, NULL);
  const gchar *tid;
  gdouble ns = 0;

  while (directory && (tid = g_dir_read_name (directory)) != NULL) {
    gchar *path = g_build_filename (tasks, tid, "schedstat", NULL);
    gchar *text = NULL;

    if (g_file_get_contents (path, &text, NULL, NULL))
      ns += g_ascii_strtod (text, NULL);
    g_free (text);
    g_free (path);
  }
  if (directory)
    g_dir_close (directory);
  g_free (tasks);
  return ns / 1e9;
}

typedef struct
{
  gdouble cpu_us, switches; /* per packet */
  gdouble receiver_cpu_us;  /* per packet */
  guint64 packets;
} Cost;

static Cost
measure (const gchar *self, const gchar *send, const gchar *receive_line, guint n, guint seconds)
{
  pid_t receivers = start_receivers (self, receive_line, n);
  BenchPipelines *pipelines;
  struct rusage before, after;
  gdouble receiver_s;
  guint64 made;
  Cost cost;

  g_usleep (G_USEC_PER_SEC / 2 + n * (strstr (receive_line, PASSPHRASE) ? 150000 : 5000));
  pipelines = play (send, n);
  g_usleep (WARM_UP_S * G_USEC_PER_SEC);
  getrusage (RUSAGE_SELF, &before);
  receiver_s = cpu_of_process_s (receivers);
  made = bench_src_packets ();
  g_usleep (seconds * G_USEC_PER_SEC);
  getrusage (RUSAGE_SELF, &after);
  receiver_s = cpu_of_process_s (receivers) - receiver_s;
  cost.packets = bench_src_packets () - made;
  cost.cpu_us = (cpu_s (&after) - cpu_s (&before)) * 1e6 / MAX (cost.packets, 1);
  cost.receiver_cpu_us = receiver_s * 1e6 / MAX (cost.packets, 1);
  cost.switches = (gdouble) (after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw)
      / MAX (cost.packets, 1);
  bench_pipelines_free (pipelines);
  kill (receivers, SIGKILL);
  waitpid (receivers, NULL, 0);
  return cost;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

typedef struct
{
  const gchar *name, *send, *receive;
} Peer;

static const Peer udp_and_tfrc[] = {
  { "udpsink", "benchsrc stream={n} ! udpsink host=127.0.0.1 port={port} sync=true",
      "udpsrc address=127.0.0.1 port={port} ! fakesink sync=false async=false" },
  { "tfrcsink", "benchsrc stream={n} ! tfrcsink host=127.0.0.1 port={port}",
      "tfrcsrc address=127.0.0.1 port={port} ! fakesink sync=false async=false" },
};
static const Peer plain_and_protected[] = {
  { "plain", "benchsrc stream={n} ! tfrcsink host=127.0.0.1 port={port}",
      "tfrcsrc address=127.0.0.1 port={port} ! fakesink sync=false async=false" },
  { "protected", "benchsrc stream={n} ! tfrcsink host=127.0.0.1 port={port} " PASSPHRASE,
      "tfrcsrc address=127.0.0.1 port={port} " PASSPHRASE " ! fakesink sync=false async=false" },
};

static void
print_ratios (const gchar *what, gdouble *ratios, guint rounds)
{
  qsort (ratios, rounds, sizeof (gdouble), compare);
  g_print ("%s: median %.2f of %u pairs, %.2f to %.2f\n", what, ratios[rounds / 2], rounds,
      ratios[0], ratios[rounds - 1]);
}

int
main (int argc, char **argv)
{
  const Peer *peers = udp_and_tfrc;
  guint streams, seconds, rounds, first = 1;
  gdouble *sender, *receiver;

  gst_init (&argc, &argv);
  if (argc == 4 && g_str_equal (argv[1], "--receive"))
    receive (argv[2], (guint) atoi (argv[3]));
  if (argc > 1 && g_str_equal (argv[1], "--passphrase")) {
    peers = plain_and_protected;
    first = 2;
  }
  streams = argc > (gint) first ? (guint) CLAMP (atoi (argv[first]), 1, 2000) : 10;
  seconds = argc > (gint) first + 1 ? (guint) CLAMP (atoi (argv[first + 1]), 1, 600) : 5;
  rounds = argc > (gint) first + 2 ? (guint) CLAMP (atoi (argv[first + 2]), 1, 99) : 3;
  bench_src_register ();
  sender = g_new0 (gdouble, rounds);
  receiver = g_new0 (gdouble, rounds);
  for (guint r = 0; r < rounds; r++) {
    Cost costs[2];

    /* Each of the two comes first in every other round. */
    for (guint i = 0; i < 2; i++) {
      guint p = (i + r) % 2;

      costs[p] = measure (argv[0], peers[p].send, peers[p].receive, streams, seconds);
      g_print ("%-9s %u streams: %.1f us of CPU a packet, %.1f at the receiver, %.2f switches, "
               "%" G_GUINT64_FORMAT " packets\n",
          peers[p].name, streams, costs[p].cpu_us, costs[p].receiver_cpu_us, costs[p].switches,
          costs[p].packets);
    }
    sender[r] = costs[1].cpu_us / costs[0].cpu_us;
    receiver[r] = costs[1].receiver_cpu_us / costs[0].receiver_cpu_us;
  }
  g_print ("%s / %s\n", peers[1].name, peers[0].name);
  print_ratios ("sender", sender, rounds);
  print_ratios ("receiver", receiver, rounds);
  g_free (sender);
  g_free (receiver);
  return 0;
}
