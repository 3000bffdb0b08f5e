/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc as TFRC wants them, see gsttfrcsrcsettings.h. */
#include "gsttfrcsrcsettings.h"

void
gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits)
{
  limits->window_ns = settings->latency_ms * GST_MSECOND;
  limits->max_time_ns = settings->max_size_time;
  limits->timeout_ns = settings->timeout;
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}

void
gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver)
{
  tfrc_receiver_config_init (receiver);
  receiver->history_length = settings->history_length;
  receiver->loss_interval_method = (TfrcLossIntervalMethod) settings->loss_interval_method;
  receiver->loss_classifier = (TfrcLossClassifier) settings->loss_classifier;
  receiver->outage_is_one_event = TRUE;
  receiver->rto_policy = (TfrcRtoPolicy) settings->rto_policy;
  receiver->handover_mode = (TfrcHandoverMode) settings->handover_mode;
}
