/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The limits paper's dumbbell, see dumbbell.h.
#include "limits/dumbbell.h"

#include <algorithm>
#include <cmath>

#include <ns3/queue-disc.h>

namespace sim
{

namespace
{

constexpr uint32_t kLeastQueuePackets = 30;
constexpr double kQueueBdps = 2;

} // namespace

Dumbbell::Dumbbell (const DumbbellOptions &options)
    : m_options (options), m_random (ns3::CreateObject<ns3::UniformRandomVariable> ())
{
  double mean_access_delay_s = (options.min_access_delay_s + options.max_access_delay_s) / 2;
  double rtt_s = 2 * (options.delay_s + 2 * mean_access_delay_s);
  double bdp_packets = options.rate_bps * rtt_s / 8 / options.wire_bytes;
  auto queue_packets = std::max (
      kLeastQueuePackets, static_cast<uint32_t> (std::lround (kQueueBdps * bdp_packets)));
  auto routers = m_network.AddNodes (2);
  RedOptions red;
  LinkOptions bottleneck;

  red.mean_packet_bytes = options.wire_bytes;
  bottleneck.rate_bps = options.rate_bps;
  bottleneck.delay_s = options.delay_s;
  bottleneck.queue = QueueOptions::Red (queue_packets, red);
  m_bottleneck = m_network.Connect (routers[0], routers[1], bottleneck);
  m_left = AddHosts (routers[0]);
  m_right = AddHosts (routers[1]);
  m_network.Route ();
}

std::vector<Dumbbell::Host>
Dumbbell::AddHosts (ns3::Ptr<ns3::Node> router)
{
  std::vector<Host> hosts;

  for (uint32_t i = 0; i < m_options.hosts; i++) {
    LinkOptions access;

    access.rate_bps = m_options.access_bps;
    access.delay_s = m_random->GetValue (
        m_options.min_access_delay_s, m_options.max_access_delay_s);
    hosts.push_back ({ m_network.AddNode (), access.delay_s });
    m_network.Connect (router, hosts.back ().node, access);
  }
  return hosts;
}

Endpoints
Dumbbell::Hosts (uint32_t i)
{
  return { m_left[i % m_options.hosts].node, m_right[i % m_options.hosts].node, m_next_port++ };
}

Endpoints
Dumbbell::AnyHosts (Direction direction)
{
  ns3::Ptr<ns3::Node> left = m_left[m_random->GetInteger (0, m_options.hosts - 1)].node;
  ns3::Ptr<ns3::Node> right = m_right[m_random->GetInteger (0, m_options.hosts - 1)].node;

  return direction == Direction::kForward ? Endpoints{ left, right, m_next_port++ }
                                          : Endpoints{ right, left, m_next_port++ };
}

double
Dumbbell::RttS (const Endpoints &endpoints) const
{
  double one_way_s = m_options.delay_s + AccessDelayS (endpoints.from)
      + AccessDelayS (endpoints.to);

  return 2 * one_way_s + QueueDelayS (Direction::kForward) + QueueDelayS (Direction::kBackward);
}

double
Dumbbell::AccessDelayS (const ns3::Ptr<ns3::Node> &node) const
{
  for (const std::vector<Host> *side : { &m_left, &m_right })
    for (const Host &host : *side)
      if (host.node == node)
        return host.access_delay_s;
  return 0;
}

double
Dumbbell::QueueDelayS (Direction direction) const
{
  return 8.0 * m_bottleneck.Disc (direction)->GetNBytes () / m_options.rate_bps;
}

} // namespace sim
