/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defaults and validation of configurations.  The defaults are RFC 5348's, with floors for paths with a
 * very short R. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "loss_average.h"
#include "loss_classifier.h"
#include "model.h"
#include "rtt.h"
#include "struct_size.h"
#include "units.h"

#define DEFAULT_SEGMENT_BYTES 1316 /* seven transport stream packets */
#define MAX_SEGMENT_BYTES 65535
#define DEFAULT_GRANULARITY_NS (1000 * TFRC_NS_PER_US)
#define DEFAULT_FEEDBACK_FLOOR_NS (10000 * TFRC_NS_PER_US)
#define MAX_FEEDBACK_FLOOR_NS TFRC_NS_PER_S
#define DEFAULT_FEEDBACK_WAIT_NS (40000 * TFRC_NS_PER_US)
#define MAX_FEEDBACK_WAIT_NS TFRC_NS_PER_S

/* Longer than R of a path over satellites, and far below the largest R that a packet can claim: that
 * much later may a sender that lies about R have its losses told. */
#define MAX_REORDER_WINDOW_NS TFRC_NS_PER_S
#define MAX_GRANULARITY_NS TFRC_NS_PER_S
/* Two steps of the timer: a wake-up that is one step late loses nothing. */
#define DEFAULT_CREDIT_FLOOR_NS (2 * DEFAULT_GRANULARITY_NS)
#define MAX_CREDIT_FLOOR_NS TFRC_NS_PER_S
#define MAX_INITIAL_WINDOW 10 /* RFC 6928's; more has been tried by no RFC */
#define DEFAULT_RTT_SAMPLES 8
#define DEFAULT_RTT_RISE_NS (1000 * TFRC_NS_PER_US)
/* Twice, so that a movie which needs what all losses would allow has its busy scenes. A larger gain is
 * a larger share of a queue whose drops are called link errors. */
#define DEFAULT_LINK_ERROR_GAIN 2
#define MAX_LINK_ERROR_GAIN 3
/* As BBRv3 has it in a round-trip time; SCReAM v2 takes 1 %. */
#define DEFAULT_LOSS_ALLOWANCE 0.02
#define MAX_RTT_RISE_NS TFRC_NS_PER_S

/* A constant as text */
#define TEXT(number) #number
#define NUMBER(constant) TEXT (constant)

static void
init_sender_config (TfrcSenderConfig *config)
{
  memset (config, 0, sizeof *config);
  config->segment_size_bytes = DEFAULT_SEGMENT_BYTES;
  config->rate_scale = 1;
  config->rtt_method = TFRC_RTT_METHOD_EWMA;
  config->rto_policy = TFRC_RTO_POLICY_4R;
  config->oscillation_reduction = true;
  config->burst_limit_ns = TFRC_TIME_NEVER;
  config->timer_granularity_ns = DEFAULT_GRANULARITY_NS;
  config->feedback_floor_ns = DEFAULT_FEEDBACK_FLOOR_NS;
  config->loss_response = TFRC_LOSS_RESPONSE_ALL;
  config->link_error_gain = DEFAULT_LINK_ERROR_GAIN;
  config->rtt_samples = DEFAULT_RTT_SAMPLES;
  config->rtt_rise_ns = DEFAULT_RTT_RISE_NS;
  config->credit_floor_ns = DEFAULT_CREDIT_FLOOR_NS;
  config->feedback_wait_ns = DEFAULT_FEEDBACK_WAIT_NS;
  config->model = TFRC_MODEL_RENO;
  config->rules = TFRC_RULES_CAUTIOUS;
}

TfrcResult
tfrc_sender_config_init_sized (TfrcSenderConfig *config, size_t size)
{
  TfrcSenderConfig defaults;

  init_sender_config (&defaults);
  return tfrc_struct_write (
      config, size, &defaults, sizeof defaults, TFRC_SENDER_CONFIG_FIRST_SIZE);
}

TfrcResult
tfrc_sender_config_init_strict_sized (TfrcSenderConfig *config, size_t size)
{
  TfrcSenderConfig strict;

  init_sender_config (&strict);
  strict.feedback_floor_ns = strict.feedback_wait_ns = strict.credit_floor_ns = 0;
  strict.rules = TFRC_RULES_STRICT;
  return tfrc_struct_write (config, size, &strict, sizeof strict, TFRC_SENDER_CONFIG_FIRST_SIZE);
}

/* Takes the caller's configuration over the defaults.  NULL: the defaults alone.  Returns TFRC_OK
 * or TFRC_ERROR_SIZE; does not validate. */
static TfrcResult
take_sender_config (TfrcSenderConfig *config, const TfrcSenderConfig *given, size_t size)
{
  init_sender_config (config);
  if (given == NULL)
    return TFRC_OK;
  return tfrc_struct_read (config, sizeof *config, given, size, TFRC_SENDER_CONFIG_FIRST_SIZE);
}

TfrcResult
tfrc_sender_config_read (TfrcSenderConfig *config, const TfrcSenderConfig *given, size_t size)
{
  TfrcResult result = take_sender_config (config, given, size);

  if (result != TFRC_OK)
    return result;
  return tfrc_sender_config_is_valid (config) ? TFRC_OK : TFRC_ERROR_ARGUMENT;
}

