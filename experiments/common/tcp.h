/* SPDX-License-Identifier: LGPL-2.1-or-later */
// ns-3's TCP, with defaults set as in the papers, and bulk transfers.
#ifndef SIM_TCP_H
#define SIM_TCP_H

#include <cstdint>
#include <functional>
#include <string>

#include <ns3/bulk-send-application.h>
#include <ns3/packet-sink.h>

#include "flow.h"

namespace sim
{

// SACK is always on, because ns-3 3.37 does not work without it.
struct TcpOptions
{
  // As in Linux: RTO, delayed acknowledgements, and windows that no buffer limits.
  static TcpOptions Linux (const std::string &type);

  std::string type = "TcpLinuxReno"; // LinuxCubic (see linux_cubic.h), or a type of ns-3
  uint32_t segment_bytes = 1448;     // payload, see packet_size.h
  uint32_t initial_cwnd = 10;        // segments
  double min_rto_s = 1;
  double min_rto_variation_s = 0.001; // RTO is SRTT plus at least this; Linux: 200 ms
  uint32_t delayed_acks = 2;          // segments per acknowledgement; 1: no delay
  double delayed_ack_s = 0.1;         // longest delay of an acknowledgement
  uint32_t buffer_bytes = 1 << 20;
  bool paced = false; // segments leave evenly, at 1.2 cwnd / SRTT (2 in slow start)
};

// Applies to all flows made afterwards.
void ConfigureTcp (const TcpOptions &options);

// A bulk transfer from start_s to stop_s, of max_bytes; 0: no limit.
class TcpFlow
{
public:
  TcpFlow (const Endpoints &endpoints, double start_s, double stop_s, uint64_t max_bytes = 0);
  TcpFlow (const TcpFlow &) = delete;
  TcpFlow &operator= (const TcpFlow &) = delete;

  ns3::Ptr<ns3::BulkSendApplication>
  Sender () const
  {
    return m_sender;
  }
  ns3::Ptr<ns3::PacketSink>
  Receiver () const
  {
    return m_receiver;
  }

  void OnDelivered (std::function<void (uint32_t payload_bytes)> listener);

  // To be called before the start: another congestion control than that of ConfigureTcp
  // (TcpOptions.type).
  void SetCongestionControl (const std::string &type);

  double
  RttS () const
  {
    return m_rtt_s;
  } // the newest sample; 0: none
  // Mean of the samples in the window; 0: none
  void
  MeasureRtt (const Window &window)
  {
    m_window = window;
  }
  double
  MeanRttS () const
  {
    return m_rtt_samples > 0 ? m_rtt_sum_s / static_cast<double> (m_rtt_samples) : 0;
  }

private:
  void HookSocket ();
  void OnRtt (ns3::Time before, ns3::Time now);

  ns3::Ptr<ns3::BulkSendApplication> m_sender;
  ns3::Ptr<ns3::PacketSink> m_receiver;
  std::string m_congestion_control; // empty: that of ConfigureTcp
  Window m_window;
  double m_rtt_s = 0;
  double m_rtt_sum_s = 0;
  uint64_t m_rtt_samples = 0;
};

} // namespace sim
#endif
