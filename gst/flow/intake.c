/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver takes in, see intake.h. */
#include "intake.h"

#include <string.h>

#include "../common/log.h"
#include "../common/transportstream.h"

/* Header and payload of a packet of tfrcsink: seven transport stream packets (RFC 2250 section 2) */
#define POOL_BYTES (TFRC_WIRE_MAX_HEADER_BYTES + 7 * 188)

/* 6 MB: two seconds of 20 Mbit/s in the pipeline */
#define POOL_MAX_BUFFERS 4096

/* The sender counts payload that is not due yet; the queue has headers as well, what the path has delivered
 * out of time, and what waits for the pipeline. */
#define EARLY_MARGIN 1.25
#define RTP_HEADER_BYTES 12
#define RTP_VERSION_2 0x80
#define RTP_PADDING 0x20            /* RFC 3550 section 5.1 */
#define MAX_AHEAD_BYTES G_MAXUINT32 /* what a packet can tell */

struct _GstTfrcIntake
{
  TfrcReceiverConfig receiver;
  guint64 delay_ns; /* the playout delay */
  gboolean tells_delay;
  guint64 ahead_ns, ahead_bytes; /* the window for packets that run ahead */
  GstTfrcReception *reception;   /* of the sender, or of the last one; NULL: there was none */
  GstTfrcReceptionStats totals;  /* of the senders before that: counts only */
  GstTfrcReorder *queue;
  GstTfrcRepairRequests requests; /* of what is missing in it */
  GstTfrcPictureLoss picture_loss;
  gboolean hears_rtcp;       /* the sender does, as it has sent a report */
  GstTfrcFecDecoder decoder; /* brings some of that back */
  GstTfrcEvents *events;
  GstBufferPool *pool; /* of the buffers in the queue and in the pipeline; NULL: there is none */
  GstTfrcReceivePaths paths;
  gboolean has_left_path; /* which has not been told */
  GstTfrcAddress left_to; /* where data comes to instead */
};

static void
free_packet (gpointer data)
{
  gst_buffer_unref (data);
}

/* A pool of GStreamer needs a descriptor, and is broken if the process can open none. */
static gboolean
can_have_pool (void)
{
  GstPoll *probe = gst_poll_new_timer ();

  if (probe)
    gst_poll_free (probe);
  return probe != NULL;
}

/* Without a limit the pool would keep what a flood or a stalled pipeline has once needed. */
static GstBufferPool *
new_pool (void)
{
  GstBufferPool *pool;
  GstStructure *config;

  if (!can_have_pool ())
    return NULL;
  pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, NULL, POOL_BYTES, 0, POOL_MAX_BUFFERS);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  return pool;
}

/* Returns a buffer for this number of bytes.  A packet that is larger than those of tfrcsink takes
 * memory of the system, and so does one for which the pool has no buffer. */
static GstBuffer *
new_buffer (GstTfrcIntake *self, gsize size)
{
  GstBufferPoolAcquireParams params = { .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT };
  GstBuffer *buffer;

  if (self->pool == NULL || size > POOL_BYTES
      || gst_buffer_pool_acquire_buffer (self->pool, &buffer, &params) != GST_FLOW_OK)
    return gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_set_size (buffer, (gssize) size);
  return buffer;
}

/* Returns a packet that did not come as such: an RTP header without extension, and the payload. */
static GstBuffer *
new_restored_packet (
    GstTfrcIntake *self, guint16 seq, guint32 timestamp, const guint8 *payload, gsize bytes)
{
  GstBuffer *packet = new_buffer (self, RTP_HEADER_BYTES + bytes);
  guint8 header[RTP_HEADER_BYTES] = { RTP_VERSION_2, TFRC_WIRE_PAYLOAD_TYPE };

  GST_WRITE_UINT16_BE (header + 2, seq);
  GST_WRITE_UINT32_BE (header + 4, timestamp);
  GST_WRITE_UINT32_BE (header + 8, gst_tfrc_reception_get_ssrc (self->reception));
  gst_buffer_fill (packet, 0, header, sizeof header);
  gst_buffer_fill (packet, sizeof header, payload, bytes);
  GST_BUFFER_OFFSET (packet) = sizeof header;
  return packet;
}

