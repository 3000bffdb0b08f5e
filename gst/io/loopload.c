/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The load of an I/O loop's thread, see loopload.h. */
#include "loopload.h"

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
