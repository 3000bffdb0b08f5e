/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics and status of streams: see tools/server/metrics.h and status.h */
#include <gst/check/gstcheck.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "metrics.h"
#include "status.h"
#include "tools/stats/prometheus.h"

static void
status_init (StreamStatus *status, guint64 id, StreamState state, gchar *movie, gchar *host)
{
  memset (status, 0, sizeof *status);
  status->id = id;
  status->state = state;
  status->movie = movie;
  status->host = host;
  status->port = 5004;
  status->started = g_date_time_new_utc (2025, 2, 3, 4, 5, 6);
  status->stats = gst_structure_new ("stats", "allowed-rate", G_TYPE_DOUBLE, 800000.0, "rtt",
      G_TYPE_UINT64, (guint64) 40000000, "sender-delay-mean", G_TYPE_UINT64, (guint64) 1500000000,
      "packets-sent", G_TYPE_UINT64, (guint64) 123, "loss-ratio", G_TYPE_DOUBLE, 0.25, "peer-state",
      G_TYPE_STRING, "connected", NULL);
}

static void
status_clear (StreamStatus *status)
{
  g_date_time_unref (status->started);
  gst_structure_free (status->stats);
}

static gchar *
format (StreamStatus *statuses, guint count)
{
  const StreamTotals totals = { .started = 7, .finished[STREAM_STOPPED] = 4 };
  GPtrArray *list = g_ptr_array_new ();
  gchar *text;
  guint i;

  for (i = 0; i < count; i++)
    g_ptr_array_add (list, &statuses[i]);
  text = metrics_format (list, &totals, 50);
  g_ptr_array_unref (list);
  return text;
}

static void
assert_line (const gchar *text, const gchar *line)
{
  gchar *whole = g_strdup_printf ("\n%s\n", line);

  fail_unless (strstr (text, whole) != NULL, "'%s' is not in\n%s", line, text);
  g_free (whole);
}

GST_START_TEST (metrics_have_base_units_and_labels)
{
  StreamStatus statuses[2];
  gchar *text;

  status_init (&statuses[0], 5, STREAM_PLAYING, "a.ts", "192.0.2.1");
  status_init (&statuses[1], 6, STREAM_STOPPING, "b.mp4", "2001:db8::1");
  text = format (statuses, 2);
  assert_line (text, "vod_streams{state=\"playing\"} 1");
  assert_line (text, "vod_streams{state=\"stopping\"} 1");
  assert_line (text, "vod_streams{state=\"failed\"} 0");
  assert_line (text, "vod_streams_limit 50");
  assert_line (text, "vod_streams_started_total 7");
  assert_line (text, "vod_streams_finished_total{state=\"stopped\"} 4");
#define FIRST "{stream=\"5\",movie=\"a.ts\",receiver=\"192.0.2.1:5004\"}"
  assert_line (text, "vod_stream_receiver_connected" FIRST " 1");
  assert_line (text, "vod_stream_allowed_rate_bytes_per_second" FIRST " 100000");
  assert_line (text, "vod_stream_rtt_seconds" FIRST " 0.040000000000000001");
  assert_line (text, "vod_stream_sender_delay_mean_seconds" FIRST " 1.5");
  assert_line (text, "vod_stream_loss_ratio" FIRST " 0.25");
  assert_line (text, "vod_stream_packets_sent_total" FIRST " 123");
  assert_line (text,
      "vod_stream_packets_sent_total{stream=\"6\",movie=\"b.mp4\",receiver=\"[2001:db8::1]:5004\"} "
      "123");
  g_free (text);
  status_clear (&statuses[0]);
  status_clear (&statuses[1]);
}

GST_END_TEST;

GST_START_TEST (ended_streams_have_no_series_of_their_own)
{
  StreamStatus status;
  gchar *text;

  status_init (&status, 5, STREAM_FAILED, "a.ts", "192.0.2.1");
  text = format (&status, 1);
  fail_unless (strstr (text, "stream=\"5\"") == NULL);
  assert_line (text, "vod_streams{state=\"failed\"} 1");
  g_free (text);
  status_clear (&status);
}

