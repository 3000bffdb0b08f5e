/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of a packet of the transport stream and its adaptation field (ISO/IEC 13818-1 sections
 * 2.4.3.2 to 2.4.3.5). */
#ifndef GST_TFRC_TSHEADER_H
#define GST_TFRC_TSHEADER_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_TS_PACKET_BYTES 188
#define GST_TFRC_TS_HEADER_BYTES 4
#define GST_TFRC_TS_MAX_PAYLOAD_BYTES (GST_TFRC_TS_PACKET_BYTES - GST_TFRC_TS_HEADER_BYTES)

/** PIDs that the standard gives away (table 2-3) */
#define GST_TFRC_TS_PID_PAT 0x0000
#define GST_TFRC_TS_PID_CAT 0x0001
#define GST_TFRC_TS_PID_NULL 0x1fff

typedef struct
{
  guint16 pid;
  gboolean
      is_damaged; /* by the sender's word, or its lengths contradict each other: no more is read */
  gboolean starts_unit; /* a PES packet begins with the payload, or a section in it */
  gboolean is_scrambled;
  gboolean has_pcr;
  gboolean random_access; /* random_access_indicator */
  gboolean priority;      /* elementary_stream_priority_indicator */
  const guint8 *payload;
  gsize payload_bytes; /* 0: there is none; at most GST_TFRC_TS_MAX_PAYLOAD_BYTES */
} GstTfrcTsHeader;

static inline guint
gst_tfrc_ts_get_pid (const guint8 *ts_packet)
{
  return (ts_packet[1] & 0x1fu) << 8 | ts_packet[2];
}

/** Ticks of 27 MHz after which clock references (PCR) begin with 0 again: 26.5 hours */
#define GST_TFRC_TS_PCR_WRAP (G_GUINT64_CONSTANT (300) << 33)

/** Reads the clock reference (PCR) of GST_TFRC_TS_PACKET_BYTES, in which anything may stand.
 * @param pcr set to ticks of 27 MHz, below GST_TFRC_TS_PCR_WRAP
 * @param is_jump set to discontinuity_indicator: another clock begins
 * @return FALSE: the packet has none, and nothing is set */
static inline gboolean
gst_tfrc_ts_read_pcr (const guint8 *ts_packet, guint64 *pcr, gboolean *is_jump)
{
  const guint8 *field = ts_packet + GST_TFRC_TS_HEADER_BYTES;

  if ((ts_packet[1] & 0x80) != 0 || (ts_packet[3] & 0x20) == 0 || field[0] < 7
      || field[0] >= GST_TFRC_TS_MAX_PAYLOAD_BYTES || (field[1] & 0x10) == 0)
    return FALSE;
  *pcr = ((guint64) field[2] << 25 | (guint64) field[3] << 17 | (guint64) field[4] << 9
             | (guint64) field[5] << 1 | field[6] >> 7)
      * 300;
  *pcr += MIN (299u, (field[6] & 1u) << 8 | field[7]);
  *is_jump = (field[1] & 0x80) != 0;
  return TRUE;
}

/** Reads the header of GST_TFRC_TS_PACKET_BYTES, in which anything may stand. */
static inline void
gst_tfrc_ts_header_read (GstTfrcTsHeader *header, const guint8 *ts_packet)
{
  const guint8 *field = ts_packet + GST_TFRC_TS_HEADER_BYTES;
  const gboolean has_field = (ts_packet[3] & 0x20) != 0;
  const gboolean has_payload = (ts_packet[3] & 0x10) != 0;
  const guint field_bytes = has_field ? 1u + field[0] : 0;
  const guint flags = field_bytes > 1 ? field[1] : 0;

  header->pid = (guint16) gst_tfrc_ts_get_pid (ts_packet);
  header->is_damaged = (ts_packet[1] & 0x80) != 0 || field_bytes > GST_TFRC_TS_MAX_PAYLOAD_BYTES;
  header->starts_unit = has_payload && (ts_packet[1] & 0x40) != 0;
  header->is_scrambled = (ts_packet[3] & 0xc0) != 0;
  header->random_access = (flags & 0x40) != 0;
  header->priority = (flags & 0x20) != 0;
  header->has_pcr = (flags & 0x10) != 0;
  header->payload = field + field_bytes;
  header->payload_bytes = has_payload && !header->is_damaged
      ? GST_TFRC_TS_MAX_PAYLOAD_BYTES - field_bytes
      : 0;
}

G_END_DECLS
#endif
