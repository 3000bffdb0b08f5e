/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements' statistics, messages and notifications.  None of them disturbs another stream. */
#include "tfrctest.h"

#include <sys/prctl.h>

/* ---- fields ------------------------------------------------------------ */

/* Field names as in docs/statistics.md, separated by spaces */
typedef struct
{
  GType type;
  const gchar *names;
} Fields;

static void
check_fields (const GstStructure *stats, const Fields *fields, guint n)
{
  guint n_names = 0;

  for (guint i = 0; i < n; i++) {
    gchar **names = g_strsplit (fields[i].names, " ", 0);

    for (gchar **name = names; *name; name++, n_names++)
      fail_unless (gst_structure_has_field_typed (stats, *name, fields[i].type),
          "no field %s of type %s", *name, g_type_name (fields[i].type));
    g_strfreev (names);
  }
  fail_unless_equals_int (gst_structure_n_fields (stats), n_names);
  ck_assert_str_eq (gst_structure_get_name (stats), "application/x-tfrc-statistics");
}

static GstStructure *
stats_of (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  return stats;
}

#define SECURITY_STRINGS "cipher key-exchange"
#define SECURITY_COUNTERS \
  "key-age rekeyings key-messages-refused packets-refused-authentication packets-refused-replay " \
  "packets-refused-plaintext packets-refused-no-key"

static const Fields sink_fields[] = {
  { G_TYPE_DOUBLE,
      "allowed-rate send-rate equation-rate receive-rate "
      "receive-limit queue-guard-limit smoothing-rate loss-event-rate "
      "segment-size loss-ratio congestion-loss-event-rate link-error-ratio" },
  { G_TYPE_BOOLEAN, "data-limited slow-start protected peer-protected" },
  { G_TYPE_UINT, "lookahead-packets queue-packets ssrc ttl hops" },
  { G_TYPE_INT, "local-port" },
  { G_TYPE_STRING,
      "control peer-state peer-address ecn-state ecn-problem handover-phase profile rtt-method "
      "rto-policy loss-response tcp-model fec " SECURITY_STRINGS },
  { G_TYPE_UINT64,
      "rtt rtt-average rtt-sample rtt-min rtt-max rttvar equation-rto rto "
      "packets-sent bytes-sent packets-dropped packets-overdue "
      "packets-lost link-errors loss-events ce-marks queue-bytes queue-time "
      "sender-delay-mean sender-delay-p99 sender-delay-max "
      "handovers migrations path-validation-failures "
      "feedback-received feedback-refused nofeedback-expirations "
      "counters-refused ecn-failures ecn-ect-sent ecn-ect0-received ecn-ect1-received "
      "ecn-not-ect-received "
      "send-errors icmp-errors foreign-packets malformed-packets "
      "ahead-time ahead-time-told ahead-bytes-told "
      "messages-dropped playout-delay-told queueing-delay packets-past-deadline past-deadline-tables "
      "past-deadline-audio past-deadline-random-access past-deadline-reference past-deadline-unknown "
      "past-deadline-non-reference past-deadline-null deadline-slack "
      "packets-requested packets-repaired repairs-gone repairs-too-soon repairs-late "
      "repairs-over-budget repairs-dropped repair-buffer-bytes fec-packets-sent "
      "fec-packets-dropped " SECURITY_COUNTERS },
};

