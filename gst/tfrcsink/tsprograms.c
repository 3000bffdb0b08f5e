/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of a transport stream, see tsprograms.h. */
#include "tsprograms.h"

#include <string.h>

#include "../common/log.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define FREE_PID G_MAXUINT16

/* Sections (ISO/IEC 13818-1 section 2.4.4) */
#define TABLE_PAT 0x00
#define TABLE_PMT 0x02
#define TABLE_STUFFING 0xff
#define SECTION_HEAD_BYTES 3 /* up to section_length */
#define SECTION_DATA 8       /* where data begins in a section with a version */
#define SECTION_CRC_BYTES 4
#define PMT_STREAMS 12 /* where the descriptors of the program begin */

/* Descriptors (ISO/IEC 13818-1 table 2-45; ETSI EN 300 468 table 12) */
#define DESCRIPTOR_REGISTRATION 0x05
#define DESCRIPTOR_CA 0x09
#define DESCRIPTOR_AC3 0x6a
#define DESCRIPTOR_EAC3 0x7a
#define DESCRIPTOR_DTS 0x7b
#define DESCRIPTOR_AAC 0x7c

void
gst_tfrc_ts_programs_init (GstTfrcTsPrograms *self)
{
  memset (self, 0, sizeof *self);
}

void
gst_tfrc_ts_programs_flush (GstTfrcTsPrograms *self)
{
  self->section_bytes = 0;
}

GstTfrcTsKind
gst_tfrc_ts_programs_find (const GstTfrcTsPrograms *self, guint pid, guint *stream)
{
  guint i;

  if (pid == GST_TFRC_TS_PID_PAT)
    return GST_TFRC_TS_TABLES;
  if (pid == GST_TFRC_TS_PID_CAT)
    return GST_TFRC_TS_CONDITIONS;
  /* Before the streams: no table can hide another. */
  for (i = 0; i < self->n_programs; i++)
    if (self->programs[i].pid == pid && self->programs[i].number != 0)
      return GST_TFRC_TS_TABLES;
  for (i = 0; i < self->n_streams; i++)
    if (self->streams[i].pid == pid) {
      *stream = i;
      return (GstTfrcTsKind) self->streams[i].kind;
    }
  return GST_TFRC_TS_OTHER;
}

static inline guint
read_16 (const guint8 *at)
{
  return (guint) at[0] << 8 | at[1];
}

static inline guint32
read_32 (const guint8 *at)
{
  return (guint32) read_16 (at) << 16 | read_16 (at + 2);
}

/* ---- streams ------------------------------------------------------------- */

/* What an identifier of the SMPTE registration authority stands for */
static GstTfrcTsKind
kind_of_registration (const guint8 *name)
{
  static const gchar audio[][5] = { "AC-3", "EAC3", "DTS1", "DTS2", "DTS3", "BSSD", "Opus" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (audio); i++)
    if (memcmp (name, audio[i], 4) == 0)
      return GST_TFRC_TS_AUDIO;
  if (memcmp (name, "HEVC", 4) == 0)
    return GST_TFRC_TS_H265;
  if (memcmp (name, "AV01", 4) == 0 || memcmp (name, "VC-1", 4) == 0)
    return GST_TFRC_TS_OTHER_VIDEO;
  return GST_TFRC_TS_OTHER;
}

static GstTfrcTsKind
kind_of_descriptor (guint tag, const guint8 *data, guint bytes)
{
  switch (tag) {
    case DESCRIPTOR_AC3:
    case DESCRIPTOR_EAC3:
    case DESCRIPTOR_DTS:
    case DESCRIPTOR_AAC:
      return GST_TFRC_TS_AUDIO;
    case DESCRIPTOR_REGISTRATION:
      return bytes >= 4 ? kind_of_registration (data) : GST_TFRC_TS_OTHER;
    default:
      return GST_TFRC_TS_OTHER;
  }
}

/* stream_type (ISO/IEC 13818-1 table 2-34; ATSC A/53 part 3 for AC-3). Of the private values, those that ffmpeg,
 * mpegtsmux and Blu-ray discs have for sound. SCTE has subtitles as 0x82 and cues as 0x86, which are few bytes and
 * are worth as much. 0x80 is sound of discs and pictures of DigiCipher, and so neither. */
