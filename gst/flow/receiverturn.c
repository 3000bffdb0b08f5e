/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver sends in one turn, see receiverturn.h. */
#include "receiverturn.h"

#include "../queue/packet.h"
#include "../keys/keypacket.h"

/* RTCP packets of one kind that one turn may send: a few feedback packets and a report */
#define MAX_RTCP_IN_ONE_TURN 8

G_STATIC_ASSERT (GST_TFRC_CALL_MAX_BYTES <= GST_TFRC_DATAGRAM_BYTES);
G_STATIC_ASSERT (TFRC_WIRE_MAX_RTCP_BYTES + GST_TFRC_PACKET_TAIL_BYTES <= GST_TFRC_DATAGRAM_BYTES);
G_STATIC_ASSERT (
    GST_TFRC_KEY_PACKET_MAX_BYTES + GST_TFRC_PACKET_TAIL_BYTES <= GST_TFRC_DATAGRAM_BYTES);

void
gst_tfrc_receiver_turn_begin (GstTfrcReceiverTurn *self)
{
  self->stage = GST_TFRC_STAGE_KEY_PACKETS;
  self->reports_left = self->requests_left = self->responses_left = self->challenges_left =
      MAX_RTCP_IN_ONE_TURN;
}

void
gst_tfrc_receiver_turn_say_bye (GstTfrcReceiverTurn *self)
{
  self->stage = GST_TFRC_STAGE_BYE;
}

static gsize
seal (gpointer user, guint8 *datagram, gsize size)
{
  GstTfrcSealing *sealing = user;

  return gst_tfrc_src_keys_protect (sealing->keys, &sealing->to, datagram, size);
}

/* Adds what is in the next room, which leaves protected. */
static GstTfrcDatagram *
add_rtcp (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    gsize size, const GstTfrcLocalPath *path, const GstTfrcAddress *to)
{
  GstTfrcSealing *sealing = &self->sealings[polled->n_control];
  GstTfrcDatagram *datagram = gst_tfrc_polled_add_control (polled, size, to);

  datagram->path = *path;
  sealing->keys = parts->keys;
  sealing->to = *to;
  datagram->seal = seal;
  datagram->seal_user = sealing;
  return datagram;
}

static gboolean
knows_tfrc (const GstTfrcReceiverParts *parts)
{
  return gst_tfrc_reception_has_tfrc (parts->reception);
}

/* A sender without TFRC that hears RTCP at another port gets it from the port for RTCP, if there is one. If the host has lost the
 * address that data comes to, the packet leaves from another one, which tells the sender where the receiver is now. */
static void
add_to_sender (
    GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled, gsize size)
{
  const GstTfrcAddress *address = gst_tfrc_reception_get_address (parts->reception);
  const GstTfrcAddress *to = parts->rtcp && !knows_tfrc (parts) ? parts->rtcp : address;
  GstTfrcLocalPath path = *gst_tfrc_receive_paths_get_active (parts->paths);
  GstTfrcDatagram *datagram;

  if (gst_tfrc_address_family (&path.local) == AF_UNSPEC)
    path.local = *gst_tfrc_reception_get_local (parts->reception);
  datagram = add_rtcp (self, parts, polled, size, &path, to);
  datagram->by_rtcp_port = !gst_tfrc_address_equal (to, address);
  datagram->may_reroute = TRUE;
}

/* What cannot leave is not made, as it would count as sent. The answer to a BYE is made: its sender repeats the BYE. */
static gboolean
may_make_rtcp (const GstTfrcReceiverParts *parts)
{
  return parts->reception
      && (gst_tfrc_selection_has_credit (parts->selection)
          || gst_tfrc_reception_has_ended (parts->reception));
}

/* Each of the next functions adds one packet of its kind, which it writes to @room.
 * Returns FALSE if nothing more of the kind is to leave in this turn. */

static gboolean
poll_key_packet (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts,
    GstTfrcPolled *polled, guint8 *room)
{
  GstTfrcLocalPath path = { 0 };
  GstTfrcAddress to;
  gsize size = gst_tfrc_src_keys_write (parts->keys, room, &to, &path.local);

  if (size == 0)
    return FALSE;
  gst_tfrc_polled_add_control (polled, size, &to)->path = path;
  return TRUE;
}

