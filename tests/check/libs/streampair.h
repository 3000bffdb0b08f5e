/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending and a receiving stream on the loopback interface, as in the elements */
#ifndef STREAMPAIR_H
#define STREAMPAIR_H

#include <string.h>
#include "gst/stream/sinkstream.h"
#include "gst/tfrcsink/tspacketizer.h"
#include "gst/stream/srcstream.h"

#include "gst/common/clock.h"
#include "testnet.h"

#define PAIR_TIMEOUT_NS (60 * GST_SECOND) /* a test that waits longer fails */
#define PAIR_TS_BYTES 188
#define PAIR_NUMBER_AT 4 /* offset behind the header of the first TS packet */

typedef struct
{
  GstTfrcSinkStream *sink;
  GstTfrcSrcStream *src;
  gint gone;              /* atomic: number of BYEs that the sink has received */
  guint32 pushed, pulled; /* numbers of packets; each packet carries its number */
} StreamPair;

static inline void
ignore (gpointer user)
{
}

static inline void
on_sink_events (gpointer user, GstTfrcSinkStream *stream)
{
  StreamPair *pair = user;
  GstTfrcEvent event;

  while (gst_tfrc_sink_stream_take_event (stream, &event)) {
    if (event.kind == GST_TFRC_EVENT_PEER_STATE && event.of.peer_state == GST_TFRC_PEER_GONE)
      g_atomic_int_inc (&pair->gone);
  }
}

/* Opens a sink that sends to the source's present address. */
static inline void
pair_open_sink (StreamPair *pair)
{
  GstTfrcSinkStreamConfig config = { .socket = GST_TFRC_SOCKET_CONFIG_INIT };
  GError *error = NULL;

  config.flow.session.peer = test_address (
      "127.0.0.1", gst_tfrc_src_stream_get_local_port (pair->src));
  config.socket.bind_address = "127.0.0.1";
  config.flow.limits.max_queue_packets = 1000;
  pair->sink = gst_tfrc_sink_stream_new (&config, on_sink_events, pair, &error);
  fail_unless (pair->sink != NULL, "%s", error ? error->message : "no error");
}

static inline void
pair_init (StreamPair *pair, gboolean keep_listening)
{
  GstTfrcSrcStreamConfig config = { .socket = GST_TFRC_SOCKET_CONFIG_INIT };
  GError *error = NULL;

  memset (pair, 0, sizeof *pair);
  config.socket.bind_address = "127.0.0.1";
  config.keep_listening = keep_listening;
  tfrc_receiver_config_init (&config.receiver);
  config.limits.window_ns = PAIR_TIMEOUT_NS;
  config.limits.timeout_ns = PAIR_TIMEOUT_NS;
  pair->src = gst_tfrc_src_stream_new (&config, NULL, NULL, &error);
  fail_unless (pair->src != NULL, "%s", error ? error->message : "no error");
  pair_open_sink (pair);
}

static inline void
pair_clear (StreamPair *pair)
{
  gst_tfrc_sink_stream_free (pair->sink);
  gst_tfrc_src_stream_free (pair->src);
}

static inline GstTfrcPushResult
pair_push (StreamPair *pair)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (gst_tfrc_sink_stream_get_pool (pair->sink));
  guint8 *data = gst_tfrc_packet_payload (packet);
  guint64 blocked_ns = 0;
  GstTfrcPushResult result;

  gst_tfrc_packet_set_payload_bytes (packet, GST_TFRC_TS_PAYLOAD_BYTES);
  memset (data, 0, GST_TFRC_TS_PAYLOAD_BYTES);
  for (guint i = 0; i < GST_TFRC_TS_PAYLOAD_BYTES; i += PAIR_TS_BYTES)
    data[i] = 0x47;
  memcpy (data + PAIR_NUMBER_AT, &pair->pushed, sizeof pair->pushed);
  pair->pushed++;
  result = gst_tfrc_sink_stream_push (pair->sink, packet, gst_tfrc_clock_now_ns (), &blocked_ns);
  if (result == GST_TFRC_PUSH_FLUSHING)
    gst_tfrc_packet_unref (packet);
  return result;
}

/* Sends @n packets and waits for them. They have to come in order, and none may be missing. */
static inline void
pair_transfer (StreamPair *pair, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (pair_push (pair), GST_TFRC_PUSH_OK);
  while (pair->pulled < pair->pushed) {
    GstTfrcPulled pulled;
    guint n_pulled;
    guint64 timeout_ns;
    guint32 number;

    fail_unless_equals_int (
        gst_tfrc_src_stream_pull (pair->src, &pulled, 1, &n_pulled, &timeout_ns),
        GST_TFRC_PULL_PACKET);
    fail_unless_equals_int (gst_buffer_extract (pulled.buffer, pulled.header_bytes + PAIR_NUMBER_AT,
                                &number, sizeof number),
        sizeof number);
    fail_unless_equals_int (number, pair->pulled);
    pair->pulled++;
    gst_buffer_unref (pulled.buffer);
  }
}

#endif
