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

// Random early detection as ns-3 has it; packets are counted, and dropped, not marked.
struct RedOptions
{
  uint32_t mean_packet_bytes = 1000;
  bool adaptive = true; // then thresholds and weight are automatic
  bool gentle = true;
  double target_delay_s = 0.005;
  double min_threshold = 5; // packets, without adaptive
  double max_threshold = 15;
};

// What waits behind the packet that is being sent
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
  // With the target of 5 ms and the interval of 100 ms that ns-3 and Linux have.
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
  uint32_t packets = 1000; // but for drop-tail one more waits between its queue and the transmitter
  RedOptions red;
};

struct LinkOptions
{
  double rate_bps = 100e6;
  double delay_s = 0.001;
  QueueOptions queue;
};

// A link: where it sends from, to be metered. A handle; copies mean the same link.
class Link
{
public:
  ns3::Ptr<ns3::PointToPointNetDevice>
  Device (Direction direction) const
  {
    return m_devices[Index (direction)];
  }
  // null: the queue is the device's own
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

  // Both directions alike, or each its own.
  Link Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &options);
  Link Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &forward,
      const LinkOptions &backward);

  // Shortest paths, once everything is connected.
  void Route ();

private:
  ns3::NodeContainer m_nodes;
  ns3::Ipv4AddressHelper m_addresses;
};

} // namespace sim
#endif
