/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of tfrcsink as the session wants them, see gsttfrcsinksettings.h. */
#include "gsttfrcsinksettings.h"

void
gst_tfrc_sink_settings_get_rate (const GstTfrcSinkSettings *settings, GstTfrcSinkRateConfig *rate)
{
  rate->start_bitrate = settings->start_bitrate;
  rate->burst_limit_ns = settings->burst_limit_ms * GST_MSECOND;
  rate->queue_guard = settings->queue_guard;
  rate->profile = (GstTfrcProfile) settings->profile;
  rate->rtt_method = (TfrcRttMethod) settings->rtt_method;
  rate->rto_policy = (TfrcRtoPolicy) settings->rto_policy;
  rate->loss_response = (TfrcLossResponse) settings->loss_response;
  rate->rate_scale = settings->rate_scale;
}