static gsize
write_request (
    const GstTfrcReceiverParts *parts, const guint16 *seqs, guint n, guint8 *room, gsize *used)
{
  return tfrc_wire_write_nack (
      room, parts->ssrc, gst_tfrc_reception_get_ssrc (parts->reception), seqs, n, used);
}

/* A sender that does not know TFRC may know no reduced-size RTCP either: a report comes first (RFC 3550 section
 * 6.1). */
static gsize
write_lead (const GstTfrcReceiverParts *parts, guint8 *room)
{
  const TfrcWireRtcp rtcp = { .sender_ssrc = parts->ssrc };

  return knows_tfrc (parts) ? 0 : tfrc_wire_write_receiver_report (room, &rtcp, parts->cname);
}

/* What has been asked for in vain is asked for beside feedback, too: the request may have been lost. Other senders
 * than those of TFRC may repeat a packet for each request. */
static gsize
add_open_requests (const GstTfrcReceiverParts *parts, guint8 *room, guint64 now_ns)
{
  guint16 seqs[GST_TFRC_REPAIR_REQUESTS_MAX];
  guint n = gst_tfrc_repair_requests_get_open (parts->requests, now_ns, seqs);
  gsize used;

  return n > 0 && knows_tfrc (parts) && !gst_tfrc_reception_has_ended (parts->reception)
      ? write_request (parts, seqs, n, room, &used)
      : 0;
}

static gboolean
poll_request (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room, guint64 now_ns)
{
  guint16 seqs[GST_TFRC_REPAIR_REQUESTS_MAX];
  gsize used, size;
  guint n;

  if (self->requests_left == 0 || !may_make_rtcp (parts)
      || now_ns < gst_tfrc_repair_requests_next_ns (parts->requests))
    return FALSE;
  n = gst_tfrc_repair_requests_get_due (parts->requests, now_ns, seqs);
  if (n == 0 || gst_tfrc_reception_has_ended (parts->reception))
    return FALSE;
  self->requests_left--;
  size = write_lead (parts, room);
  size += write_request (parts, seqs, n, room + size, &used);
  gst_tfrc_repair_requests_on_asked (parts->requests, (guint) used, now_ns);
  if (gst_tfrc_selection_may_send (parts->selection, size))
    add_to_sender (self, parts, polled, size);
  return TRUE;
}

/* A sender that has sent no RTCP may hear none; the request waits until it has. */
static gsize
write_key_unit_request (const GstTfrcReceiverParts *parts, guint8 *room, guint64 now_ns)
{
  gboolean hears = knows_tfrc (parts) || parts->rtcp;

  return hears && !gst_tfrc_reception_has_ended (parts->reception)
          && gst_tfrc_picture_loss_take (
              parts->picture_loss, gst_tfrc_reception_get_rtt_ns (parts->reception), now_ns)
      ? tfrc_wire_write_pli (room, parts->ssrc, gst_tfrc_reception_get_ssrc (parts->reception))
      : 0;
}

static gboolean
poll_key_unit_request (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts,
    GstTfrcPolled *polled, guint8 *room, guint64 now_ns)
{
  gsize lead = 0, size = 0;

  if (may_make_rtcp (parts)) {
    lead = write_lead (parts, room);
    size = write_key_unit_request (parts, room + lead, now_ns);
  }
  if (size == 0)
    return FALSE;
  if (gst_tfrc_selection_may_send (parts->selection, lead + size))
    add_to_sender (self, parts, polled, lead + size);
  return TRUE;
}

static gboolean
poll_report (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room, guint64 now_ns)
{
  gsize size = 0;

  if (may_make_rtcp (parts) && self->reports_left > 0)
    size = gst_tfrc_reception_write (parts->reception, parts->ssrc, parts->cname, now_ns, room);
  if (size == 0)
    return FALSE;
  self->reports_left--;
  size += add_open_requests (parts, room + size, now_ns);
  if (knows_tfrc (parts))
    size += write_key_unit_request (parts, room + size, now_ns);
  if (gst_tfrc_selection_may_send (parts->selection, size))
    add_to_sender (self, parts, polled, size);
  return TRUE;
}

