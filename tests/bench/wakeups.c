/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often the I/O loop wakes up to receive packets of many streams, and what a packet costs its
 * thread.
 *
 *   bench-wakeups [SECONDS [STREAMS...]]
 *
 * Another process sends 640 kbit/s to each stream in packets of 1316 bytes, at phases that are
 * random, so that no two streams share a time.  The counts are ratios of one run: wake-ups by
 * packets.  CPU time and delay depend on the machine and its other work. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gst/common/clock.h"
#include "gst/io/loop.h"

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)
#define PACKET_BYTES 1316
#define RATE_BPS 640000
#define INTERVAL_NS (PACKET_BYTES * 8 * SECOND_NS / RATE_BPS)
#define MAX_STREAMS 1000

/* ---- the sender's process ------------------------------------------------ */

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y;
}

static void
sleep_until (guint64 ns)
{
  struct timespec time = { (time_t) (ns / SECOND_NS), (long) (ns % SECOND_NS) };

  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void
send_for_ever (const GstTfrcAddress *to, guint n)
{
  static const guint8 bytes[PACKET_BYTES];
  const GstTfrcSendItem item = { .data = bytes, .size = sizeof bytes };
  const GstTfrcSocketConfig config = GST_TFRC_SOCKET_CONFIG_INIT;
  gint fd = gst_tfrc_socket_open (&config, NULL, NULL), error;
  GRand *rand = g_rand_new_with_seed (n);
  guint64 *phases = g_new (guint64, n);

  prctl (PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  for (guint i = 0; i < n; i++)
    phases[i] = (guint64) (g_rand_double (rand) * INTERVAL_NS);
  qsort (phases, n, sizeof *phases, compare_times);
  for (guint64 start_ns = gst_tfrc_clock_now_ns ();; start_ns += INTERVAL_NS) {
    for (guint i = 0; i < n; i++) {
      sleep_until (start_ns + phases[i]);
      gst_tfrc_socket_send (fd, &to[i], NULL, &item, 1, &error);
    }
  }
}

static pid_t
start_sender (const GstTfrcAddress *to, guint n)
{
  pid_t child = fork ();

  if (child == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    send_for_ever (to, n);
  }
  return child;
}

/* ---- the receiver -------------------------------------------------------- */

/* The loop's thread counts.  Read by main() when the loop has ended. */
typedef struct
{
  guint64 packets, first_cpu_ns, last_cpu_ns, delay_ns;
} Counts;

static guint64
on_packets (gpointer user_data, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  Counts *counts = user_data;

  counts->last_cpu_ns = gst_tfrc_clock_thread_cpu_ns ();
  if (counts->packets == 0)
    counts->first_cpu_ns = counts->last_cpu_ns;
  counts->packets += n;
  for (guint i = 0; i < n; i++)
    counts->delay_ns += now_ns - packets[i].arrival_ns;
  return GST_TFRC_IO_NEVER;
}

static guint64
on_deadline (gpointer user_data, guint64 now_ns)
{
  return GST_TFRC_IO_NEVER;
}

static void
on_error (gpointer user_data, gint error, const GstTfrcAddress *destination)
{
}

static void
measure (guint n, guint seconds)
{
  static const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };
  const GstTfrcSocketConfig config = { .bind_address = "127.0.0.1",
    .ttl = GST_TFRC_SOCKET_DEFAULT_TTL,
    .dscp = GST_TFRC_SOCKET_DEFAULT_DSCP };
  GstTfrcAddress addresses[MAX_STREAMS];
  GstTfrcIo *streams[MAX_STREAMS];
  gint fds[MAX_STREAMS];
  Counts counts = { 0 };
  GstTfrcIoLoopStats before, after;
  pid_t sender;

  for (guint i = 0; i < n; i++) {
    fds[i] = gst_tfrc_socket_open (&config, &addresses[i], NULL);
    if (fds[i] < 0)
      g_error ("no socket for stream %u", i);
  }
  sender = start_sender (addresses, n);
  for (guint i = 0; i < n; i++)
    streams[i] = gst_tfrc_io_new (fds[i], NULL, &callbacks, &counts, NULL);
  g_usleep (G_USEC_PER_SEC / 2);
  gst_tfrc_io_loop_get_stats (&before);
  g_usleep (seconds * G_USEC_PER_SEC);
  gst_tfrc_io_loop_get_stats (&after);
  kill (sender, SIGKILL);
  waitpid (sender, NULL, 0);
  for (guint i = 0; i < n; i++) {
    gst_tfrc_io_free (streams[i]);
    close (fds[i]);
  }
  counts.packets = MAX (counts.packets, 1);
  g_print ("%4u streams: %.3f wake-ups a packet, %.0f packets a second, %.1f us of CPU a packet, "
           "read %.0f us after arrival\n",
      n, (gdouble) (after.wakeups - before.wakeups) / MAX (after.packets - before.packets, 1),
      (gdouble) (after.packets - before.packets) / seconds,
      (gdouble) (counts.last_cpu_ns - counts.first_cpu_ns) / 1e3 / counts.packets,
      (gdouble) counts.delay_ns / 1e3 / counts.packets);
}

int
main (int argc, char **argv)
{
  static const guint streams[] = { 1, 10, 100, 300 };
  guint seconds = argc > 1 ? (guint) CLAMP (atoi (argv[1]), 1, 600) : 3;
  struct rlimit files;

  getrlimit (RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit (RLIMIT_NOFILE, &files);
  for (gint i = 2; i < argc; i++)
    measure ((guint) CLAMP (atoi (argv[i]), 1, MAX_STREAMS), seconds);
  for (guint i = 0; argc <= 2 && i < G_N_ELEMENTS (streams); i++)
    measure (streams[i], seconds);
  return 0;
}
