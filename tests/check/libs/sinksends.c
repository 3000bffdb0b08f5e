/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failing sends in a stream with and without protection: the bytes that leave, and their numbers.
 * See gst/flow/sendbatch.c. The test gets the calls of gst_tfrc_socket_send(). */
#include "sendtest.h"

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

/* A sealed packet cannot get another number. The next packet's number tells of the drop, which is one however often
 * the packet is tried. */
GST_START_TEST (a_dropped_sealed_packet_leaves_as_it_was_sealed)
{
  GstTfrcSinkStream *stream = open_stream (TRUE);
  guint tries;

  set_failing (ENOBUFS);
  push (stream, 1);
  wait_for_tries (4);
  set_failing (0);
  drain (stream);
  tries = n_tried;
  for (guint i = 1; i < tries; i++)
    fail_unless (memcmp (&tried[i], &tried[0], sizeof tried[0]) == 0);
  push (stream, 2);
  drain (stream);
  fail_unless_equals_int (n_tried, tries + 1);
  fail_unless_equals_int (tried[tries].number, (guint16) (tried[0].number + 1));
  fail_unless_equals_int (tried[tries].transport, (guint16) (tried[0].transport + 2));
  gst_tfrc_sink_stream_free (stream);
}

GST_END_TEST;

/* The host's trouble does not count as congestion. */
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
  GstTfrcSendMedia *media = gst_tfrc_send_session_get_media (
      gst_tfrc_send_flow_get_session (gst_tfrc_sink_stream_get_flow (stream)));
  GstTfrcRtpStream *rtp = gst_tfrc_send_media_get_rtp (media, GST_TFRC_RTP_MEDIA);
  TfrcEcn *ecn = gst_tfrc_send_media_get_ecn (media);
  TfrcEcnReport report = { .not_ect = 1 };

  gst_tfrc_port_lock (gst_tfrc_sink_stream_get_port (stream));
  report.highest_seq = (guint16) (gst_tfrc_rtp_stream_get_numbers (rtp).first_seq - 1);
  fail_if (tfrc_ecn_on_packet (ecn, report.highest_seq, 0));
  tfrc_ecn_on_report (ecn, &report, 0);
  gst_tfrc_port_unlock (gst_tfrc_sink_stream_get_port (stream));
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

/* ---- time ---------------------------------------------------------------------- */

#define N_STATISTICS 20

static guint n_told; /* statistics that were due */

static void
count_statistics (gpointer user, GstTfrcSinkStream *stream)
{
  GstTfrcEvent event;

  while (gst_tfrc_sink_stream_take_event (stream, &event)) {
    g_mutex_lock (&lock);
    n_told += event.kind == GST_TFRC_EVENT_STATISTICS;
    g_cond_signal (&changed);
    g_mutex_unlock (&lock);
  }
}

static guint64
count_deadlines (void)
{
  GstTfrcIoLoopStats stats;

  gst_tfrc_io_loop_get_stats (&stats);
  return stats.deadlines;
}

/* Nothing else is due in this stream, except when it begins. */
GST_START_TEST (statistics_are_due_once_in_each_interval)
{
  GstTfrcSinkStream *stream = open_with (1000, FALSE, 5 * GST_MSECOND, count_statistics);
  guint64 served;

  g_mutex_lock (&lock);
  while (n_told < N_STATISTICS)
    g_cond_wait (&changed, &lock);
  served = count_deadlines ();
  fail_unless (served >= n_told && served < n_told * 3 / 2, "%u statistics, %u deadlines", n_told,
      (guint) served);
  g_mutex_unlock (&lock);
  gst_tfrc_sink_stream_free (stream);
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
  tcase_add_test (tc, statistics_are_due_once_in_each_interval);
  return s;
}

GST_CHECK_MAIN (sinksends);
