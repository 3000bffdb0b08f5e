/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties that sender and receiver have after any events. The events are random, likely and
 * hostile, from fixed seeds. */
#include <tfrc/tfrc.h>

#include "allocations.h"
#include "closeto.h"

#define SECOND (G_GUINT64_CONSTANT (1000000000))
#define SEEDS 24
#define EVENTS 2000
#define ROUNDING 1e-9

/* ---- randomness -------------------------------------------------------- */

static gboolean
chance (GRand *rand, double probability)
{
  return g_rand_double (rand) < probability;
}

/* Each order of magnitude has the same probability. */
static double
any_magnitude (GRand *rand, double low, double high)
{
  return low * pow (high / low, g_rand_double (rand));
}

/* ---- sender ------------------------------------------------------------ */

typedef struct
{
  GRand *rand;
  TfrcSender *sender;
  double min, max; /* the configured limits of the rate */
  guint64 now;
  guint64 sent_at[16]; /* the send times of recent packets, at random places */
  guint32 number;
} RandomSender;

static void
random_sender_init (RandomSender *r, guint seed)
{
  TfrcSenderConfig config;

  memset (r, 0, sizeof *r);
  r->rand = g_rand_new_with_seed (seed);
  r->now = any_magnitude (r->rand, 1, 1e18);
  tfrc_sender_config_init (&config);
  config.segment_size_bytes = any_magnitude (r->rand, 1, 65535);
  config.first_seq = g_rand_int (r->rand);
  config.clock_offset_us = g_rand_int (r->rand);
  config.oscillation_reduction = chance (r->rand, 0.7);
  config.rate_scale = any_magnitude (r->rand, 0.01, 100);
  if (chance (r->rand, 0.3))
    config.initial_rate_Bps = any_magnitude (r->rand, 1, 125e9);
  if (chance (r->rand, 0.3))
    config.burst_limit_ns = any_magnitude (r->rand, 1, 1e12);
  if (chance (r->rand, 0.3))
    config.feedback_floor_ns = any_magnitude (r->rand, 1, 1e9);
  fail_unless_equals_int (tfrc_sender_new (&r->sender, &config), TFRC_OK);
  r->max = 125e9;
}

static void
random_sender_clear (RandomSender *r)
{
  tfrc_sender_free (r->sender);
  g_rand_free (r->rand);
}

static void
check_sender (const RandomSender *r)
{
  TfrcSenderStats stats;
  double least;

  tfrc_sender_get_stats (r->sender, &stats);
  least = MIN (MAX (stats.segment_size_bytes / 64, r->min), r->max);
  fail_unless (stats.x_Bps >= least * (1 - ROUNDING));
  fail_unless (stats.x_Bps <= r->max);
  fail_unless (stats.x_inst_Bps >= least * (1 - ROUNDING));
  fail_unless (stats.x_inst_Bps <= r->max);
  fail_unless (isfinite (stats.x_eq_Bps) && stats.x_eq_Bps >= 0);
  fail_unless (stats.recv_limit_Bps >= 0);
  fail_unless (stats.p >= 0 && stats.p <= 1);
  fail_unless (stats.segment_size_bytes >= 1 && stats.segment_size_bytes <= 65535);
  fail_unless (stats.rtt_ns == 0 || (stats.rtt_ns >= 1000 && stats.rtt_ns <= 17 * SECOND));
  fail_unless (stats.rto_ns >= 4 * stats.rtt_ns);
  fail_unless (stats.packets_sent == 0 || tfrc_sender_next_timeout_ns (r->sender) > 0);
}

static void
random_packet (RandomSender *r)
{
  guint64 next = tfrc_sender_next_send_ns (r->sender);
  guint32 bytes = any_magnitude (r->rand, 1, 65535);
  TfrcData data;

  if (chance (r->rand, 0.7))
    r->now = MAX (r->now, next);
  if (r->now < next) {
    fail_unless_equals_int (
        tfrc_sender_prepare (r->sender, bytes, r->now, &data), TFRC_ERROR_TOO_EARLY);
    return;
  }
  fail_unless_equals_int (tfrc_sender_prepare (r->sender, bytes, r->now, &data), TFRC_OK);
  r->sent_at[g_rand_int_range (r->rand, 0, 16)] = r->now;
  fail_unless (tfrc_sender_next_send_ns (r->sender) > next);
  if (r->max >= 1024)
    fail_unless (tfrc_sender_next_send_ns (r->sender) <= r->now + 64 * SECOND);
  if (chance (r->rand, 0.02))
    tfrc_sender_cancel (r->sender, bytes);
}

