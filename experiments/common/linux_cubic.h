/* SPDX-License-Identifier: LGPL-2.1-or-later */
// CUBIC (RFC 9438) as in Linux, for ns-3's TCP.
//
// ns-3.37 has a TcpCubic, which differs in two ways. It has no Reno-friendly region (RFC 9438,
// 4.3), so it gets much less than Linux's CUBIC where windows are small. And its HyStart ends slow
// start at twice the least round-trip time, where Linux ends it 4 to 16 ms above the least.
#ifndef SIM_LINUX_CUBIC_H
#define SIM_LINUX_CUBIC_H

#include <optional>

#include <ns3/nstime.h>
#include <ns3/tcp-congestion-ops.h>

namespace sim
{

// HyStart as in "Taming the Elephants: New TCP Slow Start" (Ha and Rhee), with Linux's constants.
// Slow start ends when the acknowledgements of a round come late, or when their train is as long as
// half of the least round-trip time.
class HyStart
{
public:
  // Takes an acknowledgement in slow start. Returns whether slow start has to end.
  bool OnAck (const ns3::TcpSocketState &state, ns3::Time now, ns3::Time rtt, ns3::Time least_rtt);

private:
  void BeginRound (const ns3::TcpSocketState &state, ns3::Time now);

  ns3::SequenceNumber32 m_round_end{ 0 };
  ns3::Time m_round_start;
  ns3::Time m_last_of_train;
  ns3::Time m_round_rtt; // least of the round
  unsigned m_samples = 0;
};

class LinuxCubic : public ns3::TcpCongestionOps
{
public:
  static ns3::TypeId GetTypeId ();

  std::string
  GetName () const override
  {
    return "LinuxCubic";
  }
  void IncreaseWindow (ns3::Ptr<ns3::TcpSocketState> state, uint32_t segments_acked) override;
  void PktsAcked (
      ns3::Ptr<ns3::TcpSocketState> state, uint32_t segments_acked, const ns3::Time &rtt) override;
  uint32_t GetSsThresh (
      ns3::Ptr<const ns3::TcpSocketState> state, uint32_t bytes_in_flight) override;
  void CongestionStateSet (
      ns3::Ptr<ns3::TcpSocketState> state, const ns3::TcpSocketState::TcpCongState_t now) override;
  ns3::Ptr<ns3::TcpCongestionOps>
  Fork () override
  {
    return ns3::CopyObject<LinuxCubic> (this);
  }

private:
  // The time between two reductions of the window. Windows are in segments, times in seconds.
  struct Epoch
  {
    ns3::Time start;
    double k_s;
    double origin;
    double reno_window; // W_est
  };

  void BeginEpoch (double window);
  double GrowthPerSegment (double window) const;

  double m_last_max_window = 0; // W_max; 0: no loss yet
  ns3::Time m_least_rtt;        // 0: no sample yet
  std::optional<Epoch> m_epoch;
  double m_credit = 0; // fraction of a segment
  bool m_slow_start_ended = false;
  HyStart m_hystart;
};

} // namespace sim
#endif
