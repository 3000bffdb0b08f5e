/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a sender, see rateconfig.h. */
#include "rateconfig.h"

#include "../queue/packet.h"

void
gst_tfrc_sink_rate_config_get_sender (const GstTfrcSinkRateConfig *rate, TfrcSenderConfig *config)
{
  if (rate->rules == TFRC_RULES_STRICT)
    tfrc_sender_config_init_strict (config);
  else
    tfrc_sender_config_init (config);
  config->segment_size_bytes = GST_TFRC_PACKET_MAX_PAYLOAD_BYTES;
  config->initial_rate_Bps = rate->start_bitrate / 8.0;
  config->queue_guard = rate->queue_guard;
  config->rtt_method = rate->rtt_method;
  config->rto_policy = rate->rto_policy;
  config->loss_response = rate->loss_response;
  if (rate->link_error_gain > 0)
    config->link_error_gain = rate->link_error_gain;
  if (rate->rules != TFRC_RULES_STRICT) {
    config->model = rate->model;
    config->initial_window = rate->initial_window;
    /* A sample of the call, or of a previous stream, counts for the first one of this stream (RFC 5348 section 4.2). */
    config->initial_rtt_ns = rate->handshake_rtt_ns > 0 ? rate->handshake_rtt_ns
                                                        : rate->remembered_rtt_ns;
    config->remembered_rate_Bps = rate->remembered_rate_Bps;
    config->remembered_rtt_ns = rate->remembered_rtt_ns;
  }
  config->trace = rate->decisions;
  if (rate->rate_scale > 0)
    config->rate_scale = rate->rate_scale;
  if (rate->burst_limit_ns > 0)
    config->burst_limit_ns = rate->burst_limit_ns;
}

const gchar *
gst_tfrc_sink_rate_config_get_problem (const GstTfrcSinkRateConfig *rate)
{
  TfrcSenderConfig config;

  gst_tfrc_sink_rate_config_get_sender (rate, &config);
  return tfrc_sender_config_problem (&config);
}
