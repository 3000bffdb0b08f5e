/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The limits paper's dumbbell: hosts on fast access links of different delays, left and right of a
// bottleneck with RED in both directions.
#ifndef SIM_LIMITS_DUMBBELL_H
#define SIM_LIMITS_DUMBBELL_H

#include <cstdint>
#include <vector>

#include <ns3/random-variable-stream.h>

#include "common/flow.h"
#include "common/net.h"

namespace sim
{

struct DumbbellOptions
{
  double rate_bps = 15e6;
  double delay_s = 0.05; // of the bottleneck, one way
  uint32_t hosts = 20;   // on each side
  double access_bps = 100e6;
  double min_access_delay_s = 0.001; // each host draws a delay
  double max_access_delay_s = 0.003;
  uint32_t wire_bytes = 1000;
};

class Dumbbell
{
public:
  explicit Dumbbell (const DumbbellOptions &options);

  const Link &
  Bottleneck () const
  {
    return m_bottleneck;
  }
  double
  RateBps () const
  {
    return m_options.rate_bps;
  }

  // From host i on the left to host i on the right, modulo the number of hosts. Each call uses a
  // new port.
  Endpoints Hosts (uint32_t i);
  // Between random hosts, from left to right (forward) or back.
  Endpoints AnyHosts (Direction direction);

  // Returns the round-trip time of a packet sent now: the links' delays, and the queues at the
  // bottleneck.
  double RttS (const Endpoints &endpoints) const;

private:
  struct Host
  {
    ns3::Ptr<ns3::Node> node;
    double access_delay_s;
  };

  std::vector<Host> AddHosts (ns3::Ptr<ns3::Node> router);
  double AccessDelayS (const ns3::Ptr<ns3::Node> &node) const;
  double QueueDelayS (Direction direction) const;

  DumbbellOptions m_options;
  Network m_network;
  Link m_bottleneck;
  std::vector<Host> m_left, m_right;
  ns3::Ptr<ns3::UniformRandomVariable> m_random;
  uint16_t m_next_port = 1000;
};

} // namespace sim
#endif
