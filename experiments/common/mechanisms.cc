/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Names of the mechanisms of enhanced TFRC, see mechanisms.h.
#include "common/mechanisms.h"

#include <limits>
#include <map>
#include <vector>

#include "common/clock.h"
#include "common/rto_policy.h"

namespace sim
{

namespace
{

const std::map<std::string, TfrcRttMethod> kRttMethods{ { "ewma", TFRC_RTT_METHOD_EWMA },
  { "adaptive", TFRC_RTT_METHOD_ADAPTIVE },
  { "adaptive-bounded", TFRC_RTT_METHOD_ADAPTIVE_BOUNDED } };

const std::map<std::string, TfrcLossResponse> kLossResponses{ { "all", TFRC_LOSS_RESPONSE_ALL },
  { "congestion-only", TFRC_LOSS_RESPONSE_CONGESTION_ONLY } };

const std::map<std::string, TfrcLossIntervalMethod> kLossIntervalMethods{
  { "weighted", TFRC_LOSS_INTERVAL_METHOD_WEIGHTED },
  { "ci-replace", TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE },
  { "ci-include", TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE },
  { "mean-replace", TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE },
  { "mean-include", TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE }
};

const std::map<std::string, TfrcLossClassifier> kLossClassifiers{ { "none",
                                                                      TFRC_LOSS_CLASSIFIER_NONE },
  { "trend", TFRC_LOSS_CLASSIFIER_TREND }, { "spike", TFRC_LOSS_CLASSIFIER_SPIKE },
  { "zigzag", TFRC_LOSS_CLASSIFIER_ZIGZAG }, { "empty-queue", TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE } };

// The other programs do not have this policy, because it needs an adaptive R.
const std::string kAdaptiveRto = "adaptive";

const std::map<std::string, TfrcModel> kModels{ { "reno", TFRC_MODEL_RENO },
  { "cubic", TFRC_MODEL_CUBIC } };

template <typename Value>
std::vector<std::string>
NamesOf (const std::map<std::string, Value> &values)
{
  std::vector<std::string> names;

  for (const auto &[name, value] : values)
    names.push_back (name);
  return names;
}

std::vector<std::string>
AllRtoPolicyNames ()
{
  std::vector<std::string> names = RtoPolicyNames ();

  names.push_back (kAdaptiveRto);
  return names;
}

} // namespace

void
Mechanisms::AddTo (Options *options)
{
  options->Add ("rtt_method", &m_rtt_method, "how TFRC's sender averages R", NamesOf (kRttMethods));
  options->Add ("rto_policy", &m_rto_policy,
      "t_RTO in TFRC's equation; adaptive needs an adaptive R", AllRtoPolicyNames ());
  options->Add (
      "loss_response", &m_loss_response, "losses that count for TFRC", NamesOf (kLossResponses));
  options->Add (
      "rtt_samples", &m_rtt_samples, "recent samples of an adaptive R", 2, TFRC_MAX_RTT_SAMPLES);
  options->Add (
      "rtt_rise_ms", &m_rtt_rise_ms, "samples rise where one exceeds the last by more", 0, 1000);
  options->Add ("loss_interval_method", &m_loss_interval_method,
      "how TFRC's receiver averages loss intervals", NamesOf (kLossIntervalMethods));
  options->Add ("loss_classifier", &m_loss_classifier,
      "how TFRC's receiver tells link errors from congestion", NamesOf (kLossClassifiers));
  options->Add ("link_error_gain", &m_link_error_gain,
      "X is at most this many times what all losses give; 0: no limit", 0, 3);
  options->Add ("loss_allowance", &m_loss_allowance,
      "the part of the packets that may be link errors, for empty-queue", 0, 1);
  options->Add (
      "tcp_model", &m_tcp_model, "the TCP whose throughput equation TFRC has", NamesOf (kModels));
}

void
Mechanisms::Apply (TfrcSenderConfig *sender, TfrcReceiverConfig *receiver) const
{
  sender->rtt_method = kRttMethods.at (m_rtt_method);
  sender->rto_policy = m_rto_policy == kAdaptiveRto ? TFRC_RTO_POLICY_ADAPTIVE
                                                    : FindRtoPolicy (m_rto_policy);
  sender->loss_response = kLossResponses.at (m_loss_response);
  sender->rtt_samples = m_rtt_samples;
  sender->rtt_rise_ns = static_cast<uint64_t> (ToNs (m_rtt_rise_ms / 1e3));
  sender->model = kModels.at (m_tcp_model); // packets tell it to the receiver
  receiver->rto_policy = sender->rto_policy;
  receiver->loss_interval_method = kLossIntervalMethods.at (m_loss_interval_method);
  receiver->loss_classifier = kLossClassifiers.at (m_loss_classifier);
  receiver->loss_allowance = m_loss_allowance;
  sender->link_error_gain = m_link_error_gain > 0 ? m_link_error_gain
                                                  : std::numeric_limits<double>::infinity ();
}

} // namespace sim
