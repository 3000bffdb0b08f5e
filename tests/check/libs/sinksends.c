/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failing sends in a stream with and without protection: the bytes that leave, and their numbers.
 * See gst/session/sinkoutput.c. The test gets the calls of gst_tfrc_socket_send(). */
#include <errno.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/common/clock.h"
#include "gst/session/sinksession-private.h"
#include "gst/session/sinkstream-private.h"
#include "testnet.h"

#define TIMEOUT_NS (60 * GST_SECOND) /* a test that waits longer fails */
#define TAG_BYTES 16
#define MAX_TRIED 64

guint __wrap_gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error);

typedef struct
{
  guint16 number;    /* RTP */
  guint16 transport; /* the number that TFRC counts */
  guint8 id;         /* first byte of the payload */
  guint32 send_time_us;
  guint8 tos;
  gsize size;
} Tried;

static GMutex lock;
static GCond changed;
static Tried tried[MAX_TRIED]; /* data packets that were given to the socket */
static guint n_tried;
static gint refuses_ect; /* the error with which the socket refuses packets with ECT; 0: none */
static gint fails;       /* the error with which the socket refuses all packets; 0: none */

/* The payload is read behind the header, also if the fake protector has marked it. */
guint
__wrap_gst_tfrc_socket_send (gint fd, const GstTfrcAddress *to, const GstTfrcLocalPath *path,
    const GstTfrcSendItem *items, guint n, gint *error)
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
    if (refuses_ect && items[i].tos != 0 && sent > i) {
      sent = i;
      *error = refuses_ect;
    }
    tried[n_tried].id = items[i].data[header.header_bytes];
    tried[n_tried++].size = items[i].size;
  }
  if (fails) {
    sent = 0;
    *error = fails;
  }
  g_cond_signal (&changed);
  g_mutex_unlock (&lock);
  return sent;
}

static gsize
protect (gpointer user, guint8 *datagram, gsize size)
{
  memset (datagram + size, 0x7a, TAG_BYTES);
  return size + TAG_BYTES;
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

/* Opens a stream that may send 1000 packets per second from the start. */
static GstTfrcSinkStream *
open_stream (gboolean is_protected)
{
  static const GstTfrcSinkStreamEvents events = { .peer_state = ignore_state,
    .bitrate = ignore_bitrate,
    .stats = ignore,
    .send_error = ignore_error,
    .handover = ignore,
    .migrated = ignore };
  GstTfrcSinkStreamConfig config = { .socket = GST_TFRC_SOCKET_CONFIG_INIT, .ecn = TRUE };
  GstTfrcSinkStream *stream;
  GError *error = NULL;

  n_tried = 0;
  config.destination = test_address ("127.0.0.1", 9);
  config.socket.bind_address = "127.0.0.1";
  config.limits.max_queue_packets = 1000;
  config.limits.min_bitrate = 8 * 1000 * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
  if (is_protected)
    config.protector.protect = protect;
  stream = gst_tfrc_sink_stream_new (&config, &events, NULL, &error);
  fail_unless (stream != NULL, "%s", error ? error->message : "no error");
  return stream;
}

static void
push (GstTfrcSinkStream *stream, guint8 id)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (gst_tfrc_sink_stream_get_pool (stream));
  guint64 blocked_ns = 0;

  memset (gst_tfrc_packet_payload (packet), id, 188);
  packet->payload_bytes = 188;
  fail_unless_equals_int (
      gst_tfrc_sink_stream_push (stream, packet, gst_tfrc_clock_now_ns (), &blocked_ns),
      GST_TFRC_PUSH_OK);
}

static void
set_failing (gint error)
{
  g_mutex_lock (&lock);
  fails = error;
  g_mutex_unlock (&lock);
}

