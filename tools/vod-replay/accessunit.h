/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* H.264 access units with exactly the sizes of a trace.
 *
 * They can be decoded: a small grey picture of Main profile, whose P and B frames skip every
 * macroblock.  The slice comes first, as an encoder's does, so that the unit's first packet says
 * what the picture is.  A NAL unit of pseudo-random bytes behind the slice, which decoders skip,
 * fills the unit to its size, so that no two packets of a stream are equal. */
#ifndef VOD_REPLAY_ACCESSUNIT_H
#define VOD_REPLAY_ACCESSUNIT_H

#include "trace.h"

#define ACCESS_UNIT_WIDTH 32
#define ACCESS_UNIT_HEIGHT 32

typedef struct
{
  guint64 random;
  guint frame_num; /* of the next picture */
  gboolean started;
} AccessUnitWriter;

/** The same seed gives the same stream. */
void access_unit_writer_init (AccessUnitWriter *writer, guint64 seed);

/** Returns the size of the smallest access unit of this type. */
gsize access_unit_min_bytes (FrameType type);

/** Writes an access unit of `bytes' bytes, at least the minimum.  The first picture has to be an
 * I frame; `display' is the picture's number in display order. */
void access_unit_write (
    AccessUnitWriter *writer, FrameType type, guint64 display, guint8 *data, gsize bytes);

#endif
