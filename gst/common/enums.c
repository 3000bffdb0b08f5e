/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations of the library as GTypes, see enums.h. */
#include "enums.h"

static GType
register_once (gsize *type, const gchar *name, const GEnumValue *values)
{
  if (g_once_init_enter (type))
    g_once_init_leave (type, g_enum_register_static (name, values));
  return *type;
}

GType
gst_tfrc_handover_phase_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_HANDOVER_NORMAL, "No handover", "normal" },
    { TFRC_HANDOVER_STARTED, "Started: nothing has arrived since", "started" },
    { TFRC_HANDOVER_OLD_LINK, "Packets arrive over the old link", "old-link" },
    { TFRC_HANDOVER_NEW_LINK, "Packets arrive over the new link", "new-link" },
    { TFRC_HANDOVER_ECHO, "The new link is known", "echo" }, { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcHandoverPhase", values);
}

GType
gst_tfrc_handover_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_HANDOVER_MODE_DIRECT,
                                           "Wait for a sample of the new link's RTT", "direct" },
    { TFRC_HANDOVER_MODE_PAPER, "As in the paper: estimate it", "paper" }, { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcHandoverMode", values);
}

GType
gst_tfrc_rtt_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_RTT_METHOD_EWMA,
                                           "RFC 5348: exponentially weighted average", "ewma" },
    { TFRC_RTT_METHOD_ADAPTIVE,
        "Enhanced TFRC (eq. 3): R grows by the spread of the samples while they rise", "adaptive" },
    { TFRC_RTT_METHOD_ADAPTIVE_BOUNDED,
        "Average and spread while the samples rise, at most the longest sample",
        "adaptive-bounded" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcRttMethod", values);
}

GType
gst_tfrc_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { GST_TFRC_MODE_CALLER, "Calls the other end", "caller" },
    { GST_TFRC_MODE_LISTENER, "Waits for the other end", "listener" }, { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcMode", values);
}

GType
gst_tfrc_model_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_MODEL_RENO, "RFC 5348: as TCP Reno", "reno" },
    { TFRC_MODEL_CUBIC, "As TCP CUBIC (RFC 9438), never less than Reno", "cubic" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcModel", values);
}

GType
gst_tfrc_rto_policy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_RTO_POLICY_4R, "RFC 5348: 4 R", "4r" },
    { TFRC_RTO_POLICY_TCP, "As standard TCP (RFC 6298): max (1 s, R + 4 D)", "tcp" },
    { TFRC_RTO_POLICY_LINUX, "As Linux's TCP: R + max (200 ms, 4 D)", "linux" },
    { TFRC_RTO_POLICY_BALANCED, "About standard TCP's throughput: max (200 ms, 2 R)", "balanced" },
    { TFRC_RTO_POLICY_ADAPTIVE,
        "Enhanced TFRC (eq. 3 and 4): 4 R; on a link error the last t_RTO times R_new / R_old",
        "adaptive" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcRtoPolicy", values);
}

GType
gst_tfrc_loss_response_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_LOSS_RESPONSE_ALL, "RFC 5348: all losses", "all" },
    { TFRC_LOSS_RESPONSE_CONGESTION_ONLY, "All but those that the receiver calls link errors",
        "congestion-only" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcLossResponse", values);
}

GType
gst_tfrc_loss_interval_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_LOSS_INTERVAL_METHOD_WEIGHTED,
                                           "RFC 5348: weighted average", "weighted" },
    { TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE,
        "Enhanced TFRC (eq. 7): the bounds of the confidence interval replace the extremes",
        "ci-replace" },
    { TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE, "Enhanced TFRC (eq. 8): the bounds besides",
        "ci-include" },
    { TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE,
        "Enhanced TFRC (eq. 9): the mean replaces the "
        "extremes",
        "mean-replace" },
    { TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE, "Enhanced TFRC (eq. 10): the mean besides",
        "mean-include" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcLossIntervalMethod", values);
}

GType
gst_tfrc_loss_classifier_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { TFRC_LOSS_CLASSIFIER_NONE,
                                           "RFC 5348: every loss is congestion", "none" },
    { TFRC_LOSS_CLASSIFIER_TREND, "Enhanced TFRC: congestion while the one-way delay rises",
        "trend" },
    { TFRC_LOSS_CLASSIFIER_SPIKE, "Spike (Cen, Cosman and Voelker, 2003)", "spike" },
    { TFRC_LOSS_CLASSIFIER_ZIGZAG, "ZigZag (Cen, Cosman and Voelker, 2003)", "zigzag" },
    { TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE,
        "Spike, near the least delay, and few losses that do not grow with the rate",
        "empty-queue" },
    { 0, NULL, NULL } };

  return register_once (&type, "GstTfrcLossClassifier", values);
}

const gchar *
gst_tfrc_enum_get_nick (GType type, gint value)
{
  GEnumClass *klass = g_type_class_ref (type);
  const GEnumValue *found = g_enum_get_value (klass, value);
  const gchar *nick = found ? found->value_nick : "unknown";

  g_type_class_unref (klass);
  return nick;
}
