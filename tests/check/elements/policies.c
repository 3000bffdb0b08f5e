/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Experiments that change how the rate is computed: the library gets them, and the statistics show
 * their effect. */
#include "tfrctest.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <sys/socket.h>

#include "../libs/closeto.h"

/* ---- tfrcsink ---------------------------------------------------------- */

static gdouble
number (const GstStructure *stats, const gchar *field)
{
  const GValue *value = gst_structure_get_value (stats, field);

  fail_unless (value != NULL, "no field %s", field);
  return G_VALUE_HOLDS_UINT64 (value) ? (gdouble) g_value_get_uint64 (value)
                                      : g_value_get_double (value);
}

/* Returns the statistics of a sender after feedback with this loss event rate.  The receive rate
 * in the feedback does not limit the sender. */
static GstStructure *
stats_after_loss (const gchar *properties, gdouble p)
{
  TestPeer *peer = test_peer_new (0);
  TestSender *sender = test_sender_new (peer->port, properties);
  GBytes *movie = test_movie (14, 1);
  TfrcFeedback feedback = { 0 };
  TfrcWireState state = { 0 };
  guint8 packet[TFRC_WIRE_MAX_RTCP_BYTES];
  GstStructure *stats;
  TfrcWireData data;

  test_sender_push_bytes (sender, movie, 0);
  data = test_peer_receive_data (peer, NULL);
  feedback.recv_data_us = data.send_time_us;
  feedback.x_recv_Bps = 100000000;
  feedback.p = p;
  state.highest_seq = data.seq;
  test_peer_send (peer, (gint) test_stat (sender->sink, "local-port"), packet,
      tfrc_wire_write_feedback (packet, peer->ssrc, data.ssrc, &feedback, &state));
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
  g_object_get (sender->sink, "stats", &stats, NULL);
  test_sender_free (sender);
  test_peer_free (peer);
  g_bytes_unref (movie);
  return stats;
}

/* t_RTO from R and D as in the statistics, both in ns */
static gdouble
rto_4r (gdouble r, gdouble d)
{
  return 4 * r;
}

static gdouble
rto_tcp (gdouble r, gdouble d)
{
  return MAX (1e9, r + 4 * d);
}

static gdouble
rto_linux (gdouble r, gdouble d)
{
  return r + MAX (0.2e9, 4 * d);
}

static gdouble
rto_balanced (gdouble r, gdouble d)
{
  return MAX (0.2e9, 2 * r);
}

static const struct
{
  const gchar *properties;
  gdouble (*rto) (gdouble r, gdouble d);
  gdouble scale;
} sinks[] = { { NULL, rto_4r, 1 }, { "experiment=rto-policy=4r", rto_4r, 1 },
  { "experiment=rto-policy=tcp", rto_tcp, 1 }, { "experiment=rto-policy=linux", rto_linux, 1 },
  { "experiment=rto-policy=balanced", rto_balanced, 1 },
  { "experiment=rate-scale=0.25", rto_4r, 0.25 },
  { "experiment=rto-policy=tcp,rate-scale=8", rto_tcp, 8 } };

GST_START_TEST (test_rto_policy_and_scale_are_those_of_the_equation_rate)
{
  GstStructure *stats = stats_after_loss (sinks[__i__].properties, 0.2);
  gdouble r = number (stats, "rtt"), d = number (stats, "rttvar");
  gdouble rto = number (stats, "equation-rto");

  /* R is the first sample, so D is R / 2; the statistics are rounded to ns */
  assert_within (d, r / 2, 1e-3);
  assert_within (rto, sinks[__i__].rto (r, d), 1e-3);
  assert_within (number (stats, "equation-rate"),
      8 * sinks[__i__].scale
          * tfrc_equation_rate_Bps (
              PAYLOAD_BYTES, r * 1e-9, rto * 1e-9, number (stats, "loss-event-rate")),
      1e-3);
  gst_structure_free (stats);
}

GST_END_TEST;

/* ---- tfrcsrc ----------------------------------------------------------- */

/* Packets of each loss interval; the last packet of an interval has a congestion mark.  The
 * round-trip time is 0, so each mark begins a loss event at once.  No interval is so long that
 * older intervals are discounted.  Only among packets with ECT is CE a mark. */
