/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input of tfrcsink that is in RTP already, see rtpinput.h. */
#include "rtpinput.h"

#include <tfrc/wire.h>

void
gst_tfrc_rtp_input_set_caps (GstTfrcRtpInput *self, const GstCaps *caps)
{
  self->is_rtp = gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-rtp");
}

gboolean
gst_tfrc_rtp_input_take (GstTfrcRtpInput *self, const guint8 **data, gsize *size)
{
  TfrcWireData header;

  if (!self->is_rtp)
    return TRUE;
  if (tfrc_wire_parse_data (*data, *size, &header) != TFRC_WIRE_OK) {
    self->refused++;
    return FALSE;
  }
  *data += header.header_bytes;
  *size = header.payload_bytes;
  return TRUE;
}

guint64
gst_tfrc_rtp_input_get_refused (const GstTfrcRtpInput *self)
{
  return self->refused;
}
