/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* H.264 access units with exactly the sizes of a trace, see accessunit.h.  Section numbers are
 * those of ITU-T H.264. */
#include "accessunit.h"

#include <string.h>

#include "nalwriter.h"

#define MACROBLOCKS ((ACCESS_UNIT_WIDTH / 16) * (ACCESS_UNIT_HEIGHT / 16))
#define FRAME_NUM_BITS 4
#define POC_BITS 10

enum
{
  NAL_SLICE = 0x01,
  NAL_IDR = 0x65,
  NAL_SEI = 0x06,
  NAL_SPS = 0x67,
  NAL_PPS = 0x68,
  NAL_AUD = 0x09,
  NAL_FILLER = 0x1e /* nal_unit_type 30: unspecified, decoders skip it (7.4.1) */
};

/* Indexed by FrameType */
static const guint8 slice_types[] = { 7, 5, 6 }; /* 7.4.3, all slices */
static const guint8 nal_ref_idcs[] = { 0x60, 0x40, 0x00 };

/* Start code, header and a byte of payload. */
#define MIN_FILLER_BYTES (4 + 1 + 1)
#define MAX_HEAD_BYTES 128

/* ---- parameter sets ------------------------------------------------------- */

static gsize
write_sps (guint8 *data)
{
  GstBitWriter w;

  gst_bit_writer_init (&w);
  nal_put (&w, 8, 77); /* Main profile, for B slices */
  nal_put (&w, 8, 0);
  nal_put (&w, 8, 31); /* level 3.1: up to 14 Mbit/s */
  nal_put_ue (&w, 0);  /* seq_parameter_set_id */
  nal_put_ue (&w, FRAME_NUM_BITS - 4);
  nal_put_ue (&w, 0); /* pic_order_cnt_type */
  nal_put_ue (&w, POC_BITS - 4);
  nal_put_ue (&w, 2); /* max_num_ref_frames */
  nal_put (&w, 1, 0); /* no gaps in frame_num */
  nal_put_ue (&w, ACCESS_UNIT_WIDTH / 16 - 1);
  nal_put_ue (&w, ACCESS_UNIT_HEIGHT / 16 - 1);
  nal_put (&w, 1, 1); /* frame_mbs_only_flag */
  nal_put (&w, 1, 1); /* direct_8x8_inference_flag */
  nal_put (&w, 1, 0); /* no cropping */
  nal_put (&w, 1, 1); /* VUI (E.1.1): all parts absent, except the last */
  nal_put (&w, 8, 0);
  nal_put (&w, 1, 1); /* bitstream_restriction_flag */
  nal_put (&w, 1, 1); /* motion vectors over boundaries */
  nal_put_ue (&w, 0); /* any number of bytes in a picture */
  nal_put_ue (&w, 0); /* and of bits in a macroblock */
  nal_put_ue (&w, 9);
  nal_put_ue (&w, 9);
  nal_put_ue (&w, 1); /* max_num_reorder_frames */
  nal_put_ue (&w, 2); /* max_dec_frame_buffering */
  return nal_finish (&w, NAL_SPS, data);
}

static gsize
write_pps (guint8 *data)
{
  GstBitWriter w;

  gst_bit_writer_init (&w);
  nal_put_ue (&w, 0); /* pic_parameter_set_id */
  nal_put_ue (&w, 0); /* seq_parameter_set_id */
  nal_put (&w, 2, 0); /* CAVLC, no second field */
  nal_put_ue (&w, 0); /* one slice group */
  nal_put_ue (&w, 0); /* one reference in list 0 */
  nal_put_ue (&w, 0); /* and in list 1 */
  nal_put (&w, 3, 0); /* no weighted prediction */
  nal_put_se (&w, 0); /* quantisers */
  nal_put_se (&w, 0);
  nal_put_se (&w, 0);
  nal_put (&w, 3, 0);
  return nal_finish (&w, NAL_PPS, data);
}

/* ---- the picture ---------------------------------------------------------- */

static gsize
write_aud (FrameType type, guint8 *data)
{
  GstBitWriter w;

  gst_bit_writer_init (&w);
  nal_put (&w, 3, type); /* primary_pic_type I; I, P; I, P, B */
  return nal_finish (&w, NAL_AUD, data);
}

/* D.1.8: a decoder can start at an I frame that is not an IDR picture, too. */
static gsize
write_recovery_point (guint8 *data)
{
  GstBitWriter w;

  gst_bit_writer_init (&w);
  nal_put (&w, 16, 0x0601); /* payload type and size */
  nal_put (&w, 8, 0xc4);    /* from this picture on, exactly */
  return nal_finish (&w, NAL_SEI, data);
}

