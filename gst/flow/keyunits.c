/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often an encoder is asked for a key unit, see keyunits.h. */
#include "keyunits.h"

gboolean
gst_tfrc_key_units_take (GstTfrcKeyUnits *self, guint64 now_ns)
{
  if (self->asked_ns > 0 && now_ns < self->asked_ns + GST_TFRC_KEY_UNITS_INTERVAL_NS)
    return FALSE;
  self->asked_ns = now_ns;
  return TRUE;
}
