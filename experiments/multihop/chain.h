/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The multihop paper's network: a chain of congested links, and the flows across it. The paper's Cn
// is flow n - 1 here.
#ifndef MULTIHOP_CHAIN_H
#define MULTIHOP_CHAIN_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/meter.h"
#include "common/net.h"
#include "common/observers.h"
#include "common/tcp.h"
#include "common/tfrc_app.h"

namespace sim
{

struct ChainOptions
{
  uint32_t hops = 1;
  double rate_bps = 1e6;
  double delay_s = 0.01; // of every link
  uint32_t buffer_packets = 12;
};

// The routers between which a flow runs. Its first queue is that of hop `hop`.
struct ChainFlow
{
  uint32_t from_router;
  uint32_t to_router;
  uint32_t hop;
  Direction direction;
};

// C1 crosses all hops. C2, C4, ... each cross one hop forward; C3, C5, ... each cross one hop back.
std::vector<ChainFlow> ChainFlows (uint32_t hops);

// Routers and hosts. Every flow has its own hosts, whose links are far from congested.
class Chain
{
public:
  explicit Chain (const ChainOptions &options);

  const std::vector<ChainFlow> &
  Flows () const
  {
    return m_flows;
  }
  const std::vector<Link> &
  Hops () const
  {
    return m_hops;
  }
  const Endpoints &
  EndpointsOf (size_t flow) const
  {
    return m_endpoints.at (flow);
  }
  double BaseRttS (size_t flow) const;

private:
  Endpoints AddHosts (uint16_t port, const ChainFlow &flow);

  ChainOptions m_options;
  Network m_network;
  std::vector<ns3::Ptr<ns3::Node>> m_routers;
  std::vector<Link> m_hops;
  std::vector<ChainFlow> m_flows;
  std::vector<Endpoints> m_endpoints;
};

// Inputs of the throughput equation, as one flow has them: means over a window. NaN: no sample.
struct EquationInputs
{
  double rtt_s; // TFRC: the sender's R at each feedback packet; TCP: smoothed samples of the socket
  double rto_s; // TFRC: t_RTO of its policy; TCP: the timeout without backoff
};

// A greedy TFRC or TCP sender. wire_bytes and rto_policy apply to TFRC; TCP uses the settings of
// ConfigureTcp().
class GreedyFlow
{
public:
  GreedyFlow (const std::string &control, const Endpoints &endpoints, uint32_t wire_bytes,
      TfrcRtoPolicy rto_policy, double start_s, double stop_s);

  void OnDelivered (std::function<void (uint32_t)> listener);
  double RttS () const; // the sender's estimate; 0: none yet

  // Measures what Inputs() returns. Call it before the simulation starts.
  void Observe (const Window &window);
  EquationInputs Inputs () const;

private:
  double m_start_s;
  std::unique_ptr<TfrcFlow> m_tfrc;
  std::unique_ptr<TcpFlow> m_tcp;
  std::unique_ptr<TfrcObserver> m_tfrc_observer;
  std::unique_ptr<TcpObserver> m_tcp_observer;
};

} // namespace sim
#endif
