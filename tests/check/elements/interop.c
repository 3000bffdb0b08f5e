/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements together with GStreamer's own RTP elements, which do not know TFRC. */
#include "check/lsanglib.h"
#include "tfrctest.h"

#include <gst/app/app.h>
#include <string.h>

/* Classes and objects of the RIST plugin lose a pad each (1.22). */
static GstElement *
launch_rist (const gchar *line)
{
  GstElement *pipeline;

  test_ignore_leaks (TRUE);
  pipeline = gst_parse_launch (line, NULL);
  test_ignore_leaks (FALSE);
  return pipeline;
}

#define RTP_CAPS \
  "\"application/x-rtp,media=video,clock-rate=90000," \
  "encoding-name=MP2T,payload=33\""

/* ---- from tfrcsink ----------------------------------------------------- */

/* Takes samples until the movie is complete. */
static void
pull_movie (GstElement *pipeline, GBytes *movie)
{
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GByteArray *bytes = g_byte_array_new ();
  GBytes *received;

  while (bytes->len < g_bytes_get_size (movie)) {
    GstSample *sample = gst_app_sink_try_pull_sample (
        GST_APP_SINK (out), TEST_PATIENCE * GST_USECOND);
    GstMapInfo map;

    fail_unless (sample != NULL, "%u bytes have come", bytes->len);
    gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
    g_byte_array_append (bytes, map.data, (guint) map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  received = g_byte_array_free_to_bytes (bytes);
  test_fail_unless_equal_bytes (movie, received);
  g_bytes_unref (received);
  gst_object_unref (out);
}

/* The receiver sends no feedback.  Without min-bitrate, packets would leave at one per second. */
GST_START_TEST (test_stock_rtp_receiver_plays_the_stream)
{
  const gchar *const names[] = { "udpsrc", "rtpjitterbuffer", "rtpmp2tdepay", NULL };
  GBytes *movie = test_movie (70, 1);
  GstElement *pipeline, *src;
  TestSender *sender;
  gint port;

  if (test_has_elements (names)) {
    pipeline = gst_parse_launch ("udpsrc name=in address=127.0.0.1 port=0 caps=" RTP_CAPS
                                 " ! rtpjitterbuffer ! rtpmp2tdepay ! appsink name=out "
                                 "sync=false",
        NULL);
    test_set_state (pipeline, GST_STATE_PLAYING);
    src = gst_bin_get_by_name (GST_BIN (pipeline), "in");
    g_object_get (src, "port", &port, NULL);
    sender = test_sender_new (port, "min-bitrate=4000000 unresponsive-receiver=true");
    test_sender_push_bytes (sender, movie, 0);
    test_sender_eos (sender);
    pull_movie (pipeline, movie);
    test_sender_wait_eos (sender);
    test_sender_free (sender);
    test_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (src);
    gst_object_unref (pipeline);
  }
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- tfrcsrc in front of GStreamer's RTP elements ---------------------- */

GST_START_TEST (test_rtp_output_has_whole_packets)
{
  TestReceiver *receiver = test_receiver_new ("! application/x-rtp");
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (7, 1);
  const guint8 *ts = g_bytes_get_data (movie, NULL);
  TfrcWireData data;

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_bytes (receiver, 1);
  fail_unless_equals_int (
      tfrc_wire_parse_data (receiver->bytes->data, receiver->bytes->len, &data), TFRC_WIRE_OK);
  fail_unless_equals_uint64 (data.payload_bytes, PAYLOAD_BYTES);
  fail_unless_equals_int (memcmp (receiver->bytes->data + data.header_bytes, ts, PAYLOAD_BYTES), 0);
  fail_unless_equals_uint64 (data.ssrc, test_stat (sender->sink, "ssrc"));
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_jitterbuffer_and_depayloader_work_behind_the_source)
{
  const gchar *const names[] = { "rtpjitterbuffer", "rtpmp2tdepay", NULL };
  GBytes *movie = test_movie (70, 1);
  TestReceiver *receiver;
  TestSender *sender;

  if (test_has_elements (names)) {
    receiver = test_receiver_new ("! application/x-rtp ! rtpjitterbuffer ! "
                                  "rtpmp2tdepay");
    sender = test_sender_new (receiver->port, NULL);
    test_sender_push_bytes (sender, movie, 0);
    test_sender_eos (sender);
    test_receiver_wait_eos (receiver);
    test_receiver_wait_movie (receiver, movie);
    test_sender_free (sender);
    test_receiver_free (receiver);
  }
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- plain RTP to tfrcsrc ---------------------------------------------- */

GST_START_TEST (test_stream_of_a_stock_rtp_sender_is_played)
{
  const gchar *const names[] = { "rtpmp2tpay", "udpsink", NULL };
  TestReceiver *receiver;
  GBytes *movie = test_movie (70, 1);
  GstElement *pipeline, *in;
  gchar *description;

  if (test_has_elements (names)) {
    receiver = test_receiver_new (NULL);
    description = g_strdup_printf ("appsrc name=in caps=\"video/mpegts,"
                                   "packetsize=188,systemstream=true\" ! rtpmp2tpay ! udpsink "
                                   "host=127.0.0.1 port=%d sync=false",
        receiver->port);
    pipeline = gst_parse_launch (description, NULL);
    in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
    test_set_state (pipeline, GST_STATE_PLAYING);
    gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new_wrapped_bytes (movie));
    test_receiver_wait_movie (receiver, movie);
    fail_if (test_stat (receiver->src, "tfrc"));
    fail_unless_equals_uint64 (test_stat (receiver->src, "packets-received"), 10);
    fail_unless_equals_uint64 (test_stat (receiver->src, "feedback-sent"), 0);
    test_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (in);
    gst_object_unref (pipeline);
    g_free (description);
    test_receiver_free (receiver);
  }
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_plain_rtp_gets_no_answer)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[12 + PAYLOAD_BYTES] = { 0x80, 33 }, answer[2048];
  gchar *name, *expected;

  memcpy (packet + 12, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  for (guint8 seq = 0; seq < 20; seq++) {
    packet[3] = seq;
    test_peer_send (peer, receiver->port, packet, sizeof packet);
  }
  test_receiver_wait_bytes (receiver, 20 * PAYLOAD_BYTES);
  fail_if (test_stat (receiver->src, "tfrc"));
  name = test_stat_string (receiver->src, "sender");
  expected = g_strdup_printf ("127.0.0.1:%d", peer->port);
  fail_unless_equals_string (name, expected);
  /* The source sends nothing when it stops, either. */
  test_receiver_free (receiver);
  fail_unless_equals_uint64 (test_peer_poll (peer, answer, sizeof answer), 0);
  test_peer_free (peer);
  g_free (name);
  g_free (expected);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- plain RTP with RTCP to tfrcsrc: repairs ------------------------------- */

#define N_PACKETS 150
#define INTERVAL (20 * GST_MSECOND)
#define LOST_EVERY 10
#define N_LAST 20 /* packets that are not lost, as nothing behind them shows a gap */

typedef struct
{
  GstElement *pipeline;
  gint has_heard; /* a report of the receiver; atomic */
  guint sent, lost;
} PlainSender;

/* Before its first report the receiver may challenge the port for RTCP. */
static GstPadProbeReturn
note_report (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  guint8 header[2];

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, header, sizeof header);
  if (header[1] == 201)
    g_atomic_int_set (&((PlainSender *) user)->has_heard, 1);
  return GST_PAD_PROBE_OK;
}

/* Packets of the movie have an even SSRC. */
static GstPadProbeReturn
lose_some (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  PlainSender *sender = user;
  guint8 header[12];

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, header, sizeof header);
  if (header[11] % 2 != 0 || ++sender->sent % LOST_EVERY != 0 || sender->sent > N_PACKETS - N_LAST
      || !g_atomic_int_get (&sender->has_heard))
    return GST_PAD_PROBE_OK;
  sender->lost++;
  return GST_PAD_PROBE_DROP;
}

static void
add_probe (PlainSender *sender, const gchar *element, const gchar *name, GstPadProbeCallback probe)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (sender->pipeline), element);
  GstPad *pad;

  fail_unless (found != NULL, "%s", element);
  pad = gst_element_get_static_pad (found, name);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, sender, NULL);
  gst_object_unref (pad);
  gst_object_unref (found);
}

