/* A sending and a receiving stream on the loopback interface, as the elements
 * have them. */
#ifndef STREAMPAIR_H
#define STREAMPAIR_H

#include <string.h>
#include <tfrcsink/tfrcsinkstream.h>
#include <tfrcsink/tfrctspacketizer.h>
#include <tfrcsrc/tfrcsrcstream.h>

#include "gst/common/tfrcclock.h"
#include "testnet.h"

#define PAIR_TIMEOUT_NS (60 * GST_SECOND) /* ends failures */
#define PAIR_TS_BYTES 188
#define PAIR_NUMBER_AT 4 /* behind the header of the first TS packet */

typedef struct
{
  TfrcSinkStream *sink;
  TfrcSrcStream *src;
  gint gone;              /* atomic: how often the sink heard a BYE */
  guint32 pushed, pulled; /* packets; each has its number in it */
} StreamPair;

static inline void
ignore (gpointer user)
{
}

static inline void
count_gone (gpointer user, TfrcPeerState state)
{
  StreamPair *pair = user;

  if (state == TFRC_PEER_GONE)
    g_atomic_int_inc (&pair->gone);
}

static inline void
ignore_bitrate (gpointer user, guint64 bits_per_second)
{
}

static inline void
ignore_error (gpointer user, gint error)
{
}

/* To the source as it is */
static inline void
pair_open_sink (StreamPair *pair)
{
  static const TfrcSinkStreamEvents events = { count_gone, ignore_bitrate, ignore, ignore_error,
    ignore, ignore };
  TfrcSinkStreamConfig config = { .socket = TFRC_SOCKET_CONFIG_INIT };
  GError *error = NULL;

  config.destination = test_address ("127.0.0.1", tfrc_src_stream_get_local_port (pair->src));
  config.socket.bind_address = "127.0.0.1";
  config.limits.max_queue_packets = 1000;
  pair->sink = tfrc_sink_stream_new (&config, &events, pair, &error);
  fail_unless (pair->sink != NULL, "%s", error ? error->message : "no error");
}

static inline void
pair_init (StreamPair *pair, gboolean keep_listening)
{
  static const TfrcSrcStreamEvents events = { ignore, ignore, ignore, ignore };
  TfrcSrcStreamConfig config = { .socket = TFRC_SOCKET_CONFIG_INIT };
  GError *error = NULL;

  memset (pair, 0, sizeof *pair);
  config.socket.bind_address = "127.0.0.1";
  config.keep_listening = keep_listening;
  tfrc_receiver_config_init (&config.receiver);
  config.window_ns = PAIR_TIMEOUT_NS;
  pair->src = tfrc_src_stream_new (&config, &events, NULL, &error);
  fail_unless (pair->src != NULL, "%s", error ? error->message : "no error");
  pair_open_sink (pair);
}

static inline void
pair_clear (StreamPair *pair)
{
  tfrc_sink_stream_free (pair->sink);
  tfrc_src_stream_free (pair->src);
}

static inline TfrcPushResult
pair_push (StreamPair *pair)
{
  guint8 data[TFRC_TS_PAYLOAD_BYTES] = { 0 };
  guint64 blocked_ns = 0;

  for (guint i = 0; i < sizeof data; i += PAIR_TS_BYTES)
    data[i] = 0x47;
  memcpy (data + PAIR_NUMBER_AT, &pair->pushed, sizeof pair->pushed);
  pair->pushed++;
  return tfrc_sink_stream_push (pair->sink, data, sizeof data, tfrc_clock_now_ns (), &blocked_ns);
}

/* Sends so many packets and waits for them, in order and none missing. */
static inline void
pair_transfer (StreamPair *pair, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (pair_push (pair), TFRC_PUSH_OK);
  while (pair->pulled < pair->pushed) {
    TfrcPulled pulled;
    guint32 number;

    fail_unless_equals_int (
        tfrc_src_stream_pull (pair->src, PAIR_TIMEOUT_NS, &pulled), TFRC_PULL_PACKET);
    fail_unless_equals_int (gst_buffer_extract (pulled.buffer, pulled.header_bytes + PAIR_NUMBER_AT,
                                &number, sizeof number),
        sizeof number);
    fail_unless_equals_int (number, pair->pulled);
    pair->pulled++;
    gst_buffer_unref (pulled.buffer);
  }
}

#endif
