/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward error correction together with GStreamer's own elements of SMPTE ST 2022-1, in both directions. What a path
 * would lose the test does not pass on. */
#include "tfrctest.h"

#include <gst/app/app.h>
#include <gst/check/gstharness.h>
#include <string.h>

#define N_PACKETS 64
#define BEHIND 40     /* packets more, behind which the FEC packets of columns leave */
#define FIRST_LOST 16 /* the matrix before starts tfrcsrc's decoder */
#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=MP2T,payload=33"

static gboolean
has_element (const gchar *name)
{
  const gchar *const names[] = { name, NULL };

  return test_has_elements (names);
}

/* One packet of each row of 4, each time another column of 4 */
static gboolean
is_lost (guint number)
{
  return number < N_PACKETS && number % 4 == number / 4 % 4 && number % 8 < 4;
}

/* ---- tfrcsink to rtpst2022-1-fecdec ------------------------------------------------ */

typedef struct
{
  GstHarness *media, *fec;
  guint8 first_seq_known;
  guint16 first_seq;
  guint n_media, n_fec;
} Decoder;

static Decoder
decoder_new (void)
{
  GstElement *element = gst_element_factory_make ("rtpst2022-1-fecdec", NULL);
  Decoder decoder = { 0 };

  decoder.media = gst_harness_new_with_element (element, "sink", "src");
  decoder.fec = gst_harness_new_with_element (element, "fec_0", NULL);
  gst_harness_set_src_caps_str (decoder.media, RTP_CAPS);
  gst_harness_set_src_caps_str (decoder.fec, "application/x-rtp,payload=96");
  gst_object_unref (element);
  return decoder;
}

static void
decoder_free (Decoder *decoder)
{
  gst_harness_teardown (decoder->fec);
  gst_harness_teardown (decoder->media);
}

static GstBuffer *
new_buffer (gconstpointer data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = 0;
  return buffer;
}

static void
decode (Decoder *decoder, const guint8 *packet, gsize size)
{
  TfrcWireData data;
  guint number;

  if (tfrc_wire_classify (packet, size) != TFRC_WIRE_KIND_DATA)
    return;
  fail_unless_equals_int (tfrc_wire_parse_data (packet, size, &data), TFRC_WIRE_OK);
  if (data.payload_type == TFRC_WIRE_FEC_PAYLOAD_TYPE) {
    decoder->n_fec++;
    gst_harness_push (decoder->fec, new_buffer (packet, size));
    return;
  }
  if (!decoder->first_seq_known)
    decoder->first_seq = data.seq;
  decoder->first_seq_known = TRUE;
  decoder->n_media++;
  number = (guint16) (data.seq - decoder->first_seq);
  if (!is_lost (number))
    gst_harness_push (decoder->media, new_buffer (packet, size));
}

