/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NAL units of H.264, see nalwriter.h. */
#include "nalwriter.h"

#include <string.h>

void
nal_put (GstBitWriter *payload, guint n_bits, guint32 value)
{
  gst_bit_writer_put_bits_uint32 (payload, value, n_bits);
}

void
nal_put_ue (GstBitWriter *payload, guint32 value)
{
  guint64 code = (guint64) value + 1;

  /* A code has as many leading zeros as it has bits after its first 1. */
  gst_bit_writer_put_bits_uint64 (payload, code, 2 * g_bit_storage (code) - 1);
}

void
nal_put_se (GstBitWriter *payload, gint32 value)
{
  nal_put_ue (payload, value > 0 ? 2 * value - 1 : -2 * value);
}

gsize
nal_finish (GstBitWriter *payload, guint8 nal_header, guint8 *data)
{
  guint8 *at = data;
  const guint8 *bytes;
  guint zeros = 0, n_bytes, i;

  nal_put (payload, 1, 1);
  gst_bit_writer_align_bytes (payload, 0);
  bytes = gst_bit_writer_get_data (payload);
  n_bytes = gst_bit_writer_get_size (payload) / 8;
  memcpy (at, "\0\0\0\1", 4);
  at += 4;
  *at++ = nal_header;
  for (i = 0; i < n_bytes; i++) {
    if (zeros == 2 && bytes[i] <= 3) {
      *at++ = 3;
      zeros = 0;
    }
    zeros = bytes[i] == 0 ? zeros + 1 : 0;
    *at++ = bytes[i];
  }
  gst_bit_writer_reset (payload);
  return at - data;
}
