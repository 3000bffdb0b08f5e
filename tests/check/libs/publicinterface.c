/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rule for NULL in <tfrc/tfrc.h>, for each function; the version; and the getters of one
 * value. */
#include <gst/check/gstcheck.h>
#include <string.h>
#include <tfrc/path.h>
#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#define NOW GST_SECOND

static TfrcSender *sender;
static TfrcReceiver *receiver;
static TfrcSmoother *smoother;
static TfrcPath *path;
static TfrcData data;
static TfrcFeedback feedback;

static void
setup (void)
{
  fail_unless_equals_int (tfrc_sender_new (&sender, NULL), TFRC_OK);
  fail_unless_equals_int (tfrc_receiver_new (&receiver, NULL), TFRC_OK);
  fail_unless_equals_int (tfrc_smoother_new (&smoother, GST_SECOND), TFRC_OK);
  fail_unless_equals_int (tfrc_path_new (&path), TFRC_OK);
}

static void
teardown (void)
{
  tfrc_sender_free (sender);
  tfrc_receiver_free (receiver);
  tfrc_smoother_free (smoother);
  tfrc_path_free (path);
}

#define assert_argument(call) fail_unless_equals_int (call, TFRC_ERROR_ARGUMENT)

GST_START_TEST (test_free_allows_null)
{
  tfrc_sender_free (NULL);
  tfrc_receiver_free (NULL);
  tfrc_smoother_free (NULL);
  tfrc_path_free (NULL);
}

GST_END_TEST;

GST_START_TEST (test_sender_functions_refuse_null)
{
  TfrcSenderStats stats;

  assert_argument (tfrc_sender_config_init (NULL));
  assert_argument (tfrc_sender_new (NULL, NULL));
  fail_unless (tfrc_sender_config_problem (NULL) == NULL); /* the defaults */
  assert_argument (tfrc_sender_prepare (NULL, 1000, NOW, &data));
  assert_argument (tfrc_sender_prepare (sender, 1000, NOW, NULL));
  assert_argument (tfrc_sender_check_feedback (NULL, &feedback, NOW));
  assert_argument (tfrc_sender_check_feedback (sender, NULL, NOW));
  assert_argument (tfrc_sender_on_feedback (NULL, &feedback, NOW));
  assert_argument (tfrc_sender_on_feedback (sender, NULL, NOW));
  assert_argument (tfrc_sender_set_rate_limits (NULL, 0, 0));
  assert_argument (tfrc_sender_get_stats (NULL, &stats));
  assert_argument (tfrc_sender_get_stats (sender, NULL));
  fail_unless_equals_uint64 (tfrc_sender_next_send_ns (NULL), TFRC_TIME_NEVER);
  fail_unless_equals_uint64 (tfrc_sender_next_timeout_ns (NULL), TFRC_TIME_NEVER);
  fail_unless_equals_int (tfrc_sender_wire_time_us (NULL, NOW), 0);
  tfrc_sender_cancel (NULL, 1000);
  tfrc_sender_on_timeout (NULL, NOW);
  tfrc_sender_on_peer_alive (NULL, NOW);
  tfrc_sender_spend_credit (NULL, TRUE);
  fail_unless_equals_uint64 (tfrc_sender_get_used_until_ns (NULL), TFRC_TIME_NEVER);
  tfrc_sender_on_new_path (NULL, 0, NOW);
  fail_unless (tfrc_sender_get_rate_Bps (NULL) == 0);
  fail_unless (tfrc_sender_get_inst_rate_Bps (NULL) == 0);
  fail_unless (tfrc_sender_get_loss_event_rate (NULL) == 0);
  fail_unless_equals_uint64 (tfrc_sender_get_rtt_ns (NULL), 0);
  fail_unless_equals_uint64 (tfrc_sender_get_packets_sent (NULL), 0);
  fail_unless_equals_uint64 (tfrc_sender_get_bytes_sent (NULL), 0);
  fail_unless_equals_uint64 (tfrc_sender_get_nofeedback_expirations (NULL), 0);
  /* the state of the sender has not changed */
  fail_unless_equals_int (tfrc_sender_get_stats (sender, &stats), TFRC_OK);
  fail_unless_equals_uint64 (stats.packets_sent + stats.feedbacks_refused, 0);
}

GST_END_TEST;

