/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport streams made by hand (ISO/IEC 13818-1), for tests of the classifier */
#ifndef TSBUILDER_H
#define TSBUILDER_H

#include <glib.h>
#include <string.h>

#define TS_BYTES 188
#define TS_PAYLOAD_BYTES 184
#define TS_PAT_PID 0
#define TS_NULL_PID 0x1fff

/* Flags of a packet; of a unit of several packets, the first has TS_START and TS_RANDOM_ACCESS. */
enum
{
  TS_START = 1,
  TS_RANDOM_ACCESS = 2,
  TS_PRIORITY = 4,
  TS_PCR = 8,
  TS_SCRAMBLED = 16,
  TS_DAMAGED = 32
};

/* Appends a packet with at most TS_PAYLOAD_BYTES; stuffing in the adaptation field fills it up. */
static inline void
ts_append (GByteArray *stream, guint pid, guint flags, const guint8 *payload, guint bytes)
{
  const gboolean has_field = bytes < TS_PAYLOAD_BYTES;
  guint8 packet[TS_BYTES];

  g_assert (bytes <= TS_PAYLOAD_BYTES - ((flags & TS_PCR) ? 8 : (flags & 6) ? 2 : 0));
  memset (packet, 0xff, sizeof packet);
  packet[0] = 0x47;
  packet[1] = (guint8) ((flags & TS_DAMAGED ? 0x80 : 0) | (flags & TS_START ? 0x40 : 0) | pid >> 8);
  packet[2] = (guint8) pid;
  packet[3] = (guint8) ((flags & TS_SCRAMBLED ? 0x80 : 0) | (has_field ? 0x20 : 0)
      | (bytes > 0 ? 0x10 : 0));
  if (has_field) {
    packet[4] = (guint8) (TS_PAYLOAD_BYTES - 1 - bytes);
    if (packet[4] > 0)
      packet[5] = (guint8) ((flags & TS_RANDOM_ACCESS ? 0x40 : 0) | (flags & TS_PRIORITY ? 0x20 : 0)
          | (flags & TS_PCR ? 0x10 : 0));
  }
  if (bytes > 0)
    memcpy (packet + TS_BYTES - bytes, payload, bytes);
  g_byte_array_append (stream, packet, TS_BYTES);
}

/* Appends a unit in packets of up to @most bytes of payload each. */
static inline void
ts_append_unit (
    GByteArray *stream, guint pid, guint flags, const guint8 *unit, guint bytes, guint most)
{
  guint done = 0;

  do {
    const guint first = done == 0 ? TS_START | (flags & TS_RANDOM_ACCESS) : 0;
    const guint all = flags & (TS_SCRAMBLED | TS_PRIORITY);
    guint n = MIN (bytes - done, most);

    if ((first | all) & (TS_RANDOM_ACCESS | TS_PRIORITY))
      n = MIN (n, TS_PAYLOAD_BYTES - 2);
    ts_append (stream, pid, first | all, unit + done, n);
    done += n;
  } while (done < bytes);
}

/* ---- sections ------------------------------------------------------------ */

static inline guint32
ts_crc (const guint8 *data, guint bytes)
{
  guint32 crc = 0xffffffff;

  for (guint i = 0; i < bytes * 8; i++) {
    guint32 bit = (data[i / 8] >> (7 - i % 8) & 1) ^ crc >> 31;

    crc = crc << 1 ^ (bit ? 0x04c11db7 : 0);
  }
  return crc;
}

/* Returns a section: what stands between section_length and the CRC is given. */
static inline GByteArray *
ts_section_new (guint table, guint number, guint version, const guint8 *data, guint bytes)
{
  const guint length = 5 + bytes + 4;
  const guint8 head[8] = { (guint8) table, (guint8) (0xb0 | length >> 8), (guint8) length,
    (guint8) (number >> 8), (guint8) number, (guint8) (0xc1 | version << 1), 0, 0 };
  GByteArray *section = g_byte_array_new ();
  guint32 crc;

  g_byte_array_append (section, head, sizeof head);
  g_byte_array_append (section, data, bytes);
  crc = GUINT32_TO_BE (ts_crc (section->data, section->len));
  g_byte_array_append (section, (const guint8 *) &crc, 4);
  return section;
}

