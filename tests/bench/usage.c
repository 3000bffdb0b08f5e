/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct
{
  guint64 cpu_ns, switches;
  BenchThreadKind kind;
} Thread;

struct BenchSnapshot
{
  GHashTable *threads;                      /* by the thread's ID */
  guint64 process_cpu_ns, process_switches; /* when the snapshot began */
  guint64 own_cpu_ns;                       /* that it took to make */
};

static guint64
cpu_ns (clockid_t clock)
{
  struct timespec used;

  clock_gettime (clock, &used);
  return (guint64) used.tv_sec * 1000000000 + (guint64) used.tv_nsec;
}

static guint64
voluntary_switches (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (guint64) usage.ru_nvcsw;
}

/* Reads a file of /proc.  Returns FALSE if the thread has ended. */
static gboolean
read_file (const gchar *path, gchar *text, gsize size)
{
  FILE *file = fopen (path, "re");
  gsize length;

  if (file == NULL)
    return FALSE;
  length = fread (text, 1, size - 1, file);
  text[length] = 0;
  fclose (file);
  return length > 0;
}

/* GStreamer names a streaming thread after its pad, "benchsrc0:src", and the kernel keeps 15 bytes of
 * the name.  A number of four digits may cut the pad's name short. */
static BenchThreadKind
kind_of (const gchar *name)
{
  if (g_str_has_prefix (name, "pool-"))
    return BENCH_THREADS_POOL;
  return strchr (name, ':') && !g_str_has_prefix (name, "SRT:") ? BENCH_THREADS_STREAMING
                                                                : BENCH_THREADS_LOOP;
}

static gboolean
read_thread (const gchar *tid, Thread *thread)
{
  static const gchar switches[] = "\nvoluntary_ctxt_switches:";
  gchar path[64], text[4096];
  const gchar *found;

  g_snprintf (path, sizeof path, "/proc/self/task/%s/comm", tid);
  if (!read_file (path, text, sizeof text))
    return FALSE;
  thread->kind = kind_of (text);
  /* "stat" has the same time in ticks of 10 ms only. */
  g_snprintf (path, sizeof path, "/proc/self/task/%s/schedstat", tid);
  if (!read_file (path, text, sizeof text))
    return FALSE;
  thread->cpu_ns = g_ascii_strtoull (text, NULL, 10);
  g_snprintf (path, sizeof path, "/proc/self/task/%s/status", tid);
  if (!read_file (path, text, sizeof text) || (found = strstr (text, switches)) == NULL)
    return FALSE;
  thread->switches = g_ascii_strtoull (found + strlen (switches), NULL, 10);
  return TRUE;
}

BenchSnapshot *
bench_snapshot_new (void)
{
  BenchSnapshot *snapshot = g_new0 (BenchSnapshot, 1);
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  gint own = (gint) syscall (SYS_gettid);
  const gchar *tid;
  guint64 own_ns = cpu_ns (CLOCK_THREAD_CPUTIME_ID);

  snapshot->process_cpu_ns = cpu_ns (CLOCK_PROCESS_CPUTIME_ID);
  snapshot->process_switches = voluntary_switches ();
  snapshot->threads = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  while (tasks != NULL && (tid = g_dir_read_name (tasks)) != NULL) {
    Thread thread;

    if (atoi (tid) != own && read_thread (tid, &thread))
      g_hash_table_insert (
          snapshot->threads, GINT_TO_POINTER (atoi (tid)), g_memdup2 (&thread, sizeof thread));
  }
  if (tasks != NULL)
    g_dir_close (tasks);
  snapshot->own_cpu_ns = cpu_ns (CLOCK_THREAD_CPUTIME_ID) - own_ns;
  return snapshot;
}

void
bench_snapshot_free (BenchSnapshot *snapshot)
{
  g_hash_table_unref (snapshot->threads);
  g_free (snapshot);
}

void
bench_usage_between (BenchUsage *usage, const BenchSnapshot *before, const BenchSnapshot *after)
{
  static const Thread none = { 0 };
  GHashTableIter iter;
  gpointer tid, value;

  memset (usage, 0, sizeof *usage);
  usage->process_cpu_ns = after->process_cpu_ns - before->process_cpu_ns - before->own_cpu_ns;
  usage->process_switches = after->process_switches - before->process_switches;
  g_hash_table_iter_init (&iter, after->threads);
  while (g_hash_table_iter_next (&iter, &tid, &value)) {
    const Thread *thread = value, *earlier = g_hash_table_lookup (before->threads, tid);

    if (earlier == NULL)
      earlier = &none;
    usage->cpu_ns[thread->kind] += thread->cpu_ns - earlier->cpu_ns;
    usage->switches[thread->kind] += thread->switches - earlier->switches;
    usage->threads[thread->kind]++;
  }
}

guint64
bench_resident_bytes (void)
{
  gchar text[128], *pages;

  if (!read_file ("/proc/self/statm", text, sizeof text) || (pages = strchr (text, ' ')) == NULL)
    return 0;
  return g_ascii_strtoull (pages, NULL, 10) * (guint64) sysconf (_SC_PAGESIZE);
}
