/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A path carries nothing for a while. The tests count the loss events, and measure the time until
 * the rate is back. */
#include <tfrc/tfrc.h>

#include "closeto.h"
#include "simlink.h"

#define MS SIM_MS
#define RTT_US 100000

static TfrcReceiver *receiver;

static void
start_receiver (gboolean outage_is_one_event)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  fail_if (config.outage_is_one_event);
  config.outage_is_one_event = outage_is_one_event;
  fail_unless_equals_int (tfrc_receiver_new (&receiver, &config), TFRC_OK);
}

/* A round-trip time has ten packets. The packets from..to are lost. Returns the number of loss events. */
static guint64
events_at (guint32 rtt_us, gboolean outage_is_one_event, guint16 from, guint16 to)
{
  TfrcReceiverStats stats;
  guint64 now;

  start_receiver (outage_is_one_event);
  for (guint16 seq = 0; seq < 2000; seq++) {
    TfrcData data = { .seq = seq, .rtt_us = rtt_us, .size_bytes = 1316, .has_tfrc = TRUE };

    now = SIM_SECOND + seq * (rtt_us * G_GUINT64_CONSTANT (100));
    data.send_time_us = now / 1000;
    if (seq < from || seq > to)
      tfrc_receiver_on_data (receiver, &data, now, NULL);
  }
  tfrc_receiver_get_stats (receiver, &stats);
  fail_unless_equals_uint64 (stats.packets_lost, to - from + 1);
  tfrc_receiver_free (receiver);
  return stats.loss_events;
}

static guint64
events_without (gboolean outage_is_one_event, guint16 from, guint16 to)
{
  return events_at (RTT_US, outage_is_one_event, from, to);
}

GST_START_TEST (test_outage_is_one_loss_event)
{
  fail_unless_equals_uint64 (events_without (FALSE, 500, 579), 8);
  fail_unless_equals_uint64 (events_without (TRUE, 500, 579), 1);
  fail_unless_equals_uint64 (events_without (TRUE, 500, 539), 1);
}

GST_END_TEST;

GST_START_TEST (test_less_than_four_round_trip_times_is_no_outage)
{
  /* 39 packets are missing between two packets that are 400 ms apart */
  fail_unless_equals_uint64 (events_without (FALSE, 500, 538), 4);
  fail_unless_equals_uint64 (events_without (TRUE, 500, 538), 1);
  fail_unless_equals_uint64 (events_without (TRUE, 500, 537), 4);
}

GST_END_TEST;

/* With R = 1 ms the nofeedback timer needs 4 times the feedback floor of 10 ms. What a full queue drops
 * in a row for less than that is congestion: an event for each R, which begins with every 11th packet. */
GST_START_TEST (test_outage_on_a_short_path_lasts_as_long_as_the_nofeedback_timer)
{
  fail_unless_equals_uint64 (events_at (1000, TRUE, 500, 549), 5);
  fail_unless_equals_uint64 (events_at (1000, TRUE, 500, 897), 37);
  fail_unless_equals_uint64 (events_at (1000, TRUE, 500, 898), 1);
  fail_unless_equals_uint64 (events_at (1000, FALSE, 500, 898), 37);
}

GST_END_TEST;

/* The sender sends one packet in each half of a round-trip time. */
GST_START_TEST (test_few_packets_are_no_outage)
{
  guint64 events[2];

  for (guint lost = 14; lost <= 15; lost++) {
    TfrcReceiverStats stats;

    start_receiver (TRUE);
    for (guint16 seq = 0; seq < 200; seq++) {
      TfrcData data = { .seq = seq, .rtt_us = RTT_US, .size_bytes = 1316, .has_tfrc = TRUE };
      guint64 now = SIM_SECOND + seq * 50 * MS;

      data.send_time_us = now / 1000;
      if (seq < 100 || seq >= 100 + lost)
        tfrc_receiver_on_data (receiver, &data, now, NULL);
    }
    tfrc_receiver_get_stats (receiver, &stats);
    events[lost - 14] = stats.loss_events;
    tfrc_receiver_free (receiver);
  }
  fail_unless (events[0] >= 5, "%u", (guint) events[0]);
  fail_unless_equals_uint64 (events[1], 1);
}

GST_END_TEST;

/* Packets arrive 10 ms apart. The packets 600..679 are lost, except that the packets of late[] come
 * after packet 700. Returns the statistics after packet 1200. */
