/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Flows: their end nodes, and how a queue identifies the flow of a packet.
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include <cstdint>
#include <unordered_map>

#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/queue-item.h>

#include "clock.h"

namespace sim
{

struct Endpoints
{
  ns3::Ptr<ns3::Node> from;
  ns3::Ptr<ns3::Node> to;
  uint16_t port = 0;      // at the receiver; each flow to a node has its own
  uint32_t interface = 1; // interface with the receiver's address; 0 is the loopback
};

// The address of a node's interface.
ns3::Ipv4Address AddressOf (ns3::Ptr<const ns3::Node> node, uint32_t interface = 1);

enum class Protocol : uint8_t
{
  kTcp = 6,
  kUdp = 17
};

struct FlowKey
{
  uint32_t source = 0;
  uint32_t destination = 0;
  uint16_t port = 0; // of the destination
  uint8_t protocol = 0;

  bool operator== (const FlowKey &other) const;
};

// Maps flows to small numbers, which the experiment chooses. Acknowledgements and feedback belong
// to no flow.
class FlowTable
{
public:
  static constexpr int kNone = -1;

  void Add (const Endpoints &endpoints, Protocol protocol, int flow);
  int
  Size () const
  {
    return m_size;
  } // the highest number plus one

  int Find (const FlowKey &key) const;
  int Find (const ns3::Packet &ppp_packet) const; // with PPP header, as in a device's queue
  int Find (const ns3::QueueDiscItem &item) const;

private:
  struct Hash
  {
    size_t operator() (const FlowKey &key) const;
  };

  std::unordered_map<FlowKey, int, Hash> m_flows;
  int m_size = 0;
};

} // namespace sim
#endif
