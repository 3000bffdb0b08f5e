/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units of coded video, see videounit.h. */
#include "videounit.h"

/* ---- H.264 --------------------------------------------------------------- */

/* nal_unit_type (table 7-1) */
#define H264_SLICE 1
#define H264_PARTITION_A 2
#define H264_IDR 5
#define H264_SEI 6
#define H264_SPS 7

#define SEI_RECOVERY_POINT 6 /* H.264 section D.1 */

typedef struct
{
  const guint8 *data;
  gsize bits, at;
} Bits;

/* Returns FALSE at the end. */
static gboolean
read_bit (Bits *bits, guint *bit)
{
  if (bits->at >= bits->bits)
    return FALSE;
  *bit = bits->data[bits->at / 8] >> (7 - bits->at % 8) & 1;
  bits->at++;
  return TRUE;
}

/* ue(v) of section 9.1. Emulation prevention need not be undone: first_mb_in_slice is less than 2^18,
 * and no number so small has 00 00 0x in its code. */
static gboolean
read_ue (Bits *bits, guint *value)
{
  guint bit = 0, zeros = 0, code = 1;

  while (read_bit (bits, &bit) && bit == 0)
    zeros++;
  if (bit == 0)
    return FALSE;
  while (zeros-- > 0) {
    if (!read_bit (bits, &bit))
      return FALSE;
    code = code << 1 | bit;
  }
  *value = code - 1;
  return TRUE;
}

/* A picture that decoding can begin at is intra coded. With gradual refresh it is not, and then it is
 * worth no more than the pictures around it.
 * @slice: behind the header of the unit */
static GstTfrcVideoUnitResult
read_announced_slice (const guint8 *slice, gsize bytes, GstTfrcClass *picture_class)
{
  Bits bits = { slice, MIN (bytes, GST_TFRC_VIDEO_UNIT_BYTES - 1) * 8, 0 };
  guint first_mb, type;

  *picture_class = GST_TFRC_CLASS_REFERENCE;
  if (read_ue (&bits, &first_mb) && read_ue (&bits, &type)) {
    if (type % 5 == 2 || type % 5 == 4) /* I or SI (table 7-6) */
      *picture_class = GST_TFRC_CLASS_RANDOM_ACCESS;
    return GST_TFRC_VIDEO_UNIT_PICTURE;
  }
  return bytes + 1 < GST_TFRC_VIDEO_UNIT_BYTES ? GST_TFRC_VIDEO_UNIT_SHORT
                                               : GST_TFRC_VIDEO_UNIT_PICTURE;
}

/* Returns the next byte of the unit, without emulation prevention (section 7.3.1); -1 at the end, which is
 * where no more bytes are or where the next start code begins. */
static gint
read_rbsp_byte (const guint8 **at, const guint8 *end, guint *zeros)
{
  if (*at < end && *zeros >= 2 && **at == 3) {
    (*at)++;
    *zeros = 0;
  }
  if (*at >= end || (*zeros >= 2 && **at < 3))
    return -1;
  *zeros = **at == 0 ? *zeros + 1 : 0;
  return *(*at)++;
}

/* A type or a size: bytes of 255 and the rest (section 7.3.2.3.1). -1: at the end */
static gint
read_sei_number (const guint8 **at, const guint8 *end, guint *zeros)
{
  gint byte, sum = 0;

  do {
    byte = read_rbsp_byte (at, end, zeros);
    sum += byte;
  } while (byte == 255);
  return byte < 0 ? -1 : sum;
}

/* Looks for a recovery point among the messages, as far as bytes are there. One that is cut off stays
 * unseen: most streams announce the same by the indicator of the transport stream, too. */
static gboolean
has_recovery_point (const guint8 *at, const guint8 *end)
{
  guint zeros = 0;
  gint type, size;

  while ((type = read_sei_number (&at, end, &zeros)) >= 0
      && (size = read_sei_number (&at, end, &zeros)) >= 0) {
    if (type == SEI_RECOVERY_POINT)
      return TRUE;
    while (size-- > 0)
      if (read_rbsp_byte (&at, end, &zeros) < 0)
        return FALSE;
  }
  return FALSE;
}

static GstTfrcVideoUnitResult
read_h264 (const guint8 *unit, gsize bytes, const GstTfrcVideoContext *context,
    GstTfrcClass *picture_class)
{
  const gboolean is_referred_to = (unit[0] & 0x60) != 0;
  const guint type = unit[0] & 0x1f;

  if (type == H264_SLICE || type == H264_PARTITION_A || type == H264_IDR) {
    if (bytes < 2)
      return GST_TFRC_VIDEO_UNIT_SHORT;
    if ((unit[1] & 0x80) == 0) /* first_mb_in_slice is not 0 */
      return GST_TFRC_VIDEO_UNIT_REST;
  }
  switch (type) {
    case H264_SLICE:
    case H264_PARTITION_A:
      if (is_referred_to && context->is_announced)
        return read_announced_slice (unit + 1, bytes - 1, picture_class);
      *picture_class = is_referred_to ? GST_TFRC_CLASS_REFERENCE : GST_TFRC_CLASS_NON_REFERENCE;
      return GST_TFRC_VIDEO_UNIT_PICTURE;
    case H264_IDR:
      *picture_class = GST_TFRC_CLASS_RANDOM_ACCESS;
      return GST_TFRC_VIDEO_UNIT_PICTURE;
    case H264_SPS:
      return GST_TFRC_VIDEO_UNIT_ANNOUNCE;
    case H264_SEI:
      return has_recovery_point (unit + 1, unit + bytes) ? GST_TFRC_VIDEO_UNIT_ANNOUNCE
                                                         : GST_TFRC_VIDEO_UNIT_NOTHING;
    default:
      return GST_TFRC_VIDEO_UNIT_NOTHING;
  }
}

