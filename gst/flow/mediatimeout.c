/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media timeout, see mediatimeout.h. */
#include "mediatimeout.h"

#include "../common/log.h"

static void
count_from (GstTfrcMediaTimeout *self, guint64 packets_sent, guint64 now_ns)
{
  self->packets_sent = packets_sent;
  self->counted_ns = now_ns;
}

static void
on_arrival (GstTfrcMediaTimeout *self, guint64 packets_sent, guint64 now_ns)
{
  if (gst_tfrc_media_timeout_is_expired (self))
    gst_tfrc_log (flow, INFO, "packets come to the receiver again");
  self->reports = 0;
  count_from (self, packets_sent, now_ns);
}

void
gst_tfrc_media_timeout_on_report (GstTfrcMediaTimeout *self, GstTfrcMediaNumber number,
    guint32 highest_seq, guint64 packets_sent, guint64 now_ns)
{
  if (highest_seq != self->highest_seq[number]) {
    self->highest_seq[number] = highest_seq;
    on_arrival (self, packets_sent, now_ns);
    return;
  }
  if (packets_sent <= self->packets_sent || gst_tfrc_media_timeout_is_expired (self)
      || now_ns < self->counted_ns + GST_TFRC_MEDIA_TIMEOUT_INTERVAL_NS)
    return;
  self->reports++;
  count_from (self, packets_sent, now_ns);
  if (gst_tfrc_media_timeout_is_expired (self))
    gst_tfrc_log (flow, INFO, "media timeout: the receiver reports, and no packet comes to it");
}

gboolean
gst_tfrc_media_timeout_is_expired (const GstTfrcMediaTimeout *self)
{
  return self->reports >= GST_TFRC_MEDIA_TIMEOUT_REPORTS;
}
