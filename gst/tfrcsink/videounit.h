/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a unit of coded video says of its picture: a NAL unit of H.264 (ITU-T H.264 section 7.3) or H.265
 * (ITU-T H.265 section 7.3), or what follows a start code of MPEG-2 (ITU-T H.262 section 6.2).
 *
 * The first bytes say it: the type of the unit, whether others refer to it, and the type of the slice.
 * No parameter set is needed. No lock and no clock. */
#ifndef GST_TFRC_VIDEOUNIT_H
#define GST_TFRC_VIDEOUNIT_H

#include "../queue/importance.h"
#include "tsprograms.h"

G_BEGIN_DECLS

/** A unit of which this number of bytes is there is never too short. */
#define GST_TFRC_VIDEO_UNIT_BYTES 12

typedef enum
{
  GST_TFRC_VIDEO_UNIT_NOTHING,  /**< nothing about the picture */
  GST_TFRC_VIDEO_UNIT_SHORT,    /**< more bytes are needed */
  GST_TFRC_VIDEO_UNIT_ANNOUNCE, /**< the picture that follows may be one for random access */
  GST_TFRC_VIDEO_UNIT_PICTURE,  /**< a picture of the class that is set */
  GST_TFRC_VIDEO_UNIT_REST      /**< a slice that is not the first of its picture */
} GstTfrcVideoUnitResult;

/** What the units before say of this one: zero at the start of a stream */
typedef struct
{
  gboolean is_announced; /* GST_TFRC_VIDEO_UNIT_ANNOUNCE, or the transport stream, has said so */
  guint8 highest_layer;  /* the highest TemporalId so far (H.265) */
} GstTfrcVideoContext;

/** Reads the beginning of a unit.
 * @param kind GST_TFRC_TS_MPEG_VIDEO, GST_TFRC_TS_H264 or GST_TFRC_TS_H265
 * @param unit behind the start code 00 00 01; anything may stand there
 * @param bytes as many as are there
 * @param picture_class set with GST_TFRC_VIDEO_UNIT_PICTURE: random access, reference or not */
GstTfrcVideoUnitResult gst_tfrc_video_unit_read (GstTfrcTsKind kind, const guint8 *unit,
    gsize bytes, GstTfrcVideoContext *context, GstTfrcClass *picture_class);

G_END_DECLS
#endif
