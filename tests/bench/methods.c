/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time per packet of each method of the round-trip time and of the loss intervals, compared with
 * the default.  The sender gets feedback after every 16 packets, so that most of its time is the
 * handling of feedback.  The receiver loses one packet in 100.
 *
 * One process measures all methods in turns.  The result is the median of many rounds, so that
 * other work on the machine hardly matters. */
#include <string.h>

#include <tfrc/tfrc.h>

#include "cost.h"

#define SENDER_BATCH 1024
#define PACKETS_PER_FEEDBACK 16
#define RECEIVER_BATCH 3000
#define PACKETS_PER_LOSS 100
#define WORST_RATIO 2.0

/* ---- sender ------------------------------------------------------------ */

static const char *const rtt_methods[] = { "ewma", "adaptive", "adaptive-bounded" };

#define N_RTT_METHODS (int) (sizeof rtt_methods / sizeof rtt_methods[0])

typedef struct
{
  TfrcSender *sender;
  uint64_t now;
  uint32_t feedbacks;
} Sending;

static void
start_sending (Sending *s, TfrcRttMethod method)
{
  TfrcSenderConfig config;

  memset (s, 0, sizeof *s);
  s->now = 1000 * MS;
  tfrc_sender_config_init (&config);
  config.rtt_method = method;
  config.rtt_samples = TFRC_MAX_RTT_SAMPLES;
  REQUIRE (tfrc_sender_new (&s->sender, &config) == TFRC_OK);
}

/* Every second sample rises. */
static void
give_feedback (Sending *s, const TfrcData *data)
{
  TfrcFeedback feedback = { 0 };

  s->now += (50 + s->feedbacks % 2 * 20) * MS;
  feedback.recv_data_us = data->send_time_us;
  feedback.x_recv_Bps = 10000000;
  feedback.p = 0.001;
  feedback.has_state = true;
  feedback.number = s->feedbacks++;
  feedback.loss_events = 1;
  REQUIRE (tfrc_sender_on_feedback (s->sender, &feedback, s->now) == TFRC_OK);
}

static double
cost_of_sending (Sending *s)
{
  double begin = now_ns ();
  TfrcData data;
  int i;

  for (i = 1; i <= SENDER_BATCH; i++) {
    uint64_t next = tfrc_sender_next_send_ns (s->sender);

    if (s->now < next)
      s->now = next;
    REQUIRE (tfrc_sender_prepare (s->sender, SEGMENT_BYTES, s->now, &data) == TFRC_OK);
    if (i % PACKETS_PER_FEEDBACK == 0)
      give_feedback (s, &data);
  }
  return (now_ns () - begin) / SENDER_BATCH;
}

/* ---- receiver ---------------------------------------------------------- */

static const char *const loss_methods[] = { "weighted", "ci-replace", "ci-include", "mean-replace",
  "mean-include" };

#define N_LOSS_METHODS (int) (sizeof loss_methods / sizeof loss_methods[0])

typedef struct
{
  TfrcReceiver *receiver;
  TfrcData data;
  uint64_t now;
} Receiving;

static void
start_receiving (Receiving *r, TfrcLossIntervalMethod method)
{
  TfrcReceiverConfig config;

  memset (r, 0, sizeof *r);
  tfrc_receiver_config_init (&config);
  config.loss_interval_method = method;
  REQUIRE (tfrc_receiver_new (&r->receiver, &config) == TFRC_OK);
  r->data.has_tfrc = true;
  r->data.rtt_us = 20000;
  r->data.size_bytes = SEGMENT_BYTES;
}

static double
cost_of_receiving (Receiving *r)
{
  double begin = now_ns ();
  TfrcFeedback feedback;
  int i;

  for (i = 1; i <= RECEIVER_BATCH; i++) {
    r->now += MS;
    /* unequal intervals: every second lost packet is 20 packets late */
    r->data.seq += 1 + (i % PACKETS_PER_LOSS == i / PACKETS_PER_LOSS % 2 * 20);
    r->data.send_time_us += 1000;
    REQUIRE (tfrc_receiver_on_data (r->receiver, &r->data, r->now, NULL) == TFRC_OK);
    if (tfrc_receiver_next_feedback_ns (r->receiver) <= r->now)
      tfrc_receiver_make_feedback (r->receiver, r->now, &feedback);
  }
  return (now_ns () - begin) / RECEIVER_BATCH;
}

/* ---- measurement ------------------------------------------------------- */

/* Judges the methods by their medians; ns[i] are the rounds of method i, the default is the first.
 * Returns whether a method costs too much. */
static int
judge_methods (const char *what, const char *const *names, double (*ns)[ROUNDS], int n)
{
  double usual = median (ns[0], ROUNDS);
  int i, missed = 0;

  printf ("%s, %-*s %6.0f ns per packet\n", what, (int) (50 - strlen (what)), names[0], usual);
  for (i = 1; i < n; i++) {
    char row[64];

    snprintf (row, sizeof row, "%s, %s / %s", what, names[i], names[0]);
    missed |= judge (row, median (ns[i], ROUNDS) / usual, WORST_RATIO);
  }
  return missed;
}

int
main (void)
{
  static double sender_ns[N_RTT_METHODS][ROUNDS], receiver_ns[N_LOSS_METHODS][ROUNDS];
  Sending sending[N_RTT_METHODS];
  Receiving receiving[N_LOSS_METHODS];
  TfrcReceiverStats stats;
  int i, round, missed;

  for (i = 0; i < N_RTT_METHODS; i++)
    start_sending (&sending[i], (TfrcRttMethod) i);
  for (i = 0; i < N_LOSS_METHODS; i++)
    start_receiving (&receiving[i], (TfrcLossIntervalMethod) i);
  for (round = 0; round < ROUNDS; round++) {
    for (i = 0; i < N_RTT_METHODS; i++)
      sender_ns[i][round] = cost_of_sending (&sending[i]);
    for (i = 0; i < N_LOSS_METHODS; i++)
      receiver_ns[i][round] = cost_of_receiving (&receiving[i]);
  }
  missed = judge_methods ("sender", rtt_methods, sender_ns, N_RTT_METHODS);
  missed |= judge_methods ("receiver", loss_methods, receiver_ns, N_LOSS_METHODS);

  for (i = 0; i < N_RTT_METHODS; i++)
    tfrc_sender_free (sending[i].sender);
  for (i = 0; i < N_LOSS_METHODS; i++) {
    tfrc_receiver_get_stats (receiving[i].receiver, &stats);
    /* the newest loss is not confirmed yet */
    REQUIRE (stats.loss_events + 1 == (uint64_t) ROUNDS * RECEIVER_BATCH / PACKETS_PER_LOSS);
    tfrc_receiver_free (receiving[i].receiver);
  }
  return missed;
}
