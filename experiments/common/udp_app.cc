/* SPDX-License-Identifier: LGPL-2.1-or-later */
// UDP without congestion control, see udp_app.h.
#include "udp_app.h"

#include <ns3/udp-socket-factory.h>

#include "options.h"

namespace sim
{

ns3::TypeId
UdpSenderApp::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::UdpSenderApp")
                              .SetParent<ns3::Application> ()
                              .AddConstructor<UdpSenderApp> ()
                              .AddTraceSource ("Sent", "A packet leaves",
                                  ns3::MakeTraceSourceAccessor (&UdpSenderApp::m_sent_trace),
                                  "sim::Delivery::TracedCallback");

  return id;
}

void
UdpSenderApp::Setup (std::unique_ptr<PacketSource> source, const ns3::InetSocketAddress &peer)
{
  if (dynamic_cast<GreedySource *> (source.get ()) != nullptr)
    Fail ("a greedy source over UDP would send without end at once");
  m_source = std::move (source);
  m_peer = peer;
}

void
UdpSenderApp::DoDispose ()
{
  StopApplication ();
  Application::DoDispose ();
}

void
UdpSenderApp::StartApplication ()
{
  m_socket = ns3::Socket::CreateSocket (GetNode (), ns3::UdpSocketFactory::GetTypeId ());
  m_socket->Bind ();
  m_socket->Connect (m_peer);
  m_source->Start ([this] { Serve (); });
  Serve ();
}

void
UdpSenderApp::StopApplication ()
{
  if (!m_socket)
    return;
  m_socket->Close ();
  m_socket = nullptr;
}

void
UdpSenderApp::Serve ()
{
  Offered next;

  while (m_socket && m_source->Peek (&next)) {
    ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet> (next.payload_bytes);
    Delivery delivery = TagPacket (packet, m_index++, next);

    if (m_socket->Send (packet) < 0)
      Fail ("a packet cannot be sent: there is no route, or it is too large");
    m_sent_trace (delivery);
    m_source->Pop ();
  }
}

ns3::TypeId
UdpReceiverApp::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::UdpReceiverApp")
                              .SetParent<ns3::Application> ()
                              .AddConstructor<UdpReceiverApp> ()
                              .AddTraceSource ("Received", "A packet arrives",
                                  ns3::MakeTraceSourceAccessor (&UdpReceiverApp::m_received_trace),
                                  "sim::Delivery::TracedCallback");

  return id;
}

void
UdpReceiverApp::DoDispose ()
{
  StopApplication ();
  Application::DoDispose ();
}

void
UdpReceiverApp::StartApplication ()
{
  m_socket = ns3::Socket::CreateSocket (GetNode (), ns3::UdpSocketFactory::GetTypeId ());
  if (m_socket->Bind (ns3::InetSocketAddress (ns3::Ipv4Address::GetAny (), m_port)) != 0)
    Fail ("port " + std::to_string (m_port) + " of a receiver is taken");
  m_socket->SetRecvCallback (ns3::MakeCallback (&UdpReceiverApp::Receive, this));
}

void
UdpReceiverApp::StopApplication ()
{
  if (!m_socket)
    return;
  m_socket->SetRecvCallback (ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>> ());
  m_socket->Close ();
  m_socket = nullptr;
}

void
UdpReceiverApp::Receive (ns3::Ptr<ns3::Socket> socket)
{
  while (ns3::Ptr<ns3::Packet> packet = socket->Recv ()) {
    m_received++;
    m_received_trace (ReadDelivery (*packet, packet->GetSize ()));
  }
}

UdpFlow::UdpFlow (
    const Endpoints &endpoints, std::unique_ptr<PacketSource> source, double start_s, double stop_s)
    : m_sender (ns3::CreateObject<UdpSenderApp> ()),
      m_receiver (ns3::CreateObject<UdpReceiverApp> ())
{
  m_receiver->Setup (endpoints.port);
  endpoints.to->AddApplication (m_receiver);
  m_sender->Setup (
      std::move (source), { AddressOf (endpoints.to, endpoints.interface), endpoints.port });
  m_sender->SetStartTime (ToTime (start_s));
  m_sender->SetStopTime (ToTime (stop_s));
  endpoints.from->AddApplication (m_sender);
}

void
UdpFlow::OnSent (std::function<void (const Delivery &)> listener)
{
  m_sender->TraceConnectWithoutContext ("Sent", ns3::Callback<void, const Delivery &> (listener));
}

void
UdpFlow::OnReceived (std::function<void (const Delivery &)> listener)
{
  m_receiver->TraceConnectWithoutContext (
      "Received", ns3::Callback<void, const Delivery &> (listener));
}

void
UdpFlow::OnDelivered (std::function<void (uint32_t payload_bytes)> listener)
{
  OnReceived ([listener] (const Delivery &delivery) { listener (delivery.payload_bytes); });
}

} // namespace sim
