/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Time series of flows, see series.h.
#include "fairness/series.h"

#include <ns3/queue.h>
#include <ns3/simulator.h>
#include <ns3/tcp-socket-state.h>

namespace sim
{

Series::Series (Contest &contest, double interval_s)
    : m_contest (contest), m_interval_s (interval_s), m_watched (contest.Flows ().size ()),
      m_table ({ "time_s", "flow", "kind", "payload_bps", "queue_bytes", "p", "rtt_s", "x_bps",
          "recv_limit_bps", "window_bytes", "recoveries", "timeouts" })
{
  for (size_t i = 0; i < m_watched.size (); i++) {
    Contest::Flow &flow = contest.Flows ()[i];
    Watched *watched = &m_watched[i];
    auto count = [watched] (uint32_t payload_bytes) { watched->bytes += payload_bytes; };

    if (flow.tfrc)
      flow.tfrc->OnReceived ([count] (const Delivery &packet) { count (packet.payload_bytes); });
    else {
      flow.tcp->OnDelivered (count);
      HookTcp (i);
    }
  }
  ns3::Simulator::Schedule (ToTime (m_interval_s), &Series::Sample, this);
}

// Tries again until the socket exists.
void
Series::HookTcp (size_t flow)
{
  ns3::Ptr<ns3::Socket> socket = m_contest.Flows ()[flow].tcp->Sender ()->GetSocket ();
  Watched *watched = &m_watched[flow];

  if (!socket) {
    ns3::Simulator::Schedule (ns3::MilliSeconds (1), &Series::HookTcp, this, flow);
    return;
  }
  auto window = [watched] (uint32_t, uint32_t now) { watched->window_bytes = now; };
  auto state = [watched] (
                   ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now) {
    watched->recoveries += now == ns3::TcpSocketState::CA_RECOVERY;
    watched->timeouts += now == ns3::TcpSocketState::CA_LOSS;
  };
  socket->TraceConnectWithoutContext (
      "CongestionWindow", ns3::Callback<void, uint32_t, uint32_t> (window));
  socket->TraceConnectWithoutContext ("CongState",
      ns3::Callback<void, ns3::TcpSocketState::TcpCongState_t,
          ns3::TcpSocketState::TcpCongState_t> (state));
}

void
Series::Sample ()
{
  const Link &link = m_contest.Bottleneck ();
  ns3::Ptr<ns3::QueueDisc> disc = link.Disc (Direction::kForward);
  double queue_bytes = disc ? disc->GetNBytes ()
                            : link.Device (Direction::kForward)->GetQueue ()->GetNBytes ();

  for (size_t i = 0; i < m_watched.size (); i++) {
    Contest::Flow &flow = m_contest.Flows ()[i];
    Watched *watched = &m_watched[i];
    std::vector<Table::Cell> row = { static_cast<double> (NowNs ()) / kNsPerS,
      static_cast<double> (i), std::string (flow.is_first ? "tfrc" : "tcp"),
      8 * static_cast<double> (watched->bytes) / m_interval_s, queue_bytes };

    if (flow.tfrc) {
      TfrcSenderStats stats = flow.tfrc->Sender ()->Stats ();

      row.insert (row.end (),
          { stats.p, static_cast<double> (stats.rtt_ns) / kNsPerS, 8 * stats.x_Bps,
              8 * stats.recv_limit_Bps, kNone, kNone, kNone });
    } else
      row.insert (row.end (),
          { kNone, flow.tcp->RttS (), kNone, kNone, static_cast<double> (watched->window_bytes),
              static_cast<double> (watched->recoveries), static_cast<double> (watched->timeouts) });
    m_table.Add (row);
    watched->bytes = 0;
  }
  ns3::Simulator::Schedule (ToTime (m_interval_s), &Series::Sample, this);
}

} // namespace sim
