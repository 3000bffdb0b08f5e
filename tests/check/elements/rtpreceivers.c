/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receivers that know RTP and RTCP, and not TFRC: GStreamer's rtpbin, and a bare peer with RTCP on a
 * port of its own */
#include <gst/app/gstappsrc.h>
#include "tfrctest.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define N_PACKETS 140
#define MS GST_MSECOND

/* ---- rtpbin ------------------------------------------------------------------ */

#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33"
#define TRANSPORT_CC_CAPS \
  CAPS ",extmap-3=" TFRC_WIRE_EXT_TRANSPORT_SEQ_URI ",rtcp-fb-transport-cc=true"

typedef struct
{
  GstElement *pipeline, *reports;
  gint port;
  gint bytes; /* of the movie; atomic */
} RtpBin;

static gboolean
has_rtpbin (void)
{
  static const gchar *const names[] = { "rtpbin", "rtpmp2tdepay", "rtprtxreceive", "udpsrc",
    "udpsink", NULL };

  return test_has_elements (names);
}

static void
on_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user)
{
  RtpBin *bin = user;

  g_atomic_int_add (&bin->bytes, (gint) gst_buffer_get_size (buffer));
}

/* Reports come at least every 200 ms, and transport-wide feedback every 20 ms. */
static void
hurry_reports (RtpBin *bin)
{
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (bin->pipeline), "bin");
  GObject *session = NULL;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  fail_unless (session != NULL);
  g_object_set (session, "rtcp-min-interval", 200 * MS, NULL);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (session), "twcc-feedback-interval"))
    g_object_set (session, "twcc-feedback-interval", 20 * MS, NULL);
  g_object_unref (session);
  gst_object_unref (rtpbin);
}

/* Behind the session, where repairs (RFC 4588) become packets of the movie again */
static GstElement *
add_rtprtxreceive (GstElement *rtpbin, guint session, gpointer user)
{
  GstElement *bin = gst_bin_new (NULL), *rtx = gst_element_factory_make ("rtprtxreceive", NULL);
  GstStructure *map = gst_structure_new (
      "application/x-rtp-pt-map", "33", G_TYPE_UINT, TFRC_WIRE_REPAIR_PAYLOAD_TYPE, NULL);
  GstPad *pad;

  g_object_set (rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
  gst_bin_add (GST_BIN (bin), rtx);
  pad = gst_element_get_static_pad (rtx, "sink");
  gst_element_add_pad (bin, gst_ghost_pad_new ("sink_0", pad));
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (rtx, "src");
  gst_element_add_pad (bin, gst_ghost_pad_new ("src_0", pad));
  gst_object_unref (pad);
  return bin;
}

static RtpBin *
rtpbin_new (const gchar *profile, const gchar *caps, gboolean asks)
{
  RtpBin *bin = g_new0 (RtpBin, 1);
  GstElement *in, *out, *rtpbin;
  gchar *line = g_strdup_printf (
      "rtpbin name=bin rtp-profile=%s udpsrc name=in address=127.0.0.1 port=0 caps=\"%s\" "
      "bin. ! rtpmp2tdepay ! fakesink name=out signal-handoffs=true sync=false "
      "bin.send_rtcp_src_0 ! udpsink name=reports host=127.0.0.1 port=9 sync=false async=false",
      profile, caps);

  bin->pipeline = gst_parse_launch (line, NULL);
  fail_unless (bin->pipeline != NULL);
  bin->reports = gst_bin_get_by_name (GST_BIN (bin->pipeline), "reports");
  out = gst_bin_get_by_name (GST_BIN (bin->pipeline), "out");
  g_signal_connect (out, "handoff", G_CALLBACK (on_buffer), bin);
  rtpbin = gst_bin_get_by_name (GST_BIN (bin->pipeline), "bin");
  in = gst_bin_get_by_name (GST_BIN (bin->pipeline), "in");
  if (asks) {
    g_object_set (rtpbin, "do-retransmission", TRUE, "latency", 4000, NULL);
    g_signal_connect (rtpbin, "request-aux-receiver", G_CALLBACK (add_rtprtxreceive), NULL);
  }
  fail_unless (gst_element_link_pads (in, "src", rtpbin, "recv_rtp_sink_0"));
  gst_object_unref (rtpbin);
  hurry_reports (bin);
  test_set_state (bin->pipeline, GST_STATE_PLAYING);
  g_object_get (in, "port", &bin->port, NULL);
  gst_object_unref (in);
  gst_object_unref (out);
  g_free (line);
  return bin;
}

static void
rtpbin_free (RtpBin *bin)
{
  test_set_state (bin->pipeline, GST_STATE_NULL);
  gst_object_unref (bin->reports);
  gst_object_unref (bin->pipeline);
  g_free (bin);
}

static void
wait_control (TestSender *sender, const gchar *expected)
{
  test_wait_stat (sender->sink, "control", expected);
}

static void
wait_packets (RtpBin *bin, gint n)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  while (g_atomic_int_get (&bin->bytes) < 7 * n * TS_BYTES && g_get_monotonic_time () < end)
    g_usleep (1000);
  fail_unless (g_atomic_int_get (&bin->bytes) >= 7 * n * TS_BYTES);
}