/* Waits until @n packets were given to the socket. */
static void
wait_for_tries (guint n)
{
  g_mutex_lock (&lock);
  while (n_tried < n)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

static void
drain (GstTfrcSinkStream *stream)
{
  guint dropped;

  fail_unless (gst_tfrc_sink_stream_drain (stream, TIMEOUT_NS, &dropped));
  fail_unless_equals_int (dropped, 0);
}

GST_START_TEST (a_packet_that_fails_leaves_later_with_a_new_send_time)
{
  GstTfrcSinkStream *stream = open_stream (FALSE);

  set_failing (EAGAIN);
  push (stream, 1);
  wait_for_tries (2);
  set_failing (0);
  drain (stream);
  fail_unless_equals_int (tried[n_tried - 1].id, 1);
  fail_unless_equals_int (tried[n_tried - 1].number, tried[0].number);
  fail_unless (tried[1].send_time_us - tried[0].send_time_us >= 10000);
  fail_unless_equals_int (tried[0].size, TFRC_WIRE_HEADER_BYTES + 188);
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

GST_START_TEST (a_sealed_packet_that_fails_leaves_later_as_it_was_sealed)
{
  GstTfrcSinkStream *stream = open_stream (TRUE);

  set_failing (EAGAIN);
  for (guint8 id = 1; id <= 4; id++)
    push (stream, id);
  wait_for_tries (3);
  set_failing (0);
  drain (stream);
  for (guint i = 1; i < n_tried; i++) {
    guint ahead = (guint16) (tried[i].number - tried[0].number);

    /* Each number belongs to one packet and its bytes, no matter how often it is tried. */
    fail_unless_equals_int (tried[i].id, 1 + ahead);
    fail_unless_equals_int (tried[i].size, TFRC_WIRE_HEADER_BYTES + 188 + TAG_BYTES);
    for (guint j = 0; j < i; j++)
      fail_unless (
          tried[j].number != tried[i].number || tried[j].send_time_us == tried[i].send_time_us);
  }
  fail_unless_equals_int (tried[n_tried - 1].id, 4);
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

/* @ahead: the number of the next packet minus that of the flushed packet */
static void
flush_while_sending_fails (gboolean is_protected, guint ahead)
{
  GstTfrcSinkStream *stream = open_stream (is_protected);

  set_failing (EAGAIN);
  push (stream, 1);
  wait_for_tries (2);
  gst_tfrc_sink_stream_clear (stream);
  set_failing (0);
  push (stream, 2);
  drain (stream);
  fail_unless_equals_int (tried[n_tried - 1].id, 2);
  fail_unless_equals_int ((guint16) (tried[n_tried - 1].number - tried[0].number), ahead);
  gst_tfrc_sink_stream_free (stream);
}

GST_START_TEST (a_flush_frees_the_number_of_a_packet_without_protection)
{
  flush_while_sending_fails (FALSE, 0);
}

GST_END_TEST;

GST_START_TEST (the_number_of_a_flushed_sealed_packet_is_not_used_again)
{
  flush_while_sending_fails (TRUE, 1);
}

GST_END_TEST;

/* ---- a full queue of the own interface --------------------------------------- */

/* The refused packet keeps its RTP number, so that nothing of the movie is missing. */
GST_START_TEST (a_drop_of_the_own_queue_is_a_loss_and_the_payload_leaves)
{
  GstTfrcSinkStream *stream = open_stream (FALSE);

  set_failing (ENOBUFS);
  push (stream, 1);
  wait_for_tries (3);
  set_failing (0);
  push (stream, 2);
  drain (stream);
  for (guint i = 0; i < n_tried; i++) {
    fail_unless_equals_int (tried[i].transport, (guint16) (tried[0].transport + i));
    fail_unless_equals_int (tried[i].id, i < n_tried - 1 ? 1 : 2);
    fail_unless_equals_int (tried[i].number, (guint16) (tried[0].number + tried[i].id - 1));
  }
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

/* A sealed packet cannot get another number. The next packet's number tells of the drops. */
GST_START_TEST (a_dropped_sealed_packet_leaves_as_it_was_sealed)
{
  GstTfrcSinkStream *stream = open_stream (TRUE);
  guint tries;

  set_failing (ENOBUFS);
  push (stream, 1);
  wait_for_tries (3);
  set_failing (0);
  drain (stream);
  tries = n_tried;
  for (guint i = 1; i < tries; i++)
    fail_unless (memcmp (&tried[i], &tried[0], sizeof tried[0]) == 0);
  push (stream, 2);
  drain (stream);
  fail_unless_equals_int (n_tried, tries + 1);
  fail_unless_equals_int (tried[tries].number, (guint16) (tried[0].number + 1));
  fail_unless_equals_int (tried[tries].transport, (guint16) (tried[0].transport + tries));
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

/* The host's trouble is no congestion. */
GST_START_TEST (no_other_error_is_a_loss)
{
  static const gint errors[] = { EAGAIN, ENETUNREACH, EPERM };

  for (guint e = 0; e < G_N_ELEMENTS (errors); e++) {
    GstTfrcSinkStream *stream = open_stream (FALSE);

    set_failing (errors[e]);
    push (stream, 1);
    wait_for_tries (2);
    set_failing (0);
    push (stream, 2);
    drain (stream);
    fail_unless_equals_int (tried[n_tried - 1].transport, (guint16) (tried[0].transport + 1));
    gst_tfrc_sink_stream_free (stream);
  }
}

GST_END_TEST;

/* ---- a system that refuses ECT ------------------------------------------------ */

/* As if a receiver had reported a packet: the next packet is a probe. */
static void
begin_ecn (GstTfrcSinkStream *stream)
{
  TfrcEcnReport report = { .not_ect = 1 };

  gst_tfrc_sink_stream_mutex_lock (&stream->lock);
  report.highest_seq = (guint16) (stream->session->next_rtp_seq - 1);
  fail_if (tfrc_ecn_on_packet (stream->session->ecn, report.highest_seq, 0));
  tfrc_ecn_on_report (stream->session->ecn, &report, 0);
  gst_tfrc_sink_stream_mutex_unlock (&stream->lock);
}

static void
check_refusal (gint error, gboolean is_protected)
{
  GstTfrcSinkStream *stream = open_stream (is_protected);
  GstTfrcSinkStreamStats stats;

  set_failing (0);
  refuses_ect = error;
  begin_ecn (stream);
  push (stream, 1);
  push (stream, 2);
  drain (stream);
  fail_unless_equals_int (tried[0].tos, TFRC_ECN_FIELD_ECT_0);
  fail_unless_equals_int (tried[n_tried - 1].id, 2);
  for (guint i = 0; i < n_tried; i++)
    fail_unless (tried[i].tos == 0 || tried[i].id == 1);
  gst_tfrc_sink_stream_get_stats (stream, &stats);
  fail_unless_equals_int (stats.session.ecn.state, TFRC_ECN_OFF);
  fail_unless_equals_int (stats.session.ecn.problem, TFRC_ECN_PROBLEM_REFUSED);
  fail_unless_equals_uint64 (stats.send_errors, 1);
  gst_tfrc_sink_stream_free (stream);
  refuses_ect = 0;
}

GST_START_TEST (a_packet_that_is_refused_for_its_ect_leaves_without)
{
  check_refusal (EINVAL, FALSE);
  check_refusal (EPERM, FALSE); /* a rule of the own firewall */
  check_refusal (EINVAL, TRUE);
}

GST_END_TEST;

static Suite *
sinksends_suite (void)
{
  Suite *s = suite_create ("sinksends");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_packet_that_fails_leaves_later_with_a_new_send_time);
  tcase_add_test (tc, a_sealed_packet_that_fails_leaves_later_as_it_was_sealed);
  tcase_add_test (tc, a_flush_frees_the_number_of_a_packet_without_protection);
  tcase_add_test (tc, the_number_of_a_flushed_sealed_packet_is_not_used_again);
  tcase_add_test (tc, a_drop_of_the_own_queue_is_a_loss_and_the_payload_leaves);
  tcase_add_test (tc, a_dropped_sealed_packet_leaves_as_it_was_sealed);
  tcase_add_test (tc, no_other_error_is_a_loss);
  tcase_add_test (tc, a_packet_that_is_refused_for_its_ect_leaves_without);
  return s;
}

GST_CHECK_MAIN (sinksends);
