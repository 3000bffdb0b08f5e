/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles, see profile.h.  To change a profile, change its row of the table. */
#include "profile.h"

#include <math.h>

/* The library's defaults: a stream with link errors is at most twice as fast as with all losses, and at
 * most 2 % of its packets may be link errors, see docs/decisions/enhanced.md. */
#define GAIN 2
#define ALLOWANCE 0.02

static const GstTfrcProfileValues profiles[] = {
  [GST_TFRC_PROFILE_RFC5348] = { TFRC_RTT_METHOD_EWMA, TFRC_RTO_POLICY_4R, TFRC_LOSS_RESPONSE_ALL,
      TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, TFRC_LOSS_CLASSIFIER_NONE, GAIN, ALLOWANCE,
      TFRC_RULES_CAUTIOUS },
  [GST_TFRC_PROFILE_ENHANCED_PAPER] = { TFRC_RTT_METHOD_ADAPTIVE, TFRC_RTO_POLICY_ADAPTIVE,
      TFRC_LOSS_RESPONSE_CONGESTION_ONLY, TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE,
      TFRC_LOSS_CLASSIFIER_TREND, INFINITY, 1, TFRC_RULES_CAUTIOUS },
  [GST_TFRC_PROFILE_ENHANCED] = { TFRC_RTT_METHOD_ADAPTIVE_BOUNDED, TFRC_RTO_POLICY_4R,
      TFRC_LOSS_RESPONSE_CONGESTION_ONLY, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED,
      TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE, GAIN, ALLOWANCE, TFRC_RULES_CAUTIOUS },
  [GST_TFRC_PROFILE_RFC5348_STRICT] = { TFRC_RTT_METHOD_EWMA, TFRC_RTO_POLICY_4R,
      TFRC_LOSS_RESPONSE_ALL, TFRC_LOSS_INTERVAL_METHOD_WEIGHTED, TFRC_LOSS_CLASSIFIER_NONE, GAIN,
      ALLOWANCE, TFRC_RULES_STRICT },
};

GType
gst_tfrc_profile_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_PROFILE_RFC5348, "RFC 5348", "rfc5348" },
    { GST_TFRC_PROFILE_ENHANCED_PAPER, "Enhanced TFRC as in its paper", "enhanced-paper" },
    { GST_TFRC_PROFILE_ENHANCED, "Parts of enhanced TFRC, and RFC 5348 for the rest", "enhanced" },
    { GST_TFRC_PROFILE_RFC5348_STRICT, "RFC 5348 to the letter, which trusts the peer",
        "rfc5348-strict" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcProfile", values));
  return type;
}

const GstTfrcProfileValues *
gst_tfrc_profile_get_values (GstTfrcProfile profile)
{
  return (guint) profile < G_N_ELEMENTS (profiles) ? &profiles[profile] : NULL;
}
