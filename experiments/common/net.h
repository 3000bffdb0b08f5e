/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Nodes and links. Rates count IP packets with all their headers; PPP's two bytes take no time.
#ifndef SIM_NET_H
#define SIM_NET_H

#include <cstdint>
#include <string>
#include <vector>

#include <ns3/ipv4-address-helper.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/queue-disc.h>

namespace sim
{

enum class Direction
{
  kForward, // from the first node of Connect() to the second
  kBackward
};

// Random early detection as in ns-3. The queue is measured in packets; packets are dropped, not
// marked.
struct RedOptions
{
  uint32_t mean_packet_bytes = 1000;
  bool adaptive = true; // true: automatic thresholds and weight
  bool gentle = true;
  double target_delay_s = 0.005;
  double min_threshold = 5; // packets; used if not adaptive
  double max_threshold = 15;
};

// The queue behind the packet that is being sent
struct QueueOptions
{
  enum class Kind
  {
    kDropTail,
    kRed,
    kCoDel,
    kFqCoDel
  };

  static QueueOptions
  DropTail (uint32_t packets)
  {
    return { Kind::kDropTail, packets, {} };
  }
  static QueueOptions
  Red (uint32_t packets, const RedOptions &red = {})
  {
    return { Kind::kRed, packets, red };
  }
  // With ns-3's and Linux's target of 5 ms and interval of 100 ms.
  static QueueOptions
  CoDel (uint32_t packets)
  {
    return { Kind::kCoDel, packets, {} };
  }
  static QueueOptions
  FqCoDel (uint32_t packets)
  {
    return { Kind::kFqCoDel, packets, {} };
  }

  bool
  HasDisc () const
  {
    return kind != Kind::kDropTail;
  }

  Kind kind = Kind::kDropTail;
  // Limit of the queue. Except with drop-tail, one more packet waits between the queue and the
  // transmitter.
  uint32_t packets = 1000;
  RedOptions red;
};

struct LinkOptions
{
  double rate_bps = 100e6;
  double delay_s = 0.001;
  QueueOptions queue;
};

// A link with its devices and queue discs, for meters. It is a handle; copies refer to the same
// link.
class Link
{
public:
  ns3::Ptr<ns3::PointToPointNetDevice>
  Device (Direction direction) const
  {
    return m_devices[Index (direction)];
  }
  // null: the device has only its own queue
  ns3::Ptr<ns3::QueueDisc>
  Disc (Direction direction) const
  {
    return m_discs[Index (direction)];
  }

private:
  friend class Network;
  static size_t
  Index (Direction direction)
  {
    return direction == Direction::kForward ? 0 : 1;
  }

  ns3::Ptr<ns3::PointToPointNetDevice> m_devices[2];
  ns3::Ptr<ns3::QueueDisc> m_discs[2];
};

class Network
{
public:
  Network ();

  ns3::Ptr<ns3::Node> AddNode ();
  std::vector<ns3::Ptr<ns3::Node>> AddNodes (uint32_t count);

  // Connects two nodes, with the same options for both directions or with one set for each.
  Link Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &options);
  Link Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &forward,
      const LinkOptions &backward);

  // Sets routes of shortest paths. Call once everything is connected.
  void Route ();

private:
  ns3::NodeContainer m_nodes;
  ns3::Ipv4AddressHelper m_addresses;
};

} // namespace sim
#endif