/* Reports come at least every 200 ms. */
static void
hurry_reports (GstElement *pipeline, const gchar *name)
{
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GObject *session = NULL;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  fail_unless (session != NULL);
  g_object_set (session, "rtcp-min-interval", 200 * GST_MSECOND, NULL);
  g_object_unref (session);
  gst_object_unref (rtpbin);
}

#define RIST_PATIENCE (10 * GST_SECOND) /* more than what ristsrc waits for */
#define N_FIRST 5                       /* packets that show a sink a receiver */

/* Pushes packets of the movie with times, as the sender keeps to them.
 * @start: the time of the first of these */
static void
push_some (GstElement *in, GBytes *movie, guint begin, guint end, GstClockTime start)
{
  for (guint i = begin; i < end; i++) {
    GBytes *bytes = g_bytes_new_from_bytes (movie, i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (bytes);

    GST_BUFFER_PTS (buffer) = start + (i - begin) * INTERVAL;
    fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (in), buffer), GST_FLOW_OK);
    g_bytes_unref (bytes);
  }
}

static void
push_with_times (GstElement *pipeline, GBytes *movie)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (pipeline), "in");

  push_some (in, movie, 0, N_PACKETS, 0);
  gst_object_unref (in);
}

/* A sender with RTCP on the next port plays a movie, of which the path loses packets once the receiver has been
 * heard. All of it arrives.
 * @line: from the payloader on, with a place for the port
 * @prefix: of the names of the inner elements of its sink
 * @rtpbin: one of them */