static GstTfrcTsKind
kind_of_type (guint type)
{
  switch (type) {
    case 0x01: /* MPEG-1 */
    case 0x02: /* MPEG-2 */
      return GST_TFRC_TS_MPEG_VIDEO;
    case 0x1b:
      return GST_TFRC_TS_H264;
    case 0x24:
      return GST_TFRC_TS_H265;
    case 0x10: /* MPEG-4 part 2 */
    case 0x1f: /* SVC */
    case 0x20: /* MVC */
    case 0x21: /* JPEG 2000 */
    case 0x25: /* a temporal layer of H.265 */
    case 0x33: /* H.266 */
    case 0x42: /* AVS */
    case 0xea: /* VC-1 */
      return GST_TFRC_TS_OTHER_VIDEO;
    case 0x03: /* MPEG-1 */
    case 0x04: /* MPEG-2 */
    case 0x0f: /* AAC, ADTS */
    case 0x11: /* AAC, LATM */
    case 0x1c: /* AAC, raw */
    case 0x2d: /* MPEG-H */
    case 0x2e: /* MPEG-H, auxiliary */
    case 0x81: /* AC-3 */
    case 0x82: /* DTS */
    case 0x83: /* TrueHD */
    case 0x84: /* E-AC-3 of discs */
    case 0x85: /* DTS-HD High Resolution */
    case 0x86: /* DTS-HD Master Audio */
    case 0x87: /* E-AC-3 */
    case 0x8a: /* DTS of mpegtsmux */
    case 0x8b: /* LPCM of mpegtsmux */
    case 0xa1: /* E-AC-3, secondary */
    case 0xa2: /* DTS-HD, secondary */
      return GST_TFRC_TS_AUDIO;
    default:
      return GST_TFRC_TS_OTHER;
  }
}

static const gchar *const kind_names[] = { "other data", "tables", "conditional access", "audio",
  "MPEG video", "H.264", "H.265", "other video" };

/* A PID that two programs list belongs to the one that was read last. */
static void
set_stream (GstTfrcTsPrograms *self, guint program, guint pid, GstTfrcTsKind kind)
{
  GstTfrcTsStream *stream = NULL;
  guint i;

  for (i = 0; i < self->n_streams; i++) {
    if (self->streams[i].pid == pid) {
      stream = &self->streams[i];
      break;
    }
    if (stream == NULL && self->streams[i].pid == FREE_PID)
      stream = &self->streams[i];
  }
  if (stream == NULL && self->n_streams < GST_TFRC_TS_MAX_STREAMS)
    stream = &self->streams[self->n_streams++];
  if (stream == NULL) {
    GST_LOG ("no room for PID %u: its packets are of unknown class", pid);
    self->is_full = TRUE;
    return;
  }
  if (stream->pid != pid || stream->kind != kind)
    GST_INFO ("program %u has %s in PID %u", self->programs[program].number, kind_names[kind], pid);
  stream->pid = (guint16) pid;
  stream->kind = (guint8) kind;
  stream->program = (guint8) program;
  stream->is_listed = TRUE;
}

/* Reads descriptors: what scrambles is a stream of its own. Returns the kind that they tell. */
static GstTfrcTsKind
read_descriptors (GstTfrcTsPrograms *self, guint program, const guint8 *at, guint bytes)
{
  GstTfrcTsKind kind = GST_TFRC_TS_OTHER;

  while (bytes >= 2 && 2u + at[1] <= bytes) {
    if (at[0] == DESCRIPTOR_CA && at[1] >= 4)
      set_stream (self, program, read_16 (at + 4) & 0x1fff, GST_TFRC_TS_CONDITIONS);
    else if (kind == GST_TFRC_TS_OTHER)
      kind = kind_of_descriptor (at[0], at + 2, at[1]);
    bytes -= 2u + at[1];
    at += 2u + at[1];
  }
  return kind;
}

/* Frees the streams of a program that its table does not list any more. Another program may share one:
 * all tables are read once more. */
