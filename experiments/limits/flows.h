/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The flows that the limits paper compares, and their measures at the bottleneck's queue and at the
// hosts.
#ifndef SIM_LIMITS_FLOWS_H
#define SIM_LIMITS_FLOWS_H

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ns3/random-variable-stream.h>

#include "common/clock.h"
#include "common/flow.h"
#include "common/meter.h"
#include "common/result.h"
#include "common/tcp.h"
#include "common/tfrc_app.h"
#include "common/udp_app.h"
#include "limits/dumbbell.h"
#include "common/observers.h"

namespace sim
{

struct FlowOptions
{
  uint32_t tfrc = 5; // for each rate scale
  uint32_t tcp = 5;
  bool cbr = false; // the 14 constant rates
  std::vector<double> rate_scales = { 1 };
  TfrcRtoPolicy rto_policy = TFRC_RTO_POLICY_4R;
  uint32_t history_length = 8;
  uint32_t wire_bytes = 1000;
  double start_s = 10; // flows start at random before this time
  Window window;
};

// TFRC flow i of every rate scale and TCP flow i run between the same two hosts. Rates and losses
// are those of packets that reach the bottleneck, including retransmissions.
class ComparedFlows
{
public:
  ComparedFlows (Dumbbell &dumbbell, const FlowOptions &options);

  Table Rows () const;
  double MeanRateBps (const std::string &kind, double rate_scale = 1) const;
  const QueueMeter &
  Queue () const
  {
    return *m_queue;
  }

private:
  struct Flow
  {
    std::string kind; // tfrc, tcp, cbr
    Endpoints endpoints;
    double rate_scale = 1;
    double offered_bps = 0; // cbr
    std::optional<TfrcFlow> tfrc;
    std::unique_ptr<TfrcObserver> tfrc_observer;
    std::unique_ptr<TcpFlow> tcp;
    std::unique_ptr<TcpObserver> tcp_observer;
    std::optional<UdpFlow> udp;
  };

  Flow &Add (const std::string &kind, const Endpoints &endpoints, Protocol protocol);
  void AddTfrc (const Endpoints &endpoints, double rate_scale);
  void AddTcp (const Endpoints &endpoints);
  void AddCbr (const Endpoints &endpoints, double rate_bps);
  void Meter ();
  double
  StartS ()
  {
    return m_random->GetValue (0, m_options.start_s);
  }
  double RateBps (size_t flow) const;

  Dumbbell &m_dumbbell;
  FlowOptions m_options;
  ns3::Ptr<ns3::UniformRandomVariable> m_random;
  FlowTable m_table;
  std::deque<Flow> m_flows; // a deque, so that flows keep their addresses
  std::unique_ptr<QueueMeter> m_queue;
  std::unique_ptr<LossEventMeter> m_loss_events;
};

} // namespace sim
#endif