static TfrcReceiverStats
outage_with_late_packets (const guint16 *late, guint n)
{
  TfrcReceiverStats stats;
  guint64 now = 0;

  start_receiver (TRUE);
  for (guint16 seq = 0; seq <= 1200; seq++) {
    TfrcData data = { .seq = seq, .rtt_us = RTT_US, .size_bytes = 1316, .has_tfrc = TRUE };

    now = SIM_SECOND + seq * 10 * MS;
    data.send_time_us = now / 1000;
    if (seq < 600 || seq > 679)
      tfrc_receiver_on_data (receiver, &data, now, NULL);
    for (guint i = 0; seq == 700 && i < n; i++) {
      data.seq = late[i];
      data.send_time_us = (SIM_SECOND + late[i] * 10 * MS) / 1000;
      tfrc_receiver_on_data (receiver, &data, now, NULL);
    }
  }
  tfrc_receiver_get_stats (receiver, &stats);
  fail_unless_equals_uint64 (stats.packets_lost, 80 - n);
  fail_unless_equals_uint64 (stats.packets_late, n);
  tfrc_receiver_free (receiver);
  return stats;
}

GST_START_TEST (test_late_packet_does_not_split_an_outage)
{
  static const guint16 middle[] = { 640 }, ends[] = { 600, 679 }, thirds[] = { 620, 650, 635 },
                       first_half_last[] = { 602, 601, 600 };
  gdouble p = outage_with_late_packets (NULL, 0).p;
  TfrcReceiverStats stats = outage_with_late_packets (middle, G_N_ELEMENTS (middle));

  fail_unless_equals_uint64 (stats.loss_events, 1);
  assert_close (stats.p, p);
  stats = outage_with_late_packets (thirds, G_N_ELEMENTS (thirds));
  fail_unless_equals_uint64 (stats.loss_events, 1);
  assert_close (stats.p, p);
  /* the loss event begins with the first packet that is still missing */
  fail_unless_equals_uint64 (outage_with_late_packets (ends, G_N_ELEMENTS (ends)).loss_events, 1);
  fail_unless_equals_uint64 (
      outage_with_late_packets (first_half_last, G_N_ELEMENTS (first_half_last)).loss_events, 1);
}

GST_END_TEST;

/* ---- the rate afterwards ------------------------------------------------- */

/* The link is down for 10 s. Returns the time from the end of the outage until X is nine tenths of
 * its previous average; at most a minute. */
static guint64
recovery_ns (double rate_bps, guint64 rtt_ns, gboolean outage_is_one_event)
{
  SimLink link = { .rate_bps = rate_bps,
    .queue_packets = 50,
    .delay_ns = rtt_ns / 2,
    .down_ns = 100 * SIM_SECOND,
    .up_ns = 110 * SIM_SECOND };
  TfrcSenderConfig config;
  double before_Bps = 0;
  guint64 recovered_ns;
  SimFlow *flow;
  Sim *sim;

  tfrc_sender_config_init (&config);
  config.queue_guard = TRUE;
  config.burst_limit_ns = 10 * MS;
  sim = sim_new (&link, 1);
  flow = sim_add_flow (sim, &config, 0);
  tfrc_receiver_free (flow->receiver);
  start_receiver (outage_is_one_event);
  flow->receiver = receiver;
  for (guint s = 80; s < 100; s++) {
    sim_run_until (sim, s * SIM_SECOND);
    before_Bps += sim_sender_stats (flow).x_Bps / 20;
  }
  sim_run_until (sim, link.up_ns);
  fail_unless (sim_sender_stats (flow).x_Bps < before_Bps / 2);
  while (
      sim_sender_stats (flow).x_Bps < 0.9 * before_Bps && sim->now < link.up_ns + 60 * SIM_SECOND)
    sim_run_until (sim, sim->now + 100 * MS);
  recovered_ns = sim->now - link.up_ns;
  sim_free (sim);
  return recovered_ns;
}

GST_START_TEST (test_rate_is_back_twelve_seconds_after_an_outage)
{
  static const double rates_bps[] = { 1e6, 2e6, 5e6 };

  for (guint i = 0; i < G_N_ELEMENTS (rates_bps); i++) {
    guint64 ns = recovery_ns (rates_bps[i], 400 * MS, TRUE);

    GST_INFO ("%.0f bit/s: %.1f s", rates_bps[i], ns * 1e-9);
    fail_unless (ns <= 12 * SIM_SECOND, "%f s", ns * 1e-9);
    fail_unless (recovery_ns (rates_bps[i], 100 * MS, TRUE) <= 12 * SIM_SECOND);
  }
  /* with one loss event for each round-trip time of the outage */
  fail_unless (recovery_ns (2e6, 400 * MS, FALSE) > 30 * SIM_SECOND);
}

GST_END_TEST;

static Suite *
outage_suite (void)
{
  Suite *s = suite_create ("outage");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_outage_is_one_loss_event);
  tcase_add_test (tc, test_less_than_four_round_trip_times_is_no_outage);
  tcase_add_test (tc, test_outage_on_a_short_path_lasts_as_long_as_the_nofeedback_timer);
  tcase_add_test (tc, test_few_packets_are_no_outage);
  tcase_add_test (tc, test_late_packet_does_not_split_an_outage);
  tcase_add_test (tc, test_rate_is_back_twelve_seconds_after_an_outage);
  return s;
}

GST_CHECK_MAIN (outage);
