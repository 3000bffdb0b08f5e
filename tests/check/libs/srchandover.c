/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver's session changes links, see gst/flow/reception.h. */
#include "gst/flow/reception.h"
#include "srcsessiontest.h"

#define OLD_HOST "127.0.0.1"
#define NEW_HOST "127.0.0.2"

static GstTfrcAddress
address (const gchar *host)
{
  GstTfrcAddress result;

  fail_unless (gst_tfrc_address_resolve (&result, host, 0, AF_INET, NULL));
  return result;
}

/* A packet arrives now over the link with this number, to this address. */
static void
data_over (guint8 link, const gchar *host)
{
  GstTfrcReceivedPacket packet = received (&t, NULL, 0);
  TfrcArrival arrival;

  packet.local = address (host);
  fail_unless (gst_tfrc_reception_on_data (t.src, &header, &packet, link, &arrival));
  header.seq++;
  header.send_time_us += 10000;
  t.now_ns += 10 * MS;
}

static void
check_local (const gchar *host)
{
  GstTfrcAddress expected = { 0 };

  if (host)
    expected = address (host);
  fail_unless (gst_tfrc_address_equal (gst_tfrc_reception_get_local (t.src), &expected));
}

GST_START_TEST (answers_leave_from_where_data_comes_over_the_link_in_use)
{
  start_alone ();
  data_over (0, OLD_HOST);
  check_local (OLD_HOST);
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  check_local (NULL);
  data_over (0, OLD_HOST);
  check_local (NULL);
  data_over (1, NEW_HOST);
  check_local (NEW_HOST);
  data_over (0, OLD_HOST);
  check_local (NEW_HOST);
}

GST_END_TEST;

static void
stream_over (guint8 link, guint ms)
{
  for (guint64 end_ns = t.now_ns + ms * MS; t.now_ns < end_ns; serve_src (&t))
    data_over (link, link == 0 ? OLD_HOST : NEW_HOST);
}

GST_START_TEST (feedback_tells_of_the_handover_at_once)
{
  guint before;

  start_alone ();
  stream_over (0, 1000);
  before = t.feedbacks;
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  fail_unless (gst_tfrc_reception_next_ns (t.src) <= t.now_ns);
  serve_src (&t);
  fail_unless_equals_int (t.feedbacks, before + 1);
  fail_unless (t.feedback.feedback.handover);
  fail_if (t.feedback.feedback.new_link);
}

GST_END_TEST;

/* The rate of segments in 1 Mbit/s with headers of 20, 8 and 24 bytes */
GST_START_TEST (a_bandwidth_is_that_of_whole_packets)
{
  const guint64 left_Bps = 1000000 / 8 * SEGMENT / (SEGMENT + 52);
  guint64 told_Bps;

  start_alone_at (address (OLD_HOST));
  stream_over (0, 1000);
  gst_tfrc_reception_start_handover (t.src, 1, 1000000, FALSE, t.now_ns);
  serve_src (&t);
  fail_unless (t.feedback.feedback.bandwidth);
  told_Bps = 2 * t.feedback.feedback.x_recv_Bps;
  fail_unless (told_Bps <= left_Bps && told_Bps + 2 >= left_Bps);
}

GST_END_TEST;

GST_START_TEST (data_over_the_old_link_alone_is_a_failure)
{
  start_alone ();
  stream_over (0, 1000);
  fail_if (gst_tfrc_reception_handover_failed (t.src, t.now_ns));
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  stream_over (0, 990);
  fail_if (gst_tfrc_reception_handover_failed (t.src, t.now_ns));
  stream_over (0, 40);
  fail_unless (gst_tfrc_reception_handover_failed (t.src, t.now_ns));
}

GST_END_TEST;

GST_START_TEST (one_packet_over_the_new_link_prevents_a_failure)
{
  start_alone ();
  stream_over (0, 1000);
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  stream_over (0, 500);
  data_over (1, NEW_HOST);
  stream_over (0, 5000);
  fail_if (gst_tfrc_reception_handover_failed (t.src, t.now_ns));
}

GST_END_TEST;

/* ---- events -------------------------------------------------------------- */

/* Takes the oldest event, which has to be of this kind. */
static GstTfrcHandoverEvent
take_news (GstTfrcHandoverEventKind kind)
{
  GstTfrcEvent news;

  fail_unless (gst_tfrc_events_take (&t.src_waiting, &news));
  fail_unless_equals_int (news.kind, GST_TFRC_EVENT_HANDOVER);
  fail_unless_equals_int (news.of.handover.kind, kind);
  return news.of.handover;
}

static void
check_next_news (GstTfrcHandoverEventKind kind, TfrcHandoverPhase phase)
{
  fail_unless_equals_int (take_news (kind).phase, phase);
}

static GstTfrcHandoverEvent
take_end (void)
{
  GstTfrcHandoverEvent news = take_news (GST_TFRC_HANDOVER_EVENT_COMPLETED);

  fail_if (gst_tfrc_events_are_waiting (&t.src_waiting));
  return news;
}

