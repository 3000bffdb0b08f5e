/* H.264 access units of exactly as many bytes as a trace says.
 *
 * They decode: a small picture of Main profile, all of it grey, whose P and B
 * frames skip every macroblock.  What is missing to the size is an SEI message
 * of pseudo-random bytes, so that no two packets of a stream are the same. */
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

/** An access unit of this type cannot be smaller. */
gsize access_unit_min_bytes (FrameType type);

/** Writes `bytes' bytes, no fewer than the minimum.  The first picture has to
 * be an I frame; `display' counts pictures in the order of their display. */
void access_unit_write (
    AccessUnitWriter *writer, FrameType type, guint64 display, guint8 *data, gsize bytes);

#endif