static const Fields src_fields[] = {
  { G_TYPE_DOUBLE,
      "receive-rate loss-event-rate congestion-loss-event-rate loss-ratio "
      "loss-interval-mean loss-interval-variance loss-interval-throughput "
      "predictor-mean predictor-variance predictor-covariance "
      "predictor-inverse-mean predictor-gap predictor-throughput" },
  { G_TYPE_BOOLEAN, "clock-synchronised tfrc protected peer-protected" },
  { G_TYPE_UINT, "queue-packets ssrc ttl hops" },
  { G_TYPE_INT, "local-port" },
  { G_TYPE_STRING,
      "sender sender-state interface handover-phase loss-interval-method "
      "loss-classifier " SECURITY_STRINGS },
  { G_TYPE_UINT64,
      "rtt reorder-window packets-received bytes-received packets-lost link-errors "
      "loss-events loss-intervals ce-marks ce-marks-ignored packets-late packets-duplicate "
      "ecn-ect0-received ecn-ect1-received ecn-not-ect-received "
      "handovers handovers-completed handovers-abandoned "
      "packets-suspect packets-missing "
      "packets-requested repair-requests packets-repaired repairs-late repairs-duplicate "
      "fec-packets fec-packets-refused packets-recovered "
      "packets-past-latency past-latency-mean past-latency-p99 past-latency-max "
      "packets-too-late jitter feedback-sent queue-dropped "
      "queue-too-early queue-flushed ahead-time-told ahead-bytes-told "
      "foreign-packets malformed-packets byes-refused messages-dropped playout-delay-told queueing-delay " SECURITY_COUNTERS
      " "
      "sender-delay-mean sender-delay-p99 sender-delay-max "
      "network-delay-mean network-delay-p99 network-delay-max "
      "iptd-mean iptd-p99 iptd-max" },
};

GST_START_TEST (test_every_documented_field_is_there)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GBytes *movie = test_movie (70, 1), *rest = test_bytes_from (movie, 1316);
  GstStructure *stats;
  gchar *peer;

  /* The second packet carries the round-trip time, without which delays are unknown. */
  test_sender_push (sender, g_bytes_get_data (movie, NULL), 1316);
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  test_sender_push_bytes (sender, rest, 0);
  test_receiver_wait_movie (receiver, movie);
  test_log_wait_stat (sender->log, "sink", "packets-sent", 10);

  stats = stats_of (sender->sink);
  check_fields (stats, sink_fields, G_N_ELEMENTS (sink_fields));
  gst_structure_free (stats);
  peer = test_stat_string (sender->sink, "peer-state");
  fail_unless_equals_string (peer, "connected");
  g_free (peer);
  fail_unless_equals_uint64 (test_stat (sender->sink, "bytes-sent"), 70 * TS_BYTES);
  fail_unless (test_stat (sender->sink, "rtt") > 0);

  stats = stats_of (receiver->src);
  check_fields (stats, src_fields, G_N_ELEMENTS (src_fields));
  gst_structure_free (stats);
  fail_unless (test_stat (receiver->src, "tfrc"));
  fail_unless (test_stat (receiver->src, "iptd-max") > 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "bytes-received"), 70 * TS_BYTES);
  fail_unless_equals_uint64 (test_stat (receiver->src, "ssrc"), test_stat (sender->sink, "ssrc"));
  test_sender_free (sender);
  test_receiver_free (receiver);
  g_bytes_unref (rest);
  g_bytes_unref (movie);
}

GST_END_TEST;

GST_START_TEST (test_stats_can_be_read_in_null)
{
  GstElement *sink = gst_check_setup_element ("tfrcsink");
  GstElement *src = gst_check_setup_element ("tfrcsrc");
  guint64 bitrate;

  fail_unless_equals_uint64 (test_stat (sink, "packets-sent"), 0);
  fail_unless_equals_uint64 (test_stat (src, "packets-received"), 0);
  g_object_get (sink, "estimated-bitrate", &bitrate, NULL);
  fail_unless_equals_uint64 (bitrate, 0);
  gst_object_unref (sink);
  gst_object_unref (src);
}

GST_END_TEST;

/* ---- handlers ---------------------------------------------------------- */

/* Counts calls, and may hold them up.  Each test has a static one, because a call may be about
 * to return when the test ends. */
typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean hold;
  gboolean in_loop; /* a call came from the I/O loop's thread */
  guint calls;
  guint inside; /* calls that are held up now */
  guint most_inside;
  gchar states[16]; /* initials of the first peer states reported */
} Handler;

static void
handler_init (Handler *handler, gboolean hold)
{
  g_mutex_init (&handler->lock);
  g_cond_init (&handler->changed);
  handler->hold = hold;
  handler->in_loop = FALSE;
  handler->calls = handler->inside = handler->most_inside = 0;
  memset (handler->states, 0, sizeof handler->states);
}

