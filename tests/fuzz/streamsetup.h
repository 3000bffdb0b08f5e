/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins and ends the stream of the target srcstream. */
#ifndef STREAMSETUP_H
#define STREAMSETUP_H

#include "streamchecks.h"

static void
free_packet (gpointer data)
{
  gst_buffer_unref (data);
}

/* One bit each: keep-listening, order of arrival, a small queue, a refused configuration, an
 * honest sender.  The last two bits: the addresses from which packets are accepted. */
static void
start (unsigned what) GST_TFRC_ACQUIRE (gst_tfrc_src_stream_mutex)
{
  GstTfrcSrcStream *stream = &fuzz.stream;
  static const GstTfrcEndpointCallbacks no_callbacks = { NULL, NULL, NULL };
  static const GstTfrcAddress unbound;
  static const GstTfrcSecurityConfig unprotected;
  guint8 secret[GST_TFRC_SECRET_BYTES];
  GstTfrcAddressFilter senders = { 0 };

  for (unsigned i = 0; i < N_SENDERS; i++)
    fuzz.senders[i].address = make_address (i);
  fuzz.now = fuzz.began = 1000 * SECOND;
  fuzz.honest = (what & 16) != 0;
  if (what >> 6 > 0) { /* one host, one address, or a prefix */
    senders.address = make_address (0);
    senders.prefix_bits = what >> 6 == 3 ? 31 : 32;
    if (what >> 6 != 2)
      senders.address.u.v4.sin_port = 0;
  }
  gst_tfrc_random_fill (secret, sizeof secret);
  stream->keys = gst_tfrc_src_keys_new (&unprotected, secret, 7);
  stream->generation = gst_tfrc_fork_generation ();
  stream->ssrc = 7;
  strcpy (stream->cname, "fuzz");
  tfrc_receiver_config_init (&stream->receiver);
  if (what & 8)
    stream->receiver.history_length = 1;
  gst_tfrc_src_stream_mutex_init (&stream->lock);
  gst_tfrc_src_stream_mutex_lock (&stream->lock);
  g_cond_init (&stream->packet_ready);
  gst_tfrc_demux_init (&stream->demux);
  gst_tfrc_src_endpoints_init (
      &stream->endpoints, gst_tfrc_endpoint_new (-1, &unbound, &no_callbacks, stream), fuzz.now);
  stream->queue = gst_tfrc_reorder_new (SECOND / 5, what & 4 ? SECOND / 100 : 0, free_packet);
  stream->senders = senders;
  stream->selection = gst_tfrc_selection_new (&senders, what & 1, secret, fuzz.now);
  stream->stats_ns = G_MAXUINT64;
  fuzz.probe_reasons = 2;
  fuzz.header.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  fuzz.header.has_rtt_sendts = TRUE;
  fuzz.header.rtt_us = 50000;
}

static void
stop (void) GST_TFRC_RELEASE (gst_tfrc_src_stream_mutex)
{
  GstTfrcSrcStream *stream = &fuzz.stream;

  gst_tfrc_src_stream_say_bye (stream);
  gst_tfrc_reception_free (stream->session);
  gst_tfrc_src_keys_free (stream->keys);
  gst_tfrc_selection_free (stream->selection);
  gst_tfrc_demux_clear (&stream->demux);
  gst_tfrc_endpoint_unref (stream->endpoints.active.endpoint);
  gst_tfrc_reorder_free (stream->queue);
  g_cond_clear (&stream->packet_ready);
  gst_tfrc_src_stream_mutex_unlock (&stream->lock);
  gst_tfrc_src_stream_mutex_clear (&stream->lock);
}

#endif
