/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrc-send and tfrc-recv print: progress lines, summaries and metrics */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "progress.h"
#include "tools/stats/prometheus.h"

#define S G_USEC_PER_SEC

static const Program sender = { .verb = "sent",
  .packets = "packets-sent",
  .bytes = "bytes-sent",
  .delay = "sender-delay-mean",
  .delay_name = "sender delay" };

static GstStructure *
stats_new (guint64 packets, guint64 bytes)
{
  return gst_structure_new ("stats", "packets-sent", G_TYPE_UINT64, packets, "bytes-sent",
      G_TYPE_UINT64, bytes, "packets-lost", G_TYPE_UINT64, (guint64) 3, "rtt", G_TYPE_UINT64,
      40100 * GST_USECOND, NULL);
}

static void
assert_progress (
    guint64 packets, guint64 bytes, gint64 now_us, ProgressMark *mark, const gchar *expected)
{
  GstStructure *stats = stats_new (packets, bytes);
  gchar *line = progress_format (&sender, stats, now_us, 5 * S, mark);

  ck_assert_str_eq (line, expected);
  g_free (line);
  gst_structure_free (stats);
}

GST_START_TEST (rate_is_that_since_the_line_before)
{
  ProgressMark mark = { 0, 0 };

  assert_progress (100, 250000, 7 * S, &mark,
      "2 s: 1000 kbit/s, 100 packets sent, 3 lost, RTT 40.1 ms, sender delay -");
  assert_progress (150, 500000, 8 * S, &mark,
      "3 s: 2000 kbit/s, 150 packets sent, 3 lost, RTT 40.1 ms, sender delay -");
  assert_progress (150, 500000, 8 * S, &mark,
      "3 s: 0 kbit/s, 150 packets sent, 3 lost, RTT 40.1 ms, sender delay -");
}
GST_END_TEST;

GST_START_TEST (another_stream_counts_from_zero)
{
  ProgressMark mark = { 7 * S, 250000 };

  assert_progress (
      1, 1316, 8 * S, &mark, "3 s: 0 kbit/s, 1 packets sent, 3 lost, RTT 40.1 ms, sender delay -");
  assert_progress (2, 126316, 9 * S, &mark,
      "4 s: 1000 kbit/s, 2 packets sent, 3 lost, RTT 40.1 ms, sender delay -");
}
GST_END_TEST;

GST_START_TEST (summary_has_dropped_packets_and_delay)
{
  GstStructure *stats = stats_new (100, 131600);
  gchar *line;

  gst_structure_set (stats, "packets-dropped", G_TYPE_UINT64, (guint64) 2, "packets-past-deadline",
      G_TYPE_UINT64, (guint64) 4, "sender-delay-mean", G_TYPE_UINT64, 3 * GST_MSECOND, NULL);
  line = progress_summary (&sender, stats, 15 * S, 5 * S);
  ck_assert_str_eq (line,
      "100 packets sent, 3 lost, 2 dropped, 4 past their deadline, 131600 bytes in 10.0 s, RTT 40.1 ms, "
      "sender delay 3.0 ms");
  g_free (line);
  gst_structure_free (stats);
}
GST_END_TEST;

GST_START_TEST (advice_is_the_latency_that_99_percent_need)
{
  GstStructure *stats = gst_structure_new ("stats", "packets-past-latency", G_TYPE_UINT64,
      (guint64) 12, "past-latency-p99", G_TYPE_UINT64, 310 * GST_MSECOND, "past-latency-max",
      G_TYPE_UINT64, 402 * GST_MSECOND, NULL);
  gchar *text = progress_advice (stats, 200);

  ck_assert_str_eq (text,
      "12 packets came later than latency=200 has them played, up to 402 ms; latency=550 would have "
      "had 99 % of them in time");
  g_free (text);
  gst_structure_set (stats, "past-latency-p99", G_TYPE_UINT64, 300 * GST_MSECOND, NULL);
  text = progress_advice (stats, 200);
  fail_unless (strstr (text, "latency=500 would") != NULL, "%s", text);
  g_free (text);
  gst_structure_set (stats, "packets-past-latency", G_TYPE_UINT64, (guint64) 0, NULL);
  fail_unless (progress_advice (stats, 200) == NULL);
  gst_structure_free (stats);
}
GST_END_TEST;

