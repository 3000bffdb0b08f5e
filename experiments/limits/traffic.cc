/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Web-like sessions, transfers and bursts of UDP, see traffic.h.
#include "limits/traffic.h"

#include <algorithm>

#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/object-factory.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/udp-socket-factory.h>
#include <ns3/data-rate.h>
#include <ns3/uinteger.h>

#include "common/packet_size.h"

namespace sim
{

namespace
{

constexpr double kBurstShape = 1.5;
constexpr double kMeanBurstS = 0.5;
constexpr double kMeanTransferBytes = 500e3;

// A Pareto variable with this mean, which is scale * shape / (shape - 1). bound 0: no bound.
ns3::Ptr<ns3::ParetoRandomVariable>
Pareto (double mean, double shape, double bound)
{
  auto variable = ns3::CreateObject<ns3::ParetoRandomVariable> ();

  variable->SetAttribute ("Scale", ns3::DoubleValue (mean * (shape - 1) / shape));
  variable->SetAttribute ("Shape", ns3::DoubleValue (shape));
  variable->SetAttribute ("Bound", ns3::DoubleValue (bound));
  return variable;
}

} // namespace

WebSession::WebSession (const ns3::Address &peer, uint32_t segment_bytes)
    : m_peer (peer), m_segment_bytes (segment_bytes),
      m_object_bytes (Pareto (kMeanObjectBytes, kObjectShape, kLargestObjectBytes))
{
  auto think_s = ns3::CreateObject<ns3::ExponentialRandomVariable> ();

  think_s->SetAttribute ("Mean", ns3::DoubleValue (kMeanThinkTimeS));
  m_think_s = think_s;
}

void
WebSession::StartApplication ()
{
  Think ();
}

void
WebSession::StopApplication ()
{
  m_next.Cancel ();
  if (m_socket)
    m_socket->Close ();
}

void
WebSession::DoDispose ()
{
  m_socket = nullptr;
  ns3::Application::DoDispose ();
}

void
WebSession::Think ()
{
  m_next = ns3::Simulator::Schedule (ToTime (m_think_s->GetValue ()), &WebSession::Fetch, this);
}

void
WebSession::Fetch ()
{
  m_left_bytes = std::max (1u, m_object_bytes->GetInteger ());
  m_socket = ns3::Socket::CreateSocket (GetNode (), ns3::TcpSocketFactory::GetTypeId ());
  m_socket->Bind ();
  m_socket->ShutdownRecv ();
  m_socket->SetConnectCallback (
      ns3::MakeCallback (&WebSession::Send, this), ns3::MakeCallback (&WebSession::Ended, this));
  m_socket->SetCloseCallbacks (
      ns3::MakeCallback (&WebSession::Ended, this), ns3::MakeCallback (&WebSession::Ended, this));
  m_socket->SetSendCallback (ns3::MakeCallback (&WebSession::SendMore, this));
  m_socket->Connect (m_peer);
}

void
WebSession::Send (ns3::Ptr<ns3::Socket> socket)
{
  if (socket != m_socket || m_left_bytes == 0)
    return;
  while (m_left_bytes > 0) {
    uint64_t room_bytes = std::min (m_segment_bytes, m_socket->GetTxAvailable ());
    uint64_t bytes = std::min (m_left_bytes, room_bytes);

    if (bytes == 0
        || m_socket->Send (ns3::Create<ns3::Packet> (static_cast<uint32_t> (bytes))) <= 0)
      return; // ns-3 calls SendMore() when there is room
    m_left_bytes -= bytes;
  }
  m_socket->Close ();
}

void
WebSession::SendMore (ns3::Ptr<ns3::Socket> socket, uint32_t)
{
  Send (socket);
}

void
WebSession::Ended (ns3::Ptr<ns3::Socket> socket)
{
  // ns-3 may call both callbacks for one close, and callbacks of an earlier socket.
  if (socket != m_socket || m_next.IsRunning ())
    return;
  Think ();
}

Traffic::Traffic (Dumbbell &dumbbell, const TrafficOptions &options, double start_s)
{
  auto random = ns3::CreateObject<ns3::UniformRandomVariable> ();
  auto bytes = ns3::CreateObject<ns3::ExponentialRandomVariable> ();

  bytes->SetAttribute ("Mean", ns3::DoubleValue (kMeanTransferBytes));
  for (uint32_t i = 0; i < options.long_flows; i++)
    AddTransfer (
        dumbbell.AnyHosts (Direction::kForward), random->GetValue (0, start_s), options.end_s);
  for (Direction direction : { Direction::kForward, Direction::kBackward }) {
    for (uint32_t i = 0; i < options.short_transfers; i++)
      AddTransfer (dumbbell.AnyHosts (direction), random->GetValue (0, options.end_s),
          options.end_s, 1 + bytes->GetInteger ());
    for (uint32_t i = 0; i < options.web_sessions; i++)
      AddWebSession (dumbbell.AnyHosts (direction), options);
  }
  if (options.pareto_udp > 0)
    AddParetoUdp (
        dumbbell.AnyHosts (Direction::kForward), options, options.pareto_udp * dumbbell.RateBps ());
}

void
Traffic::AddTransfer (const Endpoints &endpoints, double start_s, double stop_s, uint64_t bytes)
{
  m_transfers.push_back (std::make_unique<TcpFlow> (endpoints, start_s, stop_s, bytes));
}

void
Traffic::AddWebSession (const Endpoints &endpoints, const TrafficOptions &options)
{
  ns3::PacketSinkHelper sink ("ns3::TcpSocketFactory",
      ns3::InetSocketAddress (ns3::Ipv4Address::GetAny (), endpoints.port));
  auto session = ns3::Create<WebSession> (
      ns3::InetSocketAddress (AddressOf (endpoints.to), endpoints.port),
      TcpSegment (options.wire_bytes));

  sink.Install (endpoints.to);
  session->SetStopTime (ToTime (options.end_s));
  endpoints.from->AddApplication (session);
}

void
Traffic::AddParetoUdp (const Endpoints &endpoints, const TrafficOptions &options, double mean_bps)
{
  // The application sends half of the time, hence at twice the mean rate. OnOffApplication counts
  // payload.
  double on_bps = 2 * mean_bps * UdpPayload (options.wire_bytes) / options.wire_bytes;
  ns3::ObjectFactory factory ("ns3::OnOffApplication");

  factory.Set ("Protocol", ns3::TypeIdValue (ns3::UdpSocketFactory::GetTypeId ()));
  factory.Set ("Remote",
      ns3::AddressValue (ns3::InetSocketAddress (AddressOf (endpoints.to), endpoints.port)));
  factory.Set ("PacketSize", ns3::UintegerValue (UdpPayload (options.wire_bytes)));
  factory.Set ("DataRate", ns3::DataRateValue (ns3::DataRate (static_cast<uint64_t> (on_bps))));
  factory.Set ("OnTime", ns3::PointerValue (Pareto (kMeanBurstS, kBurstShape, 0)));
  factory.Set ("OffTime", ns3::PointerValue (Pareto (kMeanBurstS, kBurstShape, 0)));
  endpoints.from->AddApplication (factory.Create<ns3::Application> ());
}

} // namespace sim
