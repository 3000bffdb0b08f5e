/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Nodes and links, see net.h.
#include "net.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device-queue-interface.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/random-variable-stream.h>
#include <ns3/traffic-control-helper.h>

#include "clock.h"
#include "options.h"

namespace sim
{

namespace
{

constexpr double kPppBits = 16;

// A channel with a delay for each direction. The two bytes that PPP adds take no time.
class LinkChannel : public ns3::PointToPointChannel
{
public:
  LinkChannel (ns3::Time forward, ns3::Time backward) : m_delay{ forward, backward }
  {
  }

  bool
  TransmitStart (ns3::Ptr<const ns3::Packet> packet, ns3::Ptr<ns3::PointToPointNetDevice> from,
      ns3::Time transmission) override
  {
    uint32_t direction = from == GetSource (0) ? 0 : 1;
    ns3::Ptr<ns3::PointToPointNetDevice> to = GetDestination (direction);

    ns3::Simulator::ScheduleWithContext (to->GetNode ()->GetId (),
        transmission + m_delay[direction], &ns3::PointToPointNetDevice::Receive, to,
        packet->Copy ());
    return true;
  }

private:
  ns3::Time m_delay[2];
};

ns3::Time
PppTime (const LinkOptions &options)
{
  return ToTime (kPppBits / options.rate_bps);
}

// With every kind of queue, a link's delay is exact to the nanosecond, unless it is shorter than
// the time of PPP's two bytes.
ns3::Time
ChannelDelay (const LinkOptions &options)
{
  return std::max (ToTime (options.delay_s) - PppTime (options), ns3::Time (0));
}

void
Check (const LinkOptions &options)
{
  if (!(options.rate_bps >= 1) || !(options.delay_s >= 0) || options.queue.packets == 0)
    Fail (
        "a link wants a rate of at least 1 bit/s, no negative delay and a queue of at least one packet");
}

ns3::QueueSize
Packets (uint32_t packets)
{
  return ns3::QueueSize (ns3::QueueSizeUnit::PACKETS, packets);
}

ns3::Ptr<ns3::PointToPointNetDevice>
AddDevice (ns3::Ptr<ns3::Node> node, ns3::Ptr<ns3::PointToPointChannel> channel,
    const LinkOptions &options)
{
  bool has_disc = options.queue.HasDisc ();
  auto device = ns3::CreateObject<ns3::PointToPointNetDevice> ();
  auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>> ();

  queue->SetMaxSize (Packets (has_disc ? 1 : options.queue.packets));
  device->SetAddress (ns3::Mac48Address::Allocate ());
  device->SetDataRate (ns3::DataRate (static_cast<uint64_t> (options.rate_bps)));
  device->SetInterframeGap (ns3::Time (0) - PppTime (options));
  device->SetQueue (queue);
  node->AddDevice (device);
  device->Attach (channel);
  // This interface tells a queue disc when to wait. A device without it gets no queue disc and uses
  // only its own queue.
  if (has_disc) {
    auto interface = ns3::CreateObject<ns3::NetDeviceQueueInterface> ();

    interface->GetTxQueue (0)->ConnectQueueTraces (ns3::Ptr<ns3::Queue<ns3::Packet>> (queue));
    device->AggregateObject (interface);
  }
  return device;
}

void
SetRed (ns3::TrafficControlHelper *helper, const LinkOptions &options)
{
  const RedOptions &red = options.queue.red;

  helper->SetRootQueueDisc ("ns3::RedQueueDisc", "MaxSize",
      ns3::QueueSizeValue (Packets (options.queue.packets)), "MeanPktSize",
      ns3::UintegerValue (red.mean_packet_bytes), "ARED", ns3::BooleanValue (red.adaptive),
      "Gentle", ns3::BooleanValue (red.gentle), "TargetDelay",
      ns3::TimeValue (ToTime (red.target_delay_s)), "MinTh", ns3::DoubleValue (red.min_threshold),
      "MaxTh", ns3::DoubleValue (red.max_threshold), "LinkBandwidth",
      ns3::DataRateValue (ns3::DataRate (static_cast<uint64_t> (options.rate_bps))), "LinkDelay",
      ns3::TimeValue (ToTime (options.delay_s)));
}

ns3::Ptr<ns3::QueueDisc>
AddDisc (ns3::Ptr<ns3::PointToPointNetDevice> device, const LinkOptions &options)
{
  ns3::QueueSizeValue size (Packets (options.queue.packets));
  ns3::TrafficControlHelper helper;

  switch (options.queue.kind) {
    case QueueOptions::Kind::kDropTail:
      return nullptr;
    case QueueOptions::Kind::kRed:
      SetRed (&helper, options);
      break;
    case QueueOptions::Kind::kCoDel:
      helper.SetRootQueueDisc ("ns3::CoDelQueueDisc", "MaxSize", size);
      break;
    case QueueOptions::Kind::kFqCoDel:
      // The hash of flows to queues is random, as in Linux.
      helper.SetRootQueueDisc ("ns3::FqCoDelQueueDisc", "MaxSize", size, "Perturbation",
          ns3::UintegerValue (
              ns3::CreateObject<ns3::UniformRandomVariable> ()->GetInteger (0, UINT32_MAX)));
      break;
  }
  return helper.Install (device).Get (0);
}

} // namespace

Network::Network () : m_addresses ("10.0.0.0", "255.255.255.252")
{
}

ns3::Ptr<ns3::Node>
Network::AddNode ()
{
  auto node = ns3::CreateObject<ns3::Node> ();
  ns3::InternetStackHelper stack;

  stack.SetIpv6StackInstall (false);
  stack.SetRoutingHelper (ns3::Ipv4GlobalRoutingHelper ());
  stack.Install (node);
  // Otherwise every node would compare every packet with the addresses of all its links.
  node->GetObject<ns3::Ipv4> ()->SetAttribute ("WeakEsModel", ns3::BooleanValue (false));
  m_nodes.Add (node);
  return node;
}

std::vector<ns3::Ptr<ns3::Node>>
Network::AddNodes (uint32_t count)
{
  std::vector<ns3::Ptr<ns3::Node>> nodes;

  for (uint32_t i = 0; i < count; i++)
    nodes.push_back (AddNode ());
  return nodes;
}

Link
Network::Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &options)
{
  return Connect (a, b, options, options);
}

Link
Network::Connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const LinkOptions &forward,
    const LinkOptions &backward)
{
  auto channel = ns3::CreateObject<LinkChannel> (ChannelDelay (forward), ChannelDelay (backward));
  const LinkOptions *options[] = { &forward, &backward };
  ns3::NetDeviceContainer devices;
  Link link;

  for (size_t i = 0; i < 2; i++) {
    Check (*options[i]);
    link.m_devices[i] = AddDevice (i == 0 ? a : b, channel, *options[i]);
    devices.Add (link.m_devices[i]);
  }
  // Before the addresses are assigned: a device that can have a queue disc, but has none, then gets
  // ns-3's default one.
  for (size_t i = 0; i < 2; i++)
    link.m_discs[i] = AddDisc (link.m_devices[i], *options[i]);
  m_addresses.Assign (devices);
  m_addresses.NewNetwork ();
  return link;
}

void
Network::Route ()
{
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables ();
}

} // namespace sim
