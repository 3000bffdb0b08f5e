/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Internal estimates of TFRC and TCP, see observers.h.
#include "common/observers.h"

#include <ns3/simulator.h>
#include <ns3/socket.h>

namespace sim
{

TfrcObserver::TfrcObserver (const TfrcFlow &flow, const Window &window)
    : m_sender (flow.Sender ()), m_receiver (flow.Receiver ()), m_window (window)
{
  m_sender->TraceConnectWithoutContext (
      "Feedback", ns3::MakeCallback (&TfrcObserver::OnFeedback, this));
  ns3::Simulator::Schedule (ns3::NanoSeconds (window.from_ns),
      [this] { tfrc_receiver_reset_loss_statistics (m_receiver->Receiver ()); });
}

void
TfrcObserver::OnFeedback (const TfrcFeedback &)
{
  TfrcSenderStats stats = m_sender->Stats ();

  if (!m_window.Contains (NowNs ()))
    return;
  m_rtt_s.Add (static_cast<double> (stats.rtt_ns) / kNsPerS);
  m_rto_s.Add (static_cast<double> (stats.equation_rto_ns) / kNsPerS);
  m_p.Add (stats.p);
}

TcpObserver::TcpObserver (TcpFlow &flow, double start_s, const Window &window)
    : m_flow (flow), m_window (window)
{
  // The socket exists once the application has started.
  ns3::Simulator::Schedule (ToTime (start_s) + ns3::NanoSeconds (1), &TcpObserver::Hook, this);
}

void
TcpObserver::Hook ()
{
  ns3::Ptr<ns3::Socket> socket = m_flow.Sender ()->GetSocket ();

  socket->TraceConnectWithoutContext ("RTO", ns3::MakeCallback (&TcpObserver::OnRto, this));
  socket->TraceConnectWithoutContext ("RTT", ns3::MakeCallback (&TcpObserver::OnRttSample, this));
  socket->TraceConnectWithoutContext ("CongState", ns3::MakeCallback (&TcpObserver::OnState, this));
}

void
TcpObserver::OnRto (ns3::Time, ns3::Time now)
{
  m_current_rto_s = now.GetSeconds ();
}

void
TcpObserver::OnRttSample (ns3::Time, ns3::Time now)
{
  if (!m_window.Contains (NowNs ()))
    return;
  m_rtt_s.Add (now.GetSeconds ());
  // The socket computes the timeout after it has reported the sample.
  ns3::Simulator::ScheduleNow ([this] { m_rto_s.Add (m_current_rto_s); });
}

void
TcpObserver::OnState (ns3::TcpSocketState::TcpCongState_t, ns3::TcpSocketState::TcpCongState_t now)
{
  if (!m_window.Contains (NowNs ()))
    return;
  if (now == ns3::TcpSocketState::CA_RECOVERY)
    m_fast_recoveries++;
  else if (now == ns3::TcpSocketState::CA_LOSS)
    m_timeout_series++;
}

} // namespace sim
