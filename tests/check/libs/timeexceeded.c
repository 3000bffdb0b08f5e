/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TTLs of single packets, and ICMP "time exceeded", of both IP versions. The tests of ICMP use a
 * network namespace, which needs privileges. */
#include <errno.h>
#include <unistd.h>

#include "datagramtest.h"
#include "icmptest.h"
#include "gst/io/socket.h"
#include "gst/stream/sinkstream.h"

/* ---- sending ------------------------------------------------------------- */

static void
check_ttls (const gchar *bind_address, const gchar *host)
{
  static const guint8 ttls[] = { 0, 9, 9, 0, 0, 255, 1, 9 };
  GstTfrcSendItem items[G_N_ELEMENTS (ttls)];
  GstTfrcAddress to;
  gint to_fd = test_open_socket (host, &to), fd = test_open_socket (bind_address, NULL), error;
  guint8 own = 77;

  fail_unless (gst_tfrc_socket_set_ttl (fd, own));
  fail_unless_equals_int (gst_tfrc_socket_get_ttl (fd), own);
  for (guint i = 0; i < G_N_ELEMENTS (ttls); i++)
    items[i] = (GstTfrcSendItem){ .data = &ttls[i], .size = 1, .ttl = ttls[i] };
  fail_unless_equals_int (gst_tfrc_socket_send (fd, &to, NULL, items, G_N_ELEMENTS (ttls), &error),
      G_N_ELEMENTS (ttls));
  fail_unless_equals_int (error, 0);
  for (guint i = 0; i < G_N_ELEMENTS (ttls);) {
    const GstTfrcReceivedPacket *packets;
    guint64 now_ns;
    guint n;

    wait_for (to_fd, POLLIN);
    n = gst_tfrc_receive_batch_read (batch, to_fd, 0, &packets, &now_ns);
    for (guint j = 0; j < n; j++, i++) {
      fail_unless_equals_int (packets[j].data[0], ttls[i]);
      fail_unless_equals_int (packets[j].ttl, ttls[i] ? ttls[i] : own);
    }
  }
  fail_unless_equals_int (gst_tfrc_socket_get_ttl (fd), own);
  close (fd);
  close (to_fd);
}

GST_START_TEST (each_packet_leaves_with_its_own_ttl_and_in_order)
{
  check_ttls ("127.0.0.1", "127.0.0.1");
  check_ttls (NULL, "127.0.0.1");
  if (test_host_has_ipv6 ()) {
    check_ttls ("::1", "::1");
    check_ttls (NULL, "::1");
  }
}

GST_END_TEST;

/* The path and the TTL are two control messages of one packet. */
GST_START_TEST (a_ttl_goes_together_with_a_path)
{
  GstTfrcAddress to;
  GstTfrcLocalPath path = { .local = test_address ("127.0.0.5", 0) };
  gint to_fd = test_open_socket ("127.0.0.1", &to), fd = test_open_socket ("0.0.0.0", NULL), error;
  const GstTfrcSendItem item = { .data = (const guint8 *) "x", .size = 1, .ttl = 9 };
  const GstTfrcReceivedPacket *packet;

  fail_unless_equals_int (gst_tfrc_socket_send (fd, &to, &path, &item, 1, &error), 1);
  packet = receive_one (to_fd);
  fail_unless_equals_int (packet->ttl, 9);
  fail_unless (packet->from->u.v4.sin_addr.s_addr == htonl (0x7f000005));
  close (fd);
  close (to_fd);
}

GST_END_TEST;

GST_START_TEST (the_ttl_of_a_socket_can_be_asked_for)
{
  gint fd = test_open_socket ("127.0.0.1", NULL);

  fail_unless (gst_tfrc_socket_get_ttl (fd) >= 1);
  close (fd);
  if (test_host_has_ipv6 ()) {
    fd = test_open_socket ("::1", NULL);
    fail_unless (gst_tfrc_socket_get_ttl (fd) >= 1);
    fail_unless (gst_tfrc_socket_set_ttl (fd, 5));
    fail_unless_equals_int (gst_tfrc_socket_get_ttl (fd), 5);
    close (fd);
  }
  fail_unless_equals_int (gst_tfrc_socket_get_ttl (-1), 0);
}

