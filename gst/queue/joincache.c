/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver that joins gets, see joincache.h. */
#include "joincache.h"

#define TS_PACKET_BYTES 188
#define SYNC_BYTE 0x47

/* Does a program association table begin in the packet: PID 0 with payload_unit_start_indicator? */
static gboolean
has_pat (const GstTfrcPacket *packet)
{
  const guint8 *payload = gst_tfrc_packet_get_payload (packet);
  guint bytes = gst_tfrc_packet_get_payload_bytes (packet);

  for (guint at = 0; at + TS_PACKET_BYTES <= bytes; at += TS_PACKET_BYTES)
    if (payload[at] == SYNC_BYTE && (payload[at + 1] & 0x5f) == 0x40 && payload[at + 2] == 0)
      return TRUE;
  return FALSE;
}

static void
drop_packets (GstTfrcJoinCache *self)
{
  GstTfrcPacket *packet;

  while ((packet = g_queue_pop_head (&self->packets)))
    gst_tfrc_packet_unref (packet);
  self->bytes = 0;
  self->group = 0;
}

void
gst_tfrc_join_cache_clear (GstTfrcJoinCache *self)
{
  drop_packets (self);
  g_clear_pointer (&self->newest, gst_tfrc_packet_unref);
  g_clear_pointer (&self->tables, gst_tfrc_packet_unref);
  g_clear_pointer (&self->behind_tables, gst_tfrc_packet_unref);
}

static void
replace (GstTfrcPacket **place, GstTfrcPacket *packet)
{
  GstTfrcPacket *before = *place;

  *place = packet ? gst_tfrc_packet_ref (packet) : NULL;
  gst_tfrc_packet_unref (before);
}

static void
append (GstTfrcJoinCache *self, GstTfrcPacket *packet)
{
  if (packet == NULL || g_queue_peek_tail (&self->packets) == packet)
    return;
  g_queue_push_tail (&self->packets, gst_tfrc_packet_ref (packet));
  self->bytes += gst_tfrc_packet_get_payload_bytes (packet);
}

static gboolean
begins_group (const GstTfrcJoinCache *self, const GstTfrcImportance *importance)
{
  return importance->class == GST_TFRC_CLASS_RANDOM_ACCESS && importance->group != 0
      && importance->group != self->group;
}

/* A packet with audio or a table in front of the picture has their class, so that the picture may have
 * begun one packet before. The tables are needed to find the picture. */
static void
begin_group (GstTfrcJoinCache *self, guint32 group)
{
  drop_packets (self);
  self->group = group;
  append (self, self->tables);
  append (self, self->behind_tables);
  append (self, self->newest);
}

static void
follow_tables (GstTfrcJoinCache *self, GstTfrcPacket *packet)
{
  if (has_pat (packet)) {
    replace (&self->tables, packet);
    replace (&self->behind_tables, NULL);
  } else if (self->tables && self->behind_tables == NULL) {
    replace (&self->behind_tables, packet);
  }
}

void
gst_tfrc_join_cache_add (GstTfrcJoinCache *self, GstTfrcPacket *packet)
{
  const GstTfrcImportance *importance = gst_tfrc_packet_get_importance (packet);

  if (begins_group (self, importance))
    begin_group (self, importance->group);
  if (self->group != 0)
    append (self, packet);
  follow_tables (self, packet);
  replace (&self->newest, packet);
  if (self->bytes > GST_TFRC_JOIN_CACHE_MAX_BYTES)
    drop_packets (self);
}

void
gst_tfrc_join_cache_foreach (const GstTfrcJoinCache *self,
    void (*func) (gpointer user, GstTfrcPacket *packet), gpointer user)
{
  for (GList *link = self->packets.head; link; link = link->next)
    func (user, link->data);
}

guint
gst_tfrc_join_cache_length (const GstTfrcJoinCache *self)
{
  return g_queue_get_length ((GQueue *) &self->packets);
}

guint32
gst_tfrc_join_cache_get_group (const GstTfrcJoinCache *self)
{
  return self->group;
}