GST_END_TEST;

GST_START_TEST (labels_are_escaped)
{
  gchar *label = prometheus_escape ("a\\b \"c\"\nd{}=,é");

  fail_unless_equals_string (label, "a\\\\b \\\"c\\\"\\nd{}=,é");
  g_free (label);
}

GST_END_TEST;

/* Each sample follows the HELP and TYPE lines of its metric, and counters end in _total. */
GST_START_TEST (every_metric_has_help_and_type)
{
  StreamStatus status;
  gchar *text, **lines, *name = NULL;
  guint i, samples = 0;

  status_init (&status, 1, STREAM_PLAYING, "a.ts", "192.0.2.1");
  text = format (&status, 1);
  lines = g_strsplit (text, "\n", -1);
  for (i = 0; lines[i + 1] != NULL; i++) {
    if (g_str_has_prefix (lines[i], "# HELP ")) {
      gchar **words = g_strsplit (lines[i], " ", 4), *type;
      gboolean is_counter = g_str_has_suffix (words[2], "_total");

      g_free (name);
      name = g_strdup (words[2]);
      type = g_strdup_printf ("# TYPE %s %s", name, is_counter ? "counter" : "gauge");
      fail_unless_equals_string (lines[++i], type);
      g_free (type);
      g_strfreev (words);
    } else {
      fail_unless (name != NULL && g_str_has_prefix (lines[i], name), "%s", lines[i]);
      fail_unless (strchr ("{ ", lines[i][strlen (name)]) != NULL, "%s", lines[i]);
      samples++;
    }
  }
  fail_unless_equals_string (lines[i], "");
  fail_unless (samples > 10);
  g_free (name);
  g_strfreev (lines);
  g_free (text);
  status_clear (&status);
}

GST_END_TEST;

GST_START_TEST (status_is_json_with_the_statistics)
{
  JsonParser *parser = json_parser_new ();
  JsonObject *object, *stats;
  StreamStatus status;
  gchar *text;

  status_init (&status, 5, STREAM_FAILED, "a \"b\".ts", "192.0.2.1");
  status.error = "it broke";
  gst_structure_set (status.stats, "receive-rate", G_TYPE_DOUBLE, INFINITY, "protected",
      G_TYPE_BOOLEAN, TRUE, "queue-packets", G_TYPE_UINT, 4u, NULL);
  text = status_stream (&status);
  fail_unless (json_parser_load_from_data (parser, text, -1, NULL), "%s", text);
  object = json_node_get_object (json_parser_get_root (parser));
  fail_unless_equals_int (json_object_get_int_member (object, "id"), 5);
  fail_unless_equals_string (json_object_get_string_member (object, "state"), "failed");
  fail_unless_equals_string (json_object_get_string_member (object, "movie"), "a \"b\".ts");
  fail_unless_equals_string (
      json_object_get_string_member (object, "started"), "2025-02-03T04:05:06Z");
  fail_unless_equals_string (json_object_get_string_member (object, "error"), "it broke");
  fail_if (json_object_has_member (object, "ended"));
  stats = json_object_get_object_member (object, "stats");
  fail_unless_equals_int (json_object_get_int_member (stats, "packets-sent"), 123);
  fail_unless_equals_int (json_object_get_int_member (stats, "queue-packets"), 4);
  fail_unless (json_object_get_boolean_member (stats, "protected"));
  fail_unless (json_object_get_null_member (stats, "receive-rate"));
  fail_unless_equals_string (json_object_get_string_member (stats, "peer-state"), "connected");
  g_free (text);
  g_object_unref (parser);
  status_clear (&status);
}

GST_END_TEST;

static Suite *
servermetrics_suite (void)
{
  Suite *s = suite_create ("servermetrics");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, metrics_have_base_units_and_labels);
  tcase_add_test (tc, ended_streams_have_no_series_of_their_own);
  tcase_add_test (tc, labels_are_escaped);
  tcase_add_test (tc, every_metric_has_help_and_type);
  tcase_add_test (tc, status_is_json_with_the_statistics);
  return s;
}

GST_CHECK_MAIN (servermetrics);
