/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink's input is in RTP already, as rtpmp2tpay makes it. */
#include "tfrctest.h"

#include <gst/app/app.h>
#include <string.h>

#define N_PACKETS 10
#define INPUT_SSRC 0xdeadbeef
#define RTP_CAPS \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)MP2T, payload=(int)100"

static TestPeer *peer;
static TestSender *sender;
static GBytes *movie;

static void
start (void)
{
  GstCaps *caps = gst_caps_from_string (RTP_CAPS);

  peer = test_peer_new (0);
  sender = test_sender_new (peer->port, NULL);
  gst_app_src_set_caps (GST_APP_SRC (sender->appsrc), caps);
  gst_caps_unref (caps);
  movie = test_movie (7 * N_PACKETS, 1);
}

static void
finish (void)
{
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

/* Pushes a packet of RTP with this first octet, and with @extra bytes between header and payload. */
static void
push_rtp (guint nth, guint8 first, const guint8 *extra, gsize extra_bytes, guint padding)
{
  const guint8 *payload = (const guint8 *) g_bytes_get_data (movie, NULL) + nth * PAYLOAD_BYTES;
  guint8 packet[2048] = { first, 0x80 | 100 };
  gsize size = 12;

  GST_WRITE_UINT16_BE (packet + 2, 1000 + nth);
  GST_WRITE_UINT32_BE (packet + 4, 90000 * nth);
  GST_WRITE_UINT32_BE (packet + 8, INPUT_SSRC);
  if (extra_bytes > 0)
    memcpy (packet + size, extra, extra_bytes);
  size += extra_bytes;
  memcpy (packet + size, payload, PAYLOAD_BYTES);
  size += PAYLOAD_BYTES + padding;
  if (padding > 0)
    packet[size - 1] = (guint8) padding;
  test_sender_push (sender, packet, size);
}

/* Receives the whole movie, and checks the headers. */
static void
receive_movie (void)
{
  GByteArray *arrived = g_byte_array_new ();
  guint32 ssrc = 0;
  GBytes *whole;

  for (guint i = 0; i < N_PACKETS; i++) {
    TfrcWireData header = test_peer_receive_data (peer, arrived);

    fail_unless_equals_int (header.payload_type, TFRC_WIRE_PAYLOAD_TYPE);
    fail_unless (header.ssrc != INPUT_SSRC && (i == 0 || header.ssrc == ssrc));
    ssrc = header.ssrc;
    test_peer_send_feedback (peer, (gint) test_stat (sender->sink, "local-port"), &header, 1 + i);
  }
  whole = g_byte_array_free_to_bytes (arrived);
  test_fail_unless_equal_bytes (movie, whole);
  g_bytes_unref (whole);
}

GST_START_TEST (test_payload_is_sent_with_headers_of_the_sink)
{
  static const guint8 csrcs[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  static const guint8 extension[] = { 0x12, 0x34, 0, 1, 9, 9, 9, 9 };

  start ();
  push_rtp (0, 0x80, NULL, 0, 0);
  push_rtp (1, 0x82, csrcs, sizeof csrcs, 0);
  push_rtp (2, 0x90, extension, sizeof extension, 0);
  push_rtp (3, 0xa0, NULL, 0, 8);
  for (guint i = 4; i < N_PACKETS; i++)
    push_rtp (i, 0x80, NULL, 0, 0);
  receive_movie ();
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 0);
  finish ();
}

GST_END_TEST;

GST_START_TEST (test_what_is_no_rtp_is_skipped_with_one_warning)
{
  static const guint8 cut_extension[] = { 0x90, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9 };
  static const guint8 version_1[12] = { 0x40, 100 };

  start ();
  test_sender_push (sender, version_1, sizeof version_1);
  test_sender_push (sender, cut_extension, sizeof cut_extension);
  test_sender_push (sender, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES); /* no RTP header */
  for (guint i = 0; i < N_PACKETS; i++)
    push_rtp (i, 0x80, NULL, 0, 0);
  receive_movie ();
  fail_unless_equals_int (test_log_count (sender->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  finish ();
}

GST_END_TEST;

static Suite *
rtpinput_suite (void)
{
  Suite *suite = suite_create ("rtpinput");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_payload_is_sent_with_headers_of_the_sink);
  tcase_add_test (tcase, test_what_is_no_rtp_is_skipped_with_one_warning);
  return suite;
}

GST_CHECK_MAIN (rtpinput);
