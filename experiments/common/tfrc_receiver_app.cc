/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The receiver at its socket, see tfrc_app.h.
#include "tfrc_app.h"

#include <ns3/ipv4-packet-info-tag.h>
#include <ns3/udp-socket-factory.h>

#include "options.h"
#include "wire_packet.h"

namespace sim
{

ns3::TypeId
TfrcReceiverApp::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::TfrcReceiverApp")
                              .SetParent<ns3::Application> ()
                              .AddConstructor<TfrcReceiverApp> ()
                              .AddTraceSource ("Received",
                                  "A data packet that was not there before",
                                  ns3::MakeTraceSourceAccessor (&TfrcReceiverApp::m_received_trace),
                                  "sim::Delivery::TracedCallback")
                              .AddTraceSource ("Feedback", "Feedback leaves",
                                  ns3::MakeTraceSourceAccessor (&TfrcReceiverApp::m_feedback_trace),
                                  "sim::TfrcSenderApp::FeedbackCallback");

  return id;
}

void
TfrcReceiverApp::Setup (const TfrcReceiverConfig &config, uint16_t port)
{
  m_config = config;
  MakeReceiver ();
  m_port = port;
}

void
TfrcReceiverApp::MakeReceiver ()
{
  ::TfrcReceiver *receiver;
  TfrcResult result = tfrc_receiver_new (&receiver, &m_config);

  if (result != TFRC_OK)
    Fail (std::string ("the TFRC receiver's configuration: ") + tfrc_result_to_string (result));
  m_receiver.reset (receiver);
}

void
TfrcReceiverApp::Restart ()
{
  m_old_media_ssrc = m_media_ssrc;
  MakeReceiver ();
  Serve ();
}

void
TfrcReceiverApp::DoDispose ()
{
  StopApplication ();
  Application::DoDispose ();
}

TfrcReceiverStats
TfrcReceiverApp::Stats () const
{
  TfrcReceiverStats stats;

  tfrc_receiver_get_stats (m_receiver.get (), &stats);
  return stats;
}

void
TfrcReceiverApp::StartApplication ()
{
  m_ssrc = GetNode ()->GetId () << 16 | m_port;
  m_socket = ns3::Socket::CreateSocket (GetNode (), ns3::UdpSocketFactory::GetTypeId ());
  if (m_socket->Bind (ns3::InetSocketAddress (ns3::Ipv4Address::GetAny (), m_port)) != 0)
    Fail ("port " + std::to_string (m_port) + " of a receiver is taken");
  m_socket->SetRecvCallback (ns3::MakeCallback (&TfrcReceiverApp::Receive, this));
}

void
TfrcReceiverApp::StopApplication ()
{
  m_next_feedback.Cancel ();
  if (!m_socket)
    return;
  m_socket->SetRecvCallback (ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>> ());
  m_socket->Close ();
  m_socket = nullptr;
}

void
TfrcReceiverApp::StartHandover (
    ns3::Ptr<const ns3::NetDevice> device, double bandwidth_Bps, bool suppress_echo)
{
  TfrcHandover handover = {};

  m_device = device;
  handover.link = ++m_link;
  handover.bandwidth_Bps = bandwidth_Bps;
  handover.suppress_echo = suppress_echo;
  if (tfrc_receiver_start_handover (m_receiver.get (), &handover, static_cast<uint64_t> (NowNs ()))
      != TFRC_OK)
    Fail ("a handover to a link of an impossible bandwidth");
  if (m_socket)
    m_socket->SetRecvPktInfo (true);
  Serve ();
}

// Returns the link in use or the previous one, as tfrcsrc does.
uint8_t
TfrcReceiverApp::LinkOf (const ns3::Packet &packet) const
{
  ns3::Ipv4PacketInfoTag info;
  bool other = m_device && packet.PeekPacketTag (info)
      && info.GetRecvIf () != m_device->GetIfIndex ();

  return static_cast<uint8_t> (m_link - (other ? 1 : 0));
}

void
TfrcReceiverApp::Receive (ns3::Ptr<ns3::Socket> socket)
{
  ns3::Address from;

  while (ns3::Ptr<ns3::Packet> packet = socket->RecvFrom (from)) {
    if (OnPacket (*packet))
      m_peer = from;
    else
      m_malformed++;
  }
  Serve ();
}

// Returns false if the packet is not TFRC data.
bool
TfrcReceiverApp::OnPacket (const ns3::Packet &packet)
{
  TfrcWireData header;
  TfrcData data;
  TfrcArrival arrival;

  if (ParseData (packet, &header) != TFRC_WIRE_OK)
    return false;
  if (header.ssrc == m_old_media_ssrc) {
    m_received_trace (ReadDelivery (packet, static_cast<uint32_t> (header.payload_bytes)));
    return true;
  }
  tfrc_wire_get_data (&header, &data);
  data.link = LinkOf (packet);
  if (tfrc_receiver_on_data (m_receiver.get (), &data, static_cast<uint64_t> (NowNs ()), &arrival)
      != TFRC_OK)
    return false;
  m_media_ssrc = header.ssrc;
  if (arrival.confirms_previous)
    m_received_trace (m_suspect);
  if (arrival.kind == TFRC_ARRIVAL_SUSPECT)
    m_suspect = ReadDelivery (packet, data.size_bytes);
  else if (arrival.kind != TFRC_ARRIVAL_DUPLICATE && arrival.kind != TFRC_ARRIVAL_REFUSED)
    m_received_trace (ReadDelivery (packet, data.size_bytes));
  return true;
}

void
TfrcReceiverApp::Serve ()
{
  TfrcFeedback feedback;

  // The alarm may ring before feedback is due; then the library makes none.
  if (m_socket
      && tfrc_receiver_make_feedback (
          m_receiver.get (), static_cast<uint64_t> (NowNs ()), &feedback))
    SendFeedback (feedback);
  m_next_feedback.SetBy (tfrc_receiver_next_feedback_ns (m_receiver.get ()));
}

void
TfrcReceiverApp::SendFeedback (const TfrcFeedback &feedback)
{
  uint8_t bytes[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcReceiverStats stats = Stats ();
  TfrcWireState state = {};
  size_t size;

  state.highest_seq = static_cast<uint32_t> (stats.highest_seq);
  state.packets_lost = static_cast<uint32_t> (stats.packets_lost);
  state.loss_events = feedback.loss_events;
  state.ce_marks = static_cast<uint32_t> (stats.packets_ce);
  state.feedback_number = feedback.number;
  size = tfrc_wire_write_feedback (bytes, m_ssrc, m_media_ssrc, &feedback, &state);
  if (m_socket->SendTo (ns3::Create<ns3::Packet> (bytes, static_cast<uint32_t> (size)), 0, m_peer)
      < 0)
    Fail ("feedback cannot be sent: there is no route");
  m_feedback_trace (feedback);
}

} // namespace sim
