/* The data sender (RFC 5348 section 4): the allowed sending rate and the nofeedback timer. */
#include "sender.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "units.h"

/* Section 4.2: the nofeedback timer before anything is known */
#define INITIAL_NOFEEDBACK_NS (2 * TFRC_NS_PER_S)

/* Section 4.3 step 4: the discount of X_recv on a loss in a data-limited interval */
#define DATA_LIMITED_LOSS_FACTOR 0.85

/* The receiver counts the round-trip times between its feedback in whole microseconds. */
#define RTT_ROUNDING_NS TFRC_NS_PER_US

/* ---- rates ------------------------------------------------------------- */

static double
segment_bytes (const TfrcSender * sender)
{
  return sender->segment_size.mean_bytes;
}

/* R, but for intervals that feedback covers: not shorter than feedback can come */
static uint64_t
feedback_interval_ns (const TfrcSender * sender)
{
  return tfrc_max_ns (tfrc_rtt_ns (&sender->rtt), sender->config.feedback_floor_ns);
}

/* W_init / R (section 4.2).  The initial window is what may leave before the first word comes back, and on a path whose
 * round-trip time is below the feedback floor that is the floor. */
static double
initial_rate_Bps (const TfrcSender * sender)
{
  double mss = sender->config.segment_size_bytes;

  if (sender->config.initial_rate_Bps > 0)
    return sender->config.initial_rate_Bps;
  return fmin (4 * mss, fmax (2 * mss, 4380)) / tfrc_ns_to_s (feedback_interval_ns (sender));
}

static double
max_rate_Bps (const TfrcSender * sender)
{
  return sender->config.max_rate_Bps > 0 ? sender->config.max_rate_Bps : TFRC_RATE_CEILING_BPS;
}

/* s / t_mbi <= rate, and the configured limits */
static double
clamp_rate_Bps (const TfrcSender * sender, double rate_Bps)
{
  double min_Bps = fmax (segment_bytes (sender) / TFRC_T_MBI_S, sender->config.min_rate_Bps);

  return fmin (fmax (rate_Bps, min_Bps), max_rate_Bps (sender));
}

/* Sets X, and X_inst (section 4.5).  Where X_inst is above X, it is no more than X_recv_set allows X: on a path whose
 * round-trip time is mostly queueing, the factor reaches 30 at the moment when the queue is empty.  Without queue guard
 * its limit is infinite. */
static void
set_rate (TfrcSender * sender, double rate_Bps)
{
  double factor =
      sender->config.oscillation_reduction ? tfrc_rtt_oscillation_factor (&sender->rtt) : 1;
  double x_inst_Bps;

  sender->x_Bps = clamp_rate_Bps (sender, rate_Bps);
  x_inst_Bps = fmin (sender->x_Bps * factor, fmax (sender->x_Bps, sender->recv_limit_Bps));
  x_inst_Bps = fmin (x_inst_Bps, tfrc_queue_guard_limit_Bps (&sender->queue_guard));
  sender->x_inst_Bps = clamp_rate_Bps (sender, x_inst_Bps);
}

/* t_ipi (section 4.6); never 0, which would let any number of packets go at once */
static uint64_t
interval_ns (const TfrcSender * sender)
{
  return tfrc_max_ns (1, tfrc_s_to_ns (segment_bytes (sender) / sender->x_inst_Bps,
          UINT64_MAX / 4));
}

/* max (4 R, 2 s / X) (section 4.3 step 3); without R at least what section 4.2 begins with */
static uint64_t
rto_ns (const TfrcSender * sender)
{
  uint64_t two_packets_ns =
      tfrc_s_to_ns (2 * segment_bytes (sender) / sender->x_Bps, UINT64_MAX / 4);

  if (!tfrc_rtt_is_known (&sender->rtt))
    return tfrc_max_ns (INITIAL_NOFEEDBACK_NS, two_packets_ns);
  return tfrc_max_ns (4 * feedback_interval_ns (sender), two_packets_ns);
}

static void
set_nofeedback_timer (TfrcSender * sender, uint64_t now_ns, uint64_t after_ns)
{
  sender->nofeedback_set_ns = now_ns;
  sender->nofeedback_ns = tfrc_add_ns (now_ns, after_ns);
}

/* X_Bps of the throughput equation; 0 while p = 0 */
static double
equation_rate_Bps (const TfrcSender * sender)
{
  if (sender->p == 0)
    return 0;
  return sender->config.rate_scale * tfrc_equation_rate_Bps (segment_bytes (sender),
      sender->rtt.r_s, tfrc_rtt_rto_s (&sender->rtt), sender->p);
}

