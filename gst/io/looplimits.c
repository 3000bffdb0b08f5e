/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a further I/O loop starts, see looplimits.h. */
#include <sched.h>

#include "looplimits.h"

#include "../common/number.h"

/* ---- limits ------------------------------------------------------------------ */

/* The call fails where the kernel has room for more processors than cpu_set_t. */
static guint
count_processors (void)
{
  cpu_set_t set;
  guint n;

  n = sched_getaffinity (0, sizeof set, &set) == 0 ? (guint) CPU_COUNT (&set)
                                                   : g_get_num_processors ();
  return CLAMP (n, 1, GST_TFRC_IO_MAX_LOOPS);
}

/* @return the number in a variable of the environment; 0: it is not set, or not a number from 1 to
 * @most */
static guint
read_number (const gchar *text, guint most)
{
  guint64 number = 0;

  if (!gst_tfrc_number_read (text, 1, most, &number))
    return 0;
  return (guint) number;
}

static void
warn_once (const gchar *text)
{
  static gint warned; /* atomic */

  if (g_atomic_int_compare_and_exchange (&warned, FALSE, TRUE))
    g_warning (
        "TFRC_THREADS is '%s', which is not a number from 1 to %d: there will be at most one "
        "I/O thread for each processor",
        text, GST_TFRC_IO_MAX_LOOPS);
}

void
gst_tfrc_loop_limits_get (GstTfrcLoopLimits *limits)
{
  const gchar *threads = g_getenv ("TFRC_THREADS");

  limits->loops = read_number (threads, GST_TFRC_IO_MAX_LOOPS);
  if (threads && limits->loops == 0)
    warn_once (threads);
  if (limits->loops == 0)
    limits->loops = count_processors ();
  limits->streams_per_loop = read_number (g_getenv ("TFRC_TEST_STREAMS_PER_LOOP"), G_MAXINT);
  if (limits->streams_per_loop == 0)
    limits->streams_per_loop = GST_TFRC_IO_STREAMS_PER_LOOP;
}

/* ---- load -------------------------------------------------------------------- */

void
gst_tfrc_loop_load_init (GstTfrcLoopLoad *load, guint64 now_ns, guint64 cpu_ns)
{
  *load = (GstTfrcLoopLoad){ .start_ns = now_ns, .start_cpu_ns = cpu_ns };
}

gboolean
gst_tfrc_loop_load_is_due (const GstTfrcLoopLoad *load, guint64 now_ns)
{
  return now_ns >= load->start_ns + GST_TFRC_LOOP_WINDOW_NS;
}

void
gst_tfrc_loop_load_on_window (GstTfrcLoopLoad *load, guint64 now_ns, guint64 cpu_ns)
{
  guint64 work_ns = cpu_ns - load->start_cpu_ns;
  gboolean busy = work_ns * 100 > (now_ns - load->start_ns) * GST_TFRC_LOOP_BUSY_PERCENT;

  load->start_ns = now_ns;
  load->start_cpu_ns = cpu_ns;
  load->busy_until_ns = busy ? now_ns + GST_TFRC_LOOP_BUSY_MEMORY_NS : 0;
}

gboolean
gst_tfrc_loop_load_is_busy (const GstTfrcLoopLoad *load, guint64 now_ns)
{
  return now_ns < load->busy_until_ns;
}
