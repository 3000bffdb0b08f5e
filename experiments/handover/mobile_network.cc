/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The handover paper's network, see mobile_network.h.
#include "handover/mobile_network.h"

#include <ns3/boolean.h>
#include <ns3/global-router-interface.h>
#include <ns3/ipv4-global-routing.h>
#include <ns3/ipv4.h>

namespace sim
{

namespace
{

constexpr uint16_t kStreamPort = 5004;
constexpr uint16_t kOtherPort = 5010;

// Returns the number of MN's interface; interfaces are connected in the order of paths.
uint32_t
InterfaceOf (size_t path)
{
  return static_cast<uint32_t> (path) + 1;
}

uint32_t
InterfaceOf (ns3::Ptr<ns3::NetDevice> device)
{
  return static_cast<uint32_t> (
      device->GetNode ()->GetObject<ns3::Ipv4> ()->GetInterfaceForDevice (device));
}

// Replaces every route from the node at this end of the link to that host.
void
RouteOver (const Link &link, Direction direction, ns3::Ipv4Address destination)
{
  ns3::Ptr<ns3::NetDevice> device = link.Device (direction);
  ns3::Ptr<ns3::NetDevice> peer = link.Device (
      direction == Direction::kForward ? Direction::kBackward : Direction::kForward);
  ns3::Ptr<ns3::Ipv4GlobalRouting> routing =
      device->GetNode ()->GetObject<ns3::GlobalRouter> ()->GetRoutingProtocol ();

  for (uint32_t i = routing->GetNRoutes (); i-- > 0;)
    if (routing->GetRoute (i)->IsHost () && routing->GetRoute (i)->GetDest () == destination)
      routing->RemoveRoute (i);
  routing->AddHostRouteTo (
      destination, AddressOf (peer->GetNode (), InterfaceOf (peer)), InterfaceOf (device));
}

} // namespace

MobileNetwork::MobileNetwork (const MobileNetworkOptions &options)
    : m_cn (m_network.AddNode ()), m_server (m_network.AddNode ()), m_router (m_network.AddNode ()),
      m_mn (m_network.AddNode ())
{
  m_trunk = m_network.Connect (m_cn, m_router, options.trunk);
  m_network.Connect (m_server, m_router, LinkOptions ());
  for (size_t path = 0; path < kPaths; path++) {
    ns3::Ptr<ns3::Node> base_station = m_network.AddNode ();

    m_backbone[path] = m_network.Connect (m_router, base_station, LinkOptions ());
    m_access[path] = m_network.Connect (base_station, m_mn, options.access[path]);
  }
  // MN accepts packets for its address over either interface.
  m_mn->GetObject<ns3::Ipv4> ()->SetAttribute ("WeakEsModel", ns3::BooleanValue (true));
  m_network.Route ();
  UsePath (0);
}

Endpoints
MobileNetwork::Stream () const
{
  return { m_cn, m_mn, kStreamPort, InterfaceOf (size_t{ 0 }) };
}

// The stream is sent to the address of the first interface.
Endpoints
MobileNetwork::Other (size_t path) const
{
  RouteOver (m_access[path], Direction::kBackward, AddressOf (m_server));
  if (path > 0)
    RouteOver (m_backbone[path], Direction::kForward, AddressOf (m_mn, InterfaceOf (path)));
  return { m_server, m_mn, kOtherPort, InterfaceOf (path) };
}

ns3::Ptr<ns3::PointToPointNetDevice>
MobileNetwork::Interface (size_t path) const
{
  return m_access[path].Device (Direction::kBackward);
}

ns3::Ptr<ns3::PointToPointNetDevice>
MobileNetwork::Host () const
{
  return m_trunk.Device (Direction::kForward);
}

void
MobileNetwork::UsePath (size_t path)
{
  RouteOver (m_backbone[path], Direction::kForward, AddressOf (m_mn));
  RouteOver (m_access[path], Direction::kBackward, AddressOf (m_cn));
  m_path = path;
}

} // namespace sim
