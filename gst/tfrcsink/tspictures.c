/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures of a video stream, see tspictures.h. */
#include "tspictures.h"

#include <string.h>

#define START_CODE_BYTES 3
/* The fixed part of a PES header (ISO/IEC 13818-1 section 2.4.3.6), up to PES_header_data_length */
#define PES_FIXED_BYTES 9
#define PES_SCRAMBLING 0x30 /* PES_scrambling_control */

G_STATIC_ASSERT (PES_FIXED_BYTES <= G_SIZEOF_MEMBER (GstTfrcTsPictures, kept));

enum
{
  READING_NOTHING, /* of the rest of this PES packet */
  READING_PES_HEADER,
  READING_UNITS
};

void
gst_tfrc_ts_pictures_init (GstTfrcTsPictures *self, guint pid, GstTfrcTsKind kind)
{
  memset (self, 0, sizeof *self);
  self->pid = (guint16) pid;
  self->kind = (guint8) kind;
  gst_tfrc_ts_pictures_flush (self);
}

void
gst_tfrc_ts_pictures_flush (GstTfrcTsPictures *self)
{
  const GstTfrcImportance unknown = GST_TFRC_IMPORTANCE_INIT;

  self->importance = self->before = unknown;
  self->reading = READING_NOTHING;
  self->is_known = TRUE;
  self->next_is_random_access = FALSE;
  self->kept_bytes = 0;
}

/* Numbers wrap to 1. */
static guint32
next_number (guint32 *number)
{
  *number += 1;
  *number += *number == 0;
  return *number;
}

/* ---- what a picture is ---------------------------------------------------- */

static void
begin_picture (GstTfrcTsPictures *self, GstTfrcTsNumbers *numbers)
{
  self->importance.picture = next_number (&numbers->picture);
  self->importance.class = GST_TFRC_CLASS_REFERENCE;
  self->is_known = FALSE;
}

/* A group begins when a picture is first taken for one of random access, so that as many of its packets
 * as possible are in the group. If the slice then says otherwise, the group before goes on. */
static void
set_random_access (GstTfrcTsPictures *self, GstTfrcTsNumbers *numbers)
{
  if (self->importance.class != GST_TFRC_CLASS_RANDOM_ACCESS) {
    self->group_before = self->importance.group;
    self->importance.group = next_number (&numbers->group);
  }
  self->importance.class = GST_TFRC_CLASS_RANDOM_ACCESS;
}

static void
announce (GstTfrcTsPictures *self, GstTfrcTsNumbers *numbers)
{
  self->context.is_announced = TRUE;
  if (!self->is_known)
    set_random_access (self, numbers);
}

/* The picture's units cannot be read. */
static void
judge_by_indicators (GstTfrcTsPictures *self)
{
  self->reading = READING_NOTHING;
  self->is_known = TRUE;
  if (self->importance.class != GST_TFRC_CLASS_RANDOM_ACCESS)
    self->importance.class = GST_TFRC_CLASS_UNKNOWN;
}

/* A slice says what its picture is. Another picture in the same PES packet counts if it is worth more:
 * where the first is dispensable, reading goes on. */
static void
set_class (GstTfrcTsPictures *self, GstTfrcClass picture_class, GstTfrcTsNumbers *numbers)
{
  if (self->is_known && picture_class >= self->importance.class)
    return;
  if (self->is_known)
    begin_picture (self, numbers);
  if (picture_class == GST_TFRC_CLASS_RANDOM_ACCESS)
    set_random_access (self, numbers);
  else if (self->importance.class == GST_TFRC_CLASS_RANDOM_ACCESS)
    self->importance.group = self->group_before;
  self->importance.class = (guint8) picture_class;
  self->is_known = TRUE;
  self->context.is_announced = FALSE;
  if (picture_class != GST_TFRC_CLASS_NON_REFERENCE)
    self->reading = READING_NOTHING;
}

/* A PES packet that begins with another slice than the first has the rest of the picture before. */
static void
continue_picture (GstTfrcTsPictures *self)
{
  if (self->is_known || self->before.picture == 0)
    return;
  self->importance = self->before;
  self->is_known = TRUE;
  self->context.is_announced = FALSE;
}

/* ---- PES packets and units ------------------------------------------------ */

static void
keep (GstTfrcTsPictures *self, const guint8 *at, gsize bytes)
{
  memmove (self->kept, at, bytes);
  self->kept_bytes = (guint8) bytes;
}

/* Returns the first start code in the bytes; NULL: there is none. */
static const guint8 *
find_start_code (const guint8 *at, const guint8 *end)
{
  const guint8 *one = at + MIN (START_CODE_BYTES - 1, end - at);

  while (one < end && (one = memchr (one, 1, (gsize) (end - one))) != NULL) {
    if (one[-1] == 0 && one[-2] == 0)
      return one - 2;
    one += MIN (START_CODE_BYTES, end - one); /* two zeros come before the next one that counts */
  }
  return NULL;
}

