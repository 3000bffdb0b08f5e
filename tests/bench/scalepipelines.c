/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many pipelines in one process, and what they cost: part of scale.sh.
 *
 *   bench-scale-pipelines --line=LINE [OPTION...]
 *
 * LINE is a launch line with "{n}" and "{port}" (pipelines.h).  A line with benchsrc sends: its
 * pipelines have one base time, and its packets are those that are due during the measurement and that
 * the sources have made by its end.  A sink may take many packets at a time before they are due, so
 * that the number of those that are made meanwhile would depend on when the measurement begins.  Any
 * other line receives: its packets are those that its sinks render.
 *
 * The program prints "ready" when the pipelines stand, and waits for a line on its standard input.
 * Then it prints "measuring" after the warm-up, and one line of JSON at the end.  If the input ends
 * instead, the program ends without a measurement. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "benchpacket.h"
#include "benchsrc.h"
#include "pipelines.h"
#include "usage.h"

#define LEAD_NS (300 * GST_MSECOND) /* from the decision to play to the first packet's time */
#define QUARTER_NS (250 * GST_MSECOND)
#define LAST_PACKETS_US 500000 /* for packets that are late */

static gchar *line = NULL;
static gint streams = 1, copies = 1;
static gdouble warm_up_s = 2, seconds = 5;

static const GOptionEntry entries[] = {
  { "line", 0, 0, G_OPTION_ARG_STRING, &line, "launch line of each pipeline", "LINE" },
  { "streams", 0, 0, G_OPTION_ARG_INT, &streams, "number of pipelines", "N" },
  { "copies", 0, 0, G_OPTION_ARG_INT, &copies,
      "how often a packet leaves: the callers of a pipeline", "N" },
  { "warm-up", 0, 0, G_OPTION_ARG_DOUBLE, &warm_up_s, "seconds before the measurement", "S" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "seconds of the measurement", "S" },
  { 0 },
};

/* ---- times ---------------------------------------------------------------- */

static guint64
now_ns (void)
{
  return bench_clock_ns (CLOCK_MONOTONIC);
}

static void
sleep_until (guint64 time_ns)
{
  struct timespec until = { (time_t) (time_ns / GST_SECOND), (long) (time_ns % GST_SECOND) };

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
}

/* ---- measuring ------------------------------------------------------------- */

typedef struct
{
  gdouble set_up_s, tear_down_s, window_s;
  guint64 packets, resident_bytes;
  gdouble allocations; /* per packet, in the QUARTER_NS with the fewest; -1: not counted */
  BenchUsage usage;
} Result;

static guint64
packets_of (BenchPipelines *pipelines, gboolean sends)
{
  return sends ? bench_src_packets () : bench_pipelines_rendered (pipelines);
}

/* Returns G_MAXUINT64 if allocations are not counted. */
static guint64
allocations_now (void)
{
  guint64 (*count) (void) = NULL;

  *(void **) &count = dlsym (RTLD_DEFAULT, "bench_allocations");
  return count ? count () : G_MAXUINT64;
}

/* Packets and allocations at one time.  No allocation lies between the two counts, unless they never
 * rest. */
typedef struct
{
  guint64 packets, allocations;
} Counts;

static Counts
counts_now (BenchPipelines *pipelines, gboolean sends)
{
  Counts counts;
  guint tries = 1000;

  do {
    counts.allocations = allocations_now ();
    counts.packets = packets_of (pipelines, sends);
  } while (sends && allocations_now () != counts.allocations && --tries > 0);
  return counts;
}

/* Waits until about @end_ns.  Returns the allocations of a packet in the part of this time that had the
 * fewest.  So messages that elements post now and then do not count, and what is done for each packet
 * does. */
static gdouble
count_allocations (BenchPipelines *pipelines, gboolean sends, guint64 end_ns)
{
  Counts first = counts_now (pipelines, sends);
  gdouble least = -1;

  while (now_ns () + QUARTER_NS <= end_ns) {
    Counts last;

    sleep_until (now_ns () + QUARTER_NS);
    last = counts_now (pipelines, sends);
    if (last.packets > first.packets) {
      gdouble each = (gdouble) (last.allocations - first.allocations)
          / (last.packets - first.packets);

      if (least < 0 || each < least)
        least = each;
    }
    first = last;
  }
  return least;
}

