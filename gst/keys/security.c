/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common parts of both ends' key exchanges, see security.h. */
#include "security.h"

#include <tfrc/wire.h>

#include "../common/log.h"
#include "../common/transportstream.h"

#define RTCP_HEADER_BYTES 4

GType
gst_tfrc_protect_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_PROTECT_NONE, "No packet", "none" },
    { GST_TFRC_PROTECT_RAISED_TTL, "All packets once adaptive-ttl has raised the TTL",
        "raised-ttl" },
    { GST_TFRC_PROTECT_ALL, "All packets", "all" }, { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcProtect", values));
  return type;
}

gboolean
gst_tfrc_security_is_plain_data (const guint8 *packet, gsize size)
{
  TfrcWireData header;
  TfrcWireFec fec;
  guint16 original;

  if (tfrc_wire_parse_data (packet, size, &header) != TFRC_WIRE_OK)
    return FALSE;
  if (header.payload_type == TFRC_WIRE_REPAIR_PAYLOAD_TYPE)
    tfrc_wire_take_original_seq (packet, &header, &original);
  else if (header.payload_type == TFRC_WIRE_FEC_PAYLOAD_TYPE)
    return tfrc_wire_take_fec (packet, &header, &fec);
  return gst_tfrc_is_transport_stream (packet + header.header_bytes, header.payload_bytes);
}

gboolean
gst_tfrc_security_is_plain_rtcp (const guint8 *packet, gsize size)
{
  gsize at = 0, length;

  while (at + RTCP_HEADER_BYTES <= size && packet[at] >> 6 == 2) {
    length = (GST_READ_UINT16_BE (packet + at + 2) + (gsize) 1) * 4;
    if (length > size - at)
      return FALSE;
    at += length;
  }
  return at == size && size > 0;
}

/* A flood is logged after 1, 2, 4, 8 ... packets. */
static void
count (guint64 *refused, const gchar *why)
{
  *refused += 1;
  if ((*refused & (*refused - 1)) == 0)
    gst_tfrc_log (keys, DEBUG, "refused packets by now: %" G_GUINT64_FORMAT " %s", *refused, why);
}

void
gst_tfrc_security_count (
    GstTfrcSecurityRefusals *refused, GstTfrcUnprotectResult result, gboolean was_plaintext)
{
  switch (result) {
    case GST_TFRC_UNPROTECTED_OK:
      break;
    case GST_TFRC_UNPROTECTED_NO_KEY:
      count (&refused->no_key, "of a stream without keys");
      break;
    case GST_TFRC_UNPROTECTED_FORGED:
      if (was_plaintext)
        count (&refused->plaintext, "without protection");
      else
        count (&refused->forged, "with a wrong tag");
      break;
    case GST_TFRC_UNPROTECTED_REPLAYED:
      count (&refused->replayed, "that came before, or are too old to tell");
      break;
  }
}
