/* Defaults and validation of configurations.  The defaults are RFC 5348's. */
#include "config.h"

#include <string.h>

#include "loss_average.h"
#include "loss_classifier.h"
#include "rtt.h"
#include "struct_size.h"
#include "units.h"

#define DEFAULT_SEGMENT_BYTES 1316 /* seven transport stream packets */
#define MAX_SEGMENT_BYTES 65535
#define DEFAULT_GRANULARITY_NS (1000 * TFRC_NS_PER_US)
#define DEFAULT_FEEDBACK_FLOOR_NS (10000 * TFRC_NS_PER_US)
#define MAX_FEEDBACK_FLOOR_NS TFRC_NS_PER_S
#define MAX_GRANULARITY_NS TFRC_NS_PER_S
#define DEFAULT_RTT_SAMPLES 8
#define DEFAULT_RTT_RISE_NS (1000 * TFRC_NS_PER_US)
#define MAX_RTT_RISE_NS TFRC_NS_PER_S

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
  config->rtt_samples = DEFAULT_RTT_SAMPLES;
  config->rtt_rise_ns = DEFAULT_RTT_RISE_NS;
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
tfrc_sender_config_read (TfrcSenderConfig *config, const TfrcSenderConfig *given, size_t size)
{
  TfrcResult result = TFRC_OK;

  init_sender_config (config);
  if (given != NULL)
    result = tfrc_struct_read (config, sizeof *config, given, size, TFRC_SENDER_CONFIG_FIRST_SIZE);
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
tfrc_receiver_config_read (TfrcReceiverConfig *config, const TfrcReceiverConfig *given, size_t size)
{
  TfrcResult result = TFRC_OK;

  init_receiver_config (config);
  if (given != NULL)
    result = tfrc_struct_read (
        config, sizeof *config, given, size, TFRC_RECEIVER_CONFIG_FIRST_SIZE);
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

bool
tfrc_sender_config_is_valid (const TfrcSenderConfig *config)
{
  return config->segment_size_bytes >= 1 && config->segment_size_bytes <= MAX_SEGMENT_BYTES
      && is_rate (config->initial_rate_Bps)
      && tfrc_rate_limits_are_valid (
          config->min_rate_Bps, config->max_rate_Bps, config->segment_size_bytes)
      && config->rate_scale >= 0.01 && config->rate_scale <= 100
      && config->rtt_method == TFRC_RTT_METHOD_EWMA && tfrc_rto_policy_is_valid (config->rto_policy)
      && config->timer_granularity_ns <= MAX_GRANULARITY_NS
      && config->feedback_floor_ns <= MAX_FEEDBACK_FLOOR_NS
      && (config->loss_response == TFRC_LOSS_RESPONSE_ALL
          || config->loss_response == TFRC_LOSS_RESPONSE_CONGESTION_ONLY)
      && config->rtt_samples >= 2 && config->rtt_samples <= TFRC_MAX_RTT_SAMPLES
      && config->rtt_rise_ns <= MAX_RTT_RISE_NS;
}

bool
tfrc_receiver_config_is_valid (const TfrcReceiverConfig *config)
{
  return config->history_length >= 2 && config->history_length <= TFRC_MAX_HISTORY_LENGTH
      && tfrc_loss_average_find (config->loss_interval_method) != NULL
      && (config->handover_mode == TFRC_HANDOVER_MODE_DIRECT
          || config->handover_mode == TFRC_HANDOVER_MODE_PAPER)
      && tfrc_rto_policy_is_valid (config->rto_policy)
      && config->feedback_floor_ns <= MAX_FEEDBACK_FLOOR_NS
      && tfrc_loss_classifier_is_valid (config->loss_classifier);
}