/* Padding is left out, and so is the bit that tells of it. */
static GstBuffer *
new_packet (GstTfrcIntake *self, const GstTfrcReceivedPacket *received, const TfrcWireData *header)
{
  const guint8 first = received->data[0] & (guint8) ~RTP_PADDING;
  gsize size = header->header_bytes + header->payload_bytes;
  GstBuffer *packet;

  if (gst_tfrc_rtp_is_repair (header))
    return new_restored_packet (self, header->seq, header->timestamp,
        received->data + header->header_bytes, header->payload_bytes);
  packet = new_buffer (self, size);
  gst_buffer_fill (packet, 0, received->data, size);
  if (first != received->data[0])
    gst_buffer_fill (packet, 0, &first, 1);
  GST_BUFFER_OFFSET (packet) = header->header_bytes;
  return packet;
}

GstTfrcIntake *
gst_tfrc_intake_new (const TfrcReceiverConfig *receiver, guint64 window_ns, guint64 max_time_ns,
    GstTfrcEvents *events)
{
  GstTfrcIntake *self = g_new0 (GstTfrcIntake, 1);

  self->receiver = *receiver;
  self->delay_ns = window_ns;
  self->events = events;
  self->queue = gst_tfrc_reorder_new (window_ns, max_time_ns, free_packet);
  self->pool = new_pool ();
  return self;
}

void
gst_tfrc_intake_free (GstTfrcIntake *self)
{
  if (self == NULL)
    return;
  gst_tfrc_reception_free (self->reception);
  gst_tfrc_reorder_free (self->queue);
  gst_tfrc_fec_decoder_restart (&self->decoder);
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  g_free (self);
}

void
gst_tfrc_intake_set_limits (
    GstTfrcIntake *self, guint64 window_ns, gboolean tells_window, guint64 max_time_ns)
{
  gst_tfrc_reorder_set_limits (self->queue, window_ns, max_time_ns);
  self->delay_ns = window_ns;
  self->tells_delay = tells_window;
  if (self->reception)
    gst_tfrc_reception_set_playout_delay (self->reception, window_ns, tells_window);
}

static gsize
bytes_of (gconstpointer packet)
{
  return gst_buffer_get_size ((GstBuffer *) packet);
}

void
gst_tfrc_intake_set_ahead (GstTfrcIntake *self, guint64 time_ns, guint64 bytes)
{
  self->ahead_ns = time_ns;
  self->ahead_bytes = bytes;
  gst_tfrc_reorder_set_early_limit (
      self->queue, bytes_of, (gsize) (MIN (bytes, MAX_AHEAD_BYTES) * EARLY_MARGIN));
  if (self->reception)
    gst_tfrc_reception_set_ahead (self->reception, time_ns, bytes);
}

/* ---- the sender ---------------------------------------------------------------- */

/* Data comes to this local address although another path is active. */
static void
leave_path (GstTfrcIntake *self, const GstTfrcAddress *local)
{
  gst_tfrc_log (flow, DEBUG, "the path to %s is given up: data comes to %s",
      GST_TFRC_ADDRESS_TEXT (&gst_tfrc_receive_paths_get_active (&self->paths)->local),
      GST_TFRC_ADDRESS_TEXT (local));
  gst_tfrc_receive_paths_reset (&self->paths);
  gst_tfrc_repair_requests_change_path (&self->requests);
  gst_tfrc_reception_set_local (self->reception, local);
  self->has_left_path = TRUE;
  self->left_to = *local;
}

/* The numbers of the movie begin anew. */
static void
restart (GstTfrcIntake *self)
{
  gst_tfrc_reorder_restart (self->queue);
  gst_tfrc_repair_requests_restart (&self->requests);
  gst_tfrc_fec_decoder_restart (&self->decoder);
}

static void
end_reception (GstTfrcIntake *self)
{
  GstTfrcReceptionStats stats;

  gst_tfrc_reception_get_stats (self->reception, &stats);
  gst_tfrc_reception_add_counts (&self->totals, &stats);
  gst_tfrc_reception_free (self->reception);
  restart (self);
  gst_tfrc_repair_requests_change_path (&self->requests);
}

gboolean
gst_tfrc_intake_start (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  GstTfrcReception *reception = gst_tfrc_reception_new (
      packet->from, ssrc, &self->receiver, self->events);

  if (reception == NULL)
    return FALSE;
  if (self->reception)
    end_reception (self);
  self->reception = reception;
  self->hears_rtcp = FALSE;
  gst_tfrc_reception_set_playout_delay (reception, self->delay_ns, self->tells_delay);
  gst_tfrc_reception_set_ahead (reception, self->ahead_ns, self->ahead_bytes);
  /* The reception knows nothing of a handover of the one before. */
  if (!gst_tfrc_receive_paths_is_active (&self->paths, packet))
    leave_path (self, &packet->local);
  gst_tfrc_reception_set_path_id (reception, gst_tfrc_receive_paths_get_active_id (&self->paths));
  return TRUE;
}

