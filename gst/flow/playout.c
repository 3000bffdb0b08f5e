/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver tells its sender of its player, see playout.h. */
#include "playout.h"

#define MS_NS G_GUINT64_CONSTANT (1000000)
#define US_NS G_GUINT64_CONSTANT (1000)

static guint32
saturate (guint64 value, guint32 most)
{
  return (guint32) MIN (value, most);
}

TfrcWirePlayout
gst_tfrc_playout_to_wire (const GstTfrcPlayout *self)
{
  TfrcWirePlayout wire = {
    .delay_ms = saturate (self->delay_ns / MS_NS, G_MAXUINT32),
    .queueing_us = TFRC_WIRE_QUEUEING_UNKNOWN,
    .ahead_ms = saturate (self->ahead_ns / MS_NS, G_MAXUINT32),
    .ahead_bytes = saturate (self->ahead_bytes, G_MAXUINT32),
  };

  if (self->queueing_ns != GST_TFRC_QUEUEING_UNKNOWN)
    wire.queueing_us = saturate (self->queueing_ns / US_NS, TFRC_WIRE_QUEUEING_UNKNOWN - 1);
  return wire;
}

GstTfrcPlayout
gst_tfrc_playout_from_wire (const TfrcWirePlayout *wire)
{
  GstTfrcPlayout self = {
    .delay_ns = wire->delay_ms * MS_NS,
    .queueing_ns = GST_TFRC_QUEUEING_UNKNOWN,
    .ahead_ns = wire->ahead_ms * MS_NS,
    .ahead_bytes = wire->ahead_bytes,
  };

  if (wire->queueing_us != TFRC_WIRE_QUEUEING_UNKNOWN)
    self.queueing_ns = wire->queueing_us * US_NS;
  return self;
}

void
gst_tfrc_playout_add_stats (const GstTfrcPlayout *self, GstStructure *stats)
{
  gboolean is_known = self->queueing_ns != GST_TFRC_QUEUEING_UNKNOWN;

  gst_structure_set (stats, "playout-delay-told", G_TYPE_UINT64, self->delay_ns, "queueing-delay",
      G_TYPE_UINT64, is_known ? self->queueing_ns : (guint64) 0, "ahead-time-told", G_TYPE_UINT64,
      self->ahead_ns, "ahead-bytes-told", G_TYPE_UINT64, self->ahead_bytes, NULL);
}