static void
drop_unlisted (GstTfrcTsPrograms *self, guint program)
{
  gboolean dropped = FALSE;
  guint i;

  for (i = 0; i < self->n_streams; i++)
    if (self->streams[i].pid != FREE_PID && self->streams[i].program == program
        && !self->streams[i].is_listed) {
      self->streams[i].pid = FREE_PID;
      dropped = TRUE;
    }
  for (i = 0; i < self->n_programs && dropped; i++)
    self->programs[i].crc = i == program ? self->programs[i].crc : 0;
}

static void
unlist_streams (GstTfrcTsPrograms *self, guint program)
{
  guint i;

  for (i = 0; i < self->n_streams; i++)
    if (self->streams[i].program == program)
      self->streams[i].is_listed = FALSE;
}

/* ---- sections ------------------------------------------------------------ */

/* CRC_32 (ISO/IEC 13818-1 annex A): 0 over a section with its CRC. Bit by bit, since only a table that
 * has changed is checked. */
static guint32
crc_of (const guint8 *data, guint bytes)
{
  guint32 crc = G_MAXUINT32;
  guint bit;

  for (; bytes > 0; bytes--, data++) {
    crc ^= (guint32) *data << 24;
    for (bit = 0; bit < 8; bit++)
      crc = crc << 1 ^ (crc & 0x80000000u ? 0x04c11db7u : 0);
  }
  return crc;
}

/* @end: behind the data, where the CRC is */
static void
read_pmt (GstTfrcTsPrograms *self, guint program, const guint8 *section, const guint8 *end)
{
  const guint8 *at = section + PMT_STREAMS;
  guint bytes = read_16 (at - 2) & 0xfff;

  if (at > end || bytes > (guint) (end - at))
    return;
  unlist_streams (self, program);
  read_descriptors (self, program, at, bytes);
  for (at += bytes; end - at >= 5 && (read_16 (at + 3) & 0xfffu) <= (guint) (end - at - 5);
       at += 5 + bytes) {
    GstTfrcTsKind kind = kind_of_type (at[0]), told;

    bytes = read_16 (at + 3) & 0xfff;
    told = read_descriptors (self, program, at + 5, bytes);
    if (kind == GST_TFRC_TS_OTHER)
      kind = told;
    if (kind != GST_TFRC_TS_OTHER)
      set_stream (self, program, read_16 (at + 1) & 0x1fff, kind);
  }
  drop_unlisted (self, program);
}

static void
set_program (GstTfrcTsPrograms *self, guint number, guint pid)
{
  GstTfrcTsProgram *program = NULL;
  guint i;

  for (i = 0; i < self->n_programs; i++) {
    if (self->programs[i].number == number) {
      program = &self->programs[i];
      break;
    }
    if (program == NULL && self->programs[i].number == 0)
      program = &self->programs[i];
  }
  if (program == NULL && self->n_programs < GST_TFRC_TS_MAX_PROGRAMS)
    program = &self->programs[self->n_programs++];
  if (program == NULL) {
    GST_LOG ("no room for program %u: its packets are of unknown class", number);
    self->is_full = TRUE;
    return;
  }
  if (program->number != number || program->pid != pid)
    program->crc = 0;
  program->number = (guint16) number;
  program->pid = (guint16) pid;
  program->is_listed = TRUE;
}

static void
read_pat (GstTfrcTsPrograms *self, const guint8 *section, const guint8 *end)
{
  const guint8 *at;
  guint i;

  for (i = 0; i < self->n_programs; i++)
    self->programs[i].is_listed = FALSE;
  for (at = section + SECTION_DATA; end - at >= 4; at += 4)
    if (read_16 (at) != 0) /* the network's table has number 0 */
      set_program (self, read_16 (at), read_16 (at + 2) & 0x1fff);
  for (i = 0; i < self->n_programs; i++)
    if (!self->programs[i].is_listed && self->programs[i].number != 0) {
      self->programs[i].number = 0;
      unlist_streams (self, i);
      drop_unlisted (self, i);
    }
}

static gint
find_program (const GstTfrcTsPrograms *self, guint pid, guint number)
{
  guint i;

  for (i = 0; i < self->n_programs; i++)
    if (self->programs[i].number == number && self->programs[i].pid == pid && number != 0)
      return (gint) i;
  return -1;
}