static void
random_feedback (RandomSender *r)
{
  static const double odd_rates[] = { NAN, INFINITY, -1, 2, 1, 0 };
  TfrcFeedback feedback = { 0 };
  guint64 sent_at = r->sent_at[g_rand_int_range (r->rand, 0, 16)];

  feedback.recv_data_us = chance (r->rand, 0.9) ? tfrc_sender_wire_time_us (r->sender, sent_at)
                                                : g_rand_int (r->rand);
  feedback.delay_us = chance (r->rand, 0.9) ? 0 : g_rand_int (r->rand);
  feedback.x_recv_Bps = chance (r->rand, 0.1) ? 0 : any_magnitude (r->rand, 1, 4e9);
  feedback.p = chance (r->rand, 0.5)
      ? any_magnitude (r->rand, 1e-300, 1)
      : odd_rates[g_rand_int_range (r->rand, 0, G_N_ELEMENTS (odd_rates))];
  feedback.has_state = chance (r->rand, 0.5);
  feedback.number = chance (r->rand, 0.9) ? ++r->number : g_rand_int (r->rand);
  feedback.loss_events = g_rand_int_range (r->rand, 0, 5);
  tfrc_sender_on_feedback (r->sender, &feedback, r->now);
}

static void
random_limits (RandomSender *r)
{
  double min = chance (r->rand, 0.5) ? 0 : any_magnitude (r->rand, 1, 1e6);
  double max = chance (r->rand, 0.5) ? 0 : any_magnitude (r->rand, 1, 125e9);

  if (tfrc_sender_set_rate_limits (r->sender, min, max) != TFRC_OK)
    return;
  r->min = min;
  r->max = max > 0 ? max : 125e9;
}

static void
random_sender_event (RandomSender *r)
{
  guint event = g_rand_int_range (r->rand, 0, 100);

  if (event < 50) {
    random_packet (r);
  } else if (event < 75) {
    random_feedback (r);
  } else if (event < 85) {
    r->now += any_magnitude (r->rand, 1, event < 84 ? 1e9 : 1e13);
  } else if (event < 95) {
    guint64 timeout = tfrc_sender_next_timeout_ns (r->sender);

    if (chance (r->rand, 0.5) && timeout != TFRC_TIME_NEVER)
      r->now = MAX (r->now, timeout);
    tfrc_sender_on_timeout (r->sender, r->now);
    fail_unless (tfrc_sender_next_timeout_ns (r->sender) > r->now);
  } else if (event < 98) {
    tfrc_sender_on_peer_alive (r->sender, r->now);
  } else {
    random_limits (r);
  }
}

GST_START_TEST (test_rate_stays_within_its_limits)
{
  RandomSender r;
  guint i;

  random_sender_init (&r, __i__);
  for (i = 0; i < EVENTS; i++) {
    random_sender_event (&r);
    check_sender (&r);
  }
  random_sender_clear (&r);
}

GST_END_TEST;

/* ---- receiver ---------------------------------------------------------- */

typedef struct
{
  GRand *rand;
  TfrcReceiver *receiver;
  guint64 now;
  TfrcData data; /* the newest packet */
  guint64 feedbacks;
} RandomReceiver;

static void
random_receiver_init (RandomReceiver *r, guint seed)
{
  TfrcReceiverConfig config;

  memset (r, 0, sizeof *r);
  r->rand = g_rand_new_with_seed (seed);
  r->now = any_magnitude (r->rand, 1, 1e18);
  r->data.seq = g_rand_int (r->rand);
  tfrc_receiver_config_init (&config);
  config.history_length = g_rand_int_range (r->rand, 2, TFRC_MAX_HISTORY_LENGTH + 1);
  config.history_discounting = chance (r->rand, 0.7);
  config.has_first_seq = chance (r->rand, 0.5);
  config.first_seq = r->data.seq;
  if (chance (r->rand, 0.3))
    config.feedback_floor_ns = 0;
  fail_unless_equals_int (tfrc_receiver_new (&r->receiver, &config), TFRC_OK);
}

static void
random_receiver_clear (RandomReceiver *r)
{
  tfrc_receiver_free (r->receiver);
  g_rand_free (r->rand);
}