/* Plays a movie until the sender is controlled in this way, and to its end. All of it arrives. */
static void
play (const gchar *profile, const gchar *caps, const gchar *properties, const gchar *control)
{
  GBytes *movie = test_movie (7 * N_PACKETS, 1);
  TestSender *sender;
  RtpBin *bin;

  if (!has_rtpbin ()) {
    g_bytes_unref (movie);
    return;
  }
  bin = rtpbin_new (profile, caps, FALSE);
  sender = test_sender_new (bin->port, properties);
  g_object_set (bin->reports, "port", (gint) test_stat (sender->sink, "local-port"), NULL);
  test_assert_stat (sender->sink, "control", "none");
  test_sender_push_bytes (sender, movie, 0);
  wait_control (sender, control);
  fail_unless (test_stat (sender->sink, "rtt") > 0);
  test_assert_stat (sender->sink, "peer-state", "connected");
  test_sender_eos (sender);
  test_sender_wait_eos (sender);
  wait_packets (bin, N_PACKETS);
  fail_unless_equals_int (g_atomic_int_get (&bin->bytes), 7 * N_PACKETS * TS_BYTES);
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 0);
  test_sender_free (sender);
  rtpbin_free (bin);
  g_bytes_unref (movie);
}

/* The reports come from another port than that to which data goes. */
GST_START_TEST (test_reports_of_rtpbin_control_the_rate)
{
  play ("avp", CAPS, NULL, "receiver-report");
}

GST_END_TEST;

GST_START_TEST (test_transport_wide_feedback_of_rtpbin_controls_the_rate)
{
  play ("avpf", TRANSPORT_CC_CAPS, "transport-cc=true", "transport-cc");
}

GST_END_TEST;

/* ---- rtpbin that asks for repairs ---------------------------------------------- */

#define INTERVAL (40 * MS) /* of the movie's packets: 263 kbit/s */
#define LOST_EVERY 23      /* of the movie's packets */
#define N_LOST (N_PACKETS / LOST_EVERY)

static GstPadProbeReturn
lose_some (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  guint8 header[2];
  gint *seen = user;

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, header, sizeof header);
  return (header[1] & 0x7f) == TFRC_WIRE_PAYLOAD_TYPE && ++*seen % LOST_EVERY == 0
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

/* Pushes packets with their times, which RTP tells: a jitter buffer does not wait for what has no time left. */
static void
push_with_times (TestSender *sender, GBytes *movie)
{
  for (guint i = 0; i < N_PACKETS; i++) {
    GBytes *bytes = g_bytes_new_from_bytes (movie, i * 7 * TS_BYTES, 7 * TS_BYTES);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (bytes);

    GST_BUFFER_PTS (buffer) = i * INTERVAL;
    fail_unless_equals_int (
        gst_app_src_push_buffer (GST_APP_SRC (sender->appsrc), buffer), GST_FLOW_OK);
    g_bytes_unref (bytes);
  }
}