GstTfrcReception *
gst_tfrc_intake_get_reception (const GstTfrcIntake *self)
{
  return self->reception;
}

gboolean
gst_tfrc_intake_is_from (
    const GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, guint32 ssrc)
{
  return self->reception && gst_tfrc_reception_get_ssrc (self->reception) == ssrc
      && gst_tfrc_address_equal (gst_tfrc_reception_get_address (self->reception), packet->from);
}

gboolean
gst_tfrc_intake_has_ended (const GstTfrcIntake *self)
{
  return self->reception && gst_tfrc_reception_has_ended (self->reception);
}

void
gst_tfrc_intake_get_stats (const GstTfrcIntake *self, GstTfrcReceptionStats *stats)
{
  memset (stats, 0, sizeof *stats);
  stats->playout.delay_ns = self->tells_delay ? self->delay_ns : 0;
  if (self->reception)
    gst_tfrc_reception_get_stats (self->reception, stats);
  gst_tfrc_reception_add_counts (stats, &self->totals);
}

/* ---- packets ------------------------------------------------------------------- */

/* What the queue waits for no longer need not be asked for. */
static void
follow_packet (GstTfrcIntake *self, guint64 seq, gboolean is_repair, GstTfrcReorderResult result,
    guint64 deadline_ns, guint64 arrival_ns)
{
  GstTfrcRepairRequests *requests = &self->requests;

  if (result == GST_TFRC_REORDER_QUEUED)
    gst_tfrc_repair_requests_on_packet (requests, seq, is_repair, deadline_ns, arrival_ns);
  else if (is_repair && result == GST_TFRC_REORDER_DUPLICATE)
    gst_tfrc_repair_requests_count_duplicate (requests);
  else if (is_repair)
    gst_tfrc_repair_requests_count_late (requests);
}

/* A sender without TFRC may not hear RTCP. */
static gboolean
hears_requests (const GstTfrcIntake *self)
{
  return self->hears_rtcp || gst_tfrc_reception_has_tfrc (self->reception);
}

static void
follow_requests (GstTfrcIntake *self, const GstTfrcRtpPlace *place, const TfrcWireData *header,
    guint64 arrival_ns, guint64 due_ns, GstTfrcReorderResult result)
{
  guint64 deadline_ns = due_ns + self->delay_ns;

  if (!hears_requests (self))
    return;
  gst_tfrc_repair_requests_set_rtt (&self->requests, header->rtt_us * G_GUINT64_CONSTANT (1000));
  if (place->is_previous_used)
    gst_tfrc_repair_requests_on_packet (
        &self->requests, place->previous_seq, FALSE, deadline_ns, arrival_ns);
  follow_packet (
      self, place->seq, gst_tfrc_rtp_is_repair (header), result, deadline_ns, arrival_ns);
}

/* What groups bring back is played at its own time. Of what is no transport stream one packet was not true. */
static void
take_recovered (GstTfrcIntake *self, guint64 arrival_ns, guint64 queued_ns)
{
  GstTfrcFecRecovered packet;

  while (gst_tfrc_fec_decoder_take (&self->decoder, &packet)) {
    guint64 due_ns = gst_tfrc_reception_get_due_of (self->reception, packet.timestamp, arrival_ns);

    if (!gst_tfrc_is_transport_stream (packet.payload, packet.bytes))
      continue;
    gst_tfrc_log (flow, LOG, "packet %u comes back by FEC", (guint) (guint16) packet.seq);
    gst_tfrc_reorder_push (self->queue, packet.seq, queued_ns, due_ns,
        new_restored_packet (
            self, (guint16) packet.seq, packet.timestamp, packet.payload, packet.bytes));
    if (hears_requests (self))
      gst_tfrc_repair_requests_on_recovered (
          &self->requests, packet.seq, due_ns + self->delay_ns, arrival_ns);
  }
}

/* Of a group all packets but one are needed, in any order. */
static void
keep_for_fec (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header,
    guint64 seq, guint64 queued_ns)
{
  gst_tfrc_fec_decoder_on_packet (&self->decoder, seq, header->timestamp,
      packet->data + header->header_bytes, header->payload_bytes);
  take_recovered (self, packet->arrival_ns, queued_ns);
}

/* The payload is that of a packet which has been parsed as FEC. */
static void
take_fec (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header,
    const TfrcWireFec *fec, guint64 queued_ns)
{
  gst_tfrc_fec_decoder_on_fec (&self->decoder, fec, !header->has_transport_seq,
      packet->data + header->header_bytes, header->payload_bytes);
  take_recovered (self, packet->arrival_ns, queued_ns);
}

