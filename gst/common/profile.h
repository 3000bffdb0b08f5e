/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: named sets of the choices that decide how TFRC measures and how it responds to loss. */
#ifndef GST_TFRC_PROFILE_H
#define GST_TFRC_PROFILE_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

typedef enum
{
  GST_TFRC_PROFILE_RFC5348,        /**< RFC 5348, floors for a short R, and rules against liars */
  GST_TFRC_PROFILE_ENHANCED_PAPER, /**< enhanced TFRC as its paper describes it */
  GST_TFRC_PROFILE_ENHANCED,       /**< parts of enhanced TFRC, and RFC 5348 for the rest */
  GST_TFRC_PROFILE_RFC5348_STRICT  /**< RFC 5348 to the letter */
} GstTfrcProfile;

#define GST_TYPE_TFRC_PROFILE (gst_tfrc_profile_get_type ())
GType gst_tfrc_profile_get_type (void);

/** The choices of a profile.  Everything else, such as the queue guard, the burst limit and the
 * length of the loss history, stays as it is. */
typedef struct
{
  TfrcRttMethod rtt_method;
  TfrcRtoPolicy rto_policy;
  TfrcLossResponse loss_response;
  TfrcLossIntervalMethod loss_interval_method;
  TfrcLossClassifier loss_classifier;
  gdouble link_error_gain; /* see TfrcSenderConfig */
  gdouble loss_allowance;  /* see TfrcReceiverConfig */
  /* TFRC_RULES_STRICT: the configuration begins with tfrc_sender_config_init_strict() or
   * tfrc_receiver_config_init_strict(), and an outage is as many loss events as it has round-trip
   * times */
  TfrcRules rules;
} GstTfrcProfileValues;

/** Returns the values of a profile: static; NULL if there is no such profile.  Any thread. */
const GstTfrcProfileValues *gst_tfrc_profile_get_values (GstTfrcProfile profile);

G_END_DECLS
#endif