/* ---- life -------------------------------------------------------------- */

TfrcResult
tfrc_sender_new (TfrcSender ** sender, const TfrcSenderConfig * config)
{
  TfrcSenderConfig defaults;
  TfrcSender *self;

  if (sender == NULL)
    return TFRC_ERROR_ARGUMENT;
  *sender = NULL;
  if (config == NULL) {
    tfrc_sender_config_init (&defaults);
    config = &defaults;
  }
  if (!tfrc_sender_config_is_valid (config))
    return TFRC_ERROR_ARGUMENT;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return TFRC_ERROR_NO_MEMORY;

  self->config = *config;
  tfrc_rtt_init (&self->rtt, config->rtt_method, config->rto_policy);
  tfrc_data_limited_init (&self->data_limited);
  tfrc_segment_size_init (&self->segment_size, config->segment_size_bytes);
  tfrc_pacer_init (&self->pacer, config->burst_limit_ns, config->timer_granularity_ns);
  tfrc_recv_set_init (&self->recv_set, 0);
  tfrc_feedback_record_init (&self->feedback);
  tfrc_queue_guard_init (&self->queue_guard);
  tfrc_sender_handover_init (&self->handover);
  tfrc_new_path_init (&self->new_path);
  self->nofeedback_ns = TFRC_TIME_NEVER;
  self->next_seq = config->first_seq;
  self->recv_limit_Bps = INFINITY;
  /* Section 4.2: s bytes per second until there is a round-trip time */
  set_rate (self, config->segment_size_bytes);
  *sender = self;
  return TFRC_OK;
}

void
tfrc_sender_free (TfrcSender * sender)
{
  free (sender);
}

TfrcResult
tfrc_sender_set_rate_limits (TfrcSender * sender, double min_rate_Bps, double max_rate_Bps)
{
  if (sender == NULL
      || !tfrc_rate_limits_are_valid (min_rate_Bps, max_rate_Bps,
          sender->config.segment_size_bytes))
    return TFRC_ERROR_ARGUMENT;
  sender->config.min_rate_Bps = min_rate_Bps;
  sender->config.max_rate_Bps = max_rate_Bps;
  set_rate (sender, sender->x_Bps);
  return TFRC_OK;
}

/* ---- sending ----------------------------------------------------------- */

uint32_t
tfrc_sender_wire_time_us (const TfrcSender * sender, uint64_t now_ns)
{
  return (uint32_t) (now_ns / TFRC_NS_PER_US) + sender->config.clock_offset_us;
}

/* Send times as the receiver can report them */
static uint64_t
truncate_to_us (uint64_t ns)
{
  return ns - ns % TFRC_NS_PER_US;
}

uint64_t
tfrc_sender_next_send_ns (const TfrcSender * sender)
{
  return tfrc_pacer_next_ns (&sender->pacer, interval_ns (sender), tfrc_rtt_ns (&sender->rtt));
}

TfrcResult
tfrc_sender_prepare (TfrcSender * sender, uint32_t size_bytes, uint64_t now_ns, TfrcData * data)
{
  uint64_t ipi_ns, rtt_ns;

  if (sender == NULL || data == NULL || size_bytes == 0 || size_bytes > UINT16_MAX)
    return TFRC_ERROR_ARGUMENT;
  ipi_ns = interval_ns (sender);
  rtt_ns = tfrc_rtt_ns (&sender->rtt);
  if (now_ns < tfrc_pacer_next_ns (&sender->pacer, ipi_ns, rtt_ns))
    return TFRC_ERROR_TOO_EARLY;

  tfrc_segment_size_on_packet (&sender->segment_size, size_bytes, sender->p);
  /* s / t_mbi grows with the segments: one packet in 64 seconds is always allowed */
  if (fmin (sender->x_Bps, sender->x_inst_Bps) < segment_bytes (sender) / TFRC_T_MBI_S)
    set_rate (sender, sender->x_Bps);
  tfrc_pacer_on_packet (&sender->pacer, ipi_ns, rtt_ns, now_ns);
  if (tfrc_pacer_is_exhausted (&sender->pacer, ipi_ns, rtt_ns, now_ns))
    tfrc_data_limited_on_limit_reached (&sender->data_limited, truncate_to_us (now_ns));

  if (sender->packets_sent == 0)
    sender->first_send_ns = now_ns;
  sender->last_send_ns = now_ns;
  /* The timer stands still while the sender is idle at a rate that idleness does not reduce, see on_timeout. */
  if (sender->nofeedback_ns == TFRC_TIME_NEVER)
    set_nofeedback_timer (sender, now_ns,
        sender->packets_sent == 0 ? INITIAL_NOFEEDBACK_NS : rto_ns (sender));

  memset (data, 0, sizeof *data);
  data->seq = sender->next_seq++;
  data->send_time_us = tfrc_sender_wire_time_us (sender, now_ns);
  data->rtt_us = (uint32_t) ((rtt_ns + TFRC_NS_PER_US / 2) / TFRC_NS_PER_US);
  data->size_bytes = size_bytes;
  data->has_tfrc = true;
  data->echo = sender->handover.echo;
  data->direct = sender->handover.direct;
  data->handover_number = sender->handover.number;
  sender->packets_sent++;
  sender->bytes_sent += size_bytes;
  return TFRC_OK;
}