GST_END_TEST;

/* ---- messages ------------------------------------------------------------ */

static void
check_error (gint fd, gint error, const GstTfrcAddress *destination)
{
  SeenError seen = { 0 };

  wait_for (fd, POLLERR);
  fail_unless_equals_int (gst_tfrc_socket_read_errors (fd, note_error, &seen), 1);
  fail_unless_equals_int (seen.error, error);
  fail_unless (gst_tfrc_address_equal (&seen.destination, destination));
}

static void
check_messages_of_ipv4 (void)
{
  GstTfrcAddress from, to = test_address ("127.0.0.9", 5004);
  gint fd = test_open_socket ("127.0.0.1", &from);

  forge_v4 (&from, &to, ICMP_TIME_EXCEEDED, ICMP_EXC_TTL);
  check_error (fd, ETIME, &to);
  forge_v4 (&from, &to, ICMP_DEST_UNREACH, ICMP_HOST_UNREACH);
  check_error (fd, EHOSTUNREACH, &to);
  forge_v4 (&from, &to, ICMP_DEST_UNREACH, ICMP_PORT_UNREACH);
  check_error (fd, ECONNREFUSED, &to);
  close (fd);
}

static void
check_messages_of_ipv6 (void)
{
  GstTfrcAddress from, to = test_address ("2001:db8::9", 5004);
  gint fd = test_open_socket ("::1", &from);

  forge_v6 (&from, &to, ICMP6_TIME_EXCEEDED, ICMP6_TIME_EXCEED_TRANSIT);
  check_error (fd, ETIME, &to);
  forge_v6 (&from, &to, ICMP6_TIME_EXCEEDED, ICMP6_TIME_EXCEED_REASSEMBLY);
  check_error (fd, EHOSTUNREACH, &to);
  forge_v6 (&from, &to, ICMP6_DST_UNREACH, ICMP6_DST_UNREACH_NOPORT);
  check_error (fd, ECONNREFUSED, &to);
  close (fd);
}

/* ---- a stream ------------------------------------------------------------ */

static gsize
keep (gpointer user, guint8 *datagram, gsize size)
{
  return size;
}

static GMutex lock;
static GCond changed;
static guint warnings, warned_ttl;

static void
on_events (gpointer user, GstTfrcSinkStream *stream)
{
  GstTfrcEvent event;

  while (gst_tfrc_sink_stream_take_event (stream, &event)) {
    if (event.kind != GST_TFRC_EVENT_TTL_NOT_RAISED)
      continue;
    g_mutex_lock (&lock);
    warnings++;
    warned_ttl = event.of.ttl;
    g_cond_signal (&changed);
    g_mutex_unlock (&lock);
  }
}

static GstTfrcSinkStream *
open_stream (const gchar *host, const GstTfrcAddress *to, gboolean is_protected)
{
  GstTfrcSinkStreamConfig config = { .flow.session.peer = *to,
    .socket = GST_TFRC_SOCKET_CONFIG_INIT,
    .flow.session.media.adaptive_ttl = { TRUE, 1, 60, 0.5 } };
  GstTfrcSinkStream *stream;
  GError *error = NULL;

  warnings = 0;
  config.socket.bind_address = host;
  config.socket.ttl = 8;
  config.flow.limits.max_queue_packets = 1000;
  config.flow.session.media.streams[GST_TFRC_RTP_MEDIA].protector.protect = is_protected ? keep
                                                                                         : NULL;
  stream = gst_tfrc_sink_stream_new (&config, on_events, NULL, &error);
  fail_unless (stream != NULL, "%s", error ? error->message : "no error");
  return stream;
}