static void
play_with_losses (const gchar *line, const gchar *prefix, const gchar *rtpbin)
{
  PlainSender sender = { 0 };
  gint port = test_free_pair ();
  gchar *properties = g_strdup_printf ("port=%d rtcp-port=%d latency=4000", port, port + 1);
  gchar *rest = g_strdup_printf (line, port);
  gchar *description = g_strdup_printf (
      "appsrc name=in format=time caps=\"video/mpegts,packetsize=188,systemstream=true\" ! "
      "rtpmp2tpay ssrc=1234 ! %s",
      rest);
  gchar *udpsink = g_strconcat (prefix, "_rtp_udpsink0", NULL);
  gchar *udpsrc = g_strconcat (prefix, "_rtcp_udpsrc0", NULL);
  GBytes *movie = test_movie (7 * N_PACKETS, 1);
  TestReceiver *receiver = test_receiver_new (properties);

  sender.pipeline = launch_rist (description);
  fail_unless (sender.pipeline != NULL);
  hurry_reports (sender.pipeline, rtpbin);
  add_probe (&sender, udpsink, "sink", lose_some);
  add_probe (&sender, udpsrc, "src", note_report);
  test_set_state (sender.pipeline, GST_STATE_PLAYING);
  push_with_times (sender.pipeline, movie);
  test_receiver_wait_movie (receiver, movie);
  fail_unless (sender.lost > 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), sender.lost);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-repaired"), sender.lost);
  fail_if (test_stat (receiver->src, "tfrc"));
  test_set_state (sender.pipeline, GST_STATE_NULL);
  gst_object_unref (sender.pipeline);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (udpsrc);
  g_free (udpsink);
  g_free (description);
  g_free (rest);
  g_free (properties);
}

GST_START_TEST (test_rtprtxsend_repairs_what_tfrcsrc_asks_for)
{
  const gchar *const names[] = { "rtpmp2tpay", "rtprtxsend", "rtpsink", NULL };

  if (test_has_elements (names))
    play_with_losses ("rtprtxsend payload-type-map=\"application/x-rtp-pt-map,33=(uint)97\" "
                      "ssrc-map=\"application/x-rtp-ssrc-map,1234=(uint)1235\" "
                      "! rtpsink uri=rtp://127.0.0.1:%d",
        "rtp", "rtp_send_rtpbin0");
}

GST_END_TEST;

GST_START_TEST (test_ristsink_repairs_what_tfrcsrc_asks_for)
{
  const gchar *const names[] = { "rtpmp2tpay", "ristsink", NULL };

  if (test_has_elements (names))
    play_with_losses ("ristsink address=127.0.0.1 port=%d", "rist", "rist_send_rtpbin");
}

GST_END_TEST;

/* ---- tfrcsink to ristsrc --------------------------------------------------- */

typedef struct
{
  gint is_lossy, sent, lost, repairs; /* atomic */
} LossyPath;

/* Repairs have an odd SSRC. */
static GstPadProbeReturn
lose_of_path (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  LossyPath *path = user;
  guint8 header[12];
  gint sent;

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, header, sizeof header);
  if (header[11] % 2 != 0) {
    g_atomic_int_inc (&path->repairs);
    return GST_PAD_PROBE_OK;
  }
  sent = g_atomic_int_add (&path->sent, 1) + 1;
  if (sent % LOST_EVERY != 0 || sent > N_PACKETS - N_LAST || !g_atomic_int_get (&path->is_lossy))
    return GST_PAD_PROBE_OK;
  g_atomic_int_inc (&path->lost);
  return GST_PAD_PROBE_DROP;
}

