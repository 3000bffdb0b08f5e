/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Routers, bottlenecks and hosts, see chain_network.h.
#include "enhanced/chain_network.h"

#include <cmath>

namespace sim
{

namespace
{

constexpr double kRatesBps[ChainNetwork::kBottlenecks] = { 5e6, 4e6, 10e6, 2e6 };
constexpr double kDelayS = 0.01;
constexpr double kAccessRateBps = 100e6;
constexpr double kAccessDelayS = 0.001;
constexpr uint16_t kFirstPort = 5004;

} // namespace

double
ChainNetwork::BaseRttS ()
{
  return 2 * (kBottlenecks * kDelayS + 2 * kAccessDelayS);
}

ChainNetwork::ChainNetwork (uint32_t packet_bytes)
    : m_routers (m_network.AddNodes (kBottlenecks + 1)), m_next_port (kFirstPort)
{
  for (size_t i = 0; i < kBottlenecks; i++) {
    auto queue = static_cast<uint32_t> (
        std::lround (kRatesBps[i] * BaseRttS () / 8 / packet_bytes));

    m_links.push_back (m_network.Connect (
        m_routers[i], m_routers[i + 1], { kRatesBps[i], kDelayS, QueueOptions::DropTail (queue) }));
  }
}

Endpoints
ChainNetwork::AddPair (size_t first, size_t last)
{
  const LinkOptions access{ kAccessRateBps, kAccessDelayS, {} };
  Endpoints pair{ m_network.AddNode (), m_network.AddNode (), m_next_port++ };

  m_network.Connect (pair.from, m_routers.at (first), access);
  m_network.Connect (m_routers.at (last + 1), pair.to, access);
  return pair;
}

} // namespace sim
