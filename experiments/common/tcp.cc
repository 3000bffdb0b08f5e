/* SPDX-License-Identifier: LGPL-2.1-or-later */
// ns-3's TCP with the settings of the papers, see tcp.h.
#include "tcp.h"

#include <algorithm>

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/object-factory.h>
#include <ns3/socket.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include "linux_cubic.h"
#include "options.h"

namespace sim
{

namespace
{

// ns-3 registers a socket as the parent of TcpCubic. So this function makes an object and checks
// its type.
bool
IsCongestionControl (ns3::TypeId type)
{
  ns3::ObjectFactory factory;

  if (!type.HasConstructor ())
    return false;
  factory.SetTypeId (type);
  return ns3::DynamicCast<ns3::TcpCongestionOps> (factory.Create ()) != nullptr;
}

ns3::TypeId
FindType (const std::string &name)
{
  ns3::TypeId type;

  if (name == "LinuxCubic")
    return LinuxCubic::GetTypeId ();
  if (!ns3::TypeId::LookupByNameFailSafe ("ns3::" + name, &type) || !IsCongestionControl (type))
    Fail ("ns-3 has no TCP of type '" + name + "'");
  return type;
}

} // namespace

TcpOptions
TcpOptions::Linux (const std::string &type)
{
  TcpOptions options;

  options.type = type;
  options.min_rto_s = 0.2;
  options.min_rto_variation_s = 0.2;
  options.delayed_ack_s = 0.04;
  options.buffer_bytes = 16 << 20;
  return options;
}

void
ConfigureTcp (const TcpOptions &options)
{
  auto set = [] (const char *name, const ns3::AttributeValue &value) {
    ns3::Config::SetDefault (name, value);
  };

  set ("ns3::TcpL4Protocol::SocketType", ns3::TypeIdValue (FindType (options.type)));
  set (
      "ns3::TcpL4Protocol::RecoveryType", ns3::TypeIdValue (ns3::TcpClassicRecovery::GetTypeId ()));
  set ("ns3::TcpSocketBase::Sack", ns3::BooleanValue (true));
  set ("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue (true));
  set ("ns3::TcpSocketBase::MinRto", ns3::TimeValue (ToTime (options.min_rto_s)));
  // ns-3 uses the clock's granularity only as the least variation of RFC 6298.
  set ("ns3::TcpSocketBase::ClockGranularity",
      ns3::TimeValue (ToTime (options.min_rto_variation_s)));
  set ("ns3::TcpSocket::SegmentSize", ns3::UintegerValue (options.segment_bytes));
  set ("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue (options.initial_cwnd));
  set ("ns3::TcpSocket::DelAckCount", ns3::UintegerValue (options.delayed_acks));
  set ("ns3::TcpSocket::DelAckTimeout", ns3::TimeValue (ToTime (options.delayed_ack_s)));
  set ("ns3::TcpSocket::SndBufSize", ns3::UintegerValue (options.buffer_bytes));
  set ("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue (options.buffer_bytes));
  set ("ns3::TcpSocketState::EnablePacing", ns3::BooleanValue (options.paced));
  // Each write is one segment, so that no segment is split.
  set ("ns3::BulkSendApplication::SendSize", ns3::UintegerValue (options.segment_bytes));
}

TcpFlow::TcpFlow (const Endpoints &endpoints, double start_s, double stop_s, uint64_t max_bytes)
    : m_sender (ns3::CreateObject<ns3::BulkSendApplication> ()),
      m_receiver (ns3::CreateObject<ns3::PacketSink> ())
{
  ns3::TypeIdValue tcp (ns3::TcpSocketFactory::GetTypeId ());
  ns3::InetSocketAddress any (ns3::Ipv4Address::GetAny (), endpoints.port);
  ns3::InetSocketAddress peer (AddressOf (endpoints.to, endpoints.interface), endpoints.port);

  m_receiver->SetAttribute ("Protocol", tcp);
  m_receiver->SetAttribute ("Local", ns3::AddressValue (any));
  endpoints.to->AddApplication (m_receiver);
  m_sender->SetAttribute ("Protocol", tcp);
  m_sender->SetAttribute ("Remote", ns3::AddressValue (peer));
  m_sender->SetAttribute ("MaxBytes", ns3::UintegerValue (max_bytes));
  m_sender->SetStartTime (ToTime (start_s));
  m_sender->SetStopTime (ToTime (stop_s));
  endpoints.from->AddApplication (m_sender);
  // The socket exists from the start on.
  ns3::Simulator::Schedule (ToTime (start_s) + ns3::NanoSeconds (1), &TcpFlow::HookSocket, this);
}

void
TcpFlow::OnDelivered (std::function<void (uint32_t payload_bytes)> listener)
{
  auto on_packet = [listener] (ns3::Ptr<const ns3::Packet> packet, const ns3::Address &) {
    listener (packet->GetSize ());
  };

  m_receiver->TraceConnectWithoutContext (
      "Rx", ns3::Callback<void, ns3::Ptr<const ns3::Packet>, const ns3::Address &> (on_packet));
}

void
TcpFlow::SetCongestionControl (const std::string &type)
{
  FindType (type); // fails at once if there is none
  m_congestion_control = type;
}

// The SYN has left, but no data.
void
TcpFlow::HookSocket ()
{
  auto socket = ns3::DynamicCast<ns3::TcpSocketBase> (m_sender->GetSocket ());

  if (!socket)
    return;
  socket->TraceConnectWithoutContext ("RTT", ns3::MakeCallback (&TcpFlow::OnRtt, this));
  if (m_congestion_control.empty ())
    return;
  ns3::ObjectFactory factory;

  factory.SetTypeId (FindType (m_congestion_control));
  socket->SetCongestionControlAlgorithm (factory.Create<ns3::TcpCongestionOps> ());
}

void
TcpFlow::OnRtt (ns3::Time, ns3::Time now)
{
  m_rtt_s = now.GetSeconds ();
  if (!m_window.Contains (NowNs ()))
    return;
  m_rtt_sum_s += m_rtt_s;
  m_rtt_samples++;
}

} // namespace sim
