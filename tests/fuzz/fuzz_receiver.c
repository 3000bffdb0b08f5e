/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the receiver: a configuration, then any sequence of data packets, handovers and
 * expirations of the feedback timer.  The loss event rate stays within 0..1, the counts add up, and
 * a deadline lies in the future after it was served.
 *
 * make_corpus_events.py writes the same format. */
#include "events.h"

typedef struct
{
  TfrcReceiver *receiver;
  TfrcData data; /* the newest packet */
  uint64_t now;
  uint64_t feedbacks;
  bool classifies;
} Fuzz;

static void
configure (Input *input, TfrcReceiverConfig *config)
{
  unsigned what = take (input, 1);

  tfrc_receiver_config_init (config);
  config->history_discounting = !(what & 1);
  config->has_first_seq = what & 2;
  config->first_seq = take (input, 2);
  /* no input of its own, so that the corpus keeps its meaning */
  config->reorder_window_ns = config->first_seq & 1 ? UINT64_C (1000000000) : 0;
  if (what & 4)
    config->history_length = take (input, 1);
  if (what & 8)
    config->feedback_floor_ns = take_duration (input);
  if (what & 16) {
    unsigned choices = take (input, 1);

    config->handover_mode = (TfrcHandoverMode) (choices & 1);
    config->rto_policy = (TfrcRtoPolicy) (choices >> 1 & 7);
    config->loss_classifier = (TfrcLossClassifier) (choices >> 4 & 7);
    config->outage_is_one_event = choices & 128;
  }
  config->loss_interval_method = (TfrcLossIntervalMethod) (what >> 5);
}

static void
check (const Fuzz *fuzz)
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (fuzz->receiver, &stats);
  CHECK (stats.p >= 0 && stats.p <= 1);
  /* only a handover may begin a history without a loss */
  CHECK (stats.p > 0 || stats.loss_events == 0);
  CHECK (stats.p == 0 || stats.loss_events > 0 || stats.handovers > 0);
  CHECK (isfinite (stats.mean_interval));
  CHECK (stats.mean_interval == 0 || stats.mean_interval >= 1 - ROUNDING);
  CHECK (
      stats.handover_phase >= TFRC_HANDOVER_NORMAL && stats.handover_phase <= TFRC_HANDOVER_ECHO);
  CHECK (stats.handovers
      == stats.handovers_completed + stats.handovers_abandoned
          + (stats.handover_phase != TFRC_HANDOVER_NORMAL));
  CHECK (isfinite (stats.x_recv_Bps) && stats.x_recv_Bps >= 0);
  CHECK (stats.packets_received + stats.packets_lost <= stats.packets_expected);
  CHECK (stats.packets_late <= stats.packets_received);
  CHECK (stats.packets_ect0 + stats.packets_ect1 + stats.packets_ce + stats.packets_not_ect
      == stats.packets_received);
  CHECK (stats.feedbacks_sent == fuzz->feedbacks);
  CHECK (stats.congestion_p >= 0 && stats.congestion_p <= 1);
  /* the averages of the two histories may be in any order */
  CHECK (stats.p > 0 || stats.congestion_p == 0);
  CHECK (fuzz->classifies || (stats.congestion_p == stats.p && stats.link_errors == 0));
  CHECK (stats.link_errors <= stats.packets_lost);
  CHECK (stats.reorder_window_ns <= stats.rtt_ns && stats.reorder_window_ns <= 1000000000);
}

static void
arrive (Fuzz *fuzz, uint16_t seq, uint64_t now)
{
  TfrcArrival arrival;
  TfrcResult result;

  fuzz->data.seq = seq;
  result = tfrc_receiver_on_data (fuzz->receiver, &fuzz->data, now, &arrival);
  CHECK (result == (fuzz->data.size_bytes > 65535 ? TFRC_ERROR_RANGE : TFRC_OK));
  if (result == TFRC_OK && arrival.kind != TFRC_ARRIVAL_SUSPECT
      && arrival.kind != TFRC_ARRIVAL_REFUSED)
    CHECK ((uint16_t) arrival.seq == seq);
}