void
tfrc_sender_cancel (TfrcSender * sender, uint32_t size_bytes)
{
  if (sender->packets_sent == 0)
    return;
  sender->next_seq--;
  sender->packets_sent--;
  sender->bytes_sent -= size_bytes < sender->bytes_sent ? size_bytes : sender->bytes_sent;
}

/* ---- feedback (section 4.3) -------------------------------------------- */

/* Everything that can be known without a shared secret, see feedback_record.h */
static TfrcResult
validate (const TfrcSender * sender, const TfrcFeedback * feedback, uint64_t now_ns,
    uint64_t * t_new_ns)
{
  TfrcFeedbackContext context = { 0 };

  if (sender->packets_sent == 0)
    return feedback->p >= 0 && feedback->p <= 1 ? TFRC_ERROR_NOT_SENT : TFRC_ERROR_RANGE;
  context.now_ns = truncate_to_us (now_ns);
  context.now_wire_us = tfrc_sender_wire_time_us (sender, now_ns);
  context.first_send_ns = truncate_to_us (sender->first_send_ns);
  context.last_send_ns = truncate_to_us (sender->last_send_ns);
  context.interval_ns = feedback_interval_ns (sender);
  return tfrc_feedback_record_check (&sender->feedback, feedback, &context, t_new_ns);
}

/* Step 4 up to recv_limit: what X_recv_set allows */
static double
recv_limit_after_feedback (TfrcSender * sender, const TfrcFeedback * feedback, uint64_t now_ns)
{
  double x_recv_Bps = feedback->x_recv_Bps;

  if (!sender->was_data_limited) {
    tfrc_recv_set_update (&sender->recv_set, x_recv_Bps, feedback_interval_ns (sender), now_ns);
    return 2 * tfrc_recv_set_max (&sender->recv_set);
  }
  if (tfrc_feedback_record_is_new_loss (&sender->feedback, feedback)) {
    tfrc_recv_set_halve (&sender->recv_set);
    tfrc_recv_set_maximize (&sender->recv_set, DATA_LIMITED_LOSS_FACTOR * x_recv_Bps, now_ns);
    return tfrc_recv_set_max (&sender->recv_set);
  }
  tfrc_recv_set_maximize (&sender->recv_set, x_recv_Bps, now_ns);
  return 2 * tfrc_recv_set_max (&sender->recv_set);
}

/* Step 4 */
static void
update_rate (TfrcSender * sender, const TfrcFeedback * feedback, uint64_t now_ns)
{
  sender->recv_limit_Bps = recv_limit_after_feedback (sender, feedback, now_ns);
  if (sender->p > 0) {
    set_rate (sender, tfrc_sender_handover_settle_Bps (&sender->handover, sender->x_eq_Bps,
            sender->recv_limit_Bps, sender->x_Bps, segment_bytes (sender), sender->rtt.r_s,
            now_ns));
  } else if (now_ns - sender->tld_ns + RTT_ROUNDING_NS >= tfrc_rtt_ns (&sender->rtt)) {
    set_rate (sender, fmax (fmin (2 * sender->x_Bps, sender->recv_limit_Bps),
            initial_rate_Bps (sender)));
    sender->tld_ns = now_ns;
  } else {
    set_rate (sender, sender->x_Bps);
  }
}

/* While the receiver changes links */
static void
hold_rate (TfrcSender * sender, uint64_t now_ns)
{
  sender->recv_limit_Bps = sender->handover.hold_Bps;
  tfrc_recv_set_replace (&sender->recv_set, sender->recv_limit_Bps / 2, now_ns);
  sender->tld_ns = now_ns;
  set_rate (sender, sender->recv_limit_Bps);
}

/* ---- another path ------------------------------------------------------ */