/* What rtpbin knows of a source */
static gboolean
source_has (RtpBin *bin, guint ssrc, const gchar *field)
{
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (bin->pipeline), "bin");
  GObject *session = NULL, *source = NULL;
  GstStructure *stats;
  gboolean has = FALSE;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  g_signal_emit_by_name (session, "get-source-by-ssrc", ssrc, &source);
  if (source) {
    g_object_get (source, "stats", &stats, NULL);
    fail_unless (gst_structure_get_boolean (stats, field, &has));
    gst_structure_free (stats);
    g_object_unref (source);
  }
  g_object_unref (session);
  gst_object_unref (rtpbin);
  return has;
}

static void
wait_source (RtpBin *bin, guint ssrc, const gchar *field)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  while (!source_has (bin, ssrc, field) && g_get_monotonic_time () < end)
    g_usleep (1000);
  fail_unless (source_has (bin, ssrc, field), "%08x: %s", ssrc, field);
}

/* The path loses N_LOST packets, and more than the others is played. How many more depends on when rtpbin asks:
 * a busy machine lets its reports control the rate too late for the first ones. */
GST_START_TEST (test_rtpbin_gets_repairs)
{
  GBytes *movie = test_movie (7 * N_PACKETS, 1);
  gint seen = 0;
  guint ssrc;
  TestSender *sender;
  GstElement *in;
  GstPad *pad;
  RtpBin *bin;

  if (!has_rtpbin ()) {
    g_bytes_unref (movie);
    return;
  }
  bin = rtpbin_new ("avpf", CAPS, TRUE);
  in = gst_bin_get_by_name (GST_BIN (bin->pipeline), "in");
  pad = gst_element_get_static_pad (in, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, lose_some, &seen, NULL);
  sender = test_live_sender_new (bin->port, "sync=true max-queue-time=0 start-bitrate=1000000");
  g_object_set (bin->reports, "port", (gint) test_stat (sender->sink, "local-port"), NULL);
  push_with_times (sender, movie);
  wait_packets (bin, N_PACKETS - N_LOST + 1);
  fail_unless (test_stat (sender->sink, "packets-repaired") >= 1);
  ssrc = (guint) test_stat (sender->sink, "ssrc");
  wait_source (bin, ssrc, "have-sr");
  wait_source (bin, ssrc + 1, "have-sr");
  test_sender_free (sender);
  wait_source (bin, ssrc, "received-bye");
  wait_source (bin, ssrc + 1, "received-bye");
  gst_object_unref (pad);
  gst_object_unref (in);
  rtpbin_free (bin);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- RTCP on a port of its own ------------------------------------------------ */

static gboolean
is_sender_report (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_sr;
}

/* Sends a receiver report to where the sender reports come from. */
static void
answer (TestPeer *rtcp_peer, const TfrcWireRtcp *sr, const TfrcWireData *data)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp rtcp = { .sender_ssrc = rtcp_peer->ssrc, .has_report = TRUE };

  rtcp.report.ssrc = sr->sender_ssrc;
  rtcp.report.highest_seq = data->seq;
  rtcp.report.lsr = (guint32) (sr->sr_ntp >> 16);
  test_peer_send (rtcp_peer, gst_tfrc_address_port (&rtcp_peer->from), buffer,
      tfrc_wire_write_receiver_report (buffer, &rtcp, "x"));
}

GST_START_TEST (test_rtcp_has_a_port_of_its_own)
{
  TestPeer *data_peer = test_peer_new (0), *rtcp_peer = test_peer_new (0);
  gchar *properties = g_strdup_printf ("rtcp-port=%d", rtcp_peer->port);
  TestSender *sender = test_sender_new (data_peer->port, properties);
  GBytes *movie = test_movie (7 * N_PACKETS, 1);
  TfrcWireRtcp sr;
  TfrcWireData data;

  test_sender_push_bytes (sender, movie, 0);
  data = test_peer_receive_data (data_peer, NULL);
  sr = test_peer_receive_rtcp (rtcp_peer, is_sender_report);
  fail_unless_equals_int (sr.sender_ssrc, data.ssrc);
  fail_if (gst_tfrc_address_port (&rtcp_peer->from) == test_stat (sender->sink, "local-port"));
  answer (rtcp_peer, &sr, &data);
  wait_control (sender, "receiver-report");
  test_sender_free (sender);
  test_peer_free (data_peer);
  test_peer_free (rtcp_peer);
  g_free (properties);
  g_bytes_unref (movie);
}

GST_END_TEST;