static void
check_receiver (const RandomReceiver *r)
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (r->receiver, &stats);
  fail_unless (stats.p >= 0 && stats.p <= 1);
  fail_unless ((stats.p > 0) == (stats.loss_events > 0));
  fail_unless (isfinite (stats.mean_interval) && stats.mean_interval >= 0);
  fail_unless (isfinite (stats.x_recv_Bps) && stats.x_recv_Bps >= 0);
  fail_unless (stats.packets_received + stats.packets_lost <= stats.packets_expected);
  fail_unless (stats.packets_late <= stats.packets_received);
  fail_unless_equals_uint64 (
      stats.packets_ect0 + stats.packets_ect1 + stats.packets_ce + stats.packets_not_ect,
      stats.packets_received);
  fail_unless_equals_uint64 (stats.feedbacks_sent, r->feedbacks);
}

/* Returns the next number, a number after a short or long loss, a late or repeated number, or any
 * number. */
static guint16
random_seq (RandomReceiver *r)
{
  guint event = g_rand_int_range (r->rand, 0, 100);

  if (event < 80)
    return ++r->data.seq;
  if (event < 90)
    return r->data.seq += g_rand_int_range (r->rand, 2, 6);
  if (event < 98)
    return r->data.seq - g_rand_int_range (r->rand, 0, 50);
  if (event < 99)
    return r->data.seq += g_rand_int_range (r->rand, 2, 0x4000);
  return g_rand_int (r->rand);
}

static void
random_data (RandomReceiver *r)
{
  TfrcData data;
  TfrcArrival arrival;

  r->now += any_magnitude (r->rand, 1, chance (r->rand, 0.99) ? 1e8 : 1e14);
  if (chance (r->rand, 0.1))
    r->data.rtt_us = chance (r->rand, 0.1) ? 0 : any_magnitude (r->rand, 1, 4e9);
  data = r->data;
  data.seq = random_seq (r);
  data.send_time_us = g_rand_int (r->rand);
  data.size_bytes = chance (r->rand, 0.01) ? 0 : any_magnitude (r->rand, 1, 65535);
  data.has_tfrc = chance (r->rand, 0.98);
  data.ce = chance (r->rand, 0.02);
  fail_unless_equals_int (tfrc_receiver_on_data (r->receiver, &data,
                              chance (r->rand, 0.98) ? r->now : r->now / 2, &arrival),
      TFRC_OK);
}

static void
random_receiver_event (RandomReceiver *r)
{
  TfrcFeedback feedback;
  guint64 next = tfrc_receiver_next_feedback_ns (r->receiver);

  if (next == TFRC_TIME_NEVER || chance (r->rand, 0.8)) {
    random_data (r);
    return;
  }
  r->now = MAX (r->now, next);
  if (tfrc_receiver_make_feedback (r->receiver, r->now, &feedback)) {
    r->feedbacks++;
    fail_unless (feedback.p >= 0 && feedback.p <= 1);
  }
  fail_unless (tfrc_receiver_next_feedback_ns (r->receiver) > r->now);
}

GST_START_TEST (test_loss_event_rate_stays_between_zero_and_one)
{
  RandomReceiver r;
  guint i;

  random_receiver_init (&r, __i__);
  for (i = 0; i < EVENTS; i++) {
    random_receiver_event (&r);
    check_receiver (&r);
  }
  random_receiver_clear (&r);
}

GST_END_TEST;

/* ---- memory ------------------------------------------------------------ */

GST_START_TEST (test_nothing_is_allocated_after_new)
{
  RandomSender s;
  RandomReceiver r;
  guint i, before;

  random_sender_init (&s, 1000 + __i__);
  random_receiver_init (&r, 2000 + __i__);
  before = allocations;
  fail_unless (before > 0);
  for (i = 0; i < EVENTS; i++) {
    random_sender_event (&s);
    random_receiver_event (&r);
  }
  fail_unless_equals_int (allocations, before);
  random_sender_clear (&s);
  random_receiver_clear (&r);
}

GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *suite = suite_create ("properties");
  TCase *tc = tcase_create ("random");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_rate_stays_within_its_limits, 0, SEEDS);
  tcase_add_loop_test (tc, test_loss_event_rate_stays_between_zero_and_one, 0, SEEDS);
  tcase_add_loop_test (tc, test_nothing_is_allocated_after_new, 0, 4);
  return suite;
}

GST_CHECK_MAIN (properties);
