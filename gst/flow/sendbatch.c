/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How packets of data leave a flow, see sendbatch.h. */
#include "sendbatch.h"

#include <errno.h>
#include <string.h>

#include "../common/log.h"
#include "grouping.h"

/* Batches in one turn of a flow, so that other flows have theirs */
#define MAX_BATCHES 4

/* After a send that failed: neither spin nor lose much time. */
#define SEND_RETRY_NS (10 * G_GUINT64_CONSTANT (1000000))

G_STATIC_ASSERT (
    TFRC_WIRE_MAX_HEADER_BYTES + GST_TFRC_PACKET_MAX_PAYLOAD_BYTES + GST_TFRC_PACKET_TAIL_BYTES
    <= GST_TFRC_DATAGRAM_BYTES);

void
gst_tfrc_send_batch_init (
    GstTfrcSendBatch *self, GstTfrcOutbox *outbox, GstTfrcSendSession *session)
{
  memset (self, 0, sizeof *self);
  self->outbox = outbox;
  self->session = session;
  self->control = gst_tfrc_send_media_get_control (gst_tfrc_send_session_get_media (session));
}

void
gst_tfrc_send_batch_begin (GstTfrcSendBatch *self)
{
  self->left = MAX_BATCHES;
}

/* A fast stream does something at the ends of intervals alone. */
static guint64
group_ns (const GstTfrcSendBatch *self, guint64 time_ns)
{
  return gst_tfrc_grouping_time_ns (
      time_ns, gst_tfrc_rate_control_get_drain_rate_Bps (self->control));
}

/* TFRC has allowed a sealed packet already; but nothing leaves once the circuit breaker is open. */
guint64
gst_tfrc_send_batch_next_ns (const GstTfrcSendBatch *self)
{
  const GstTfrcOutgoing *oldest = gst_tfrc_outbox_peek (self->outbox);
  guint64 next_ns = gst_tfrc_outbox_next_ns (self->outbox);

  if (gst_tfrc_rate_control_is_broken (self->control))
    return G_MAXUINT64;
  /* What comes while the queue is empty waits for what follows within the interval. */
  if (oldest)
    next_ns = MAX (next_ns, gst_tfrc_outgoing_get_queued_ns (oldest));
  if (oldest && !gst_tfrc_outgoing_is_sealed (oldest))
    next_ns = MAX (next_ns, gst_tfrc_rate_control_next_send_ns (self->control));
  return MAX (group_ns (self, next_ns), self->retry_ns);
}

guint64
gst_tfrc_send_batch_due_ns (const GstTfrcSendBatch *self)
{
  guint64 due_ns = gst_tfrc_outbox_due_ns (self->outbox);

  return gst_tfrc_rate_control_get_rtt_ns (self->control) == 0 ? due_ns : group_ns (self, due_ns);
}

guint64
gst_tfrc_send_batch_get_errors (const GstTfrcSendBatch *self)
{
  return self->errors;
}

/* ---- out -------------------------------------------------------------------- */

/* The header belongs to the flow, while other flows may be sending the same payload. */
static void
set_pieces (GstTfrcSendBatch *self, GstTfrcDatagram *datagram, const GstTfrcOutgoing *outgoing)
{
  const GstTfrcPacket *packet = gst_tfrc_outgoing_get_packet (outgoing);
  const GstTfrcProtector *protector = gst_tfrc_rtp_stream_get_protector (
      gst_tfrc_send_media_get_rtp (gst_tfrc_send_session_get_media (self->session),
          gst_tfrc_outgoing_get_stream (outgoing)));

  datagram->payload = gst_tfrc_packet_get_payload (packet);
  datagram->payload_bytes = gst_tfrc_packet_get_payload_bytes (packet);
  datagram->seal = protector->protect;
  datagram->seal_user = protector->user;
}

static void
add_packet (
    GstTfrcSendBatch *self, GstTfrcPolled *polled, GstTfrcOutgoing *outgoing, gboolean may_group)
{
  const GstTfrcSendPaths *paths = gst_tfrc_send_session_get_paths (self->session);
  gsize size;
  guint8 *head = gst_tfrc_outgoing_get_head (outgoing, &size);
  GstTfrcDatagram *datagram = gst_tfrc_polled_add_data (
      polled, head, size, gst_tfrc_send_paths_get_peer (paths));

  datagram->path.local = *gst_tfrc_send_paths_get_local (paths);
  datagram->may_reroute = TRUE;
  datagram->ttl = gst_tfrc_outgoing_get_ttl (outgoing);
  datagram->ecn = gst_tfrc_outgoing_get_ecn (outgoing);
  datagram->may_group = may_group;
  datagram->item = outgoing;
  if (!gst_tfrc_outgoing_is_sealed (outgoing))
    set_pieces (self, datagram, outgoing);
}

/* What cannot be in time is dropped before it is prepared, when it has no number yet. What can be in time only because
 * sending time was unused before makes up for that time. */
static GstTfrcOutgoing *
take_next (GstTfrcSendBatch *self, guint64 now_ns)
{
  gboolean is_pressed = gst_tfrc_outbox_drop_overdue (self->outbox, now_ns);

  gst_tfrc_rate_control_spend_credit (self->control, is_pressed);
  return now_ns >= gst_tfrc_outbox_next_ns (self->outbox) ? gst_tfrc_outbox_take (self->outbox)
                                                          : NULL;
}