/* ---- H.265 --------------------------------------------------------------- */

/* nal_unit_type (table 7-1) */
#define H265_FIRST_IRAP 16
#define H265_LAST_IRAP 23
#define H265_LAST_SLICE 31
#define H265_VPS 32
#define H265_SPS 33
#define H265_LAST_OF_SUB_LAYER 14 /* even types up to this one: not referred to in their layer */

/* A picture that is not referred to in its temporal layer may be referred to in higher ones, so only
 * those of the highest layer are dispensable. */
static GstTfrcVideoUnitResult
read_h265 (
    const guint8 *unit, gsize bytes, GstTfrcVideoContext *context, GstTfrcClass *picture_class)
{
  const guint type = unit[0] >> 1 & 0x3f;
  guint8 layer;

  if (bytes < 2)
    return GST_TFRC_VIDEO_UNIT_SHORT;
  /* nuh_layer_id: another view or quality of a picture that has a unit of its own */
  if ((unit[0] & 1) != 0 || (unit[1] & 0xf8) != 0)
    return GST_TFRC_VIDEO_UNIT_NOTHING;
  if (type == H265_VPS || type == H265_SPS)
    return GST_TFRC_VIDEO_UNIT_ANNOUNCE;
  if (type > H265_LAST_SLICE)
    return GST_TFRC_VIDEO_UNIT_NOTHING;
  if (bytes < 3)
    return GST_TFRC_VIDEO_UNIT_SHORT;
  if ((unit[2] & 0x80) == 0) /* first_slice_segment_in_pic_flag */
    return GST_TFRC_VIDEO_UNIT_REST;
  layer = unit[1] & 7; /* TemporalId + 1 */
  context->highest_layer = MAX (context->highest_layer, layer);
  if (type >= H265_FIRST_IRAP && type <= H265_LAST_IRAP)
    *picture_class = GST_TFRC_CLASS_RANDOM_ACCESS;
  else if (type <= H265_LAST_OF_SUB_LAYER && type % 2 == 0 && layer == context->highest_layer)
    *picture_class = GST_TFRC_CLASS_NON_REFERENCE;
  else
    *picture_class = GST_TFRC_CLASS_REFERENCE;
  return GST_TFRC_VIDEO_UNIT_PICTURE;
}

/* ---- MPEG-1 and MPEG-2 --------------------------------------------------- */

/* Start codes (table 6-1) and picture_coding_type (table 6-12) */
#define MPEG_PICTURE 0x00
#define MPEG_LAST_SLICE 0xaf /* from 1 */
#define MPEG_SEQUENCE 0xb3
#define MPEG_GROUP 0xb8
#define MPEG_I 1
#define MPEG_B 3

static GstTfrcVideoUnitResult
read_mpeg (const guint8 *unit, gsize bytes, GstTfrcClass *picture_class)
{
  guint type;

  if (unit[0] == MPEG_SEQUENCE || unit[0] == MPEG_GROUP)
    return GST_TFRC_VIDEO_UNIT_ANNOUNCE;
  if (unit[0] != MPEG_PICTURE)
    return unit[0] <= MPEG_LAST_SLICE ? GST_TFRC_VIDEO_UNIT_REST : GST_TFRC_VIDEO_UNIT_NOTHING;
  if (bytes < 3)
    return GST_TFRC_VIDEO_UNIT_SHORT;
  type = unit[2] >> 3 & 7;
  *picture_class = type == MPEG_I ? GST_TFRC_CLASS_RANDOM_ACCESS
      : type == MPEG_B            ? GST_TFRC_CLASS_NON_REFERENCE
                                  : GST_TFRC_CLASS_REFERENCE;
  return GST_TFRC_VIDEO_UNIT_PICTURE;
}

GstTfrcVideoUnitResult
gst_tfrc_video_unit_read (GstTfrcTsKind kind, const guint8 *unit, gsize bytes,
    GstTfrcVideoContext *context, GstTfrcClass *picture_class)
{
  if (bytes == 0)
    return GST_TFRC_VIDEO_UNIT_SHORT;
  switch (kind) {
    case GST_TFRC_TS_H264:
      return read_h264 (unit, bytes, context, picture_class);
    case GST_TFRC_TS_H265:
      return read_h265 (unit, bytes, context, picture_class);
    case GST_TFRC_TS_MPEG_VIDEO:
      return read_mpeg (unit, bytes, picture_class);
    default:
      return GST_TFRC_VIDEO_UNIT_NOTHING;
  }
}