/* Reads a whole section, unless it is the one that was read last. A table of several sections is that
 * of more programs than there is room for: its first section counts. */
static void
read_section (GstTfrcTsPrograms *self, guint pid, const guint8 *section, guint bytes)
{
  const gboolean is_pat = pid == GST_TFRC_TS_PID_PAT;
  const guint8 *end = section + bytes - SECTION_CRC_BYTES;
  guint32 crc, *last_crc = &self->pat_crc, *counted_in = &self->pat_counted_in;
  gint program = -1;

  if (bytes < SECTION_DATA + SECTION_CRC_BYTES || section[0] != (is_pat ? TABLE_PAT : TABLE_PMT)
      || !(section[1] & 0x80) || !(section[5] & 1) || section[6] != 0)
    return;
  if (!is_pat) {
    program = find_program (self, pid, read_16 (section + 3));
    if (program < 0)
      return;
    last_crc = &self->programs[program].crc;
    counted_in = &self->programs[program].counted_in;
  }
  crc = read_32 (end);
  if (crc == *last_crc || crc_of (section, bytes) != 0)
    return;
  *last_crc = crc;
  *counted_in = 0;
  self->section_counts = TRUE;
  self->is_full = FALSE;
  if (is_pat)
    read_pat (self, section, end);
  else
    read_pmt (self, (guint) program, section, end);
  if (self->is_full) /* What the table does not list any more has made room. */
    *last_crc = 0;
}

/* Adds bytes to the section that is being collected. Returns how many belong to the section. */
static gsize
collect (GstTfrcTsPrograms *self, const guint8 *data, gsize size)
{
  gsize done = 0;

  while (done < size) {
    guint bytes = SECTION_HEAD_BYTES, n;

    if (self->section_bytes >= SECTION_HEAD_BYTES)
      bytes += read_16 (self->section + 1) & 0xfff;
    if (bytes > sizeof self->section) {
      self->section_bytes = 0;
      return size;
    }
    n = (guint) MIN (bytes - self->section_bytes, size - done);
    memcpy (self->section + self->section_bytes, data + done, n);
    self->section_bytes += n;
    done += n;
    if (self->section_bytes == bytes
        && (bytes > SECTION_HEAD_BYTES || (read_16 (self->section + 1) & 0xfff) == 0)) {
      read_section (self, self->section_pid, self->section, bytes);
      self->section_bytes = 0;
      break;
    }
  }
  return done;
}

/* Does the table that begins in a PID count? Where two programs share a PID, they count as one. */
static gboolean
begins_to_count (GstTfrcTsPrograms *self, guint pid, guint32 group)
{
  guint32 *counted_in = &self->pat_counted_in;
  guint i;

  for (i = 0; i < self->n_programs && pid != GST_TFRC_TS_PID_PAT; i++)
    if (self->programs[i].pid == pid && self->programs[i].number != 0) {
      counted_in = &self->programs[i].counted_in;
      break;
    }
  if (*counted_in == group + 1)
    return FALSE;
  *counted_in = group + 1;
  return TRUE;
}

gboolean
gst_tfrc_ts_programs_read (GstTfrcTsPrograms *self, const GstTfrcTsHeader *header, guint32 group)
{
  const guint8 *at = header->payload, *end = at + header->payload_bytes;
  gboolean goes_on = self->section_bytes > 0 && self->section_pid == header->pid;

  if (at == end || header->is_scrambled)
    return header->is_scrambled;
  if (!header->starts_unit) {
    if (goes_on)
      collect (self, at, (gsize) (end - at));
    return goes_on && self->section_counts;
  }
  /* pointer_field: the end of the section before comes first. */
  if (at[0] >= end - at - 1)
    return TRUE;
  if (goes_on)
    collect (self, at + 1, at[0]);
  goes_on = goes_on && self->section_counts;
  self->section_pid = header->pid;
  self->section_bytes = 0;
  self->section_counts = begins_to_count (self, header->pid, group);
  for (at += 1 + at[0]; at < end && at[0] != TABLE_STUFFING;)
    at += collect (self, at, (gsize) (end - at));
  return goes_on || self->section_counts;
}