/* Section 4.2 once more; p is the receiver's, and can only hold the rate down. */
static void
begin_path (TfrcSender * sender, uint64_t now_ns)
{
  double rate_Bps = initial_rate_Bps (sender);

  if (sender->p > 0)
    rate_Bps = fmin (rate_Bps, sender->x_eq_Bps);
  tfrc_recv_set_replace (&sender->recv_set, rate_Bps / 2, now_ns);
  sender->recv_limit_Bps = rate_Bps;
  sender->tld_ns = now_ns;
  set_rate (sender, rate_Bps);
}

void
tfrc_sender_on_new_path (TfrcSender * sender, uint64_t rtt_ns, uint64_t now_ns)
{
  uint64_t left_ns;
  double x_Bps = sender->x_Bps;

  if (!tfrc_rtt_is_known (&sender->rtt))
    return;
  /* What has left until now went the old way, whenever the news came in. */
  left_ns =
      tfrc_max_ns (truncate_to_us (now_ns), truncate_to_us (sender->last_send_ns) + TFRC_NS_PER_US);
  tfrc_new_path_begin (&sender->new_path, feedback_interval_ns (sender), left_ns);
  if (rtt_ns > 0) {
    tfrc_rtt_reset (&sender->rtt);
    tfrc_rtt_on_sample (&sender->rtt, rtt_ns);
  }
  sender->x_eq_Bps = equation_rate_Bps (sender);
  tfrc_queue_guard_init (&sender->queue_guard);
  tfrc_sender_handover_cancel (&sender->handover);
  begin_path (sender, now_ns);
  /* Only feedback from there ends what the nofeedback timer has begun. */
  if (sender->x_Bps > x_Bps)
    set_rate (sender, x_Bps);
  set_nofeedback_timer (sender, now_ns, rto_ns (sender));
}

/* ---- feedback: all of section 4.3 -------------------------------------- */

TfrcResult
tfrc_sender_check_feedback (const TfrcSender * sender, const TfrcFeedback * feedback,
    uint64_t now_ns)
{
  uint64_t t_new_ns;

  if (sender == NULL || feedback == NULL)
    return TFRC_ERROR_ARGUMENT;
  return validate (sender, feedback, now_ns, &t_new_ns);
}

TfrcResult
tfrc_sender_on_feedback (TfrcSender * sender, const TfrcFeedback * feedback, uint64_t now_ns)
{
  uint64_t t_new_ns, delay_ns;
  TfrcNewPathFeedback path;
  bool first, holding;
  TfrcResult result;

  if (sender == NULL || feedback == NULL)
    return TFRC_ERROR_ARGUMENT;
  result = validate (sender, feedback, now_ns, &t_new_ns);
  if (result != TFRC_OK) {
    sender->feedbacks_refused++;
    return result;
  }

  first = !tfrc_rtt_is_known (&sender->rtt);
  delay_ns = feedback->delay_us * TFRC_NS_PER_US;
  if (feedback->handover) {
    tfrc_new_path_init (&sender->new_path);
    tfrc_queue_guard_init (&sender->queue_guard);
  }
  path = tfrc_new_path_on_feedback (&sender->new_path, t_new_ns, feedback_interval_ns (sender));
  if (feedback->handover || path == TFRC_NEW_PATH_FIRST)
    tfrc_rtt_reset (&sender->rtt);
  if (path != TFRC_NEW_PATH_OLD)
    tfrc_rtt_on_sample (&sender->rtt, tfrc_sub_ns (truncate_to_us (now_ns) - t_new_ns, delay_ns));
  sender->p = feedback->p;
  sender->x_eq_Bps = equation_rate_Bps (sender);
  holding =
      tfrc_sender_handover_on_feedback (&sender->handover, feedback, sender->x_Bps,
      sender->was_data_limited, now_ns);
  if (sender->config.queue_guard && !holding)
    tfrc_queue_guard_on_feedback (&sender->queue_guard, feedback->x_recv_Bps,
        sender->rtt.r_sample_s, segment_bytes (sender), now_ns);
  /* always asked: it also keeps the record of times */
  sender->was_data_limited = tfrc_data_limited_on_feedback (&sender->data_limited, t_new_ns,
      feedback_interval_ns (sender), now_ns) && feedback->x_recv_Bps > 0;
  if (first) {
    tfrc_recv_set_init (&sender->recv_set, now_ns);
    sender->tld_ns = now_ns;
    set_rate (sender, initial_rate_Bps (sender));
  } else if (holding) {
    hold_rate (sender, now_ns);
  } else if (path != TFRC_NEW_PATH_SETTLED) {
    begin_path (sender, now_ns);
  } else {
    update_rate (sender, feedback, now_ns);
  }
  tfrc_feedback_record_keep (&sender->feedback, feedback, t_new_ns);
  sender->backed_off = false;
  set_nofeedback_timer (sender, now_ns, rto_ns (sender));
  return TFRC_OK;
}

