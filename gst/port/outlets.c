/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out of datagrams, see outlets.h. */
#include "outlets.h"

#include <errno.h>

#include "../common/log.h"

void
gst_tfrc_outlets_ref (const GstTfrcOutlets *outlets)
{
  gst_tfrc_endpoint_ref (outlets->active);
  if (outlets->old)
    gst_tfrc_endpoint_ref (outlets->old);
}

void
gst_tfrc_outlets_unref (const GstTfrcOutlets *outlets)
{
  gst_tfrc_endpoint_unref (outlets->active);
  if (outlets->old)
    gst_tfrc_endpoint_unref (outlets->old);
}

/* Returns the socket that a datagram leaves from: the one that is bound to its local address, or the
 * active one. */
static GstTfrcEndpoint *
choose_outlet (const GstTfrcOutlets *outlets, const GstTfrcDatagram *datagram)
{
  if (datagram->by_rtcp_port && outlets->rtcp)
    return outlets->rtcp;
  if (outlets->old
      && gst_tfrc_address_same_host (
          gst_tfrc_endpoint_get_address (outlets->old), &datagram->path.local))
    return outlets->old;
  return outlets->active;
}

static gboolean
is_unspecified (const GstTfrcLocalPath *path)
{
  return path->interface == 0 && gst_tfrc_address_family (&path->local) == AF_UNSPEC;
}

static gboolean
is_same_path (const GstTfrcLocalPath *a, const GstTfrcLocalPath *b)
{
  return a->interface == b->interface && gst_tfrc_address_equal (&a->local, &b->local);
}

/* Data packets to one destination over one path leave together. */
static gboolean
leave_together (const GstTfrcDatagram *a, const GstTfrcDatagram *b)
{
  return !a->is_control && !b->is_control && a->may_group == b->may_group
      && a->may_reroute == b->may_reroute && gst_tfrc_address_equal (&a->to, &b->to)
      && is_same_path (&a->path, &b->path);
}

/* Can this be because the address that packets are to leave from is none of the host's any more? Linux says ENETUNREACH
 * with IPv4 and EINVAL with IPv6. */
static gboolean
can_be_for_source (gint error)
{
  return error == ENETUNREACH || error == EINVAL || error == EADDRNOTAVAIL;
}

static guint
send_items (GstTfrcEndpoint *outlet, const GstTfrcDatagram *run, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, GstTfrcSendFailure *failure)
{
  if (run->may_group)
    return gst_tfrc_endpoint_send_groups (outlet, &run->to, path, items, n, failure);
  failure->packets = 1;
  return gst_tfrc_endpoint_send (outlet, &run->to, path, items, n, &failure->error);
}

/* Packets over a path whose address the host has lost leave as the system chooses.
 * Returns how many have left. */
static guint
send_or_reroute (GstTfrcEndpoint *outlet, GstTfrcDatagram *run, const GstTfrcSendItem *items,
    guint n, GstTfrcSendFailure *failure)
{
  const GstTfrcLocalPath *path = is_unspecified (&run->path) ? NULL : &run->path;
  guint sent = send_items (outlet, run, path, items, n, failure), rerouted;

  if (sent == n || path == NULL || !run->may_reroute || !can_be_for_source (failure->error))
    return sent;
  rerouted = send_items (outlet, run, NULL, items + sent, n - sent, failure);
  for (guint i = sent; i < sent + rerouted; i++)
    run[i].is_rerouted = TRUE;
  return sent + rerouted;
}

/* Seals and sends datagrams that leave together, and notes what becomes of each. */
static void
send_run (const GstTfrcOutlets *outlets, GstTfrcDatagram *run, guint n)
{
  GstTfrcEndpoint *outlet = choose_outlet (outlets, run);
  GstTfrcSendItem items[GST_TFRC_POLL_DATA];
  GstTfrcSendFailure failure = { 0 };
  guint sealed = 0, sent = 0;

  for (; sealed < n && gst_tfrc_datagram_seal (&run[sealed]); sealed++) {
    const GstTfrcDatagram *datagram = &run[sealed];

    items[sealed] = (GstTfrcSendItem){ datagram->data, datagram->size, datagram->ttl,
      datagram->ecn ? gst_tfrc_endpoint_get_tos (outlet, datagram->ecn) : 0, datagram->payload,
      datagram->payload_bytes };
  }
  if (sealed > 0)
    sent = send_or_reroute (outlet, run, items, sealed, &failure);
  for (guint i = 0; i < sent; i++)
    run[i].result = GST_TFRC_DATAGRAM_LEFT;
  for (guint i = sealed; i < n; i++)
    run[i].result = GST_TFRC_DATAGRAM_UNSEALED;
  if (sent == sealed)
    return;
  run[sent].result = GST_TFRC_DATAGRAM_FAILED;
  run[sent].error = failure.error;
  run[sent].refused = failure.packets;
  gst_tfrc_log (port, LOG, "%u of %u datagrams have left: %s", sent, n, g_strerror (failure.error));
}

void
gst_tfrc_outlets_send (const GstTfrcOutlets *outlets, GstTfrcPolled *polled)
{
  guint first = 0, n;

  for (; first < polled->n; first += n) {
    for (n = 1; first + n < polled->n
         && leave_together (&polled->datagrams[first], &polled->datagrams[first + n]);
         n++)
      ;
    send_run (outlets, &polled->datagrams[first], n);
  }
}
