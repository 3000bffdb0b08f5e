/* Sends a stream with an adaptive TTL, as tfrcsink would if it could protect packets:
 *
 *   ttl-stream HOST PORT SECONDS TTL TTL_MIN TTL_MAX BITRATE
 *
 * The protector leaves packets as they are. So the stream counts as protected, and its TTL may rise
 * above TTL. Prints the TTL and the hops ten times a second, as "ttl=4 hops=4". */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst/common/clock.h"
#include "gst/session/sinkstream.h"

#define PAYLOAD_BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES
#define TS_BYTES 188

static gsize
keep (gpointer user, guint8 *datagram, gsize size)
{
  return size;
}

static void
ignore (gpointer user)
{
}

static void
ignore_state (gpointer user, GstTfrcPeerState state)
{
}

static void
ignore_bitrate (gpointer user, guint64 bits_per_second)
{
}

static void
ignore_error (gpointer user, gint error)
{
}

/* A protected stream has no such warning. */
static void
fail_on_warning (gpointer user, guint ttl)
{
  g_error ("the TTL is not raised above %u", ttl);
}

static GstTfrcSinkStream *
open_stream (gchar **arguments, GError **error)
{
  static const GstTfrcSinkStreamEvents events = { .peer_state = ignore_state,
    .bitrate = ignore_bitrate,
    .stats = ignore,
    .send_error = ignore_error,
    .handover = ignore,
    .migrated = ignore,
    .ttl_not_raised = fail_on_warning };
  GstTfrcSinkStreamConfig config = { .socket = GST_TFRC_SOCKET_CONFIG_INIT,
    .protector = { .protect = keep } };

  if (!gst_tfrc_address_resolve (
          &config.destination, arguments[1], (guint16) atoi (arguments[2]), AF_UNSPEC, error))
    return NULL;
  config.socket.family = gst_tfrc_address_family (&config.destination);
  config.socket.ttl = atoi (arguments[4]);
  config.adaptive_ttl.enabled = TRUE;
  config.adaptive_ttl.min = (guint) atoi (arguments[5]);
  config.adaptive_ttl.max = (guint) atoi (arguments[6]);
  config.adaptive_ttl.alpha = 0.5;
  config.limits.max_bitrate = g_ascii_strtoull (arguments[7], NULL, 10);
  config.limits.max_queue_packets = 20;
  return gst_tfrc_sink_stream_new (&config, &events, NULL, error);
}

/* Waits while the queue is full. */
static void
push (GstTfrcSinkStream *stream)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (gst_tfrc_sink_stream_get_pool (stream));
  guint8 *payload = gst_tfrc_packet_payload (packet);
  guint64 blocked_ns = 0;

  memset (payload, 0xff, PAYLOAD_BYTES);
  for (guint i = 0; i < PAYLOAD_BYTES; i += TS_BYTES)
    memcpy (payload + i, "\x47\x1f\xff\x10", 4);
  packet->payload_bytes = PAYLOAD_BYTES;
  gst_tfrc_sink_stream_push (stream, packet, gst_tfrc_clock_now_ns (), &blocked_ns);
}

int
main (int argc, char **argv)
{
  guint64 end_ns, told_ns = 0;
  GstTfrcSinkStream *stream;
  GError *error = NULL;

  if (argc != 8) {
    fprintf (stderr, "usage: ttl-stream HOST PORT SECONDS TTL TTL_MIN TTL_MAX BITRATE\n");
    return 2;
  }
  gst_init (NULL, NULL);
  stream = open_stream (argv, &error);
  if (stream == NULL) {
    fprintf (stderr, "ttl-stream: %s\n", error->message);
    return 1;
  }
  end_ns = gst_tfrc_clock_now_ns () + g_ascii_strtoull (argv[3], NULL, 10) * GST_SECOND;
  while (gst_tfrc_clock_now_ns () < end_ns) {
    push (stream);
    if (gst_tfrc_clock_now_ns () >= told_ns + GST_SECOND / 10) {
      GstTfrcSinkStreamStats stats;

      told_ns = gst_tfrc_clock_now_ns ();
      gst_tfrc_sink_stream_get_stats (stream, &stats);
      printf ("ttl=%u hops=%u\n", stats.session.ttl, stats.session.hops);
    }
  }
  gst_tfrc_sink_stream_free (stream);
  return 0;
}
