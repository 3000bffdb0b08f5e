/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction at the sender (SMPTE ST 2022-1): the packets of the movie, as they leave, are the
 * cells of a matrix that is filled row by row, and the XOR of a row or a column is a FEC packet. The receiver
 * gets one missing packet of a group back from it without asking.
 *
 *     packet    n      n + 1  ... n + L - 1   -> FEC of the row
 *               n + L  ...
 *               ...
 *               |      |
 *               FEC of the columns
 *
 * The FEC packet of a row leaves behind the row's last packet, and that of column i behind packet i of the next
 * matrix, as if the column had one row more: behind the column's last packet one burst would take both.
 *
 * Numbers of a matrix follow each other: if one was given up, the matrix begins anew.
 *
 * No lock and no clock. */
#ifndef GST_TFRC_FECENCODER_H
#define GST_TFRC_FECENCODER_H

#include "feclayout.h"
#include "packet.h"

G_BEGIN_DECLS

/** For fecencoder.c alone */
typedef struct
{
  GstTfrcPacket *packet; /* the XOR so far; NULL: no packet of the group has left */
  guint16 length;        /* of the longest payload */
  TfrcWireFec fec;
} GstTfrcFecGroup;

/** For fecencoder.c alone; all zero protects nothing. */
typedef struct
{
  GstTfrcFecLayout layout; /* of the matrix that is being filled */
  GstTfrcFecLayout next;   /* of the one after that */
  GstTfrcPacketPool *pool; /* NULL: nothing was protected yet */
  GstTfrcFecGroup row;
  GstTfrcFecGroup columns[GST_TFRC_FEC_MAX_COLUMNS];
  GstTfrcFecGroup ready[GST_TFRC_FEC_MAX_COLUMNS]; /* columns of the matrix before */
  guint first_ready, n_ready;
  gboolean may_take_ready; /* a packet has left since the last one */
  guint cell;              /* of the next packet */
  guint16 next_seq;
} GstTfrcFecEncoder;

/** Frees what was begun. */
void gst_tfrc_fec_encoder_clear (GstTfrcFecEncoder *self);

/** Sets how the packets of the next matrix are protected. */
void gst_tfrc_fec_encoder_set_layout (GstTfrcFecEncoder *self, const GstTfrcFecLayout *layout);

/** Returns that layout. */
const GstTfrcFecLayout *gst_tfrc_fec_encoder_get_layout (const GstTfrcFecEncoder *self);

/** A packet of the movie has left. All FEC packets have been taken before.
 * @param seq its RTP number
 * @param timestamp its RTP time stamp */
void gst_tfrc_fec_encoder_on_left (
    GstTfrcFecEncoder *self, guint16 seq, guint32 timestamp, const GstTfrcPacket *packet);

/** Takes a FEC packet that is complete: after each packet at most one of a row and one of a column.
 * @param fec set to its header
 * @return a reference; NULL: there is none */
GstTfrcPacket *gst_tfrc_fec_encoder_take (GstTfrcFecEncoder *self, TfrcWireFec *fec);

G_END_DECLS
#endif