/* Appends a section, which is freed. */
static inline void
ts_append_section (GByteArray *stream, guint pid, GByteArray *section)
{
  const guint8 pointer = 0;

  g_byte_array_prepend (section, &pointer, 1);
  ts_append_unit (stream, pid, 0, section->data, section->len, TS_PAYLOAD_BYTES);
  g_byte_array_unref (section);
}

/* Appends a PAT of the programs 1, 2, ... @n, with the PIDs of their PMTs. */
static inline void
ts_append_pat (GByteArray *stream, guint version, const guint16 *pids, guint n)
{
  GByteArray *data = g_byte_array_new ();

  for (guint i = 0; i < n; i++) {
    const guint8 entry[4] = { 0, (guint8) (i + 1), (guint8) (0xe0 | pids[i] >> 8),
      (guint8) pids[i] };

    g_byte_array_append (data, entry, sizeof entry);
  }
  ts_append_section (stream, TS_PAT_PID, ts_section_new (0, 1, version, data->data, data->len));
  g_byte_array_unref (data);
}

typedef struct
{
  guint8 type; /* stream_type */
  guint16 pid;
  const gchar *descriptors; /* NULL: none */
  guint descriptor_bytes;
} TsStream;

static inline GByteArray *
ts_pmt_new (guint program, guint version, const TsStream *streams, guint n)
{
  const guint8 head[4] = { 0xe0 | streams[0].pid >> 8, (guint8) streams[0].pid, 0xf0, 0 };
  GByteArray *data = g_byte_array_new (), *section;

  g_byte_array_append (data, head, sizeof head);
  for (guint i = 0; i < n; i++) {
    const guint8 entry[5] = { streams[i].type, (guint8) (0xe0 | streams[i].pid >> 8),
      (guint8) streams[i].pid, (guint8) (0xf0 | streams[i].descriptor_bytes >> 8),
      (guint8) streams[i].descriptor_bytes };

    g_byte_array_append (data, entry, sizeof entry);
    if (streams[i].descriptors)
      g_byte_array_append (
          data, (const guint8 *) streams[i].descriptors, streams[i].descriptor_bytes);
  }
  section = ts_section_new (2, program, version, data->data, data->len);
  g_byte_array_unref (data);
  return section;
}

static inline void
ts_append_pmt (
    GByteArray *stream, guint pid, guint program, guint version, const TsStream *streams, guint n)
{
  ts_append_section (stream, pid, ts_pmt_new (program, version, streams, n));
}

/* ---- PES packets --------------------------------------------------------- */

/* Appends a PES packet with a PTS, in packets of up to @most bytes of payload. */
static inline void
ts_append_pes_cut (GByteArray *stream, guint pid, guint flags, guint64 pts, const guint8 *data,
    guint bytes, guint most)
{
  const guint8 head[14] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
    (guint8) (0x21 | (pts >> 30 & 7) << 1), (guint8) (pts >> 22), (guint8) (1 | pts >> 14),
    (guint8) (pts >> 7), (guint8) (1 | pts << 1) };
  GByteArray *pes = g_byte_array_new ();

  g_byte_array_append (pes, head, sizeof head);
  g_byte_array_append (pes, data, bytes);
  ts_append_unit (stream, pid, flags, pes->data, pes->len, most);
  g_byte_array_unref (pes);
}

static inline void
ts_append_pes (GByteArray *stream, guint pid, guint flags, const guint8 *data, guint bytes)
{
  ts_append_pes_cut (stream, pid, flags, 0, data, bytes, TS_PAYLOAD_BYTES);
}

#endif