static void
read_units (GstTfrcTsPictures *self, const guint8 *at, const guint8 *end, GstTfrcTsNumbers *numbers)
{
  const guint8 *code;

  while (self->reading == READING_UNITS && (code = find_start_code (at, end)) != NULL) {
    GstTfrcClass picture_class;

    at = code + START_CODE_BYTES;
    switch (gst_tfrc_video_unit_read (
        (GstTfrcTsKind) self->kind, at, (gsize) (end - at), &self->context, &picture_class)) {
      case GST_TFRC_VIDEO_UNIT_SHORT:
        keep (self, code, (gsize) (end - code));
        return;
      case GST_TFRC_VIDEO_UNIT_ANNOUNCE:
        announce (self, numbers);
        break;
      case GST_TFRC_VIDEO_UNIT_PICTURE:
        set_class (self, picture_class, numbers);
        break;
      case GST_TFRC_VIDEO_UNIT_REST:
        continue_picture (self);
        break;
      default:
        break;
    }
  }
  /* A start code may be cut. */
  if (self->reading == READING_UNITS)
    keep (self, end - MIN (end - at, START_CODE_BYTES - 1),
        (gsize) MIN (end - at, START_CODE_BYTES - 1));
}

/* Returns where the units begin: @end if the header goes on in the next payload, or if there are no
 * units that can be read. */
static const guint8 *
read_pes_header (GstTfrcTsPictures *self, const guint8 *at, const guint8 *end)
{
  gsize bytes = (gsize) (end - at), skipped;

  if (self->header_left == 0) {
    if (bytes < PES_FIXED_BYTES) {
      keep (self, at, bytes);
      return end;
    }
    if (at[0] != 0 || at[1] != 0 || at[2] != 1 || (at[6] & 0xc0) != 0x80
        || (at[6] & PES_SCRAMBLING) != 0) {
      judge_by_indicators (self);
      return end;
    }
    self->header_left = (guint16) (PES_FIXED_BYTES + at[8]);
  }
  skipped = MIN (bytes, self->header_left);
  self->header_left -= (guint16) skipped;
  if (self->header_left == 0)
    self->reading = READING_UNITS;
  return at + skipped;
}

static void
read_payload (GstTfrcTsPictures *self, const GstTfrcTsHeader *header, GstTfrcTsNumbers *numbers)
{
  guint8 joined[sizeof self->kept + GST_TFRC_TS_MAX_PAYLOAD_BYTES];
  const guint8 *at = header->payload, *end = at + header->payload_bytes;

  if (self->kept_bytes > 0) {
    memcpy (joined, self->kept, self->kept_bytes);
    memcpy (joined + self->kept_bytes, header->payload, header->payload_bytes);
    at = joined;
    end = joined + self->kept_bytes + header->payload_bytes;
    self->kept_bytes = 0;
  }
  if (self->reading == READING_PES_HEADER)
    at = read_pes_header (self, at, end);
  if (self->reading == READING_UNITS)
    read_units (self, at, end, numbers);
}

static gboolean
is_readable (const GstTfrcTsPictures *self)
{
  return self->kind == GST_TFRC_TS_H264 || self->kind == GST_TFRC_TS_H265
      || self->kind == GST_TFRC_TS_MPEG_VIDEO;
}

static void
begin_pes (GstTfrcTsPictures *self, const GstTfrcTsHeader *header, GstTfrcTsNumbers *numbers)
{
  if (self->is_known)
    self->before = self->importance;
  begin_picture (self, numbers);
  self->context.is_announced = FALSE;
  if (header->random_access || self->next_is_random_access)
    announce (self, numbers);
  self->next_is_random_access = FALSE;
  self->reading = READING_PES_HEADER;
  self->header_left = 0;
  self->kept_bytes = 0;
  if (header->is_scrambled || !is_readable (self))
    judge_by_indicators (self);
}

gboolean
gst_tfrc_ts_pictures_take (GstTfrcTsPictures *self, const GstTfrcTsHeader *header,
    GstTfrcTsNumbers *numbers, GstTfrcImportance *importance)
{
  if (header->starts_unit)
    begin_pes (self, header, numbers);
  else if (header->random_access)
    self->next_is_random_access = TRUE;
  if (self->reading != READING_NOTHING && !header->is_scrambled)
    read_payload (self, header, numbers);
  *importance = self->importance;
  /* It may begin a group: the present one, if that is given up, must not take the next one with it. */
  if (!self->is_known && importance->class != GST_TFRC_CLASS_RANDOM_ACCESS)
    importance->group = 0;
  if (importance->class == GST_TFRC_CLASS_UNKNOWN && header->priority)
    importance->class = GST_TFRC_CLASS_REFERENCE;
  return self->is_known;
}
