/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that leave together, see grouping.h. */
#include "grouping.h"

gboolean
gst_tfrc_grouping_is_worth (gdouble rate_Bps)
{
  return rate_Bps >= GST_TFRC_GROUPING_FROM_BPS;
}

guint64
gst_tfrc_grouping_time_ns (guint64 next_ns, gdouble rate_Bps)
{
  guint64 rest_ns = next_ns % GST_TFRC_GROUPING_INTERVAL_NS;

  if (rest_ns == 0 || !gst_tfrc_grouping_is_worth (rate_Bps)
      || next_ns > G_MAXUINT64 - GST_TFRC_GROUPING_INTERVAL_NS)
    return next_ns;
  return next_ns + GST_TFRC_GROUPING_INTERVAL_NS - rest_ns;
}