static void
init_receiver_config (TfrcReceiverConfig *config)
{
  memset (config, 0, sizeof *config);
  config->history_length = 8;
  config->loss_interval_method = TFRC_LOSS_INTERVAL_METHOD_WEIGHTED;
  config->history_discounting = true;
  config->rto_policy = TFRC_RTO_POLICY_4R;
  config->feedback_floor_ns = DEFAULT_FEEDBACK_FLOOR_NS;
  config->loss_classifier = TFRC_LOSS_CLASSIFIER_NONE;
  config->feedback_wait_ns = DEFAULT_FEEDBACK_WAIT_NS;
  config->loss_allowance = DEFAULT_LOSS_ALLOWANCE;
  config->model = TFRC_MODEL_RENO;
  config->rules = TFRC_RULES_CAUTIOUS;
}

TfrcResult
tfrc_receiver_config_init_sized (TfrcReceiverConfig *config, size_t size)
{
  TfrcReceiverConfig defaults;

  init_receiver_config (&defaults);
  return tfrc_struct_write (
      config, size, &defaults, sizeof defaults, TFRC_RECEIVER_CONFIG_FIRST_SIZE);
}

TfrcResult
tfrc_receiver_config_init_strict_sized (TfrcReceiverConfig *config, size_t size)
{
  TfrcReceiverConfig strict;

  init_receiver_config (&strict);
  strict.feedback_floor_ns = strict.feedback_wait_ns = 0;
  strict.rules = TFRC_RULES_STRICT;
  return tfrc_struct_write (config, size, &strict, sizeof strict, TFRC_RECEIVER_CONFIG_FIRST_SIZE);
}

/* As take_sender_config() */
static TfrcResult
take_receiver_config (TfrcReceiverConfig *config, const TfrcReceiverConfig *given, size_t size)
{
  init_receiver_config (config);
  if (given == NULL)
    return TFRC_OK;
  return tfrc_struct_read (config, sizeof *config, given, size, TFRC_RECEIVER_CONFIG_FIRST_SIZE);
}

TfrcResult
tfrc_receiver_config_read (TfrcReceiverConfig *config, const TfrcReceiverConfig *given, size_t size)
{
  TfrcResult result = take_receiver_config (config, given, size);

  if (result != TFRC_OK)
    return result;
  return tfrc_receiver_config_is_valid (config) ? TFRC_OK : TFRC_ERROR_ARGUMENT;
}

static bool
is_rate (double rate_Bps)
{
  return rate_Bps >= 0 && rate_Bps <= TFRC_RATE_CEILING_BPS;
}

bool
tfrc_rate_limits_are_valid (double min_rate_Bps, double max_rate_Bps, double segment_size_bytes)
{
  if (!is_rate (min_rate_Bps) || !is_rate (max_rate_Bps))
    return false;
  return max_rate_Bps == 0
      || (max_rate_Bps >= min_rate_Bps && max_rate_Bps >= segment_size_bytes / TFRC_T_MBI_S);
}

/* ---- what is wrong with a configuration -------------------------------- */

#define SIZE_PROBLEM \
  "the size of the configuration is wrong, or the configuration sets a field that this version of " \
  "the library does not have"

/* Of what both ends have in common */
static const char *
problem_of_law (TfrcModel model, TfrcRules rules)
{
  if (tfrc_model_find (model) == NULL)
    return "model has to be a value of TfrcModel";
  if (rules != TFRC_RULES_CAUTIOUS && rules != TFRC_RULES_STRICT)
    return "rules has to be a value of TfrcRules";
  return NULL;
}

static const char *
problem_of_rates (const TfrcSenderConfig *config)
{
  if (!is_rate (config->initial_rate_Bps))
    return "initial_rate_Bps has to be 0 to 125e9";
  if (!is_rate (config->min_rate_Bps))
    return "min_rate_Bps has to be 0 to 125e9";
  if (!is_rate (config->max_rate_Bps))
    return "max_rate_Bps has to be 0 to 125e9";
  if (!tfrc_rate_limits_are_valid (
          config->min_rate_Bps, config->max_rate_Bps, config->segment_size_bytes))
    return "max_rate_Bps has to be 0, or at least min_rate_Bps and segment_size_bytes / 64 s";
  if (!(config->rate_scale >= 0.01 && config->rate_scale <= 100))
    return "rate_scale has to be 0.01 to 100";
  return NULL;
}

static const char *
problem_of_estimators (const TfrcSenderConfig *config)
{
  if (tfrc_rtt_method_find (config->rtt_method) == NULL)
    return "rtt_method has to be a value of TfrcRttMethod";
  if (!tfrc_rto_policy_is_valid (config->rto_policy))
    return "rto_policy has to be a value of TfrcRtoPolicy";
  if (config->rto_policy == TFRC_RTO_POLICY_ADAPTIVE && config->rtt_method == TFRC_RTT_METHOD_EWMA)
    return "rto_policy adaptive scales t_RTO with the R of enhanced TFRC, so that rtt_method has to "
           "be adaptive or adaptive-bounded";
  if (config->rtt_samples < 2 || config->rtt_samples > TFRC_MAX_RTT_SAMPLES)
    return "rtt_samples has to be 2 to " NUMBER (TFRC_MAX_RTT_SAMPLES);
  if (config->rtt_rise_ns > MAX_RTT_RISE_NS)
    return "rtt_rise_ns has to be at most 1 s";
  return NULL;
}

