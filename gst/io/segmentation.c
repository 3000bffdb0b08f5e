/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of packets, see segmentation.h. */
#include "segmentation.h"

#include <gst/gst.h>

/* Values of GstTfrcSegmentation.state */
enum
{
  UNKNOWN,
  ALLOWED,
  REFUSED
};

/* An empty packet cannot be a part of a group, as it takes no bytes there. */
guint
gst_tfrc_segmentation_count (const GstTfrcSendItem *items, guint n)
{
  const gsize size = gst_tfrc_send_item_get_bytes (&items[0]);
  gsize bytes = size, last = size;
  guint count = 1;

  n = MIN (n, GST_TFRC_GROUP_MAX_PACKETS);
  for (; count < n && last == size; count++) {
    last = gst_tfrc_send_item_get_bytes (&items[count]);
    if (last > size || last == 0 || bytes + last > GST_TFRC_GROUP_MAX_BYTES)
      break;
    bytes += last;
  }
  return count >= GST_TFRC_GROUP_MIN_PACKETS ? count : 1;
}

gboolean
gst_tfrc_segmentation_is_allowed (GstTfrcSegmentation *self, gint fd)
{
  gint state = g_atomic_int_get (&self->state);
  gint segment_bytes;
  socklen_t len = sizeof segment_bytes;

  if (state == UNKNOWN) {
    state = getsockopt (fd, IPPROTO_UDP, UDP_SEGMENT, &segment_bytes, &len) == 0 ? ALLOWED
                                                                                 : REFUSED;
    g_atomic_int_set (&self->state, state);
  }
  return state == ALLOWED;
}

void
gst_tfrc_segmentation_refuse (GstTfrcSegmentation *self)
{
  GST_INFO ("the system refuses groups of packets: they leave one by one from now on");
  g_atomic_int_set (&self->state, REFUSED);
}
