/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The mechanisms of enhanced TFRC as options of a program, with the names of the elements'
// properties.
#ifndef SIM_MECHANISMS_H
#define SIM_MECHANISMS_H

#include <string>

#include <tfrc/tfrc.h>

#include "common/options.h"

namespace sim
{

// The defaults are RFC 5348.
class Mechanisms
{
public:
  // Adds rtt_method, rto_policy, loss_response, rtt_samples, rtt_rise_ms, loss_interval_method,
  // loss_classifier, link_error_gain, loss_allowance and tcp_model.
  void AddTo (Options *options);
  // Sets the fields of both configurations that the options name, and no other.
  void Apply (TfrcSenderConfig *sender, TfrcReceiverConfig *receiver) const;

private:
  std::string m_rtt_method = "ewma";
  std::string m_rto_policy = "4r";
  std::string m_loss_response = "all";
  uint32_t m_rtt_samples = 8;
  double m_rtt_rise_ms = 1;
  std::string m_loss_interval_method = "weighted";
  std::string m_loss_classifier = "none";
  double m_link_error_gain = 0;
  double m_loss_allowance = 0.02;
  std::string m_tcp_model = "reno";
};

} // namespace sim
#endif
