/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Greedy TCP flows beside the movies, see greedy_tcp.h.
#include "vod/greedy_tcp.h"

#include <ns3/random-variable-stream.h>

namespace sim
{

namespace
{

constexpr double kLinuxMinRtoS = 0.2;

} // namespace

TcpOptions
GreedyTcp::Reno ()
{
  TcpOptions options;

  options.min_rto_s = kLinuxMinRtoS;
  return options;
}

GreedyTcp::GreedyTcp (const Endpoints &endpoints, const TcpOptions &options, uint32_t flows,
    double start_s, double stop_s, const Link &bottleneck, const Window &window)
    : m_queue (bottleneck, Direction::kForward, m_table, Window ())
{
  ns3::Ptr<ns3::UniformRandomVariable> starts = ns3::CreateObject<ns3::UniformRandomVariable> ();

  ConfigureTcp (options);
  for (uint32_t i = 0; i < flows; i++) {
    Endpoints own = endpoints;

    own.port = static_cast<uint16_t> (endpoints.port + i);
    m_table.Add (own, Protocol::kTcp, static_cast<int> (i));
    m_flows.push_back (std::make_unique<TcpFlow> (own, starts->GetValue (0, start_s), stop_s));
    m_meters.push_back (std::make_unique<FlowMeter> (window));
    m_flows.back ()->OnDelivered (m_meters.back ()->Counter ());
  }
}

double
GreedyTcp::Iplr (uint64_t dropped, uint64_t arrived) const
{
  return arrived > 0 ? static_cast<double> (dropped) / static_cast<double> (arrived) : 0;
}

void
GreedyTcp::AddTo (Result *result) const
{
  uint64_t arrived = 0, dropped = 0;
  double rate_bps = 0;

  for (size_t i = 0; i < m_flows.size (); i++) {
    arrived += m_queue.Arrived (static_cast<int> (i));
    dropped += m_queue.Dropped (static_cast<int> (i));
    rate_bps += m_meters[i]->RateBps ();
  }
  result->Set ("tcp_iplr", Iplr (m_queue.Dropped (0), m_queue.Arrived (0)));
  result->Set ("tcp_throughput_bps", m_meters[0]->RateBps ());
  result->Set ("tcp_all_iplr", Iplr (dropped, arrived));
  result->Set ("tcp_all_throughput_bps", rate_bps);
}

} // namespace sim