static gboolean
log_news (void)
{
  gst_tfrc_reception_log_handover (t.src, t.now_ns);
  return gst_tfrc_events_are_waiting (&t.src_waiting);
}

/* A packet arrives over this link. The events that follow are noted. */
static void
step (guint8 link)
{
  data_over (link, link == 0 ? OLD_HOST : NEW_HOST);
  serve_src (&t);
  log_news ();
}

static void
mark (guint8 flags)
{
  /* mark of the first handover */
  header.has_flags = flags != 0;
  header.flags = flags ? flags | 1 << 2 : 0;
}

GST_START_TEST (a_handover_is_reported_step_by_step)
{
  GstTfrcHandoverEvent end;

  start_alone ();
  stream_over (0, 1000);
  fail_if (log_news ());
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  fail_unless (log_news ());
  check_next_news (GST_TFRC_HANDOVER_EVENT_STARTED, TFRC_HANDOVER_STARTED);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_STARTED);
  fail_if (log_news ());
  step (0);
  step (0);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_OLD_LINK);
  header.seq += 10; /* packets that are lost */
  step (1);
  step (1);
  step (1);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NEW_LINK);
  header.rtt_us = 40000;
  mark (TFRC_WIRE_FLAG_ECHO | TFRC_WIRE_FLAG_DIRECT);
  step (1);
  step (1);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_ECHO);
  mark (0);
  step (1);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NORMAL);
  end = take_end ();
  fail_unless (end.completed);
  fail_unless_equals_uint64 (end.duration_ns, 80 * MS);
  fail_unless_equals_uint64 (end.before.rtt_ns, 100 * MS);
  fail_unless_equals_uint64 (end.after.rtt_ns, 40 * MS);
  fail_unless (end.before.rate_bps > 0);
  fail_unless_equals_uint64 (end.after.packets_lost - end.before.packets_lost, 10);
}

GST_END_TEST;

GST_START_TEST (a_handover_that_is_given_up_is_reported_as_given_up)
{
  start_alone ();
  stream_over (0, 1000);
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  log_news ();
  check_next_news (GST_TFRC_HANDOVER_EVENT_STARTED, TFRC_HANDOVER_STARTED);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_STARTED);
  for (guint i = 0; i < 150; i++)
    step (0);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_OLD_LINK);
  check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_NORMAL);
  fail_if (take_end ().completed);
}

GST_END_TEST;

GST_START_TEST (a_handover_ends_the_previous_handover)
{
  start_alone ();
  stream_over (0, 1000);
  for (guint8 link = 1; link <= 2; link++) {
    gst_tfrc_reception_start_handover (t.src, link, 0, FALSE, t.now_ns);
    log_news ();
    if (link == 2)
      check_next_news (GST_TFRC_HANDOVER_EVENT_COMPLETED, TFRC_HANDOVER_NORMAL);
    check_next_news (GST_TFRC_HANDOVER_EVENT_STARTED, TFRC_HANDOVER_STARTED);
    check_next_news (GST_TFRC_HANDOVER_EVENT_PHASE, TFRC_HANDOVER_STARTED);
  }
}

GST_END_TEST;

/* ---- with a sender --------------------------------------------------------- */

GST_START_TEST (a_whole_handover_ends_with_the_new_round_trip_time)
{
  TfrcReceiverStats stats;

  session_test_connect (&t);
  t.backlog = 100000;
  run (&t, 5 * S);
  gst_tfrc_reception_start_handover (t.src, 1, 0, FALSE, t.now_ns);
  t.link = 1;
  t.delay_ns = 5 * MS;
  run (&t, S);
  stats = src_stats (&t).receiver;
  fail_unless_equals_uint64 (stats.handovers_completed, 1);
  fail_unless_equals_uint64 (stats.packets_lost, 0);
  fail_unless (stats.rtt_ns <= 11 * MS, "%" G_GUINT64_FORMAT, stats.rtt_ns);
  fail_if (gst_tfrc_reception_handover_failed (t.src, t.now_ns + S));
}

GST_END_TEST;

static Suite *
srchandover_suite (void)
{
  Suite *s = suite_create ("srchandover");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, answers_leave_from_where_data_comes_over_the_link_in_use);
  tcase_add_test (tc, feedback_tells_of_the_handover_at_once);
  tcase_add_test (tc, a_bandwidth_is_that_of_whole_packets);
  tcase_add_test (tc, data_over_the_old_link_alone_is_a_failure);
  tcase_add_test (tc, one_packet_over_the_new_link_prevents_a_failure);
  tcase_add_test (tc, a_handover_is_reported_step_by_step);
  tcase_add_test (tc, a_handover_that_is_given_up_is_reported_as_given_up);
  tcase_add_test (tc, a_handover_ends_the_previous_handover);
  tcase_add_test (tc, a_whole_handover_ends_with_the_new_round_trip_time);
  return s;
}

GST_CHECK_MAIN (srchandover);
