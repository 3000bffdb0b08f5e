/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property `sender-address' of tfrcsrc. */
#include "tfrctest.h"

GST_START_TEST (test_text_that_names_no_sender_is_an_error)
{
  const gchar *texts[] = { "192.0.2.0/33", "192.0.2.1:0", "[2001:db8::1", "no.such.host.invalid" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GstElement *element = gst_check_setup_element ("tfrcsrc");
    TestLog *log = test_log_new (element);

    g_object_set (element, "port", 0, "sender-address", texts[i], NULL);
    fail_unless_equals_int (
        gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    test_log_wait_error (log, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
    test_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
    test_log_free (log);
  }
}

GST_END_TEST;

GST_START_TEST (test_sender_address_is_a_key_of_the_uri)
{
  GstElement *element = gst_check_setup_element ("tfrcsrc");
  gchar *text;

  fail_unless (gst_uri_handler_set_uri (
      GST_URI_HANDLER (element), "tfrc://127.0.0.1:5004?sender-address=192.0.2.0%2F24", NULL));
  g_object_get (element, "sender-address", &text, NULL);
  fail_unless_equals_string (text, "192.0.2.0/24");
  g_free (text);
  fail_unless (gst_uri_handler_set_uri (
      GST_URI_HANDLER (element), "tfrc://127.0.0.1:5004?sender-address=192.0.2.1:5006", NULL));
  g_object_get (element, "sender-address", &text, NULL);
  fail_unless_equals_string (text, "192.0.2.1:5006");
  g_free (text);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_packets_from_other_addresses_are_foreign)
{
  TestReceiver *receiver = test_receiver_new ("sender-address=127.0.0.0/25");
  TestPeer *other = test_peer_new_at ("127.0.0.200", 0);
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[2048];

  other->unresponsive = TRUE;
  for (guint i = 0; i < 10; i++)
    test_peer_send_data (other, receiver->port, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_log_wait_stat (receiver->log, "src", "foreign-packets", 10);
  test_peer_send_data (peer, receiver->port, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_receiver_wait_movie (receiver, movie);
  fail_unless_equals_uint64 (test_peer_poll (other, packet, sizeof packet), 0);
  test_peer_free (other);
  test_peer_free (peer);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_packets_from_other_addresses_do_not_end_the_wait_for_keys)
{
  TestReceiver *receiver = test_receiver_new (
      "sender-address=127.0.0.0/25 passphrase=correct-horse");
  TestPeer *other = test_peer_new_at ("127.0.0.200", 0);
  GBytes *movie = test_movie (7, 1);

  other->unresponsive = TRUE;
  for (guint i = 0; i < 10; i++)
    test_peer_send_data (other, receiver->port, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_log_wait_stat (receiver->log, "src", "foreign-packets", 10);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-refused-plaintext"), 0);
  test_peer_free (other);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
}

GST_END_TEST;

static gboolean
is_challenge (const TfrcWireRtcp *rtcp)
{
  return rtcp->has_challenge;
}

GST_START_TEST (test_a_sender_whose_port_is_known_gets_a_challenge)
{
  TestPeer *peer = test_peer_new (0);
  gchar *properties = g_strdup_printf ("sender-address=127.0.0.1:%d", peer->port);
  TestReceiver *receiver = test_receiver_new (properties);
  GBytes *movie = test_movie (7, 1);
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp probe = test_peer_receive_rtcp (peer, is_challenge);

  fail_unless_equals_int (gst_tfrc_address_port (&peer->from), receiver->port);
  test_peer_send (peer, receiver->port, packet,
      tfrc_wire_write_path_response (packet, peer->ssrc, probe.challenge));
  peer->unresponsive = TRUE; /* the response above was enough */
  test_peer_send_data (peer, receiver->port, g_bytes_get_data (movie, NULL), PAYLOAD_BYTES);
  test_receiver_wait_movie (receiver, movie);
  test_peer_free (peer);
  test_receiver_free (receiver);
  g_bytes_unref (movie);
  g_free (properties);
}

GST_END_TEST;

static Suite *
senderaddress_suite (void)
{
  Suite *suite = suite_create ("senderaddress");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_text_that_names_no_sender_is_an_error);
  tcase_add_test (tcase, test_sender_address_is_a_key_of_the_uri);
  tcase_add_test (tcase, test_packets_from_other_addresses_are_foreign);
  tcase_add_test (tcase, test_packets_from_other_addresses_do_not_end_the_wait_for_keys);
  tcase_add_test (tcase, test_a_sender_whose_port_is_known_gets_a_challenge);
  return suite;
}

GST_CHECK_MAIN (senderaddress);