static void
put_slice_header (GstBitWriter *w, FrameType type, gboolean idr, guint frame_num, guint64 display)
{
  nal_put_ue (w, 0); /* first_mb_in_slice */
  nal_put_ue (w, slice_types[type]);
  nal_put_ue (w, 0); /* pic_parameter_set_id */
  nal_put (w, FRAME_NUM_BITS, frame_num % (1 << FRAME_NUM_BITS));
  if (idr)
    nal_put_ue (w, 0); /* idr_pic_id */
  nal_put (w, POC_BITS, 2 * display % (1 << POC_BITS));
  if (type == FRAME_TYPE_B)
    nal_put (w, 1, 1); /* direct_spatial_mv_pred_flag */
  if (type != FRAME_TYPE_I)
    nal_put (w, 2, 0); /* number and order of references: as usual */
  if (type == FRAME_TYPE_B)
    nal_put (w, 1, 0); /* in list 1 too */
  if (type != FRAME_TYPE_B)
    nal_put (w, idr ? 2 : 1, 0); /* marking of references: as usual */
  nal_put_se (w, 0);             /* slice_qp_delta */
}

static gsize
write_slice (AccessUnitWriter *writer, FrameType type, guint64 display, guint8 *data)
{
  GstBitWriter w;
  gboolean idr = !writer->started;
  guint i;

  gst_bit_writer_init (&w);
  put_slice_header (&w, type, idr, writer->frame_num, display);
  if (type != FRAME_TYPE_I)
    nal_put_ue (&w, MACROBLOCKS); /* mb_skip_run */
  for (i = 0; type == FRAME_TYPE_I && i < MACROBLOCKS; i++) {
    nal_put_ue (&w, 3); /* I_16x16_2_0_0: DC, no coefficients */
    nal_put_ue (&w, 0); /* chroma DC */
    nal_put_se (&w, 0); /* mb_qp_delta */
    nal_put (&w, 1, 1); /* coeff_token: none of luma DC */
  }
  if (type != FRAME_TYPE_B)
    writer->frame_num++;
  writer->started = TRUE;
  return nal_finish (&w, idr ? NAL_IDR : nal_ref_idcs[type] | NAL_SLICE, data);
}

/* ---- filler --------------------------------------------------------------- */

/* Uses xorshift64*.  No byte is 0, so that no start code is emulated. */
static void
fill_random (AccessUnitWriter *writer, guint8 *data, gsize bytes)
{
  guint64 word = 0;
  gsize i;

  for (i = 0; i < bytes; i++) {
    if (i % 8 == 0) {
      writer->random ^= writer->random >> 12;
      writer->random ^= writer->random << 25;
      writer->random ^= writer->random >> 27;
      word = writer->random * G_GUINT64_CONSTANT (0x2545f4914f6cdd1d);
    }
    data[i] = (word & 0xff) != 0 ? word & 0xff : 1;
    word >>= 8;
  }
}

/* Writes a NAL unit of exactly @bytes, at least MIN_FILLER_BYTES. */
static void
write_filler (AccessUnitWriter *writer, guint8 *data, gsize bytes)
{
  memcpy (data, "\0\0\0\1", 4);
  data[4] = NAL_FILLER;
  fill_random (writer, data + 5, bytes - 5);
}

/* ---- the access unit -------------------------------------------------------- */

void
access_unit_writer_init (AccessUnitWriter *writer, guint64 seed)
{
  memset (writer, 0, sizeof *writer);
  /* The state must not be 0.  The factor puts neighbouring seeds far apart. */
  writer->random = (seed + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  if (writer->random == 0)
    writer->random = 1;
}

/* Writes all but the filler; `head' gets the part before the filler. */
static void
write_picture (AccessUnitWriter *writer, FrameType type, guint64 display, guint8 *head,
    gsize *head_bytes, guint8 *slice, gsize *slice_bytes)
{
  gsize n = write_aud (type, head);

  if (type == FRAME_TYPE_I) {
    n += write_sps (head + n);
    n += write_pps (head + n);
    if (writer->started)
      n += write_recovery_point (head + n);
  }
  *head_bytes = n;
  *slice_bytes = write_slice (writer, type, display, slice);
}

gsize
access_unit_min_bytes (FrameType type)
{
  guint8 head[MAX_HEAD_BYTES], slice[MAX_HEAD_BYTES];
  gsize head_bytes, slice_bytes;
  /* the largest values; their codes have a fixed length */
  AccessUnitWriter writer = { .frame_num = 1, .started = TRUE };

  write_picture (&writer, type, 1, head, &head_bytes, slice, &slice_bytes);
  return head_bytes + slice_bytes;
}

void
access_unit_write (
    AccessUnitWriter *writer, FrameType type, guint64 display, guint8 *data, gsize bytes)
{
  guint8 head[MAX_HEAD_BYTES], slice[MAX_HEAD_BYTES];
  gsize head_bytes, slice_bytes, missing;

  write_picture (writer, type, display, head, &head_bytes, slice, &slice_bytes);
  missing = bytes - head_bytes - slice_bytes;
  memcpy (data, head, head_bytes);
  memcpy (data + head_bytes, slice, slice_bytes);
  data += head_bytes + slice_bytes;
  if (missing >= MIN_FILLER_BYTES)
    write_filler (writer, data, missing);
  else
    memset (data, 0, missing); /* trailing_zero_8bits, B.1 */
}