static void
take_movie (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header,
    const GstTfrcRtpPlace *place, guint64 queued_ns)
{
  guint64 due_ns = gst_tfrc_reception_get_due_ns (self->reception);

  follow_requests (self, place, header, packet->arrival_ns, due_ns,
      gst_tfrc_reorder_push (
          self->queue, place->seq, queued_ns, due_ns, new_packet (self, packet, header)));
  keep_for_fec (self, packet, header, place->seq, queued_ns);
}

/* TFRC's part of a packet. Returns FALSE if the packet is not to be used. */
static gboolean
use_packet (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireData *header,
    guint64 queued_ns, TfrcArrival *arrival)
{
  guint8 path_id = gst_tfrc_receive_paths_get_id (&self->paths, packet);

  if (!gst_tfrc_reception_on_data (self->reception, header, packet, path_id, arrival)) {
    if (arrival->kind == TFRC_ARRIVAL_SUSPECT && !gst_tfrc_rtp_is_fec (header))
      gst_tfrc_reorder_hold (self->queue, new_packet (self, packet, header));
    return FALSE;
  }
  if (path_id != gst_tfrc_receive_paths_get_active_id (&self->paths)
      && gst_tfrc_reception_handover_failed (self->reception, packet->arrival_ns))
    leave_path (self, &packet->local);
  if (arrival->kind == TFRC_ARRIVAL_RESTART)
    restart (self);
  if (gst_tfrc_reception_has_gone_back (self->reception)) {
    gst_tfrc_reorder_flush (self->queue, queued_ns);
    gst_tfrc_repair_requests_restart (&self->requests);
  }
  return TRUE;
}

/* @queued_ns: when the pipeline could have the packet, at the earliest */
gboolean
gst_tfrc_intake_take_data (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *received, guint64 queued_ns)
{
  const GstTfrcRtpPlace *place = gst_tfrc_reception_get_rtp_place (self->reception);
  TfrcWireData header = *received;
  gboolean is_fec = gst_tfrc_rtp_is_fec (received);
  TfrcArrival arrival;
  TfrcWireFec fec;

  if (is_fec && !tfrc_wire_take_fec (packet->data, &header, &fec))
    return FALSE;
  /* Of a sender without TFRC the packet has no number that would say anything here. */
  if (is_fec && !header.has_transport_seq) {
    take_fec (self, packet, &header, &fec, queued_ns);
    return TRUE;
  }
  if (!use_packet (self, packet, &header, queued_ns, &arrival))
    return TRUE;
  /* The packet that was held counts as arrived and due with this one, as the pipeline could not have
   * had it before. */
  if (place->is_previous_used)
    gst_tfrc_reorder_push_held (self->queue, place->previous_seq, queued_ns,
        gst_tfrc_reception_get_due_ns (self->reception));
  if (place->is_used)
    take_movie (self, packet, &header, place, queued_ns);
  else if (is_fec && arrival.kind != TFRC_ARRIVAL_DUPLICATE)
    take_fec (self, packet, &header, &fec, queued_ns);
  return is_fec || place->is_used || arrival.kind == TFRC_ARRIVAL_DUPLICATE;
}

/* A packet that is missing was due as long before its deadline as any other. Of another one the time stamp tells when. */
void
gst_tfrc_intake_take_plain_repair (GstTfrcIntake *self, const GstTfrcReceivedPacket *packet,
    const TfrcWireData *header, guint64 queued_ns)
{
  guint64 seq, deadline_ns, due_ns;

  if (!gst_tfrc_repair_requests_place (&self->requests, header->seq, &seq, &deadline_ns))
    return;
  due_ns = deadline_ns > 0
      ? deadline_ns - MIN (deadline_ns, self->delay_ns)
      : gst_tfrc_reception_get_due_of (self->reception, header->timestamp, packet->arrival_ns);
  follow_packet (self, seq, TRUE,
      gst_tfrc_reorder_push (
          self->queue, seq, queued_ns, due_ns, new_packet (self, packet, header)),
      deadline_ns, packet->arrival_ns);
  keep_for_fec (self, packet, header, seq, queued_ns);
}

void
gst_tfrc_intake_take_report (GstTfrcIntake *self, const TfrcWireRtcp *rtcp, guint64 arrival_ns)
{
  gst_tfrc_reception_on_rtcp (self->reception, rtcp, arrival_ns);
  self->hears_rtcp = self->hears_rtcp || rtcp->has_sr;
}

