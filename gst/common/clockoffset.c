/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline's clock and the monotonic clock, see clockoffset.h. */
#include "clockoffset.h"

#include "clock.h"

void
gst_tfrc_clock_offset_update (
    GstTfrcClockOffset *offset, guint64 before_ns, GstClockTime clock_ns, guint64 after_ns)
{
  gint64 least_ns = (gint64) (before_ns - clock_ns), most_ns = (gint64) (after_ns - clock_ns);

  if (offset->is_known)
    offset->offset_ns = CLAMP (offset->offset_ns, least_ns, most_ns);
  else
    offset->offset_ns = least_ns + (most_ns - least_ns) / 2;
  offset->is_known = TRUE;
}

gboolean
gst_tfrc_clock_offset_read (GstTfrcClockOffset *offset, GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  guint64 before_ns, clock_ns;

  if (clock == NULL)
    return FALSE;
  before_ns = gst_tfrc_clock_now_ns ();
  clock_ns = gst_clock_get_time (clock);
  gst_tfrc_clock_offset_update (offset, before_ns, clock_ns, gst_tfrc_clock_now_ns ());
  gst_object_unref (clock);
  return TRUE;
}
