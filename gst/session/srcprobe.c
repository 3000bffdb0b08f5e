/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes of the sender, see srcprobe.h. */
#include "srcprobe.h"

#define FIRST_INTERVAL_NS G_GUINT64_CONSTANT (250000000)
#define MAX_INTERVAL_NS G_GUINT64_CONSTANT (2000000000)

void
gst_tfrc_src_probe_start (GstTfrcSrcProbe *probe, guint64 now_ns)
{
  probe->is_active = TRUE;
  probe->due_ns = now_ns;
  probe->interval_ns = FIRST_INTERVAL_NS;
}

void
gst_tfrc_src_probe_stop (GstTfrcSrcProbe *probe)
{
  probe->is_active = FALSE;
}

guint64
gst_tfrc_src_probe_next_ns (const GstTfrcSrcProbe *probe)
{
  return probe->is_active ? probe->due_ns : G_MAXUINT64;
}

gboolean
gst_tfrc_src_probe_take (GstTfrcSrcProbe *probe, guint64 now_ns)
{
  if (now_ns < gst_tfrc_src_probe_next_ns (probe))
    return FALSE;
  probe->due_ns = now_ns + probe->interval_ns;
  probe->interval_ns = MIN (2 * probe->interval_ns, MAX_INTERVAL_NS);
  return TRUE;
}