/* Nothing stands there while nothing is asked for. */
GST_START_TEST (both_texts_have_what_was_asked_for_and_repaired)
{
  GstStructure *stats = stats_new (100, 131600);
  ProgressMark mark = { 0, 0 };
  gchar *line;

  gst_structure_set (stats, "packets-requested", G_TYPE_UINT64, (guint64) 5, "packets-repaired",
      G_TYPE_UINT64, (guint64) 3, NULL);
  line = progress_format (&sender, stats, 15 * S, 5 * S, &mark);
  ck_assert_str_eq (line,
      "10 s: 105 kbit/s, 100 packets sent, 3 lost, 5 requested, 3 repaired, RTT 40.1 ms, sender delay -");
  g_free (line);
  line = progress_summary (&sender, stats, 15 * S, 5 * S);
  ck_assert_str_eq (line,
      "100 packets sent, 3 lost, 5 requested, 3 repaired, 131600 bytes in 10.0 s, RTT 40.1 ms, "
      "sender delay -");
  g_free (line);
  gst_structure_free (stats);
}
GST_END_TEST;

GST_START_TEST (metrics_have_what_was_asked_for_and_repaired)
{
  GstStructure *stats = stats_new (100, 131600);
  const PrometheusStream stream = { "", stats };
  GString *text = g_string_new (NULL);

  gst_structure_set (stats, "packets-requested", G_TYPE_UINT64, (guint64) 5, "packets-repaired",
      G_TYPE_UINT64, (guint64) 3, NULL);
  prometheus_add_streams (text, "tfrc_", &stream, 1);
  fail_unless (strstr (text->str, "\ntfrc_packets_requested_total 5\n") != NULL);
  fail_unless (strstr (text->str, "\ntfrc_packets_repaired_total 3\n") != NULL);
  g_string_free (text, TRUE);
  gst_structure_free (stats);
}
GST_END_TEST;

GST_START_TEST (metrics_have_base_units_and_known_fields_only)
{
  GstStructure *stats = gst_structure_new ("stats", "allowed-rate", G_TYPE_DOUBLE, 8000.0, "rtt",
      G_TYPE_UINT64, 250 * GST_MSECOND, "peer-state", G_TYPE_STRING, "lost", "other", G_TYPE_UINT64,
      (guint64) 1, NULL);
  const PrometheusStream stream = { "", stats };
  GString *text = g_string_new (NULL);

  prometheus_add_streams (text, "tfrc_", &stream, 1);
  ck_assert_str_eq (text->str,
      "# HELP tfrc_allowed_rate_bytes_per_second X, the rate that TFRC allows.\n"
      "# TYPE tfrc_allowed_rate_bytes_per_second gauge\n"
      "tfrc_allowed_rate_bytes_per_second 1000\n"
      "# HELP tfrc_rtt_seconds R, the round-trip time.\n"
      "# TYPE tfrc_rtt_seconds gauge\n"
      "tfrc_rtt_seconds 0.25\n"
      "# HELP tfrc_receiver_connected 1 while the receiver answers, otherwise 0.\n"
      "# TYPE tfrc_receiver_connected gauge\n"
      "tfrc_receiver_connected 0\n");
  g_string_free (text, TRUE);
  gst_structure_free (stats);
}
GST_END_TEST;

static Suite *
streamtexts_suite (void)
{
  Suite *s = suite_create ("streamtexts");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, rate_is_that_since_the_line_before);
  tcase_add_test (tc, another_stream_counts_from_zero);
  tcase_add_test (tc, summary_has_dropped_packets_and_delay);
  tcase_add_test (tc, advice_is_the_latency_that_99_percent_need);
  tcase_add_test (tc, both_texts_have_what_was_asked_for_and_repaired);
  tcase_add_test (tc, metrics_have_what_was_asked_for_and_repaired);
  tcase_add_test (tc, metrics_have_base_units_and_known_fields_only);
  return s;
}

GST_CHECK_MAIN (streamtexts);
