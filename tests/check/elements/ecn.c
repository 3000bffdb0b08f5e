/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN from element to element: over the loopback interface, which carries ECT, and over paths that
 * treat ECT badly. */
#include "../libs/testnet.h"
#include "testwire.h"
#include "tfrctest.h"

#define PACKETS 300

static GBytes *movie;

static void
setup (void)
{
  movie = test_movie (7 * PACKETS, 5);
}

static void
teardown (void)
{
  g_bytes_unref (movie);
}

/* A stream over a wire, or over no wire */
typedef struct
{
  TestReceiver *receiver;
  TestWire *wire;
  TestSender *sender;
} Stream;

static Stream
start (gboolean has_wire, TestWireEcn treatment, const gchar *properties)
{
  Stream stream = { .receiver = test_receiver_new ("address=::") };
  gint port = stream.receiver->port;

  if (has_wire) {
    stream.wire = test_wire_new (port, 5);
    test_wire_set_ecn (stream.wire, treatment);
    port = stream.wire->port;
  }
  stream.sender = test_sender_new (port, properties);
  return stream;
}

static void
finish (Stream *stream)
{
  test_sender_free (stream->sender);
  test_receiver_free (stream->receiver);
  if (stream->wire)
    test_wire_free (stream->wire);
}

static void
play (Stream *stream)
{
  test_sender_push_bytes (stream->sender, movie, 0);
  test_sender_eos (stream->sender);
  test_receiver_wait_movie (stream->receiver, movie);
}

static guint64
sink_stat (const Stream *stream, const gchar *field)
{
  return test_stat (stream->sender->sink, field);
}

static guint64
src_stat (const Stream *stream, const gchar *field)
{
  return test_stat (stream->receiver->src, field);
}

/* Waits for the message with this state, which must name this problem. */
static void
wait_for_message (Stream *stream, const gchar *state, const gchar *problem)
{
  GstMessage *message = test_log_wait (
      stream->sender->log, 1, GST_MESSAGE_ELEMENT, "tfrc-ecn", state);

  fail_unless_equals_string (
      gst_structure_get_string (gst_message_get_structure (message), "problem"), problem);
  gst_message_unref (message);
}

static void
check_loopback (const gchar *properties)
{
  Stream stream = start (FALSE, TEST_WIRE_PASSES_ECT, properties);

  play (&stream);
  wait_for_message (&stream, "capable", "none");
  test_assert_stat (stream.sender->sink, "ecn-state", "capable");
  test_assert_stat (stream.sender->sink, "ecn-problem", "none");
  fail_unless (sink_stat (&stream, "ecn-ect-sent") >= 4);
  fail_unless (sink_stat (&stream, "ecn-ect0-received") >= 4);
  fail_unless (src_stat (&stream, "ecn-ect0-received") >= 4);
  fail_unless_equals_uint64 (src_stat (&stream, "ecn-ect1-received"), 0);
  fail_unless_equals_uint64 (src_stat (&stream, "ecn-ect0-received")
          + src_stat (&stream, "ecn-not-ect-received") + src_stat (&stream, "ce-marks"),
      src_stat (&stream, "packets-received"));
  finish (&stream);
}

GST_START_TEST (test_ecn_is_on_by_default_and_works_on_the_loopback_interface)
{
  check_loopback (NULL);
  if (test_host_has_ipv6 ())
    check_loopback ("host=::1");
}

GST_END_TEST;

GST_START_TEST (test_a_protected_stream_has_ecn_too)
{
  Stream stream = { .receiver = test_receiver_new ("passphrase=0123456789") };

  stream.sender = test_sender_new (stream.receiver->port, "passphrase=0123456789");
  play (&stream);
  wait_for_message (&stream, "capable", "none");
  fail_unless (src_stat (&stream, "ecn-ect0-received") >= 4);
  finish (&stream);
}

GST_END_TEST;

GST_START_TEST (test_ecn_false_sends_no_ect)
{
  Stream stream = start (TRUE, TEST_WIRE_PASSES_ECT, "ecn=false");

  play (&stream);
  test_assert_stat (stream.sender->sink, "ecn-state", "off");
  fail_unless_equals_uint64 (sink_stat (&stream, "ecn-ect-sent"), 0);
  fail_unless_equals_uint64 (src_stat (&stream, "ecn-ect0-received"), 0);
  fail_unless_equals_int (g_atomic_int_get (&stream.wire->ect_packets), 0);
  finish (&stream);
}

GST_END_TEST;

GST_START_TEST (test_ect_stands_beside_the_dscp_and_on_data_alone)
{
  Stream stream = start (TRUE, TEST_WIRE_PASSES_ECT, "qos-dscp=46");

  play (&stream);
  wait_for_message (&stream, "capable", "none");
  fail_unless_equals_int_hex (g_atomic_int_get (&stream.wire->ect_tos), 46 << 2 | 2);
  fail_unless_equals_int_hex (g_atomic_int_get (&stream.wire->others_tos), 46 << 2);
  fail_unless_equals_int (g_atomic_int_get (&stream.wire->ect_rtcp), 0);
  finish (&stream);
}

GST_END_TEST;