/* A response leaves from the address that was challenged.  The kernel chooses the interface, unless
 * the path is the active one. A response that may not be sent is lost, as one in the network: later it would make R
 * look longer. */
static gboolean
poll_response (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room)
{
  GstTfrcLocalPath path;
  gsize size = 0;

  if (parts->reception && self->responses_left > 0)
    size = gst_tfrc_reception_write_response (parts->reception, parts->ssrc, &path, room);
  if (size == 0)
    return FALSE;
  self->responses_left--;
  if (!gst_tfrc_selection_may_send (parts->selection, size))
    return TRUE;
  if (path.interface != gst_tfrc_receive_paths_get_active (parts->paths)->interface)
    path.interface = 0;
  add_rtcp (self, parts, polled, size, &path, gst_tfrc_reception_get_address (parts->reception));
  return TRUE;
}

static gboolean
is_to_sender (const GstTfrcReceiverParts *parts, const GstTfrcAddress *to)
{
  return parts->reception
      && gst_tfrc_address_equal (to, gst_tfrc_reception_get_address (parts->reception));
}

/* A call has no protection. */
static gboolean
poll_call (const GstTfrcReceiverParts *parts, GstTfrcPolled *polled, guint8 *room, guint64 now_ns)
{
  GstTfrcAddress to;
  gsize size = gst_tfrc_probes_write_call (
      gst_tfrc_selection_get_probes (parts->selection), now_ns, room, &to);

  if (size > 0)
    gst_tfrc_polled_add_control (polled, size, &to);
  return FALSE;
}

static gboolean
poll_challenge (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room, guint64 now_ns)
{
  GstTfrcLocalPath path = { 0 };
  GstTfrcAddress to;
  gsize size = 0;

  if (self->challenges_left > 0)
    size = gst_tfrc_selection_write_challenge (
        parts->selection, parts->ssrc, now_ns, room, &to, &path.local);
  if (size == 0)
    return FALSE;
  self->challenges_left--;
  if (is_to_sender (parts, &to) && gst_tfrc_address_family (&path.local) == AF_UNSPEC)
    add_to_sender (self, parts, polled, size);
  else
    add_rtcp (self, parts, polled, size, &path, &to);
  return TRUE;
}

static gboolean
poll_bye (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room)
{
  gsize size = tfrc_wire_write_bye (room, parts->ssrc, parts->cname);

  if (parts->reception && (parts->rtcp || knows_tfrc (parts))
      && gst_tfrc_selection_may_send (parts->selection, size))
    add_to_sender (self, parts, polled, size);
  return FALSE;
}

static gboolean
poll_one (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts, GstTfrcPolled *polled,
    guint8 *room, guint64 now_ns)
{
  switch (self->stage) {
    case GST_TFRC_STAGE_KEY_PACKETS:
      return poll_key_packet (self, parts, polled, room);
    case GST_TFRC_STAGE_REPORTS:
      return poll_report (self, parts, polled, room, now_ns);
    case GST_TFRC_STAGE_REQUESTS:
      return poll_request (self, parts, polled, room, now_ns)
          || poll_key_unit_request (self, parts, polled, room, now_ns);
    case GST_TFRC_STAGE_RESPONSES:
      return poll_response (self, parts, polled, room);
    case GST_TFRC_STAGE_CALLS:
      return poll_call (parts, polled, room, now_ns);
    case GST_TFRC_STAGE_CHALLENGES:
      return poll_challenge (self, parts, polled, room, now_ns);
    case GST_TFRC_STAGE_BYE:
      return poll_bye (self, parts, polled, room);
    case GST_TFRC_STAGE_NONE:
      break;
  }
  return FALSE;
}

void
gst_tfrc_receiver_turn_poll (GstTfrcReceiverTurn *self, const GstTfrcReceiverParts *parts,
    guint64 now_ns, GstTfrcPolled *polled)
{
  guint8 *room;

  while (self->stage != GST_TFRC_STAGE_NONE && (room = gst_tfrc_polled_get_room (polled))) {
    if (poll_one (self, parts, polled, room, now_ns))
      continue;
    /* Nothing follows after the calls, or after a BYE. */
    self->stage = self->stage < GST_TFRC_STAGE_CALLS ? self->stage + 1 : GST_TFRC_STAGE_NONE;
  }
}
