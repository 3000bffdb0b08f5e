/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a receiver tells the sender that a picture is lost, see pictureloss.h. */
#include "pictureloss.h"

#include "../common/log.h"

void
gst_tfrc_picture_loss_set_on (GstTfrcPictureLoss *self, gboolean is_on)
{
  self->is_on = is_on;
}

void
gst_tfrc_picture_loss_on_gap (GstTfrcPictureLoss *self)
{
  if (self->is_on)
    self->is_wanted = TRUE;
}

void
gst_tfrc_picture_loss_ask (GstTfrcPictureLoss *self)
{
  self->is_wanted = TRUE;
}

guint64
gst_tfrc_picture_loss_next_ns (const GstTfrcPictureLoss *self, guint64 rtt_ns)
{
  if (!self->is_wanted)
    return G_MAXUINT64;
  return self->asked_ns > 0 ? self->asked_ns + MAX (GST_TFRC_PICTURE_LOSS_INTERVAL_NS, rtt_ns) : 0;
}

gboolean
gst_tfrc_picture_loss_take (GstTfrcPictureLoss *self, guint64 rtt_ns, guint64 now_ns)
{
  if (now_ns < gst_tfrc_picture_loss_next_ns (self, rtt_ns))
    return FALSE;
  gst_tfrc_log (flow, DEBUG, "a picture is lost: the sender is asked for a key unit");
  self->is_wanted = FALSE;
  self->asked_ns = now_ns;
  return TRUE;
}