static void
handle (Handler *handler)
{
  gchar name[16] = "";

  prctl (PR_GET_NAME, name, 0, 0, 0);
  g_mutex_lock (&handler->lock);
  handler->in_loop |= g_str_equal (name, "tfrc-io");
  handler->calls++;
  handler->inside++;
  handler->most_inside = MAX (handler->most_inside, handler->inside);
  g_cond_broadcast (&handler->changed);
  while (handler->hold)
    g_cond_wait (&handler->changed, &handler->lock);
  handler->inside--;
  g_mutex_unlock (&handler->lock);
}

static void
handler_wait_calls (Handler *handler, guint n)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  g_mutex_lock (&handler->lock);
  while (handler->calls < n)
    fail_unless (g_cond_wait_until (&handler->changed, &handler->lock, end));
  g_mutex_unlock (&handler->lock);
}

static void
handler_release (Handler *handler)
{
  g_mutex_lock (&handler->lock);
  handler->hold = FALSE;
  g_cond_broadcast (&handler->changed);
  g_mutex_unlock (&handler->lock);
}

static void
on_notify (GObject *object, GParamSpec *spec, gpointer user)
{
  handle (user);
}

static void
on_deep_notify (GstObject *bin, GstObject *object, GParamSpec *spec, gpointer user)
{
  handle (user);
}

static void
send_one_movie (TestReceiver *receiver, TestSender *sender)
{
  GBytes *movie = test_movie (70, 1);

  test_sender_push_bytes (sender, movie, 0);
  test_receiver_wait_movie (receiver, movie);
  g_bytes_unref (movie);
}

static const gchar *properties[] = { "notify::estimated-bitrate", "notify::stats" };

GST_START_TEST (test_slow_handler_holds_up_no_stream)
{
  TestReceiver *receivers[2] = { test_receiver_new (NULL), test_receiver_new (NULL) };
  TestSender *senders[2] = { test_sender_new (receivers[0]->port, NULL),
    test_sender_new (receivers[1]->port, NULL) };
  static Handler handler;
  gulong id;

  handler_init (&handler, TRUE);
  id = g_signal_connect (senders[0]->sink, properties[__i__], G_CALLBACK (on_notify), &handler);
  send_one_movie (receivers[0], senders[0]);
  handler_wait_calls (&handler, 1);
  /* The handler's stream and another one go on while the handler hangs. */
  send_one_movie (receivers[1], senders[1]);
  test_sender_eos (senders[0]);
  test_receiver_wait_eos (receivers[0]);
  fail_unless_equals_int (handler.most_inside, 1);
  handler_release (&handler);
  g_signal_handler_disconnect (senders[0]->sink, id);
  fail_if (handler.in_loop);
  for (guint i = 0; i < 2; i++) {
    test_sender_free (senders[i]);
    test_receiver_free (receivers[i]);
  }
}

GST_END_TEST;

/* Until then the sink has told nobody. */
static void
check_heard_later (gboolean is_deep)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GstElement *heard = is_deep ? sender->pipeline : sender->sink;
  static Handler handler;
  gulong id;

  handler_init (&handler, FALSE);
  send_one_movie (receiver, sender);
  test_wait_stat (sender->sink, "peer-state", "connected");
  id = is_deep
      ? g_signal_connect (
          heard, "deep-notify::estimated-bitrate", G_CALLBACK (on_deep_notify), &handler)
      : g_signal_connect (heard, "notify::estimated-bitrate", G_CALLBACK (on_notify), &handler);
  g_object_set (sender->sink, "max-bitrate", G_GUINT64_CONSTANT (8000), NULL);
  handler_wait_calls (&handler, 1);
  g_signal_handler_disconnect (heard, id);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_START_TEST (test_a_rate_is_told_to_who_begins_to_listen)
{
  check_heard_later (FALSE);
  check_heard_later (TRUE);
}

GST_END_TEST;

