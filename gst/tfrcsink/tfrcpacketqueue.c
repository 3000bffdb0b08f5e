/* The sender's buffer, see tfrcpacketqueue.h. */
#include "tfrcpacketqueue.h"

#include <string.h>

TfrcPacket *
tfrc_packet_new (const guint8 * data, gsize size, guint64 due_ns,
    guint64 now_ns)
{
  TfrcPacket *packet = g_slice_new (TfrcPacket);

  packet->link.data = packet;
  packet->link.next = packet->link.prev = NULL;
  packet->due_ns = due_ns;
  packet->queued_ns = now_ns;
  packet->size = (guint16) size;
  memcpy (packet->data, data, size);
  return packet;
}

void
tfrc_packet_free (TfrcPacket * packet)
{
  g_slice_free (TfrcPacket, packet);
}

void
tfrc_packet_queue_init (TfrcPacketQueue * queue)
{
  memset (queue, 0, sizeof *queue);
  g_queue_init (&queue->packets);
}

void
tfrc_packet_queue_clear (TfrcPacketQueue * queue)
{
  TfrcPacket *packet;

  while ((packet = tfrc_packet_queue_pop (queue)) != NULL)
    tfrc_packet_free (packet);
  if (queue->smoother)
    tfrc_smoother_reset (queue->smoother);
}

void
tfrc_packet_queue_push (TfrcPacketQueue * queue, TfrcPacket * packet)
{
  g_queue_push_tail_link (&queue->packets, &packet->link);
  queue->bytes += packet->size;
  if (queue->smoother)
    tfrc_smoother_offer (queue->smoother, packet->size, packet->queued_ns);
}

void
tfrc_packet_queue_push_back (TfrcPacketQueue * queue, TfrcPacket * packet)
{
  g_queue_push_head_link (&queue->packets, &packet->link);
  queue->bytes += packet->size;
  if (queue->smoother)
    tfrc_smoother_cancel (queue->smoother, packet->size);
}

TfrcPacket *
tfrc_packet_queue_pop (TfrcPacketQueue * queue)
{
  GList *link = g_queue_pop_head_link (&queue->packets);
  TfrcPacket *packet = link ? link->data : NULL;

  if (packet == NULL)
    return NULL;
  queue->bytes -= packet->size;
  if (queue->smoother)
    tfrc_smoother_take (queue->smoother, packet->size);
  return packet;
}

guint
tfrc_packet_queue_length (const TfrcPacketQueue * queue)
{
  return queue->packets.length;
}

guint64
tfrc_packet_queue_next_ns (const TfrcPacketQueue * queue)
{
  if (queue->packets.length == 0)
    return G_MAXUINT64;
  return queue->smoother ? tfrc_smoother_next_ns (queue->smoother) : 0;
}

guint64
tfrc_packet_queue_age_ns (const TfrcPacketQueue * queue, guint64 now_ns)
{
  const TfrcPacket *oldest =
      queue->packets.head ? queue->packets.head->data : NULL;

  return oldest && now_ns > oldest->queued_ns ? now_ns - oldest->queued_ns : 0;
}

gboolean
tfrc_packet_queue_is_overdue (const TfrcPacketQueue * queue, guint64 now_ns)
{
  return queue->max_time_ns > 0 && queue->packets.length > 0
      && tfrc_packet_queue_age_ns (queue, now_ns) >= queue->max_time_ns;
}

gboolean
tfrc_packet_queue_is_full (const TfrcPacketQueue * queue, guint64 now_ns)
{
  return queue->packets.length >= queue->max_packets
      || tfrc_packet_queue_is_overdue (queue, now_ns);
}

/* How long what is queued will take to leave, in ns; 0 if that is not known */
static gdouble
drain_time_ns (const TfrcPacketQueue * queue)
{
  return queue->drain_rate_Bps > 0 ? queue->bytes * 1e9 / queue->drain_rate_Bps
      : 0;
}

gboolean
tfrc_packet_queue_is_backlogged (const TfrcPacketQueue * queue)
{
  return queue->max_time_ns > 0 && queue->packets.length > 0
      && drain_time_ns (queue) >= queue->max_time_ns;
}

gboolean
tfrc_packet_queue_is_low (const TfrcPacketQueue * queue, guint64 now_ns)
{
  guint64 low_ns = queue->max_time_ns - queue->max_time_ns / 4;

  if (queue->packets.length > queue->max_packets - queue->max_packets / 4)
    return FALSE;
  return queue->max_time_ns == 0
      || (tfrc_packet_queue_age_ns (queue, now_ns) <= low_ns
      && drain_time_ns (queue) <= low_ns);
}
