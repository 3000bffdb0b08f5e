/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often an encoder is asked for a key unit, see keyunits.h. */
#include "keyunits.h"

gboolean
gst_tfrc_key_units_take (GstTfrcKeyUnits *self, guint64 now_ns)
{
  if (self->asked_ns > 0 && now_ns < self->asked_ns + GST_TFRC_KEY_UNITS_INTERVAL_NS)
    return FALSE;
  self->asked_ns = now_ns;
  self->is_wanted = FALSE;
  return TRUE;
}

void
gst_tfrc_key_units_want (GstTfrcKeyUnits *self, guint64 rtt_ns, guint64 now_ns)
{
  guint64 comes_ns = self->asked_ns + MIN (rtt_ns, GST_TFRC_KEY_UNITS_INTERVAL_NS);

  self->is_wanted |= self->asked_ns == 0 || now_ns >= comes_ns;
}

guint64
gst_tfrc_key_units_next_ns (const GstTfrcKeyUnits *self)
{
  return self->is_wanted ? self->asked_ns + GST_TFRC_KEY_UNITS_INTERVAL_NS : G_MAXUINT64;
}

gboolean
gst_tfrc_key_units_take_wanted (GstTfrcKeyUnits *self, guint64 now_ns)
{
  return self->is_wanted && gst_tfrc_key_units_take (self, now_ns);
}
