/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The network of the enhanced-TFRC paper: four bottlenecks in a row, and pairs of hosts at its
// routers.
#ifndef SIM_ENHANCED_CHAIN_NETWORK_H
#define SIM_ENHANCED_CHAIN_NETWORK_H

#include <cstdint>
#include <vector>

#include "common/flow.h"
#include "common/net.h"

namespace sim
{

// Bottlenecks of 5, 4, 10 and 2 Mbit/s with 10 ms each way. Each has a drop-tail queue of one
// bandwidth-delay product of the path over all of them, in both directions.
class ChainNetwork
{
public:
  static constexpr size_t kBottlenecks = 4;

  // packet_bytes: unit of the queues, with all headers
  explicit ChainNetwork (uint32_t packet_bytes);

  // Two new hosts, with the bottlenecks from first to last between them. last is below
  // kBottlenecks.
  Endpoints AddPair (size_t first, size_t last);
  // Call once all hosts are there.
  void
  Route ()
  {
    m_network.Route ();
  }

  const std::vector<Link> &
  Bottlenecks () const
  {
    return m_links;
  }
  static double BaseRttS (); // of the path over all bottlenecks

private:
  Network m_network;
  std::vector<ns3::Ptr<ns3::Node>> m_routers;
  std::vector<Link> m_links;
  uint16_t m_next_port;
};

} // namespace sim
#endif