GST_START_TEST (test_receiver_functions_refuse_null)
{
  TfrcHandover handover = { .link = 1 };
  TfrcLossStatistics statistics;
  TfrcReceiverStats stats;

  assert_argument (tfrc_receiver_config_init (NULL));
  assert_argument (tfrc_receiver_new (NULL, NULL));
  fail_unless (tfrc_receiver_config_problem (NULL) == NULL); /* the defaults */
  assert_argument (tfrc_receiver_on_data (NULL, &data, NOW, NULL));
  assert_argument (tfrc_receiver_on_data (receiver, NULL, NOW, NULL));
  assert_argument (tfrc_receiver_request_feedback (NULL, NOW));
  assert_argument (tfrc_receiver_start_handover (NULL, &handover, NOW));
  assert_argument (tfrc_receiver_start_handover (receiver, NULL, NOW));
  assert_argument (tfrc_receiver_get_stats (NULL, &stats));
  assert_argument (tfrc_receiver_get_stats (receiver, NULL));
  assert_argument (tfrc_receiver_get_loss_statistics (NULL, &statistics));
  assert_argument (tfrc_receiver_get_loss_statistics (receiver, NULL));
  fail_unless_equals_uint64 (tfrc_receiver_next_feedback_ns (NULL), TFRC_TIME_NEVER);
  fail_if (tfrc_receiver_make_feedback (NULL, NOW, &feedback));
  tfrc_receiver_reset_loss_statistics (NULL);
  fail_unless (tfrc_receiver_get_loss_event_rate (NULL) == 0);
  fail_unless (tfrc_receiver_get_receive_rate_Bps (NULL) == 0);
  fail_unless_equals_uint64 (tfrc_receiver_get_rtt_ns (NULL), 0);
  fail_unless_equals_uint64 (tfrc_receiver_get_packets_received (NULL), 0);
  fail_unless_equals_int (tfrc_receiver_get_handover_phase (NULL), TFRC_HANDOVER_NORMAL);
  /* a packet makes feedback due, and the call has NULL for the result: the feedback stays due */
  data.size_bytes = 1000;
  fail_unless_equals_int (tfrc_receiver_on_data (receiver, &data, NOW, NULL), TFRC_OK);
  fail_if (tfrc_receiver_make_feedback (receiver, NOW, NULL));
}

GST_END_TEST;

GST_START_TEST (test_smoother_functions_refuse_null)
{
  assert_argument (tfrc_smoother_new (NULL, GST_SECOND));
  tfrc_smoother_offer (NULL, 1000, NOW);
  tfrc_smoother_take (NULL, 1000);
  tfrc_smoother_cancel (NULL, 1000);
  tfrc_smoother_reset (NULL);
  fail_unless_equals_uint64 (tfrc_smoother_next_ns (NULL), TFRC_TIME_NEVER);
  fail_unless (tfrc_smoother_get_rate_Bps (NULL, NOW) == 0);
}

GST_END_TEST;

GST_START_TEST (test_path_functions_refuse_null)
{
  TfrcPathConfig config = { .full_bytes = TFRC_WIRE_MIN_PATH_BYTES };
  guint8 bytes[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };

  assert_argument (tfrc_path_new (NULL));
  assert_argument (tfrc_path_start (NULL, &config, NOW));
  assert_argument (tfrc_path_start (path, NULL, NOW));
  fail_unless_equals_int (tfrc_path_start (path, &config, NOW), TFRC_OK);
  tfrc_path_on_received (path, 100);
  tfrc_path_copy (NULL, path);
  tfrc_path_copy (path, NULL);
  tfrc_path_restart (NULL, NOW);
  tfrc_path_on_received (NULL, 100);
  tfrc_path_on_time (NULL, NOW);
  fail_if (tfrc_path_on_response (NULL, bytes, NOW));
  fail_if (tfrc_path_on_response (path, NULL, NOW));
  fail_unless_equals_uint64 (tfrc_path_next_ns (NULL), TFRC_TIME_NEVER);
  fail_unless_equals_int (tfrc_path_take_challenge (NULL, NOW, bytes), 0);
  fail_unless_equals_int (tfrc_path_take_challenge (path, NOW, NULL), 0);
  fail_unless_equals_int (tfrc_path_get_state (NULL), TFRC_PATH_FAILED);
  fail_unless_equals_uint64 (tfrc_path_get_measured_rtt_ns (NULL), 0);
  fail_unless_equals_uint64 (tfrc_path_get_credit_bytes (NULL), 0);
  fail_unless_equals_uint64 (tfrc_path_get_credit_packets (NULL), 0);
  fail_if (tfrc_path_is_same_data (NULL, bytes));
  fail_if (tfrc_path_is_same_data (bytes, NULL));
  fail_if (tfrc_path_is_same_data (NULL, NULL));
  /* the challenge is still due */
  fail_unless_equals_int (tfrc_path_take_challenge (path, NOW, bytes), TFRC_WIRE_MIN_PATH_BYTES);
}