void
gst_tfrc_intake_take_rtcp (
    GstTfrcIntake *self, const GstTfrcReceivedPacket *packet, const TfrcWireRtcp *rtcp)
{
  GstTfrcReception *reception = self->reception;

  if (gst_tfrc_reception_has_ended (reception)) {
    gst_tfrc_reception_end (reception);
    return;
  }
  gst_tfrc_intake_take_report (self, rtcp, packet->arrival_ns);
  if (rtcp->has_challenge)
    gst_tfrc_reception_on_challenge (reception, rtcp, packet);
}

/* ---- the queue ----------------------------------------------------------------- */

GstTfrcReorder *
gst_tfrc_intake_get_queue (GstTfrcIntake *self)
{
  return self->queue;
}

GstTfrcRepairRequests *
gst_tfrc_intake_get_requests (GstTfrcIntake *self)
{
  return &self->requests;
}

GstTfrcPictureLoss *
gst_tfrc_intake_get_picture_loss (GstTfrcIntake *self)
{
  return &self->picture_loss;
}

void
gst_tfrc_intake_set_requests (GstTfrcIntake *self, gboolean repairs, gboolean key_units)
{
  gst_tfrc_repair_requests_set_on (&self->requests, repairs);
  gst_tfrc_picture_loss_set_on (&self->picture_loss, key_units);
}

guint64
gst_tfrc_intake_requests_ns (const GstTfrcIntake *self, gboolean has_rtcp)
{
  if (self->reception == NULL || gst_tfrc_reception_has_ended (self->reception))
    return G_MAXUINT64;
  if (!has_rtcp && !gst_tfrc_reception_has_tfrc (self->reception))
    return gst_tfrc_repair_requests_next_ns (&self->requests);
  return MIN (gst_tfrc_repair_requests_next_ns (&self->requests),
      gst_tfrc_picture_loss_next_ns (
          &self->picture_loss, gst_tfrc_reception_get_rtt_ns (self->reception)));
}

void
gst_tfrc_intake_get_fec_stats (const GstTfrcIntake *self, GstTfrcFecDecoderStats *stats)
{
  gst_tfrc_fec_decoder_get_stats (&self->decoder, stats);
}

guint64
gst_tfrc_intake_leave_ns (const GstTfrcIntake *self)
{
  return gst_tfrc_intake_has_ended (self) ? gst_tfrc_reorder_end_ns (self->queue)
                                          : gst_tfrc_reorder_leave_ns (self->queue);
}

/* After the end nothing more fills a gap, and nothing follows. */
guint
gst_tfrc_intake_pop (GstTfrcIntake *self, guint64 now_ns, GstTfrcReorderItem *items, guint max)
{
  gboolean (*pop) (GstTfrcReorder *, guint64, GstTfrcReorderItem *) =
      gst_tfrc_intake_has_ended (self) ? gst_tfrc_reorder_pop_at_end : gst_tfrc_reorder_pop;
  guint n = 0;

  if (now_ns < gst_tfrc_intake_leave_ns (self))
    return 0;
  while (n < max && pop (self->queue, now_ns, &items[n]))
    if (items[n++].skipped > 0)
      gst_tfrc_picture_loss_on_gap (&self->picture_loss);
  return n;
}

/* ---- paths --------------------------------------------------------------------- */

void
gst_tfrc_intake_start_handover (GstTfrcIntake *self, const GstTfrcLocalPath *path,
    guint64 bandwidth_bps, gboolean suppress_echo, guint64 now_ns)
{
  gst_tfrc_log (flow, DEBUG, "handover to %s, interface %u, %" G_GUINT64_FORMAT " bit/s",
      GST_TFRC_ADDRESS_TEXT (&path->local), path->interface, bandwidth_bps);
  gst_tfrc_receive_paths_change (&self->paths, path);
  gst_tfrc_repair_requests_change_path (&self->requests);
  self->has_left_path = FALSE;
  if (self->reception)
    gst_tfrc_reception_start_handover (self->reception,
        gst_tfrc_receive_paths_get_active_id (&self->paths), bandwidth_bps, suppress_echo, now_ns);
}

const GstTfrcReceivePaths *
gst_tfrc_intake_get_paths (const GstTfrcIntake *self)
{
  return &self->paths;
}

gboolean
gst_tfrc_intake_take_left_path (GstTfrcIntake *self, GstTfrcAddress *local)
{
  gboolean has_left = self->has_left_path;

  if (has_left)
    *local = self->left_to;
  self->has_left_path = FALSE;
  return has_left;
}