/* Returns what is wrong, or NULL. */
static const char *
problem_of_sender (const TfrcSenderConfig *config)
{
  const char *problem;

  if (config->segment_size_bytes < 1 || config->segment_size_bytes > MAX_SEGMENT_BYTES)
    return "segment_size_bytes has to be 1 to 65535";
  problem = problem_of_rates (config);
  if (problem == NULL)
    problem = problem_of_estimators (config);
  if (problem != NULL)
    return problem;
  if (config->timer_granularity_ns > MAX_GRANULARITY_NS)
    return "timer_granularity_ns has to be at most 1 s";
  if (config->credit_floor_ns > MAX_CREDIT_FLOOR_NS)
    return "credit_floor_ns has to be at most 1 s";
  if (config->feedback_floor_ns > MAX_FEEDBACK_FLOOR_NS)
    return "feedback_floor_ns has to be at most 1 s";
  if (config->feedback_wait_ns > MAX_FEEDBACK_WAIT_NS)
    return "feedback_wait_ns has to be at most 1 s";
  if (config->initial_rtt_ns > TFRC_MAX_RTT_NS)
    return "initial_rtt_ns has to be at most 16.777215 s";
  if (config->initial_window > MAX_INITIAL_WINDOW)
    return "initial_window has to be 0 to " NUMBER (MAX_INITIAL_WINDOW);
  if (!is_rate (config->remembered_rate_Bps))
    return "remembered_rate_Bps has to be 0 to 125e9";
  if (config->remembered_rtt_ns > TFRC_MAX_RTT_NS
      || (config->remembered_rtt_ns == 0) != (config->remembered_rate_Bps == 0))
    return "remembered_rtt_ns has to be at most 16.777215 s, and 0 if and only if remembered_rate_Bps is";
  if (config->loss_response != TFRC_LOSS_RESPONSE_ALL
      && config->loss_response != TFRC_LOSS_RESPONSE_CONGESTION_ONLY)
    return "loss_response has to be a value of TfrcLossResponse";
  if (!(config->link_error_gain >= 1 && config->link_error_gain <= MAX_LINK_ERROR_GAIN)
      && config->link_error_gain != INFINITY)
    return "link_error_gain has to be 1 to 3, or INFINITY";
  return problem_of_law (config->model, config->rules);
}

static const char *
problem_of_receiver (const TfrcReceiverConfig *config)
{
  if (config->history_length < 2 || config->history_length > TFRC_MAX_HISTORY_LENGTH)
    return "history_length has to be 2 to " NUMBER (TFRC_MAX_HISTORY_LENGTH);
  if (tfrc_loss_average_find (config->loss_interval_method) == NULL)
    return "loss_interval_method has to be a value of TfrcLossIntervalMethod";
  if (config->handover_mode != TFRC_HANDOVER_MODE_DIRECT
      && config->handover_mode != TFRC_HANDOVER_MODE_PAPER)
    return "handover_mode has to be a value of TfrcHandoverMode";
  if (!tfrc_rto_policy_is_valid (config->rto_policy))
    return "rto_policy has to be a value of TfrcRtoPolicy";
  if (config->feedback_floor_ns > MAX_FEEDBACK_FLOOR_NS)
    return "feedback_floor_ns has to be at most 1 s";
  if (config->feedback_wait_ns > MAX_FEEDBACK_WAIT_NS)
    return "feedback_wait_ns has to be at most 1 s";
  if (config->reorder_window_ns > MAX_REORDER_WINDOW_NS)
    return "reorder_window_ns has to be at most 1 s";
  if (!tfrc_loss_classifier_is_valid (config->loss_classifier))
    return "loss_classifier has to be a value of TfrcLossClassifier";
  if (!(config->loss_allowance >= 0 && config->loss_allowance <= 1))
    return "loss_allowance has to be 0 to 1";
  return problem_of_law (config->model, config->rules);
}

bool
tfrc_sender_config_is_valid (const TfrcSenderConfig *config)
{
  return problem_of_sender (config) == NULL;
}

bool
tfrc_receiver_config_is_valid (const TfrcReceiverConfig *config)
{
  return problem_of_receiver (config) == NULL;
}

const char *
tfrc_sender_config_problem_sized (const TfrcSenderConfig *config, size_t size)
{
  TfrcSenderConfig known;

  return take_sender_config (&known, config, size) == TFRC_OK ? problem_of_sender (&known)
                                                              : SIZE_PROBLEM;
}

const char *
tfrc_receiver_config_problem_sized (const TfrcReceiverConfig *config, size_t size)
{
  TfrcReceiverConfig known;

  return take_receiver_config (&known, config, size) == TFRC_OK ? problem_of_receiver (&known)
                                                                : SIZE_PROBLEM;
}
