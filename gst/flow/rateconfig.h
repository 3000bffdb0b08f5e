/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the rate of a stream to a receiver is decided: the choices of the element, and the configuration of
 * libtfrc's sender that follows from them. */
#ifndef GST_TFRC_RATECONFIG_H
#define GST_TFRC_RATECONFIG_H

#include "../common/profile.h"

G_BEGIN_DECLS

/** How a stream's rate is decided. */
typedef struct
{
  guint64 start_bitrate; /**< bit/s; 0: W_init / R */
  guint initial_window;  /**< packets; 0: RFC 3390, as strict rules have it always */
  /** What is remembered of the path: a rate, 0: nothing, and the least R.  Not with strict rules. */
  gdouble remembered_rate_Bps;
  guint64 remembered_rtt_ns;
  guint64
      handshake_rtt_ns; /**< a sample of R from before the stream; 0: none.  Not with strict rules */
  guint64 burst_limit_ns; /**< 0: one round-trip time */
  gboolean queue_guard;   /**< see TfrcSenderConfig, as for the next choices */
  GstTfrcProfile profile; /**< only for the statistics: the next three need not be the profile's */
  TfrcRttMethod rtt_method;
  TfrcRtoPolicy rto_policy;
  TfrcModel model; /**< of TCP; strict rules have Reno's alone */
  TfrcRules rules;
  TfrcLossResponse loss_response;
  gdouble link_error_gain; /**< 0: the default */
  gdouble rate_scale;      /**< 0: 1 */
  gboolean mute_receiver;  /**< the receiver never answers; the minimum holds all the same */
  TfrcTrace decisions;     /**< is told of each decision, with the port's lock held */
} GstTfrcSinkRateConfig;

/** Returns why TFRC refuses @a rate: a static English sentence; NULL if TFRC does not refuse. Any
 * thread. */
const gchar *gst_tfrc_sink_rate_config_get_problem (const GstTfrcSinkRateConfig *rate);

/** Sets the configuration of a sender, but for its numbers. */
void gst_tfrc_sink_rate_config_get_sender (
    const GstTfrcSinkRateConfig *rate, TfrcSenderConfig *config);

G_END_DECLS
#endif