/* Each packet of the movie comes out, with a header and the payload of the original. */
static void
assert_complete (Decoder *decoder, GBytes *movie)
{
  const guint8 *ts = g_bytes_get_data (movie, NULL);
  gboolean is_here[N_PACKETS] = { FALSE };
  GstBuffer *buffer;
  guint n = 0;

  while ((buffer = gst_harness_try_pull (decoder->media)) != NULL) {
    TfrcWireData data;
    GstMapInfo map;
    guint number;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    fail_unless_equals_int (tfrc_wire_parse_data (map.data, map.size, &data), TFRC_WIRE_OK);
    number = (guint16) (data.seq - decoder->first_seq);
    fail_unless_equals_int (data.payload_type, TFRC_WIRE_PAYLOAD_TYPE);
    fail_unless_equals_int (data.payload_bytes, PAYLOAD_BYTES);
    fail_unless (
        memcmp (map.data + data.header_bytes, ts + number * PAYLOAD_BYTES, PAYLOAD_BYTES) == 0,
        "packet %u", number);
    if (number < N_PACKETS) {
      fail_if (is_here[number]);
      is_here[number] = TRUE;
      n++;
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (n, N_PACKETS);
}

static void
check_decoder (const gchar *fec, guint n_fec)
{
  GBytes *movie = test_movie (7 * (N_PACKETS + BEHIND), 1);
  TestPeer *peer = test_peer_new (0);
  gchar *properties = g_strdup_printf (
      "min-bitrate=20000000 unresponsive-receiver=true fec=\"%s\"", fec);
  TestSender *sender = test_sender_new (peer->port, properties);
  Decoder decoder = decoder_new ();
  guint8 packet[2048];

  test_sender_push_bytes (sender, movie, 0);
  while (decoder.n_media < N_PACKETS + BEHIND || decoder.n_fec < n_fec)
    decode (&decoder, packet, test_peer_receive (peer, packet, sizeof packet));
  assert_complete (&decoder, movie);
  fail_unless (test_stat (sender->sink, "fec-packets-sent") >= n_fec);
  decoder_free (&decoder);
  test_sender_free (sender);
  test_peer_free (peer);
  g_free (properties);
  g_bytes_unref (movie);
}

GST_START_TEST (test_gstreamers_decoder_reads_rows)
{
  if (has_element ("rtpst2022-1-fecdec"))
    check_decoder ("4", (N_PACKETS + BEHIND) / 4);
}

GST_END_TEST;

GST_START_TEST (test_gstreamers_decoder_reads_columns)
{
  if (has_element ("rtpst2022-1-fecdec"))
    check_decoder ("4,4,columns", (N_PACKETS + BEHIND) / 16 * 4);
}

GST_END_TEST;

GST_START_TEST (test_gstreamers_decoder_reads_rows_and_columns)
{
  if (has_element ("rtpst2022-1-fecdec"))
    check_decoder ("4,4", (N_PACKETS + BEHIND) / 4 + (N_PACKETS + BEHIND) / 16 * 4);
}

GST_END_TEST;

/* ---- rtpst2022-1-fecenc to tfrcsrc -------------------------------------------------- */

typedef struct
{
  TestReceiver *receiver;
  TestPeer *peer;
  guint n_media, n_fec;
} Way;

static void
send_buffer (Way *way, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  test_peer_send (way->peer, way->receiver->port, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static GstFlowReturn
on_media (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Way *way = g_object_get_data (G_OBJECT (pad), "way");

  if (way->n_media < FIRST_LOST || !is_lost (way->n_media))
    send_buffer (way, buffer);
  way->n_media++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstFlowReturn
on_fec (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Way *way = g_object_get_data (G_OBJECT (pad), "way");

  way->n_fec++;
  send_buffer (way, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static GstPad *
add_pad (GstElement *encoder, const gchar *name, GstPadChainFunction chain, Way *way)
{
  GstPad *source = gst_element_get_static_pad (encoder, name);
  GstPad *pad = gst_pad_new (NULL, GST_PAD_SINK);

  g_object_set_data (G_OBJECT (pad), "way", way);
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_active (pad, TRUE);
  fail_unless_equals_int (gst_pad_link (source, pad), GST_PAD_LINK_OK);
  gst_object_unref (source);
  return pad;
}

static GstBuffer *
new_rtp (guint number, const guint8 *ts)
{
  guint8 packet[12 + PAYLOAD_BYTES] = { 0x80, 33 };

  GST_WRITE_UINT16_BE (packet + 2, 65500 + number);
  GST_WRITE_UINT32_BE (packet + 4, number * 1500);
  memcpy (packet + 12, ts + number * PAYLOAD_BYTES, PAYLOAD_BYTES);
  return new_buffer (packet, sizeof packet);
}

static void
encode (GstElement *encoder, GBytes *movie)
{
  GstPad *source = gst_pad_new ("source", GST_PAD_SRC);
  GstPad *sink = gst_element_get_static_pad (encoder, "sink");
  GstSegment segment;
  GstCaps *caps = gst_caps_from_string (RTP_CAPS);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_set_active (source, TRUE);
  gst_pad_link (source, sink);
  gst_pad_push_event (source, gst_event_new_stream_start ("movie"));
  gst_pad_push_event (source, gst_event_new_caps (caps));
  gst_pad_push_event (source, gst_event_new_segment (&segment));
  for (guint i = 0; i < N_PACKETS + BEHIND; i++)
    gst_pad_push (source, new_rtp (i, g_bytes_get_data (movie, NULL)));
  gst_caps_unref (caps);
  gst_object_unref (sink);
  gst_object_unref (source);
}

/* What is missing waits for an hour. The encoder sends a FEC packet before the last packet of its row, which then
 * comes twice. */
GST_START_TEST (test_tfrcsrc_reads_what_gstreamers_encoder_sends)
{
  GBytes *movie = test_movie (7 * (N_PACKETS + BEHIND), 1);
  GstElement *encoder;
  GstPad *media, *columns, *rows;
  Way way = { 0 };

  if (has_element ("rtpst2022-1-fecenc")) {
    way.receiver = test_receiver_new ("latency=3600000");
    way.peer = test_peer_new (0);
    encoder = gst_element_factory_make ("rtpst2022-1-fecenc", NULL);
    g_object_set (encoder, "columns", 4, "rows", 4, NULL);
    gst_element_set_state (encoder, GST_STATE_PLAYING);
    media = add_pad (encoder, "src", on_media, &way);
    columns = add_pad (encoder, "fec_0", on_fec, &way);
    rows = add_pad (encoder, "fec_1", on_fec, &way);
    encode (encoder, movie);
    fail_unless (way.n_fec > N_PACKETS / 4);
    test_receiver_wait_movie (way.receiver, movie);
    fail_unless (
        test_stat (way.receiver->src, "packets-recovered") >= (N_PACKETS - FIRST_LOST) / 8);
    gst_element_set_state (encoder, GST_STATE_NULL);
    gst_object_unref (media);
    gst_object_unref (columns);
    gst_object_unref (rows);
    gst_object_unref (encoder);
    test_receiver_free (way.receiver);
    test_peer_free (way.peer);
  }
  g_bytes_unref (movie);
}

GST_END_TEST;

/* ---- with keys ------------------------------------------------------------------------ */

GST_START_TEST (test_protected_streams_have_fec)
{
  TestReceiver *receiver = test_receiver_new ("passphrase=correct-horse-battery");
  TestSender *sender = test_sender_new (
      receiver->port, "passphrase=correct-horse-battery fec=\"4,4\"");
  GBytes *movie = test_movie (7 * (N_PACKETS + BEHIND), 1);

  test_sender_push_bytes (sender, movie, 0);
  test_sender_eos (sender);
  test_receiver_wait_movie (receiver, movie);
  test_receiver_wait_eos (receiver);
  fail_unless_equals_uint64 (test_stat (receiver->src, "fec-packets"),
      (N_PACKETS + BEHIND) / 4 + (N_PACKETS + BEHIND) / 16 * 4);
  fail_unless_equals_uint64 (test_stat (receiver->src, "fec-packets-refused"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-refused-authentication"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
fecinterop_suite (void)
{
  Suite *suite = suite_create ("fecinterop");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_gstreamers_decoder_reads_rows);
  tcase_add_test (tcase, test_gstreamers_decoder_reads_columns);
  tcase_add_test (tcase, test_gstreamers_decoder_reads_rows_and_columns);
  tcase_add_test (tcase, test_tfrcsrc_reads_what_gstreamers_encoder_sends);
  tcase_add_test (tcase, test_protected_streams_have_fec);
  return suite;
}

GST_CHECK_MAIN (fecinterop);
