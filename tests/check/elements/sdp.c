/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink tells players of its stream */
#include <gst/sdp/sdp.h>

#include <string.h>

#include "tfrctest.h"

static gchar *
sdp_of (const gchar *properties)
{
  gchar *line = g_strdup_printf ("tfrcsink name=sink %s", properties);
  GstElement *sink = gst_parse_launch (line, NULL);
  gchar *text;

  fail_unless (sink != NULL);
  g_object_get (sink, "sdp", &text, NULL);
  gst_object_unref (sink);
  g_free (line);
  return text;
}

static void
assert_describes (const gchar *properties, const gchar *host, const gchar *family, guint port)
{
  gchar *text = sdp_of (properties);
  const GstSDPConnection *connection;
  const GstSDPMedia *media;
  GstSDPMessage *message;

  fail_unless (gst_sdp_message_new_from_text (text, &message) == GST_SDP_OK, "%s", text);
  fail_unless_equals_int (gst_sdp_message_medias_len (message), 1);
  media = gst_sdp_message_get_media (message, 0);
  fail_unless_equals_string (gst_sdp_media_get_media (media), "video");
  fail_unless_equals_int (gst_sdp_media_get_port (media), port);
  fail_unless_equals_string (gst_sdp_media_get_proto (media), "RTP/AVPF");
  fail_unless_equals_string (gst_sdp_media_get_format (media, 0), "33");
  fail_unless_equals_string (gst_sdp_media_get_attribute_val (media, "rtpmap"), "33 MP2T/90000");
  connection = gst_sdp_message_get_connection (message);
  fail_unless_equals_string (connection->address, host);
  fail_unless_equals_string (connection->addrtype, family);
  gst_sdp_message_free (message);
  g_free (text);
}

GST_START_TEST (test_sdp_describes_the_stream)
{
  assert_describes ("", "127.0.0.1", "IP4", 5004);
  assert_describes ("host=192.0.2.7 port=6000", "192.0.2.7", "IP4", 6000);
  assert_describes ("host=2001:db8::7 port=6002", "2001:db8::7", "IP6", 6002);
  assert_describes ("uri=tfrc://player.example:6004", "player.example", "IP4", 6004);
}

GST_END_TEST;

static gboolean
sdp_has (const gchar *properties, const gchar *line)
{
  gchar *text = sdp_of (properties);
  gboolean has = strstr (text, line) != NULL;

  g_free (text);
  return has;
}

GST_START_TEST (test_sdp_tells_where_rtcp_goes)
{
  fail_unless (sdp_has ("", "a=rtcp-mux\r\n"));
  fail_unless (sdp_has ("rtcp-port=5005", "a=rtcp:5005\r\n"));
  fail_if (sdp_has ("rtcp-port=5005", "rtcp-mux"));
  fail_unless (sdp_has ("rist=true", "a=rtcp:5005\r\n"));
  fail_unless (sdp_has ("rist=true rtcp-port=6000", "a=rtcp:6000\r\n"));
}

GST_END_TEST;

GST_START_TEST (test_sdp_offers_repairs)
{
  fail_unless (sdp_has ("", "m=video 5004 RTP/AVPF 33 97\r\n"));
  fail_unless (sdp_has ("", "a=rtcp-fb:33 nack\r\na=rtpmap:97 rtx/90000\r\n"));
  fail_unless (sdp_has ("", "a=fmtp:97 apt=33;rtx-time=500\r\n"));
  fail_unless (sdp_has ("playout-delay=1200", "a=fmtp:97 apt=33;rtx-time=1200\r\n"));
  fail_unless (sdp_has ("do-retransmission=false", "m=video 5004 RTP/AVP 33\r\n"));
  fail_if (sdp_has ("repair-buffer=0", "97"));
  fail_if (sdp_has ("repair-buffer=0", "nack\r\n"));
  fail_if (sdp_has ("rist=true", "97"));
}

GST_END_TEST;

/* A receiver that keeps to the description sends no feedback that it does not name (RFC 4585 section 4.2). */
GST_START_TEST (test_sdp_offers_picture_loss_indications)
{
  fail_unless (sdp_has ("", "a=rtcp-fb:33 nack pli\r\n"));
  fail_unless (sdp_has ("transport-cc=true do-retransmission=false", "a=rtcp-fb:33 nack pli\r\n"));
  fail_if (sdp_has ("do-retransmission=false", "rtcp-fb"));
}

GST_END_TEST;

GST_START_TEST (test_sdp_names_forward_error_correction)
{
  fail_unless (sdp_has ("fec=4,4", "m=video 5004 RTP/AVPF 33 97 96\r\n"));
  fail_unless (sdp_has ("fec=auto", "a=rtpmap:96 parityfec/90000\r\n"));
  fail_if (sdp_has ("", "96"));
}

GST_END_TEST;

GST_START_TEST (test_sdp_names_transport_wide_feedback)
{
  fail_if (sdp_has ("", "extmap"));
  fail_unless (
      sdp_has ("transport-cc=true do-retransmission=false", "m=video 5004 RTP/AVPF 33\r\n"));
  fail_unless (sdp_has ("transport-cc=true", "a=extmap:3 " TFRC_WIRE_EXT_TRANSPORT_SEQ_URI "\r\n"));
  fail_unless (sdp_has ("transport-cc=true", "a=rtcp-fb:33 transport-cc\r\n"));
}

GST_END_TEST;

GST_START_TEST (test_sdp_of_a_stream_with_keys_is_none)
{
  gchar *text;

  fail_unless (sdp_of ("passphrase=a-long-passphrase") == NULL);
  fail_unless (sdp_of ("private-key-file=/somewhere.pem") == NULL);
  text = sdp_of ("passphrase=a-long-passphrase protect=none");
  fail_unless (text != NULL);
  g_free (text);
}

GST_END_TEST;

/* A line break in the host would begin another line of the description. */
GST_START_TEST (test_sdp_of_a_host_that_is_none_is_none)
{
  static const gchar *const hosts[] = { "127.0.0.1\r\na=x", "127.0.0.1\n", "127.0.0.1\r", "a b",
    "a\tb", "a\x7f", "\x01" };
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  gchar *text;

  for (guint i = 0; i < G_N_ELEMENTS (hosts); i++) {
    g_object_set (sink, "host", hosts[i], NULL);
    g_object_get (sink, "sdp", &text, NULL);
    fail_unless (text == NULL, "%s", text);
  }
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
sdp_suite (void)
{
  Suite *suite = suite_create ("sdp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_sdp_describes_the_stream);
  tcase_add_test (tcase, test_sdp_tells_where_rtcp_goes);
  tcase_add_test (tcase, test_sdp_offers_repairs);
  tcase_add_test (tcase, test_sdp_offers_picture_loss_indications);
  tcase_add_test (tcase, test_sdp_names_forward_error_correction);
  tcase_add_test (tcase, test_sdp_names_transport_wide_feedback);
  tcase_add_test (tcase, test_sdp_of_a_stream_with_keys_is_none);
  tcase_add_test (tcase, test_sdp_of_a_host_that_is_none_is_none);
  return suite;
}

GST_CHECK_MAIN (sdp);
