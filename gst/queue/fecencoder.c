/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction at the sender, see fecencoder.h. */
#include "fecencoder.h"

#include "xor.h"

/* FEC packets are not what a picture needs: they are the first that a queue gives up. */
static const GstTfrcImportance fec_importance = { .class = GST_TFRC_CLASS_NULL };

static void
clear_group (GstTfrcFecGroup *group)
{
  gst_tfrc_packet_unref (group->packet);
  memset (group, 0, sizeof *group);
}

static void
begin_matrix (GstTfrcFecEncoder *self)
{
  clear_group (&self->row);
  for (guint i = 0; i < GST_TFRC_FEC_MAX_COLUMNS; i++)
    clear_group (&self->columns[i]);
  self->cell = 0;
  self->layout = self->next;
}

static void
clear_ready (GstTfrcFecEncoder *self)
{
  for (guint i = 0; i < GST_TFRC_FEC_MAX_COLUMNS; i++)
    clear_group (&self->ready[i]);
  self->first_ready = self->n_ready = 0;
}

void
gst_tfrc_fec_encoder_clear (GstTfrcFecEncoder *self)
{
  begin_matrix (self);
  clear_ready (self);
  gst_tfrc_packet_pool_free (self->pool);
  self->pool = NULL;
}

void
gst_tfrc_fec_encoder_set_layout (GstTfrcFecEncoder *self, const GstTfrcFecLayout *layout)
{
  self->next = *layout;
  if (!gst_tfrc_fec_layout_is_on (&self->layout))
    begin_matrix (self);
}

const GstTfrcFecLayout *
gst_tfrc_fec_encoder_get_layout (const GstTfrcFecEncoder *self)
{
  return &self->next;
}

/* ---- groups ---------------------------------------------------------------------- */

static void
begin_group (GstTfrcFecEncoder *self, GstTfrcFecGroup *group, guint16 seq, guint8 offset)
{
  if (self->pool == NULL)
    self->pool = gst_tfrc_packet_pool_new ();
  group->packet = gst_tfrc_packet_pool_take (self->pool);
  gst_tfrc_packet_set_importance (group->packet, &fec_importance);
  memset (gst_tfrc_packet_payload (group->packet), 0, GST_TFRC_PACKET_MAX_PAYLOAD_BYTES);
  group->fec = (TfrcWireFec){ .first_seq = seq, .offset = offset, .is_row = offset == 1 };
}

static void
add_to_group (GstTfrcFecGroup *group, guint32 timestamp, const GstTfrcPacket *packet)
{
  guint16 bytes = gst_tfrc_packet_get_payload_bytes (packet);

  gst_tfrc_xor (
      gst_tfrc_packet_payload (group->packet), gst_tfrc_packet_get_payload (packet), bytes);
  group->length = MAX (group->length, bytes);
  group->fec.length_recovery ^= bytes;
  group->fec.timestamp ^= timestamp;
  group->fec.payload_type ^= TFRC_WIRE_PAYLOAD_TYPE;
  group->fec.count++;
}

static void
add (GstTfrcFecEncoder *self, GstTfrcFecGroup *group, guint8 offset, guint16 seq, guint32 timestamp,
    const GstTfrcPacket *packet)
{
  if (group->packet == NULL)
    begin_group (self, group, seq, offset);
  add_to_group (group, timestamp, packet);
}

/* The columns of a full matrix leave while the next one is filled. */
static void
end_matrix (GstTfrcFecEncoder *self)
{
  if (self->layout.by_columns) {
    clear_ready (self);
    memcpy (self->ready, self->columns, sizeof self->ready);
    memset (self->columns, 0, sizeof self->columns);
    self->n_ready = self->layout.columns;
  }
  begin_matrix (self);
}

/* ---- packets ----------------------------------------------------------------------- */

void
gst_tfrc_fec_encoder_on_left (
    GstTfrcFecEncoder *self, guint16 seq, guint32 timestamp, const GstTfrcPacket *packet)
{
  const GstTfrcFecLayout *layout = &self->layout;
  guint cells = layout->columns * layout->rows;

  self->may_take_ready = TRUE;
  if (self->cell > 0 && seq != self->next_seq)
    begin_matrix (self);
  else if (self->cell > 0 && self->cell == cells)
    end_matrix (self);
  if (!gst_tfrc_fec_layout_is_on (layout))
    return;
  if (layout->by_rows)
    add (self, &self->row, 1, seq, timestamp, packet);
  if (layout->by_columns)
    add (self, &self->columns[self->cell % layout->columns], (guint8) layout->columns, seq,
        timestamp, packet);
  self->cell++;
  self->next_seq = (guint16) (seq + 1);
}

static GstTfrcPacket *
take_group (GstTfrcFecGroup *group, TfrcWireFec *fec)
{
  GstTfrcPacket *packet = group->packet;

  gst_tfrc_packet_set_payload_bytes (packet, group->length);
  *fec = group->fec;
  memset (group, 0, sizeof *group);
  return packet;
}

GstTfrcPacket *
gst_tfrc_fec_encoder_take (GstTfrcFecEncoder *self, TfrcWireFec *fec)
{
  if (self->row.packet && self->row.fec.count == self->layout.columns)
    return take_group (&self->row, fec);
  if (!self->may_take_ready || self->first_ready == self->n_ready)
    return NULL;
  self->may_take_ready = FALSE;
  return take_group (&self->ready[self->first_ready++], fec);
}