static const guint intervals[] = { 2, 8, 8, 12, 10 };

static void
set_marks (TestPeer *peer, gboolean marked)
{
  gint tos = marked ? IPTOS_ECN_CE : IPTOS_ECN_ECT0;

  fail_unless (setsockopt (peer->fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos) == 0);
}

static void
send_marked (TestPeer *peer, gint port, const guint8 *ts)
{
  for (guint i = 0; i < G_N_ELEMENTS (intervals); i++) {
    for (guint k = 1; k <= intervals[i]; k++, ts += PAYLOAD_BYTES) {
      set_marks (peer, k == intervals[i]);
      test_peer_send_data (peer, port, ts, PAYLOAD_BYTES);
    }
  }
}

/* 1 / p for 0.5 packets per round-trip time (tests/vectors/README.md) */
#define NULL_INTERVAL 4.8442829988300051

static const struct
{
  const gchar *properties;
  gdouble mean;
} sources[] = {
  { "experiment=history-length=2", (10 + 0.5 * 12) / 1.5 },
  { NULL, (10 + 12 + 8 + 8 + 0.8 * NULL_INTERVAL) / 4.8 },
  { "experiment=history-length=32", (10 + 12 + 8 + 8 + NULL_INTERVAL) / 5 },
};

GST_START_TEST (test_loss_event_rate_covers_history_length_intervals)
{
  TestReceiver *receiver = test_receiver_new (sources[__i__].properties);
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (40 * 7, 1);
  GstStructure *stats;

  send_marked (peer, receiver->port, g_bytes_get_data (movie, NULL));
  test_log_wait_stat (receiver->log, "src", "packets-received", 40);
  g_object_get (receiver->src, "stats", &stats, NULL);
  assert_close (number (stats, "loss-event-rate"), 1 / sources[__i__].mean);
  assert_close (number (stats, "loss-events"), 5);
  assert_close (number (stats, "loss-intervals"), 4);
  assert_close (number (stats, "loss-interval-mean"), 9.5);
  assert_close (number (stats, "loss-interval-variance"), 2.75);
  assert_close (number (stats, "loss-interval-throughput"), 1 / tfrc_equation_f (1 / 9.5));
  assert_close (number (stats, "predictor-gap"),
      number (stats, "predictor-variance") / pow (number (stats, "predictor-mean"), 3));
  assert_close (number (stats, "predictor-throughput"),
      1 / tfrc_equation_f (number (stats, "predictor-inverse-mean")));
  fail_unless (number (stats, "predictor-covariance") > 0);
  gst_structure_free (stats);
  test_receiver_free (receiver);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

GST_END_TEST;

/* At a round-trip time of 100 ms, the standard's minimum of 1 s is ten round-trip times. */
GST_START_TEST (test_rto_policy_of_the_source_is_that_of_its_equation)
{
  TestReceiver *receiver = test_receiver_new ("experiment=rto-policy=tcp");
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (40 * 7, 1);
  const guint8 *ts = g_bytes_get_data (movie, NULL);
  GstStructure *stats;

  send_marked (peer, receiver->port, ts);
  set_marks (peer, FALSE);
  peer->rtt_us = 100000;
  test_peer_send_data (peer, receiver->port, ts, PAYLOAD_BYTES);
  test_log_wait_stat (receiver->log, "src", "packets-received", 41);
  g_object_get (receiver->src, "stats", &stats, NULL);
  assert_close (number (stats, "rtt"), 1e8);
  assert_close (
      number (stats, "loss-interval-throughput"), tfrc_equation_rate_Bps (1, 1, 10, 1 / 9.5));
  gst_structure_free (stats);
  test_receiver_free (receiver);
  test_peer_free (peer);
  g_bytes_unref (movie);
}

GST_END_TEST;

static Suite *
policies_suite (void)
{
  Suite *suite = suite_create ("policies");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_rto_policy_and_scale_are_those_of_the_equation_rate, 0, G_N_ELEMENTS (sinks));
  tcase_add_loop_test (
      tcase, test_loss_event_rate_covers_history_length_intervals, 0, G_N_ELEMENTS (sources));
  tcase_add_test (tcase, test_rto_policy_of_the_source_is_that_of_its_equation);
  return suite;
}

GST_CHECK_MAIN (policies);
