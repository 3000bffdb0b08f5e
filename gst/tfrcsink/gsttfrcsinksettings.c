/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsink as the session wants them, see gsttfrcsinksettings.h. */
#include "gsttfrcsinksettings.h"

#include "../common/experiment.h"

gboolean
gst_tfrc_sink_settings_get_rate (
    const GstTfrcSinkSettings *settings, GstTfrcSinkRateConfig *rate, GError **error)
{
  GstTfrcProfile profile = (GstTfrcProfile) settings->profile;
  GstTfrcChoices choices;
  gboolean ok = gst_tfrc_choices_read (
      &choices, GST_TFRC_END_SENDER, profile, settings->experiment, error);

  rate->start_bitrate = settings->start_bitrate;
  rate->burst_limit_ns = settings->burst_limit_ms * GST_MSECOND;
  rate->queue_guard = settings->queue_guard;
  rate->profile = profile;
  rate->rtt_method = choices.profile.rtt_method;
  rate->rto_policy = choices.profile.rto_policy;
  rate->loss_response = choices.profile.loss_response;
  rate->rules = choices.profile.rules;
  rate->rate_scale = choices.rate_scale;
  return ok;
}
