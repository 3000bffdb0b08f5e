/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream whose packets go to the test instead of a socket. The test links with --wrap for the
 * functions that send. */
#ifndef SENDTEST_H
#define SENDTEST_H

#include <errno.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/common/clock.h"
#include "gst/stream/sinkstream.h"
#include "testnet.h"

#define TIMEOUT_NS (60 * GST_SECOND) /* a test that waits longer fails */
#define TAG_BYTES 16
#define MAX_TRIED 64

/* The linker's --wrap puts these functions in place of those of datagrams.h. */
guint __wrap_gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error);
guint __wrap_gst_tfrc_socket_send_groups (gint fd, GstTfrcSegmentation *segmentation,
    const GstTfrcAddress *to, const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure);

typedef struct
{
  guint16 number;    /* RTP */
  guint16 transport; /* the number that TFRC counts */
  guint8 id;         /* first byte of the payload */
  guint32 send_time_us;
  guint8 tos;
  gsize size;
  gboolean in_groups; /* the packet may leave in a group */
} Tried;

static GMutex lock;
static GCond changed;
static Tried tried[MAX_TRIED]; /* data packets that were given to the socket */
static guint n_tried;
static gint refuses_ect; /* the error with which the socket refuses packets with ECT; 0: none */
static gint fails;       /* the error with which the socket refuses all packets; 0: none */
static guint refused_together = 1; /* packets that such an error drops at once */

/* The payload is read behind the header, also if the fake protector has marked it. */
static guint
try_packets (const GstTfrcSendItem *items, guint n, gboolean in_groups, gint *error)
{
  guint sent = n;

  *error = 0;
  if (tfrc_wire_classify (items[0].data, items[0].size) != TFRC_WIRE_KIND_DATA)
    return n;
  g_mutex_lock (&lock);
  for (guint i = 0; i < n && n_tried < MAX_TRIED; i++) {
    TfrcWireData header;

    fail_unless_equals_int (
        tfrc_wire_parse_data (items[i].data, items[i].size, &header), TFRC_WIRE_OK);
    tried[n_tried].number = header.seq;
    tried[n_tried].transport = header.has_transport_seq ? header.transport_seq : header.seq;
    tried[n_tried].send_time_us = header.send_time_us;
    tried[n_tried].tos = items[i].tos;
    tried[n_tried].in_groups = in_groups;
    if (refuses_ect && items[i].tos != 0 && sent > i) {
      sent = i;
      *error = refuses_ect;
    }
    tried[n_tried].id = items[i].rest_bytes > 0 ? items[i].rest[0]
                                                : items[i].data[header.header_bytes];
    tried[n_tried++].size = gst_tfrc_send_item_get_bytes (&items[i]);
  }
  if (fails) {
    sent = 0;
    *error = fails;
  }
  g_cond_signal (&changed);
  g_mutex_unlock (&lock);
  return sent;
}

guint
__wrap_gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error)
{
  return try_packets (items, n, FALSE, error);
}

guint
__wrap_gst_tfrc_socket_send_groups (gint fd, GstTfrcSegmentation *segmentation,
    const GstTfrcAddress *to, const GstTfrcLocalPath *path, const GstTfrcSendItem *items, guint n,
    GstTfrcSendFailure *failure)
{
  failure->packets = refused_together;
  return try_packets (items, n, TRUE, &failure->error);
}

static gsize
protect (gpointer user, guint8 *datagram, gsize size)
{
  memset (datagram + size, 0x7a, TAG_BYTES);
  return size + TAG_BYTES;
}

static void
ignore_events (gpointer user, GstTfrcSinkStream *stream)
{
  GstTfrcEvent event;

  while (gst_tfrc_sink_stream_take_event (stream, &event))
    ;
}

static inline GstTfrcSinkStream *
open_with (guint packets_per_s, gboolean is_protected, guint64 stats_interval_ns,
    GstTfrcSinkStreamEvents events)
{
  GstTfrcSinkStreamConfig config = { .socket = GST_TFRC_SOCKET_CONFIG_INIT,
    .flow.session.media.ecn = TRUE };
  GstTfrcSinkStream *stream;
  GError *error = NULL;

  n_tried = 0;
  config.flow.session.peer = test_address ("127.0.0.1", 9);
  config.socket.bind_address = "127.0.0.1";
  config.flow.session.media.rate.mute_receiver = TRUE;
  config.flow.limits.max_queue_packets = 1000;
  config.flow.limits.drain_timeout_ns = TIMEOUT_NS;
  config.flow.limits.min_bitrate = 8 * packets_per_s * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
  config.flow.limits.stats_interval_ns = stats_interval_ns;
  if (is_protected)
    config.flow.session.media.streams[GST_TFRC_RTP_MEDIA].protector.protect = protect;
  stream = gst_tfrc_sink_stream_new (&config, events, NULL, &error);
  fail_unless (stream != NULL, "%s", error ? error->message : "no error");
  return stream;
}

/* Opens a stream that may send this number of packets of full size per second from the start. */
static inline GstTfrcSinkStream *
open_fast_stream (guint packets_per_s, gboolean is_protected)
{
  return open_with (packets_per_s, is_protected, 0, ignore_events);
}

static inline GstTfrcSinkStream *
open_stream (gboolean is_protected)
{
  return open_fast_stream (1000, is_protected);
}

static inline void
push (GstTfrcSinkStream *stream, guint8 id)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (gst_tfrc_sink_stream_get_pool (stream));
  guint64 blocked_ns = 0;

  memset (gst_tfrc_packet_payload (packet), id, 188);
  gst_tfrc_packet_set_payload_bytes (packet, 188);
  fail_unless_equals_int (
      gst_tfrc_sink_stream_push (stream, packet, gst_tfrc_clock_now_ns (), &blocked_ns),
      GST_TFRC_PUSH_OK);
}

static inline void
set_failing (gint error)
{
  g_mutex_lock (&lock);
  fails = error;
  g_mutex_unlock (&lock);
}

/* Waits until @n packets were given to the socket. */
static inline void
wait_for_tries (guint n)
{
  g_mutex_lock (&lock);
  while (n_tried < n)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

static inline void
drain (GstTfrcSinkStream *stream)
{
  guint dropped;

  fail_unless (gst_tfrc_sink_stream_drain (stream, &dropped));
  fail_unless_equals_int (dropped, 0);
}

#endif
