/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Flows and their numbers, see flow.h.
#include "flow.h"

#include <algorithm>

#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/ipv4.h>

#include "options.h"

namespace sim
{

namespace
{

constexpr uint32_t kPppBytes = 2;
constexpr uint32_t kIpBytes = 20; // without options, which ns-3 does not use
constexpr uint32_t kPortsBytes = 4;

uint32_t
Read32 (const uint8_t *bytes)
{
  return uint32_t{ bytes[0] } << 24 | uint32_t{ bytes[1] } << 16 | uint32_t{ bytes[2] } << 8
      | bytes[3];
}

uint16_t
Read16 (const uint8_t *bytes)
{
  return static_cast<uint16_t> (bytes[0] << 8 | bytes[1]);
}

} // namespace

ns3::Ipv4Address
AddressOf (ns3::Ptr<const ns3::Node> node, uint32_t interface)
{
  ns3::Ptr<ns3::Ipv4> ipv4 = node->GetObject<ns3::Ipv4> ();

  if (!ipv4 || ipv4->GetNInterfaces () <= interface)
    Fail ("a flow's node is not connected");
  return ipv4->GetAddress (interface, 0).GetLocal ();
}

bool
FlowKey::operator== (const FlowKey &other) const
{
  return source == other.source && destination == other.destination && port == other.port
      && protocol == other.protocol;
}

size_t
FlowTable::Hash::operator() (const FlowKey &key) const
{
  uint64_t addresses = uint64_t{ key.source } << 32 | key.destination;
  uint64_t rest = uint64_t{ key.port } << 8 | key.protocol;

  return static_cast<size_t> ((addresses ^ rest * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu >> 16);
}

void
FlowTable::Add (const Endpoints &endpoints, Protocol protocol, int flow)
{
  if (flow < 0)
    Fail ("flows are numbered from 0");
  m_flows[{ AddressOf (endpoints.from).Get (), AddressOf (endpoints.to, endpoints.interface).Get (),
      endpoints.port, static_cast<uint8_t> (protocol) }] = flow;
  m_size = std::max (m_size, flow + 1);
}

int
FlowTable::Find (const FlowKey &key) const
{
  auto found = m_flows.find (key);

  return found == m_flows.end () ? kNone : found->second;
}

int
FlowTable::Find (const ns3::Packet &ppp_packet) const
{
  uint8_t bytes[kPppBytes + kIpBytes + kPortsBytes] = {};
  const uint8_t *ip = bytes + kPppBytes;

  ppp_packet.CopyData (bytes, sizeof bytes);
  return Find ({ Read32 (ip + 12), Read32 (ip + 16), Read16 (ip + kIpBytes + 2), ip[9] });
}

int
FlowTable::Find (const ns3::QueueDiscItem &item) const
{
  const auto *ipv4 = dynamic_cast<const ns3::Ipv4QueueDiscItem *> (&item);
  uint8_t ports[kPortsBytes] = {};

  if (ipv4 == nullptr)
    return kNone;
  item.GetPacket ()->CopyData (ports, sizeof ports);
  const ns3::Ipv4Header &header = ipv4->GetHeader ();
  return Find ({ header.GetSource ().Get (), header.GetDestination ().Get (), Read16 (ports + 2),
      header.GetProtocol () });
}

} // namespace sim
