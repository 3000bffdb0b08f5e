/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Counts of a link's queue, see meter.h.
#include "meter.h"

#include <algorithm>
#include <cmath>

#include <ns3/queue.h>

#include "options.h"

namespace sim
{

namespace
{

constexpr uint32_t kPppBytes = 2;

using PacketCallback = ns3::Callback<void, ns3::Ptr<const ns3::Packet>>;
using ItemCallback = ns3::Callback<void, ns3::Ptr<const ns3::QueueDiscItem>>;
using DropCallback = ns3::Callback<void, ns3::Ptr<const ns3::QueueDiscItem>, const char *>;

} // namespace

void
FlowMeter::Count (uint32_t payload_bytes)
{
  if (m_window.Contains (NowNs ()))
    m_bytes += payload_bytes;
}

std::function<void (uint32_t)>
FlowMeter::Counter ()
{
  return [this] (uint32_t payload_bytes) { Count (payload_bytes); };
}

QueueMeter::QueueMeter (
    const Link &link, Direction direction, const FlowTable &flows, const Window &window)
    : m_flows (flows), m_window (window)
{
  ns3::Ptr<ns3::Queue<ns3::Packet>> queue = link.Device (direction)->GetQueue ();
  ns3::Ptr<ns3::QueueDisc> disc = link.Disc (direction);
  auto leave = [this] (ns3::Ptr<const ns3::Packet> packet) { Leave (*packet); };

  queue->TraceConnectWithoutContext ("Dequeue", PacketCallback (leave));
  if (disc) {
    auto arrive = [this] (ns3::Ptr<const ns3::QueueDiscItem> item) {
      Arrive (m_flows.Find (*item), *item->GetPacket ());
    };
    auto refuse = [this] (ns3::Ptr<const ns3::QueueDiscItem> item, const char *) {
      Refuse (m_flows.Find (*item));
    };
    auto drop = [this] (ns3::Ptr<const ns3::QueueDiscItem> item, const char *) {
      Drop (m_flows.Find (*item), *item->GetPacket ());
    };

    disc->TraceConnectWithoutContext ("Enqueue", ItemCallback (arrive));
    disc->TraceConnectWithoutContext ("DropBeforeEnqueue", DropCallback (refuse));
    disc->TraceConnectWithoutContext ("DropAfterDequeue", DropCallback (drop));
  } else {
    auto arrive = [this] (ns3::Ptr<const ns3::Packet> packet) {
      Arrive (m_flows.Find (*packet), *packet);
    };
    auto refuse = [this] (ns3::Ptr<const ns3::Packet> packet) { Refuse (m_flows.Find (*packet)); };

    queue->TraceConnectWithoutContext ("Enqueue", PacketCallback (arrive));
    queue->TraceConnectWithoutContext ("Drop", PacketCallback (refuse));
  }
}

// Flows may be added to the table after the meter was made, so the vector grows on demand.
QueueMeter::Counts &
QueueMeter::Touch (int flow)
{
  size_t index = static_cast<size_t> (flow - FlowTable::kNone);

  if (index >= m_counts.size ())
    m_counts.resize (index + 1);
  return m_counts[index];
}

QueueMeter::Counts
QueueMeter::At (int flow) const
{
  size_t index = static_cast<size_t> (flow - FlowTable::kNone);

  return index < m_counts.size () ? m_counts[index] : Counts ();
}

// Packets are identified by ns-3's packet numbers, because some queue discs send packets in another
// order than that of arrival.
void
QueueMeter::Arrive (int flow, const ns3::Packet &packet)
{
  m_waiting_since_ns[packet.GetUid ()] = NowNs ();
  CountArrival (flow);
}

void
QueueMeter::CountArrival (int flow)
{
  if (m_window.Contains (NowNs ()))
    Touch (flow).arrived++;
  if (m_on_arrival)
    m_on_arrival (flow);
}

void
QueueMeter::CountDrop (int flow)
{
  if (m_window.Contains (NowNs ()))
    Touch (flow).dropped++;
  if (m_on_drop)
    m_on_drop (flow);
}

void
QueueMeter::Refuse (int flow)
{
  CountArrival (flow);
  CountDrop (flow);
}

void
QueueMeter::Drop (int flow, const ns3::Packet &packet)
{
  m_waiting_since_ns.erase (packet.GetUid ());
  CountDrop (flow);
}

void
QueueMeter::Leave (const ns3::Packet &packet)
{
  auto found = m_waiting_since_ns.find (packet.GetUid ());
  bool counts = m_window.Contains (NowNs ());

  if (counts)
    m_sent_bytes += packet.GetSize () - kPppBytes;
  // TCP may send a segment again while the first copy waits; both copies have the same number.
  if (found == m_waiting_since_ns.end ())
    return;
  if (counts)
    m_delays_ns.push_back (NowNs () - found->second);
  m_waiting_since_ns.erase (found);
}

uint64_t
QueueMeter::Arrived () const
{
  uint64_t sum = 0;

  for (const Counts &counts : m_counts)
    sum += counts.arrived;
  return sum;
}

uint64_t
QueueMeter::Dropped () const
{
  uint64_t sum = 0;

  for (const Counts &counts : m_counts)
    sum += counts.dropped;
  return sum;
}

double
QueueMeter::RateBps () const
{
  return 8 * static_cast<double> (m_sent_bytes) / m_window.LengthS ();
}

double
QueueMeter::MeanDelayS () const
{
  double sum_ns = 0;

  for (int64_t delay_ns : m_delays_ns)
    sum_ns += static_cast<double> (delay_ns);
  return m_delays_ns.empty () ? 0 : sum_ns / static_cast<double> (m_delays_ns.size ()) / kNsPerS;
}

double
QueueMeter::MaxDelayS () const
{
  return DelayQuantileS (1);
}

double
QueueMeter::DelayQuantileS (double fraction) const
{
  std::vector<int64_t> delays_ns = m_delays_ns;
  size_t rank;

  if (delays_ns.empty ())
    return 0;
  rank = static_cast<size_t> (std::ceil (fraction * static_cast<double> (delays_ns.size ())));
  rank = std::clamp (rank, size_t{ 1 }, delays_ns.size ()) - 1;
  std::nth_element (delays_ns.begin (), delays_ns.begin () + static_cast<std::ptrdiff_t> (rank),
      delays_ns.end ());
  return static_cast<double> (delays_ns[rank]) / kNsPerS;
}

} // namespace sim
