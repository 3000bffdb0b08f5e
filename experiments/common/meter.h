/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Meters of bytes delivered, queues and the network's loss events, in a window of the simulation.
#ifndef SIM_METER_H
#define SIM_METER_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "clock.h"
#include "flow.h"
#include "net.h"

namespace sim
{

// Bytes delivered to the receiver.
class FlowMeter
{
public:
  explicit FlowMeter (const Window &window) : m_window (window)
  {
  }

  void Count (uint32_t payload_bytes);
  // For a flow's OnDelivered(). The meter has to outlive the simulation.
  std::function<void (uint32_t)> Counter ();

  uint64_t
  Bytes () const
  {
    return m_bytes;
  }
  double
  RateBps () const
  {
    return 8 * static_cast<double> (m_bytes) / m_window.LengthS ();
  } // bit/s

private:
  Window m_window;
  uint64_t m_bytes = 0;
};

// Counts the packets that arrive at one direction of a link, its drops, and the time that the other
// packets wait until their transmission begins. Meters have to outlive the simulation.
class QueueMeter
{
public:
  QueueMeter (const Link &link, Direction direction, const FlowTable &flows, const Window &window);
  QueueMeter (const QueueMeter &) = delete;
  QueueMeter &operator= (const QueueMeter &) = delete;

  // The listener is called for every packet, inside the window or not.
  void
  OnArrival (std::function<void (int flow)> listener)
  {
    m_on_arrival = std::move (listener);
  }
  void
  OnDrop (std::function<void (int flow)> listener)
  {
    m_on_drop = std::move (listener);
  }

  // flow kNone: packets of unknown flows
  uint64_t
  Arrived (int flow) const
  {
    return At (flow).arrived;
  }
  uint64_t
  Dropped (int flow) const
  {
    return At (flow).dropped;
  }
  uint64_t Arrived () const;
  uint64_t Dropped () const;
  uint64_t
  SentBytes () const
  {
    return m_sent_bytes;
  }                        // with IP headers
  double RateBps () const; // sent, bit/s

  double MeanDelayS () const;
  double MaxDelayS () const;
  // fraction: e.g. 0.99 for the delay that 99 % of the packets do not exceed
  double DelayQuantileS (double fraction) const;

private:
  struct Counts
  {
    uint64_t arrived = 0;
    uint64_t dropped = 0;
  };

  Counts At (int flow) const;
  Counts &Touch (int flow);
  void Arrive (int flow, const ns3::Packet &packet);
  void Refuse (int flow);                          // dropped on arrival
  void Drop (int flow, const ns3::Packet &packet); // dropped after waiting
  void Leave (const ns3::Packet &packet);
  void CountArrival (int flow);
  void CountDrop (int flow);

  const FlowTable &m_flows;
  Window m_window;
  std::vector<Counts> m_counts; // the first entry is for kNone
  std::unordered_map<uint64_t, int64_t> m_waiting_since_ns;
  std::vector<int64_t> m_delays_ns;
  uint64_t m_sent_bytes = 0;
  std::function<void (int)> m_on_arrival;
  std::function<void (int)> m_on_drop;
};

// Counts the network's loss events of flows 0..n-1. All drops of a flow within one round-trip time
// of the first are one event, whichever queue drops.
class LossEventMeter
{
public:
  LossEventMeter (int n_flows, const Window &window)
      : m_window (window), m_flows (static_cast<size_t> (n_flows))
  {
  }
  LossEventMeter (const LossEventMeter &) = delete;
  LossEventMeter &operator= (const LossEventMeter &) = delete;

  // Call before the flow's first drop. The function is called at each drop that begins an event.
  void SetRtt (int flow, double rtt_s);
  void SetRtt (int flow, std::function<double ()> rtt_s);

  // first: this is the first queue on the flows' path that may drop packets, so each arrival counts
  // as sent. At other queues only drops count. Takes both listeners of the queue.
  void Watch (QueueMeter &queue, bool first);

  void OnSent (int flow);
  void OnDrop (int flow);

  uint64_t
  Sent (int flow) const
  {
    return At (flow).sent;
  }
  uint64_t
  Drops (int flow) const
  {
    return At (flow).drops;
  }
  uint64_t
  Events (int flow) const
  {
    return At (flow).events;
  }
  double LossRate (int flow) const;      // fraction of packets
  double LossEventRate (int flow) const; // loss events per packet sent

private:
  struct Flow
  {
    std::function<double ()> rtt_s;
    int64_t event_end_ns = 0;
    uint64_t sent = 0;
    uint64_t drops = 0;
    uint64_t events = 0;
  };

  const Flow &
  At (int flow) const
  {
    return m_flows.at (static_cast<size_t> (flow));
  }
  bool
  Knows (int flow) const
  {
    return flow >= 0 && static_cast<size_t> (flow) < m_flows.size ();
  }

  Window m_window;
  std::vector<Flow> m_flows;
};

} // namespace sim
#endif