guint
gst_tfrc_send_batch_poll (GstTfrcSendBatch *self, guint64 now_ns, GstTfrcPolled *polled)
{
  gboolean may_group = gst_tfrc_grouping_is_worth (
      gst_tfrc_rate_control_get_drain_rate_Bps (self->control));
  GstTfrcOutgoing *outgoing;
  guint n = 0;

  if (self->left == 0 || now_ns < self->retry_ns)
    return 0;
  gst_tfrc_outbox_begin (self->outbox);
  for (; n < GST_TFRC_POLL_DATA && (outgoing = take_next (self, now_ns)) != NULL; n++) {
    if (gst_tfrc_send_session_prepare (self->session, outgoing, now_ns) != GST_TFRC_PREPARED) {
      gst_tfrc_outbox_put_back (self->outbox, outgoing);
      break;
    }
    add_packet (self, polled, outgoing, may_group);
  }
  return n;
}

/* ---- the fate of what was polled ---------------------------------------------- */

/* Does the system refuse a packet that perhaps could leave without ECT? A rule of the own firewall
 * gives EPERM. */
static gboolean
is_refused_for_ecn (const GstTfrcDatagram *datagram)
{
  return datagram->ecn != TFRC_ECN_FIELD_NOT_ECT
      && (datagram->error == EINVAL || datagram->error == EPERM);
}

/* Sending has failed. A full queue of the own interface (ENOBUFS) is congestion, and drops a whole
 * group. A full socket buffer (EAGAIN) is not.
 * @is_repeated: a sealed packet has been refused before, and is tried without regard to X. It counts as lost once: if
 *   each try counted, a queue that is full for 2 s would cost 200 numbers, at X, before the next packet. */
static gint
on_failed (
    GstTfrcSendBatch *self, const GstTfrcDatagram *datagram, gboolean is_repeated, guint64 now_ns)
{
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (self->session);
  const gint error = datagram->error;
  gboolean is_first = !self->send_failed;

  self->errors++;
  self->retry_ns = now_ns + SEND_RETRY_NS;
  if (is_first)
    gst_tfrc_log (flow, DEBUG,
        "the system refuses %u packets: %s; %" G_GUINT64_FORMAT " sends have failed",
        datagram->refused, g_strerror (error), self->errors);
  if (is_refused_for_ecn (datagram)) {
    tfrc_ecn_refuse (gst_tfrc_send_media_get_ecn (media));
    return 0;
  }
  if (error == ENOBUFS && !is_repeated)
    gst_tfrc_rate_control_on_local_drop (self->control, datagram->refused);
  if (error == EAGAIN || error == ENOBUFS)
    return 0;
  self->send_failed = TRUE;
  return is_first ? error : 0;
}

static void
log_packet (const GstTfrcDatagram *datagram, guint64 now_ns)
{
  const GstTfrcOutgoing *outgoing = datagram->item;

  gst_tfrc_log (flow, TRACE,
      "packet %u has left: %" G_GSIZE_FORMAT " bytes, %.3f ms after it was due",
      gst_tfrc_outgoing_get_rtp_seq (outgoing), datagram->size + datagram->payload_bytes,
      (now_ns - MIN (now_ns, gst_tfrc_outgoing_get_due_ns (outgoing))) / 1e6);
}

/* What has left, and what cannot be protected: its numbers are lost. */
static guint
account_gone (GstTfrcSendBatch *self, const GstTfrcDatagram *data, guint n, guint64 now_ns)
{
  guint left = 0;

  for (guint i = 0; i < n; i++) {
    if (data[i].result == GST_TFRC_DATAGRAM_LEFT) {
      log_packet (&data[i], now_ns);
      gst_tfrc_outbox_on_left (self->outbox, data[i].item, now_ns);
      left++;
    } else if (data[i].result == GST_TFRC_DATAGRAM_UNSEALED) {
      gst_tfrc_outbox_on_given_up (self->outbox, data[i].item);
    }
  }
  return left;
}

/* What has not left, in the reverse order. Returns the datagram that failed, or NULL.
 * @was_sealed: set to whether that was sealed before this try */
static const GstTfrcDatagram *
take_back (GstTfrcSendBatch *self, const GstTfrcDatagram *data, guint n, gboolean *was_sealed)
{
  const GstTfrcDatagram *failed = NULL;

  for (guint i = n; i-- > 0;) {
    if (data[i].result == GST_TFRC_DATAGRAM_FAILED) {
      failed = &data[i];
      *was_sealed = gst_tfrc_outgoing_is_sealed (failed->item);
    } else if (data[i].result != GST_TFRC_DATAGRAM_NOT_TRIED) {
      continue;
    }
    if (data[i].seal && data[i].payload_bytes == 0)
      gst_tfrc_outgoing_seal (data[i].item, data[i].data, data[i].size);
    gst_tfrc_send_session_take_back (self->session, data[i].item);
    gst_tfrc_outbox_on_not_left (self->outbox, data[i].item);
  }
  return failed;
}

/* In one poll the data follows the control datagrams. */
gint
gst_tfrc_send_batch_on_sent (GstTfrcSendBatch *self, const GstTfrcPolled *polled, guint64 now_ns)
{
  guint n = polled->n - polled->n_control;
  const GstTfrcDatagram *data = polled->datagrams + polled->n_control, *failed;
  gboolean was_sealed = FALSE;
  guint left;

  if (n == 0 || data->is_control)
    return 0;
  left = account_gone (self, data, n, now_ns);
  failed = take_back (self, data, n, &was_sealed);
  self->left = left == GST_TFRC_POLL_DATA ? self->left - 1 : 0;
  if (failed)
    return on_failed (self, failed, was_sealed, now_ns);
  self->send_failed = FALSE;
  return 0;
}