static gint
control_value (const struct cmsghdr *control)
{
  gint value = 0;

  memcpy (&value, CMSG_DATA (control), MIN (control->cmsg_len - CMSG_LEN (0), sizeof value));
  return value;
}

/* Waits for a datagram with BYE, and returns its TTL and TOS. */
static void
receive_bye (TestPeer *peer, gint *ttl, gint *tos)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  TfrcWireRtcp rtcp = { 0 };

  do {
    guint8 packet[2048], control[256];
    struct iovec data = { packet, sizeof packet };
    struct msghdr header = { .msg_iov = &data, .msg_iovlen = 1 };
    struct pollfd ready = { .fd = peer->fd, .events = POLLIN };
    gssize size;

    header.msg_control = control;
    header.msg_controllen = sizeof control;
    fail_unless (g_get_monotonic_time () < end, "no BYE has come");
    poll (&ready, 1, 100);
    size = recvmsg (peer->fd, &header, MSG_DONTWAIT);
    if (size <= 0)
      continue;
    for (struct cmsghdr *c = CMSG_FIRSTHDR (&header); c; c = CMSG_NXTHDR (&header, c)) {
      if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
        *ttl = control_value (c);
      if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
        *tos = control_value (c);
    }
    tfrc_wire_parse_rtcp (packet, (gsize) size, 0, &rtcp);
  } while (!rtcp.has_bye);
}

/* Reports with the TTL of the beginning would not reach a receiver that is further away, which gives no R then. */
GST_START_TEST (test_ttl_and_dscp_change_at_the_port_of_rtcp_as_well)
{
  TestPeer *data_peer = test_peer_new (0), *rtcp_peer = test_peer_new (0);
  gchar *properties = g_strdup_printf ("rtcp-port=%d ttl=1", rtcp_peer->port);
  TestSender *sender = test_sender_new (data_peer->port, properties);
  GBytes *movie = test_movie (7, 1);
  gint ttl = 0, tos = 0;

  test_sender_push_bytes (sender, movie, 0);
  test_peer_receive_rtcp (rtcp_peer, is_sender_report);
  g_object_set (sender->sink, "ttl", 9, "qos-dscp", 10, NULL);
  test_sender_eos (sender);
  receive_bye (rtcp_peer, &ttl, &tos);
  fail_unless_equals_int (ttl, 9);
  fail_unless_equals_int_hex (tos, 10 << 2);
  test_sender_free (sender);
  test_peer_free (data_peer);
  test_peer_free (rtcp_peer);
  g_free (properties);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* A receiver that knows TFRC multiplexes. */
GST_START_TEST (test_tfrcsrc_needs_no_port_for_rtcp)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestPeer *nobody = test_peer_new (0);
  gchar *properties = g_strdup_printf ("rtcp-port=%d", nobody->port);
  TestSender *sender = test_sender_new (receiver->port, properties);
  GBytes *movie = test_movie (7 * N_PACKETS, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_assert_stat (sender->sink, "control", "tfrc-feedback");
  test_receiver_wait_eos (receiver);
  test_sender_free (sender);
  test_receiver_free (receiver);
  test_peer_free (nobody);
  g_free (properties);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* The number is in every packet, and tfrcsrc works as without. */
GST_START_TEST (test_tfrcsrc_reads_packets_with_transport_cc)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, "transport-cc=true");
  GBytes *movie = test_movie (7 * N_PACKETS, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_assert_stat (sender->sink, "control", "tfrc-feedback");
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
rtpreceivers_suite (void)
{
  Suite *suite = suite_create ("rtpreceivers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_reports_of_rtpbin_control_the_rate);
  tcase_add_test (tcase, test_rtpbin_gets_repairs);
  tcase_add_test (tcase, test_transport_wide_feedback_of_rtpbin_controls_the_rate);
  tcase_add_test (tcase, test_rtcp_has_a_port_of_its_own);
  tcase_add_test (tcase, test_ttl_and_dscp_change_at_the_port_of_rtcp_as_well);
  tcase_add_test (tcase, test_tfrcsrc_needs_no_port_for_rtcp);
  tcase_add_test (tcase, test_tfrcsrc_reads_packets_with_transport_cc);
  return suite;
}

GST_CHECK_MAIN (rtpreceivers);