/* Measures from @begin_ns on. */
static void
measure (Result *result, BenchPipelines *pipelines, gboolean sends, guint64 begin_ns)
{
  guint64 end_ns = begin_ns + (guint64) (seconds * GST_SECOND), began_ns, packets;
  BenchSnapshot *before, *after;

  sleep_until (begin_ns);
  g_print ("measuring\n");
  before = bench_snapshot_new ();
  began_ns = now_ns ();
  packets = packets_of (pipelines, sends);
  if (allocations_now () == G_MAXUINT64)
    result->allocations = -1;
  else
    result->allocations = count_allocations (pipelines, sends, end_ns);
  sleep_until (end_ns);
  after = bench_snapshot_new ();
  result->window_s = (now_ns () - began_ns) / 1e9;
  result->packets = (guint) copies
      * (sends ? bench_src_measured_packets () : packets_of (pipelines, sends) - packets);
  bench_usage_between (&result->usage, before, after);
  bench_snapshot_free (before);
  bench_snapshot_free (after);
}

static void
print_result (const Result *result, guint errors)
{
  static const gchar *kinds[BENCH_N_THREAD_KINDS] = { "streaming", "loop", "pool" };
  gdouble packets = MAX (result->packets, 1);
  const BenchUsage *usage = &result->usage;

  g_print ("{\"set_up_s\": %.4f, \"tear_down_s\": %.4f, \"window_s\": %.4f, \"packets\": "
           "%" G_GUINT64_FORMAT ", \"rss_kib\": %.1f, \"errors\": %u",
      result->set_up_s, result->tear_down_s, result->window_s, result->packets,
      result->resident_bytes / 1024. / streams / copies, errors);
  for (guint kind = 0; kind < BENCH_N_THREAD_KINDS; kind++)
    g_print (", \"cpu_%s_us\": %.4f, \"switches_%s\": %.5f, \"threads_%s\": %u", kinds[kind],
        usage->cpu_ns[kind] / packets / 1e3, kinds[kind], usage->switches[kind] / packets,
        kinds[kind], usage->threads[kind]);
  g_print (", \"cpu_us\": %.4f, \"switches\": %.5f", usage->process_cpu_ns / packets / 1e3,
      usage->process_switches / packets);
  if (result->allocations >= 0)
    g_print (", \"allocations\": %.5f", result->allocations);
  g_print ("}\n");
}

/* ---- the two kinds of lines -------------------------------------------------- */

/* Waits for a line of the standard input.  Returns FALSE at its end. */
static gboolean
told_to_go (void)
{
  gchar text[16];

  g_print ("ready\n");
  return fgets (text, sizeof text, stdin) != NULL;
}

/* Returns the time at which the packets begin. */
static guint64
play_senders (BenchPipelines *pipelines)
{
  guint64 base_ns = now_ns () + LEAD_NS;
  guint64 begin_ns = base_ns + (guint64) (warm_up_s * GST_SECOND);

  bench_src_set_times (base_ns, begin_ns, begin_ns + (guint64) (seconds * GST_SECOND));
  bench_pipelines_set_base_time (pipelines, base_ns);
  bench_pipelines_set_state (pipelines, GST_STATE_PLAYING);
  return base_ns;
}

static void
raise_limit_of_files (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &limit);
  }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  BenchPipelines *pipelines;
  Result result = { 0 };
  gboolean sends;
  guint64 begun_ns, resident_bytes;
  guint errors;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  raise_limit_of_files ();
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || line == NULL || streams < 1
      || streams > BENCH_MAX_STREAMS || copies < 1 || !(warm_up_s >= 0) || !(seconds > 0)) {
    g_printerr ("%s: %s\n", argv[0], error ? error->message : "a wrong or missing option");
    return 2;
  }
  g_option_context_free (context);
  bench_src_register ();
  sends = strstr (line, "benchsrc") != NULL;
  /* The first pipeline loads plugins and types, which are no cost of a stream. */
  bench_pipelines_free (bench_pipelines_new (line, 0, 1));

  resident_bytes = bench_resident_bytes ();
  begun_ns = now_ns ();
  pipelines = bench_pipelines_new (line, 0, (guint) streams);
  bench_pipelines_set_state (pipelines, sends ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  result.set_up_s = (now_ns () - begun_ns) / 1e9;
  if (!told_to_go ())
    return 0;
  begun_ns = now_ns ();
  if (sends) {
    guint64 base_ns = play_senders (pipelines);

    result.set_up_s += (now_ns () - begun_ns) / 1e9;
    begun_ns = base_ns;
  }
  measure (&result, pipelines, sends, begun_ns + (guint64) (warm_up_s * GST_SECOND));
  result.resident_bytes = bench_resident_bytes ();
  result.resident_bytes -= MIN (result.resident_bytes, resident_bytes);
  g_usleep (LAST_PACKETS_US);
  errors = __atomic_load_n (&pipelines->errors, __ATOMIC_RELAXED);
  begun_ns = now_ns ();
  bench_pipelines_free (pipelines);
  result.tear_down_s = (now_ns () - begun_ns) / 1e9;
  print_result (&result, errors);
  return 0;
}