static void
make_feedback (Fuzz *fuzz)
{
  TfrcFeedback feedback;

  if (tfrc_receiver_make_feedback (fuzz->receiver, fuzz->now, &feedback)) {
    CHECK (feedback.p >= 0 && feedback.p <= 1);
    CHECK (feedback.classified == fuzz->classifies);
    CHECK (feedback.congestion_p >= 0 && feedback.congestion_p <= 1);
    CHECK (fuzz->classifies || (feedback.congestion_p == 0 && feedback.link_errors == 0));
    CHECK (feedback.number == (uint32_t) fuzz->feedbacks);
    fuzz->feedbacks++;
  }
  CHECK (tfrc_receiver_next_feedback_ns (fuzz->receiver) > fuzz->now);
}

static void
wait_for_timer (Fuzz *fuzz)
{
  uint64_t next = tfrc_receiver_next_feedback_ns (fuzz->receiver);

  if (next != TFRC_TIME_NEVER && next > fuzz->now)
    fuzz->now = next;
}

static void
describe (TfrcData *data, Input *input)
{
  unsigned what = take (input, 1);

  data->has_tfrc = !(what & 1);
  data->ce = what & 2;
  data->ecn = what >> 6;
  if (what & 4)
    data->rtt_us = take (input, 4);
  if (what & 8)
    data->send_time_us = take (input, 4);
  if (what & 16)
    data->size_bytes = take (input, 3);
  if (what & 32) {
    unsigned marks = take (input, 1);

    data->link = take (input, 1);
    data->echo = marks & 1;
    data->direct = marks & 2;
    data->handover_number = marks >> 2;
  }
}

static void
hand_over (Fuzz *fuzz, Input *input)
{
  unsigned what = take (input, 1);
  TfrcHandover handover = { 0 };
  bool refused;

  handover.link = take (input, 1);
  handover.suppress_echo = what & 1;
  if (what & 2)
    handover.bandwidth_Bps = take_double (input);
  refused = !(handover.bandwidth_Bps >= 0 && handover.bandwidth_Bps <= CEILING_BPS);
  CHECK (tfrc_receiver_start_handover (fuzz->receiver, &handover, fuzz->now)
      == (refused ? TFRC_ERROR_ARGUMENT : TFRC_OK));
}

static void
event (Fuzz *fuzz, Input *input)
{
  uint16_t next = fuzz->data.seq + 1;
  uint64_t n;

  switch (take (input, 1) % 10) {
    case 0:
      fuzz->now += take_duration (input);
      break;
    case 1:
      arrive (fuzz, next, fuzz->now);
      break;
    case 2: /* in order, a little apart */
      for (n = take (input, 1); n > 0; n--) {
        fuzz->now += 1000000;
        arrive (fuzz, fuzz->data.seq + 1, fuzz->now);
      }
      break;
    case 3: /* after a loss */
      arrive (fuzz, next + take (input, 1), fuzz->now);
      break;
    case 4: /* from anywhere, perhaps in the past */
      arrive (fuzz, take (input, 2), fuzz->now - take (input, 1));
      break;
    case 5: /* late, then the sequence goes on */
      arrive (fuzz, next - take (input, 1), fuzz->now);
      fuzz->data.seq = next - 1;
      break;
    case 6:
      wait_for_timer (fuzz);
      make_feedback (fuzz);
      break;
    case 7:
      describe (&fuzz->data, input);
      break;
    case 8:
      hand_over (fuzz, input);
      break;
    case 9:
      tfrc_receiver_request_feedback (fuzz->receiver, fuzz->now);
      break;
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  Input input = { bytes, size };
  TfrcReceiverConfig config;
  Fuzz fuzz = { 0 };
  TfrcResult result;

  configure (&input, &config);
  result = tfrc_receiver_new (&fuzz.receiver, &config);
  CHECK ((result == TFRC_OK) == (tfrc_receiver_config_problem (&config) == NULL));
  if (result != TFRC_OK)
    return 0;
  fuzz.classifies = config.loss_classifier != TFRC_LOSS_CLASSIFIER_NONE;
  fuzz.now = 1000;
  fuzz.data.has_tfrc = true;
  fuzz.data.rtt_us = 50000;
  fuzz.data.size_bytes = 1316;
  while (input.size > 0) {
    event (&fuzz, &input);
    check (&fuzz);
  }
  tfrc_receiver_free (fuzz.receiver);
  return 0;
}
