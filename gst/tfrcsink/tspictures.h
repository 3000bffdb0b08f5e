/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures of one video stream in a transport stream: where each begins, and what it is worth.
 *
 * A PES packet is a picture, as most muxers send it. Its class is that of its first slice. If that is not the
 * first of its picture, the picture before goes on. Where the slices
 * cannot be read (scrambled, or of another codec), the indicators of the transport stream say what
 * there is to know: random_access_indicator of a picture and elementary_stream_priority_indicator of a
 * packet.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_TSPICTURES_H
#define GST_TFRC_TSPICTURES_H

#include "videounit.h"

G_BEGIN_DECLS

/** The numbers that were given last; shared by the streams of a transport stream. Zero at the start */
typedef struct
{
  guint32 picture, group;
} GstTfrcTsNumbers;

/** For tspictures.c alone */
typedef struct
{
  guint16 pid;
  guint8 kind;    /* GstTfrcTsKind */
  guint8 reading; /* where in the PES packet */
  gboolean is_known;
  gboolean next_is_random_access; /* says a packet before the first of the picture */
  GstTfrcVideoContext context;
  GstTfrcImportance importance; /* of the present picture */
  GstTfrcImportance before;     /* of the picture before, which may go on */
  guint32 group_before;         /* its group unless it begins one */
  guint16 header_left;          /* bytes of the PES header that are still to come */
  guint8 kept_bytes;
  /* The end of the last payload: what may be the start of a PES header, or of a unit */
  guint8 kept[3 + GST_TFRC_VIDEO_UNIT_BYTES];
} GstTfrcTsPictures;

/** Begins a stream. All zero is a stream with PID 0, which has no pictures. */
void gst_tfrc_ts_pictures_init (GstTfrcTsPictures *self, guint pid, GstTfrcTsKind kind);

/** Is this the stream with these properties? */
static inline gboolean
gst_tfrc_ts_pictures_are_of (const GstTfrcTsPictures *self, guint pid, GstTfrcTsKind kind)
{
  return self->pid == pid && self->kind == kind;
}

/** Forgets the present picture, as after a flush: the next one begins with the next PES packet. */
void gst_tfrc_ts_pictures_flush (GstTfrcTsPictures *self);

/** Takes a packet of the stream, and says what the packet is worth.
 * @return FALSE if that is a guess, because the first slice is yet to come. The guess is random access if
 *   anything has announced that, and otherwise reference and of no group: dropping what is dear costs more
 *   than sending what is not. */
gboolean gst_tfrc_ts_pictures_take (GstTfrcTsPictures *self, const GstTfrcTsHeader *header,
    GstTfrcTsNumbers *numbers, GstTfrcImportance *importance);

G_END_DECLS
#endif
