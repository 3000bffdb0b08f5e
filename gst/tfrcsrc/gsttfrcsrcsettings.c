/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsrc as TFRC wants them, see gsttfrcsrcsettings.h. */
#include "gsttfrcsrcsettings.h"

#include "../common/experiment.h"

void
gst_tfrc_src_settings_get_limits (
    const GstTfrcSrcSettings *settings, GstTfrcSrcStreamLimits *limits)
{
  limits->window_ns = settings->latency_ms * GST_MSECOND;
  limits->max_time_ns = settings->max_size_time;
  limits->timeout_ns = settings->timeout;
  limits->stats_interval_ns = settings->stats_interval_ms * GST_MSECOND;
}

gboolean
gst_tfrc_src_settings_get_receiver (
    const GstTfrcSrcSettings *settings, TfrcReceiverConfig *receiver, GError **error)
{
  GstTfrcChoices choices;
  gboolean ok = gst_tfrc_choices_read (&choices, GST_TFRC_END_RECEIVER,
      (GstTfrcProfile) settings->profile, settings->experiment, error);

  if (choices.profile.rules == TFRC_RULES_STRICT)
    tfrc_receiver_config_init_strict (receiver);
  else
    tfrc_receiver_config_init (receiver);
  receiver->history_length = choices.history_length;
  receiver->loss_interval_method = choices.profile.loss_interval_method;
  receiver->loss_classifier = choices.profile.loss_classifier;
  receiver->outage_is_one_event = choices.profile.rules != TFRC_RULES_STRICT;
  receiver->rto_policy = choices.profile.rto_policy;
  receiver->handover_mode = choices.handover_mode;
  return ok;
}
