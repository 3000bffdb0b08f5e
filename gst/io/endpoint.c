/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints, see endpoint.h. */
#include "endpoint.h"

#include <unistd.h>

#include <tfrc/packets.h>

struct _GstTfrcEndpoint
{
  gint refs; /* atomic */
  gint fd;
  GstTfrcAddress address;
  GstTfrcEndpointCallbacks callbacks;
  gpointer owner;
  gint tos; /* atomic; the socket's, so that a packet with ECT has the socket's DSCP */
  gboolean allows_ecn;
  GstTfrcSegmentation segmentation;
  GstTfrcIo *io; /* from start to stop */
};

/* ---- the loop's callbacks ---------------------------------------------- */

static guint64
on_packets (gpointer user, const GstTfrcReceivedPacket *packets, guint n, guint64 now_ns)
{
  GstTfrcEndpoint *self = user;

  return self->callbacks.packets (self->owner, self, packets, n, now_ns);
}

static guint64
on_deadline (gpointer user, guint64 now_ns)
{
  GstTfrcEndpoint *self = user;

  return self->callbacks.deadline (self->owner, self, now_ns);
}

static void
on_error (gpointer user, gint error, const GstTfrcAddress *destination)
{
  GstTfrcEndpoint *self = user;

  self->callbacks.error (self->owner, error, destination);
}

/* ---- life -------------------------------------------------------------- */

GstTfrcEndpoint *
gst_tfrc_endpoint_new (gint fd, const GstTfrcAddress *address,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner)
{
  GstTfrcEndpoint *self = g_new0 (GstTfrcEndpoint, 1);

  self->refs = 1;
  self->fd = fd;
  self->address = *address;
  self->callbacks = *callbacks;
  self->owner = owner;
  self->tos = gst_tfrc_socket_get_tos (fd);
  self->allows_ecn = gst_tfrc_socket_allows_ecn (fd);
  return self;
}

GstTfrcEndpoint *
gst_tfrc_endpoint_open (const GstTfrcSocketConfig *config,
    const GstTfrcEndpointCallbacks *callbacks, gpointer owner, GError **error)
{
  GstTfrcAddress address;
  gint fd = gst_tfrc_socket_open (config, &address, error);

  return fd < 0 ? NULL : gst_tfrc_endpoint_new (fd, &address, callbacks, owner);
}

gboolean
gst_tfrc_endpoint_start (GstTfrcEndpoint *self, const GstTfrcEndpoint *beside, GError **error)
{
  const GstTfrcIoCallbacks callbacks = { on_packets, on_deadline, on_error };

  self->io = gst_tfrc_io_new (self->fd, beside ? beside->io : NULL, &callbacks, self, error);
  return self->io != NULL;
}

void
gst_tfrc_endpoint_stop (GstTfrcEndpoint *self)
{
  gst_tfrc_io_free (self->io);
  self->io = NULL;
}

void
gst_tfrc_endpoint_close (GstTfrcEndpoint *self)
{
  if (self == NULL)
    return;
  gst_tfrc_endpoint_stop (self);
  gst_tfrc_endpoint_unref (self);
}

void
gst_tfrc_endpoint_close_inherited (GstTfrcEndpoint *self)
{
  if (self == NULL)
    return;
  close (self->fd);
}

GstTfrcEndpoint *
gst_tfrc_endpoint_ref (GstTfrcEndpoint *self)
{
  g_atomic_int_inc (&self->refs);
  return self;
}

void
gst_tfrc_endpoint_unref (GstTfrcEndpoint *self)
{
  if (!g_atomic_int_dec_and_test (&self->refs))
    return;
  close (self->fd);
  g_free (self);
}

/* ---- use --------------------------------------------------------------- */

guint
gst_tfrc_endpoint_send (GstTfrcEndpoint *self, const GstTfrcAddress *to,
    const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n, gint *error)
{
  return gst_tfrc_socket_send (self->fd, to, path, items, n, error);
}

guint
gst_tfrc_endpoint_send_groups (GstTfrcEndpoint *self, const GstTfrcAddress *to,
    const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure)
{
  return gst_tfrc_socket_send_groups (self->fd, &self->segmentation, to, path, items, n, failure);
}

void
gst_tfrc_endpoint_set_deadline (GstTfrcEndpoint *self, guint64 deadline_ns)
{
  if (self->io)
    gst_tfrc_io_set_deadline (self->io, deadline_ns);
}

void
gst_tfrc_endpoint_set_patient (GstTfrcEndpoint *self, gboolean patient)
{
  if (self->io)
    gst_tfrc_io_set_patient (self->io, patient);
}

void
gst_tfrc_endpoint_limit_reads (GstTfrcEndpoint *self)
{
  if (self->io)
    gst_tfrc_io_limit_reads (self->io);
}

GstTfrcTurnstile *
gst_tfrc_endpoint_get_turnstile (GstTfrcEndpoint *self)
{
  return gst_tfrc_io_get_turnstile (self->io);
}

const GstTfrcAddress *
gst_tfrc_endpoint_get_address (const GstTfrcEndpoint *self)
{
  return &self->address;
}

gint
gst_tfrc_endpoint_get_receive_buffer_bytes (const GstTfrcEndpoint *self)
{
  return gst_tfrc_socket_receive_buffer_bytes (self->fd);
}

gboolean
gst_tfrc_endpoint_set_ttl (GstTfrcEndpoint *self, gint ttl)
{
  return gst_tfrc_socket_set_ttl (self->fd, ttl);
}

guint
gst_tfrc_endpoint_get_ttl (const GstTfrcEndpoint *self)
{
  return gst_tfrc_socket_get_ttl (self->fd);
}

gboolean
gst_tfrc_endpoint_set_dscp (GstTfrcEndpoint *self, gint dscp)
{
  if (!gst_tfrc_socket_set_dscp (self->fd, dscp))
    return FALSE;
  g_atomic_int_set (&self->tos, gst_tfrc_socket_get_tos (self->fd));
  return TRUE;
}

guint8
gst_tfrc_endpoint_get_tos (const GstTfrcEndpoint *self, guint8 ecn)
{
  return (guint8) (g_atomic_int_get (&self->tos) & ~TFRC_ECN_FIELD_CE) | ecn;
}

gboolean
gst_tfrc_endpoint_allows_ecn (const GstTfrcEndpoint *self)
{
  return self->allows_ecn;
}