/* ---- no feedback (section 4.4) ----------------------------------------- */

uint64_t
tfrc_sender_next_timeout_ns (const TfrcSender * sender)
{
  return sender->nofeedback_ns;
}

/* "Update_Limits (timer_limit)"; a rate that the configured maximum limits is halved as well */
static void
update_limits (TfrcSender * sender, double timer_limit_Bps, uint64_t now_ns)
{
  double halved_max_Bps = max_rate_Bps (sender) / 2;
  double limit_Bps =
      fmax (fmin (timer_limit_Bps, halved_max_Bps), segment_bytes (sender) / TFRC_T_MBI_S);

  tfrc_recv_set_replace (&sender->recv_set, limit_Bps / 2, now_ns);
  /* step 4 of section 4.3 once more, with recv_limit = 2 max (X_recv_set) = timer_limit */
  sender->recv_limit_Bps = limit_Bps;
  set_rate (sender, fmin (sender->x_eq_Bps, limit_Bps));
}

/* Is the rate so low that having been idle is no reason to reduce it? */
static bool
spares_idle_sender (const TfrcSender * sender)
{
  if (!tfrc_rtt_is_known (&sender->rtt))
    return true;
  if (sender->p > 0)
    return tfrc_recv_set_max (&sender->recv_set) < initial_rate_Bps (sender);
  return sender->x_Bps < 2 * initial_rate_Bps (sender);
}

void
tfrc_sender_on_timeout (TfrcSender * sender, uint64_t now_ns)
{
  double x_recv_Bps = tfrc_recv_set_max (&sender->recv_set);
  bool idle = sender->last_send_ns < sender->nofeedback_set_ns;

  if (now_ns < sender->nofeedback_ns)
    return;
  if (idle && spares_idle_sender (sender)) {
    /* Every further expiration would do nothing as well: the timer waits for the next packet. */
    sender->nofeedback_ns = TFRC_TIME_NEVER;
    return;
  }
  if (sender->p == 0)
    set_rate (sender, sender->x_Bps / 2);
  else if (sender->x_eq_Bps > 2 * x_recv_Bps)
    update_limits (sender, x_recv_Bps, now_ns);
  else
    update_limits (sender, sender->x_eq_Bps / 2, now_ns);
  sender->nofeedback_expirations++;
  sender->backed_off = true;
  set_nofeedback_timer (sender, now_ns, rto_ns (sender));
}

void
tfrc_sender_on_peer_alive (TfrcSender * sender, uint64_t now_ns)
{
  if (sender->backed_off || !tfrc_rtt_is_known (&sender->rtt))
    tfrc_pacer_release (&sender->pacer, interval_ns (sender), now_ns);
}

/* ---- what is known ----------------------------------------------------- */

void
tfrc_sender_get_stats (const TfrcSender * sender, TfrcSenderStats * stats)
{
  memset (stats, 0, sizeof *stats);
  stats->x_Bps = sender->x_Bps;
  stats->x_inst_Bps = sender->x_inst_Bps;
  stats->x_eq_Bps = sender->x_eq_Bps;
  stats->x_recv_Bps = sender->feedback.last.x_recv_Bps;
  stats->recv_limit_Bps = sender->recv_limit_Bps;
  stats->queue_guard_Bps = tfrc_queue_guard_limit_Bps (&sender->queue_guard);
  stats->p = sender->p;
  stats->segment_size_bytes = segment_bytes (sender);
  stats->rtt_ns = tfrc_rtt_ns (&sender->rtt);
  stats->rtt_sample_ns = (uint64_t) (sender->rtt.r_sample_s * 1e9 + 0.5);
  stats->rttvar_ns = (uint64_t) (sender->rtt.d_s * 1e9 + 0.5);
  stats->equation_rto_ns = (uint64_t) (tfrc_rtt_rto_s (&sender->rtt) * 1e9 + 0.5);
  stats->rto_ns = rto_ns (sender);
  stats->packets_sent = sender->packets_sent;
  stats->bytes_sent = sender->bytes_sent;
  stats->feedbacks_received = sender->feedback.received;
  stats->feedbacks_refused = sender->feedbacks_refused;
  stats->nofeedback_expirations = sender->nofeedback_expirations;
  stats->data_limited = sender->was_data_limited;
  stats->slow_start = sender->p == 0;
  stats->holding = sender->handover.holding;
  stats->handovers = sender->handover.handovers;
}