/* Sends one packet, and returns its TTL. The stream has to tell the same TTL in the header. */
static guint
first_ttl (GstTfrcSinkStream *stream, gint to_fd, GstTfrcAddress *from)
{
  GstTfrcPacket *packet = gst_tfrc_packet_pool_take (gst_tfrc_sink_stream_get_pool (stream));
  guint64 blocked_ns = 0, now_ns;
  guint ttl = 0;

  memset (gst_tfrc_packet_payload (packet), 0x47, 188);
  gst_tfrc_packet_set_payload_bytes (packet, 188);
  fail_unless_equals_int (
      gst_tfrc_sink_stream_push (stream, packet, gst_tfrc_clock_now_ns (), &blocked_ns),
      GST_TFRC_PUSH_OK);
  while (ttl == 0) {
    const GstTfrcReceivedPacket *packets;
    TfrcWireData header;
    guint n;

    wait_for (to_fd, POLLIN);
    n = gst_tfrc_receive_batch_read (batch, to_fd, 0, &packets, &now_ns);
    for (guint i = 0; i < n; i++) {
      fail_unless_equals_int (packets[i].ttl, 8); /* RTCP, too */
      if (tfrc_wire_classify (packets[i].data, packets[i].size) != TFRC_WIRE_KIND_DATA)
        continue;
      fail_unless_equals_int (
          tfrc_wire_parse_data (packets[i].data, packets[i].size, &header), TFRC_WIRE_OK);
      fail_unless_equals_int (header.ttl, packets[i].ttl);
      ttl = packets[i].ttl;
      *from = *packets[i].from;
    }
  }
  return ttl;
}

static GstTfrcSinkStreamStats
stats_of (GstTfrcSinkStream *stream)
{
  GstTfrcSinkStreamStats stats;

  gst_tfrc_sink_stream_get_stats (stream, &stats);
  return stats;
}

static void
wait_for_icmp (GstTfrcSinkStream *stream, guint64 n)
{
  while (stats_of (stream).icmp_errors < n)
    g_thread_yield ();
}

static void
check_stream (const gchar *host, gboolean is_protected)
{
  GstTfrcAddress to, from;
  gint to_fd = test_open_socket (host, &to);
  GstTfrcSinkStream *stream = open_stream (host, &to, is_protected);

  fail_unless_equals_int (stats_of (stream).session.ttl, 8);
  fail_unless_equals_int (first_ttl (stream, to_fd, &from), 8);
  forge_time_exceeded (&from, &to);
  wait_for_icmp (stream, 1);
  fail_unless_equals_int (stats_of (stream).session.ttl, is_protected ? 60 : 8);
  if (!is_protected) {
    g_mutex_lock (&lock);
    while (warnings == 0)
      g_cond_wait (&changed, &lock);
    fail_unless_equals_int (warned_ttl, 8);
    g_mutex_unlock (&lock);
    forge_time_exceeded (&from, &to);
    wait_for_icmp (stream, 2);
  }
  gst_tfrc_sink_stream_free (stream);
  fail_unless_equals_int (warnings, is_protected ? 0 : 1);
  close (to_fd);
}

GST_START_TEST (time_exceeded_in_transit_is_an_error_of_its_own)
{
  run_in_namespace (check_messages_of_ipv4);
  if (test_host_has_ipv6 ())
    run_in_namespace (check_messages_of_ipv6);
}

GST_END_TEST;

static void
check_streams (void)
{
  check_stream ("127.0.0.1", TRUE);
  check_stream ("127.0.0.1", FALSE);
}

static void
check_streams_of_ipv6 (void)
{
  check_stream ("::1", TRUE);
  check_stream ("::1", FALSE);
}

GST_START_TEST (time_exceeded_raises_the_ttl_of_a_protected_stream_alone)
{
  run_in_namespace (check_streams);
  if (test_host_has_ipv6 ())
    run_in_namespace (check_streams_of_ipv6);
}

GST_END_TEST;

static Suite *
timeexceeded_suite (void)
{
  Suite *s = suite_create ("timeexceeded");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, each_packet_leaves_with_its_own_ttl_and_in_order);
  tcase_add_test (tc, a_ttl_goes_together_with_a_path);
  tcase_add_test (tc, the_ttl_of_a_socket_can_be_asked_for);
  tcase_add_test (tc, time_exceeded_in_transit_is_an_error_of_its_own);
  tcase_add_test (tc, time_exceeded_raises_the_ttl_of_a_protected_stream_alone);
  return s;
}

GST_CHECK_MAIN (timeexceeded);