GST_START_TEST (test_another_dscp_holds_for_packets_with_ect)
{
  Stream stream = start (TRUE, TEST_WIRE_PASSES_ECT, "qos-dscp=46");
  GBytes *rest = test_bytes_from (movie, 100 * PAYLOAD_BYTES);
  GBytes *begin = g_bytes_new_from_bytes (movie, 0, 100 * PAYLOAD_BYTES);

  test_sender_push_bytes (stream.sender, begin, 0);
  wait_for_message (&stream, "capable", "none");
  test_receiver_wait_bytes (stream.receiver, 100 * PAYLOAD_BYTES);
  g_object_set (stream.sender->sink, "qos-dscp", 10, NULL);
  test_sender_push_bytes (stream.sender, rest, 0);
  test_receiver_wait_movie (stream.receiver, movie);
  fail_unless_equals_int_hex (g_atomic_int_get (&stream.wire->ect_tos), 10 << 2 | 2);
  finish (&stream);
  g_bytes_unref (begin);
  g_bytes_unref (rest);
}

GST_END_TEST;

GST_START_TEST (test_bleaching_is_found_and_told_and_costs_nothing)
{
  Stream stream = start (TRUE, TEST_WIRE_BLEACHES_ECT, NULL);

  play (&stream);
  wait_for_message (&stream, "failed", "bleaching");
  test_assert_stat (stream.sender->sink, "ecn-state", "failed");
  test_assert_stat (stream.sender->sink, "ecn-problem", "bleaching");
  fail_unless_equals_uint64 (sink_stat (&stream, "ecn-failures"), 1);
  fail_unless (sink_stat (&stream, "ecn-ect-sent") <= 7);
  fail_unless_equals_uint64 (src_stat (&stream, "ecn-ect0-received"), 0);
  finish (&stream);
}

GST_END_TEST;

/* The packets that the wire has dropped are all that is missing, if they are not repaired. */
GST_START_TEST (test_a_black_hole_is_found_and_told_and_costs_seven_packets_at_most)
{
  Stream stream = start (TRUE, TEST_WIRE_DROPS_ECT, "do-retransmission=false");
  guint lost;

  test_sender_push_bytes (stream.sender, movie, 0);
  test_sender_eos (stream.sender);
  wait_for_message (&stream, "failed", "black-hole");
  test_receiver_wait_eos (stream.receiver);
  lost = (guint) g_atomic_int_get (&stream.wire->ect_packets);
  fail_unless (lost >= 4 && lost <= 7, "%u packets", lost);
  fail_unless_equals_uint64 (
      test_receiver_bytes (stream.receiver), (PACKETS - lost) * PAYLOAD_BYTES);
  finish (&stream);
}

GST_END_TEST;

GST_START_TEST (test_marks_make_the_sender_slower_and_lose_nothing)
{
  Stream stream = start (TRUE, TEST_WIRE_SETS_CE, NULL);

  play (&stream);
  fail_unless (src_stat (&stream, "ce-marks") > 0);
  fail_unless_equals_uint64 (src_stat (&stream, "packets-lost"), 0);
  fail_unless (test_stat_double (stream.receiver->src, "loss-event-rate") > 0);
  test_assert_stat (stream.sender->sink, "ecn-state", "capable");
  finish (&stream);
}

GST_END_TEST;

/* The source says so once, whatever number of packets is marked. */
GST_START_TEST (test_marks_on_packets_without_ect_are_told_once_and_cost_no_rate)
{
  Stream stream = start (TRUE, TEST_WIRE_SETS_ALL_CE, "ecn=false");

  play (&stream);
  gst_message_unref (test_log_wait (stream.receiver->log, 1, GST_MESSAGE_WARNING, NULL, NULL));
  test_receiver_wait_eos (stream.receiver);
  fail_unless_equals_int (
      test_log_count (stream.receiver->log, GST_MESSAGE_WARNING, NULL, NULL), 1);
  fail_unless_equals_uint64 (
      src_stat (&stream, "ce-marks-ignored"), src_stat (&stream, "packets-received"));
  fail_unless_equals_float (test_stat_double (stream.receiver->src, "loss-event-rate"), 0);
  finish (&stream);
}

GST_END_TEST;

static Suite *
ecn_suite (void)
{
  Suite *suite = suite_create ("ecn");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_ecn_is_on_by_default_and_works_on_the_loopback_interface);
  tcase_add_test (tcase, test_a_protected_stream_has_ecn_too);
  tcase_add_test (tcase, test_ecn_false_sends_no_ect);
  tcase_add_test (tcase, test_ect_stands_beside_the_dscp_and_on_data_alone);
  tcase_add_test (tcase, test_another_dscp_holds_for_packets_with_ect);
  tcase_add_test (tcase, test_bleaching_is_found_and_told_and_costs_nothing);
  tcase_add_test (tcase, test_a_black_hole_is_found_and_told_and_costs_seven_packets_at_most);
  tcase_add_test (tcase, test_marks_make_the_sender_slower_and_lose_nothing);
  tcase_add_test (tcase, test_marks_on_packets_without_ect_are_told_once_and_cost_no_rate);
  return suite;
}

GST_CHECK_MAIN (ecn)