GST_START_TEST (test_stats_messages_come_each_interval)
{
  TestReceiver *receiver = test_receiver_new ("stats-update-interval=1");
  TestSender *sender = test_sender_new (receiver->port, "stats-update-interval=1");
  static Handler handler;
  gulong ids[2];
  GstMessage *messages[2];
  guint64 times[2] = { 0 };

  handler_init (&handler, FALSE);
  ids[0] = g_signal_connect (sender->sink, "notify::stats", G_CALLBACK (on_notify), &handler);
  ids[1] = g_signal_connect (receiver->src, "notify::stats", G_CALLBACK (on_notify), &handler);
  send_one_movie (receiver, sender);
  handler_wait_calls (&handler, 20);
  g_signal_handler_disconnect (sender->sink, ids[0]);
  g_signal_handler_disconnect (receiver->src, ids[1]);
  fail_if (handler.in_loop);

  for (guint i = 0; i < 2; i++) {
    messages[i] = test_log_wait (sender->log, i + 2, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);
    fail_unless (
        gst_structure_get_uint64 (gst_message_get_structure (messages[i]), "time", &times[i]));
    gst_message_unref (messages[i]);
  }
  fail_unless (times[1] > times[0]);
  test_sender_free (sender);
  test_receiver_free (receiver);
}

GST_END_TEST;

/* An interval of 0 ends the messages that another interval began. */
GST_START_TEST (test_stats_interval_can_change_while_playing)
{
  TestReceiver *receiver = test_receiver_new ("stats-update-interval=0");
  guint before;

  g_object_set (receiver->src, "stats-update-interval", 1, NULL);
  gst_message_unref (test_log_wait (receiver->log, 3, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  g_object_set (receiver->src, "stats-update-interval", 0, NULL);
  before = test_log_count (receiver->log, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL);
  g_object_set (receiver->src, "stats-update-interval", 1, NULL);
  gst_message_unref (
      test_log_wait (receiver->log, before + 3, GST_MESSAGE_ELEMENT, "tfrc-stats", NULL));
  test_receiver_free (receiver);
}

GST_END_TEST;

static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer user)
{
  const GstStructure *s = gst_message_get_structure (message);
  Handler *handler = user;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && gst_structure_has_name (s, "tfrc-peer-state")) {
    g_mutex_lock (&handler->lock);
    if (strlen (handler->states) + 1 < sizeof handler->states)
      handler->states[strlen (handler->states)] = *gst_structure_get_string (s, "state");
    g_mutex_unlock (&handler->lock);
    handle (handler);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

GST_START_TEST (test_messages_keep_their_order_behind_a_slow_handler)
{
  TestReceiver *receiver = test_receiver_new (NULL);
  TestSender *sender = test_sender_new (receiver->port, NULL);
  GstBus *bus = gst_element_get_bus (sender->pipeline);
  static Handler handler;
  gchar *state = NULL;

  handler_init (&handler, TRUE);
  gst_bus_set_sync_handler (bus, on_message, &handler, NULL);
  send_one_movie (receiver, sender);
  handler_wait_calls (&handler, 1); /* "connected" */
  test_receiver_free (receiver);    /* says BYE: "gone" */
  do {
    g_free (state);
    state = test_stat_string (sender->sink, "peer-state");
    g_thread_yield ();
  } while (!g_str_equal (state, "gone"));
  g_free (state);
  handler_release (&handler);
  handler_wait_calls (&handler, 2);
  test_set_state (sender->pipeline, GST_STATE_NULL);
  fail_unless_equals_string (handler.states, "cg");
  fail_unless_equals_int (handler.most_inside, 1);
  gst_object_unref (bus);
  test_sender_free (sender);
}

GST_END_TEST;

static Suite *
stats_suite (void)
{
  Suite *suite = suite_create ("stats");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_every_documented_field_is_there);
  tcase_add_test (tcase, test_stats_can_be_read_in_null);
  tcase_add_loop_test (tcase, test_slow_handler_holds_up_no_stream, 0, G_N_ELEMENTS (properties));
  tcase_add_test (tcase, test_a_rate_is_told_to_who_begins_to_listen);
  tcase_add_test (tcase, test_stats_messages_come_each_interval);
  tcase_add_test (tcase, test_stats_interval_can_change_while_playing);
  tcase_add_test (tcase, test_messages_keep_their_order_behind_a_slow_handler);
  return suite;
}

GST_CHECK_MAIN (stats);