GST_END_TEST;

GST_START_TEST (test_wire_functions_refuse_null)
{
  guint8 buffer[TFRC_WIRE_MAX_RTCP_BYTES] = { 0x80, 33 };
  guint8 bytes[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };
  TfrcWireData wire = { .seq = 7 };
  TfrcWireRtcp rtcp = { 0 };

  data.seq = 9;
  fail_unless_equals_int (tfrc_wire_classify (NULL, 12), TFRC_WIRE_KIND_NONE);
  tfrc_wire_set_data (NULL, &data);
  tfrc_wire_set_data (&wire, NULL);
  tfrc_wire_get_data (NULL, &data);
  tfrc_wire_get_data (&wire, NULL);
  fail_unless_equals_int (wire.seq, 7);
  fail_unless_equals_int (data.seq, 9);
  fail_unless_equals_int (tfrc_wire_write_data (NULL, &wire), 0);
  fail_unless_equals_int (tfrc_wire_write_data (buffer, NULL), 0);
  fail_unless_equals_int (tfrc_wire_parse_data (NULL, 12, &wire), TFRC_WIRE_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_wire_parse_data (buffer, 12, NULL), TFRC_WIRE_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (NULL, 12, 0, &rtcp), TFRC_WIRE_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_wire_parse_rtcp (buffer, 12, 0, NULL), TFRC_WIRE_ERROR_ARGUMENT);
  fail_unless_equals_int (tfrc_wire_write_feedback (NULL, 0, 0, &feedback, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_feedback (buffer, 0, 0, NULL, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_feedback (buffer, 0, 0, &feedback, NULL), 28);
  fail_unless_equals_int (tfrc_wire_write_sender_report (NULL, &rtcp, "a"), 0);
  fail_unless_equals_int (tfrc_wire_write_sender_report (buffer, NULL, "a"), 0);
  fail_unless_equals_int (tfrc_wire_write_sender_report (buffer, &rtcp, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_receiver_report (NULL, &rtcp, "a"), 0);
  fail_unless_equals_int (tfrc_wire_write_receiver_report (buffer, NULL, "a"), 0);
  fail_unless_equals_int (tfrc_wire_write_receiver_report (buffer, &rtcp, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_path_challenge (NULL, 20, 0, bytes), 0);
  fail_unless_equals_int (tfrc_wire_write_path_challenge (buffer, 20, 0, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_path_response (NULL, 0, bytes), 0);
  fail_unless_equals_int (tfrc_wire_write_path_response (buffer, 0, NULL), 0);
  fail_unless_equals_int (tfrc_wire_write_bye (NULL, 0, "a"), 0);
  fail_unless_equals_int (tfrc_wire_write_bye (buffer, 0, NULL), 0);
}

GST_END_TEST;

GST_START_TEST (test_challenges_of_impossible_size_are_not_written)
{
  static guint8 buffer[64];
  const guint8 bytes[TFRC_WIRE_PATH_DATA_BYTES] = { 0 };
  const gsize wrong[] = { 0, 16, 21, 22, 23, 4 * 65536 + 4, G_MAXSIZE - 3 };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    fail_unless_equals_int (tfrc_wire_write_path_challenge (buffer, wrong[i], 0, bytes), 0);
  fail_unless_equals_int (tfrc_wire_write_path_challenge (buffer, 64, 0, bytes), 64);
}

GST_END_TEST;

/* ---- version ----------------------------------------------------------- */

GST_START_TEST (test_version_of_headers_and_library_agree)
{
  gchar *text = g_strdup_printf (
      "%d.%d.%d", TFRC_VERSION_MAJOR, TFRC_VERSION_MINOR, TFRC_VERSION_MICRO);

  fail_unless_equals_int (tfrc_version (), TFRC_VERSION);
  fail_unless_equals_string (tfrc_version_string (), text);
  fail_unless_equals_string (text, PROJECT_VERSION);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (test_later_versions_have_larger_numbers)
{
  fail_unless (TFRC_VERSION_ENCODE (0, 1, 255) < TFRC_VERSION_ENCODE (0, 2, 0));
  fail_unless (TFRC_VERSION_ENCODE (0, 255, 255) < TFRC_VERSION_ENCODE (1, 0, 0));
  fail_unless (TFRC_VERSION_ENCODE (1, 2, 3) < TFRC_VERSION_ENCODE (1, 2, 4));
}

GST_END_TEST;

/* ---- getters ----------------------------------------------------------- */

GST_START_TEST (test_getters_agree_with_the_statistics)
{
  TfrcReceiverStats receiver_stats;
  TfrcSenderStats stats;
  guint64 now = NOW;

  memset (&data, 0, sizeof data);
  memset (&feedback, 0, sizeof feedback);
  for (guint i = 0; i < 40; i++) {
    now = MAX (now + 10 * GST_MSECOND, tfrc_sender_next_send_ns (sender));
    fail_unless_equals_int (tfrc_sender_prepare (sender, 1000, now, &data), TFRC_OK);
    if (i % 9 != 5)
      fail_unless_equals_int (tfrc_receiver_on_data (receiver, &data, now, NULL), TFRC_OK);
    if (tfrc_receiver_make_feedback (receiver, now, &feedback))
      fail_unless_equals_int (
          tfrc_sender_on_feedback (sender, &feedback, now + 5 * GST_MSECOND), TFRC_OK);
    now += 5 * GST_MSECOND;
  }
  /* No feedback answers this packet. */
  now = MAX (now, tfrc_sender_next_send_ns (sender));
  fail_unless_equals_int (tfrc_sender_prepare (sender, 1000, now, &data), TFRC_OK);
  tfrc_sender_on_timeout (sender, tfrc_sender_next_timeout_ns (sender));
  tfrc_sender_get_stats (sender, &stats);
  fail_unless (stats.p > 0 && stats.rtt_ns > 0);
  fail_unless_equals_uint64 (stats.nofeedback_expirations, 1);
  fail_unless (tfrc_sender_get_rate_Bps (sender) == stats.x_Bps);
  fail_unless (tfrc_sender_get_loss_event_rate (sender) == stats.p);
  fail_unless_equals_uint64 (tfrc_sender_get_rtt_ns (sender), stats.rtt_ns);
  fail_unless_equals_uint64 (tfrc_sender_get_packets_sent (sender), 41);
  fail_unless_equals_uint64 (tfrc_sender_get_bytes_sent (sender), 41000);
  fail_unless_equals_uint64 (tfrc_sender_get_nofeedback_expirations (sender), 1);

  tfrc_receiver_get_stats (receiver, &receiver_stats);
  fail_unless (receiver_stats.p > 0 && receiver_stats.x_recv_Bps > 0 && receiver_stats.rtt_ns > 0);
  fail_unless (tfrc_receiver_get_loss_event_rate (receiver) == receiver_stats.p);
  fail_unless (tfrc_receiver_get_receive_rate_Bps (receiver) == receiver_stats.x_recv_Bps);
  fail_unless_equals_uint64 (tfrc_receiver_get_rtt_ns (receiver), receiver_stats.rtt_ns);
  fail_unless_equals_uint64 (tfrc_receiver_get_packets_received (receiver), 36);
  fail_unless_equals_int (tfrc_receiver_get_handover_phase (receiver), TFRC_HANDOVER_NORMAL);
}

GST_END_TEST;

static Suite *
publicinterface_suite (void)
{
  Suite *s = suite_create ("publicinterface");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_free_allows_null);
  tcase_add_test (tc, test_sender_functions_refuse_null);
  tcase_add_test (tc, test_receiver_functions_refuse_null);
  tcase_add_test (tc, test_smoother_functions_refuse_null);
  tcase_add_test (tc, test_path_functions_refuse_null);
  tcase_add_test (tc, test_wire_functions_refuse_null);
  tcase_add_test (tc, test_challenges_of_impossible_size_are_not_written);
  tcase_add_test (tc, test_version_of_headers_and_library_agree);
  tcase_add_test (tc, test_later_versions_have_larger_numbers);
  tcase_add_test (tc, test_getters_agree_with_the_statistics);
  return s;
}

GST_CHECK_MAIN (publicinterface);