/* Takes samples until all has been sent, and more has come than was not lost.
 * @return FALSE: no more comes */
static gboolean
pull_repaired (GstElement *pipeline, LossyPath *path)
{
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstSample *sample = NULL;
  gint packets = 0;

  while (g_atomic_int_get (&path->sent) < N_PACKETS
      || packets <= N_PACKETS - g_atomic_int_get (&path->lost)) {
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (out), RIST_PATIENCE);
    if (sample == NULL)
      break;
    packets += (gint) (gst_buffer_get_size (gst_sample_get_buffer (sample)) / PAYLOAD_BYTES);
    gst_sample_unref (sample);
  }
  gst_object_unref (out);
  return sample != NULL;
}

/* Reports of ristsrc control the rate, and what is lost from then on comes again.
 * @return FALSE: ristsrc has asked for nothing */
static gboolean
play_to_ristsrc (GBytes *movie)
{
  gint port = test_free_pair ();
  gchar *line = g_strdup_printf ("ristsrc address=127.0.0.1 port=%d receiver-buffer=4000 "
                                 "! rtpmp2tdepay ! appsink name=out sync=false",
      port);
  GstElement *receiver = launch_rist (line);
  GstElement *in = gst_bin_get_by_name (GST_BIN (receiver), "rist_rtp_udpsrc0");
  GstPad *pad = gst_element_get_static_pad (in, "src");
  gint64 begin = g_get_monotonic_time ();
  LossyPath path = { 0 };
  gboolean is_repaired, has_asked;
  TestSender *sender;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, lose_of_path, &path, NULL);
  test_set_state (receiver, GST_STATE_PLAYING);
  sender = test_live_sender_new (
      port, "rist=true sync=true max-queue-time=0 start-bitrate=2000000 playout-delay=4000");
  push_some (sender->appsrc, movie, 0, N_FIRST, 0);
  test_wait_stat (sender->sink, "control", "receiver-report");
  g_atomic_int_set (&path.is_lossy, 1);
  push_some (sender->appsrc, movie, N_FIRST, N_PACKETS,
      (GstClockTime) (g_get_monotonic_time () - begin) * GST_USECOND + INTERVAL);
  is_repaired = pull_repaired (receiver, &path);
  has_asked = test_stat (sender->sink, "packets-requested") > 0;
  fail_unless (!has_asked || (is_repaired && path.repairs > 0),
      "%d of %d packets were lost, and %d repairs came", path.lost, path.sent, path.repairs);
  test_sender_free (sender);
  test_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (in);
  gst_object_unref (receiver);
  g_free (line);
  return has_asked;
}

/* In one run of five on loopback reports of ristsrc take control only after 4 s, and it asks for nothing after that:
 * another run has to show the repairs. */
#define RIST_RUNS 5

GST_START_TEST (test_ristsrc_gets_what_it_asks_for)
{
  const gchar *const names[] = { "ristsrc", "rtpmp2tdepay", NULL };
  GBytes *movie = test_movie (7 * N_PACKETS, 1);
  gboolean has_asked = !test_has_elements (names);

  for (guint run = 0; run < RIST_RUNS && !has_asked; run++)
    has_asked = play_to_ristsrc (movie);
  fail_unless (has_asked, "ristsrc has asked for nothing in %d runs", RIST_RUNS);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
interop_suite (void)
{
  Suite *suite = suite_create ("interop");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_stock_rtp_receiver_plays_the_stream);
  tcase_add_test (tcase, test_rtp_output_has_whole_packets);
  tcase_add_test (tcase, test_jitterbuffer_and_depayloader_work_behind_the_source);
  tcase_add_test (tcase, test_stream_of_a_stock_rtp_sender_is_played);
  tcase_add_test (tcase, test_plain_rtp_gets_no_answer);
  tcase_add_test (tcase, test_rtprtxsend_repairs_what_tfrcsrc_asks_for);
  tcase_add_test (tcase, test_ristsink_repairs_what_tfrcsrc_asks_for);
  tcase_add_test (tcase, test_ristsrc_gets_what_it_asks_for);
  return suite;
}

GST_CHECK_MAIN (interop);
