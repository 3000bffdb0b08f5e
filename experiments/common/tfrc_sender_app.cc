/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The sender between its source and its socket, see tfrc_app.h.
#include "tfrc_app.h"

#include <algorithm>

#include <ns3/random-variable-stream.h>
#include <ns3/udp-socket-factory.h>

#include "options.h"
#include "wire_packet.h"

namespace sim
{

namespace
{

constexpr uint64_t kWholeRange = uint64_t{ 1 } << 32;

// RFC 3550 requires random values.
void
DrawInitialValues (TfrcSenderConfig *config)
{
  ns3::Ptr<ns3::UniformRandomVariable> random = ns3::CreateObject<ns3::UniformRandomVariable> ();
  auto draw = [&] {
    return static_cast<uint32_t> (random->GetValue (0, static_cast<double> (kWholeRange)));
  };

  if (config->first_seq == 0)
    config->first_seq = static_cast<uint16_t> (draw ());
  if (config->clock_offset_us == 0)
    config->clock_offset_us = draw ();
}

// 90 kHz
uint32_t
RtpTimestamp (int64_t due_ns, uint32_t clock_offset_us)
{
  return static_cast<uint32_t> (
      (static_cast<uint64_t> (due_ns) / 1000 + clock_offset_us) * 9 / 100);
}

} // namespace

ns3::TypeId
TfrcSenderApp::GetTypeId ()
{
  static ns3::TypeId id = ns3::TypeId ("sim::TfrcSenderApp")
                              .SetParent<ns3::Application> ()
                              .AddConstructor<TfrcSenderApp> ()
                              .AddTraceSource ("Sent", "A data packet leaves",
                                  ns3::MakeTraceSourceAccessor (&TfrcSenderApp::m_sent_trace),
                                  "sim::Delivery::TracedCallback")
                              .AddTraceSource ("Feedback", "Feedback was used",
                                  ns3::MakeTraceSourceAccessor (&TfrcSenderApp::m_feedback_trace),
                                  "sim::TfrcSenderApp::FeedbackCallback");

  return id;
}

void
TfrcSenderApp::Setup (const TfrcSenderConfig &config, std::unique_ptr<PacketSource> source,
    const ns3::InetSocketAddress &peer)
{
  m_config = config;
  MakeSender ();
  m_source = std::move (source);
  m_peer = peer;
}

void
TfrcSenderApp::MakeSender ()
{
  TfrcSenderConfig drawn = m_config;
  ::TfrcSender *sender;
  TfrcResult result;

  DrawInitialValues (&drawn);
  result = tfrc_sender_new (&sender, &drawn);
  if (result != TFRC_OK)
    Fail (std::string ("the TFRC sender's configuration: ") + tfrc_result_to_string (result));
  m_sender.reset (sender);
  m_clock_offset_us = drawn.clock_offset_us;
}

void
TfrcSenderApp::Restart ()
{
  m_ssrc++;
  MakeSender ();
  Serve ();
}

void
TfrcSenderApp::DoDispose ()
{
  StopApplication ();
  Application::DoDispose ();
}

TfrcSenderStats
TfrcSenderApp::Stats () const
{
  TfrcSenderStats stats;

  tfrc_sender_get_stats (m_sender.get (), &stats);
  return stats;
}

void
TfrcSenderApp::StartApplication ()
{
  m_ssrc = GetNode ()->GetId () << 16 | m_peer.GetPort ();
  m_socket = ns3::Socket::CreateSocket (GetNode (), ns3::UdpSocketFactory::GetTypeId ());
  m_socket->Bind ();
  m_socket->Connect (m_peer);
  m_socket->SetRecvCallback (ns3::MakeCallback (&TfrcSenderApp::Receive, this));
  m_source->Start ([this] { Serve (); });
  Serve ();
}

void
TfrcSenderApp::StopApplication ()
{
  m_next_send.Cancel ();
  m_nofeedback.Cancel ();
  if (!m_socket)
    return;
  m_socket->SetRecvCallback (ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>> ());
  m_socket->Close ();
  m_socket = nullptr;
}

// Serves all deadlines that are reached, and sets the alarms for the next ones.
void
TfrcSenderApp::Serve ()
{
  uint64_t now_ns = static_cast<uint64_t> (NowNs ());
  Offered next;
  bool waits;

  if (!m_socket)
    return;
  if (m_source->Peek (&next) && NextBurstNs () > now_ns) {
    m_next_send.SetAt (NextBurstNs ());
    m_nofeedback.SetBy (tfrc_sender_next_timeout_ns (m_sender.get ()));
    return;
  }
  while ((waits = m_source->Peek (&next)) && tfrc_sender_next_send_ns (m_sender.get ()) <= now_ns) {
    Send (next, now_ns);
    m_source->Pop ();
  }
  if (waits)
    m_next_send.SetAt (NextBurstNs ());
  else
    m_next_send.Cancel ();
  m_nofeedback.SetBy (tfrc_sender_next_timeout_ns (m_sender.get ()));
}

// Returns when the first packet of a burst may leave so that the last one may leave with it.
uint64_t
TfrcSenderApp::NextBurstNs () const
{
  uint64_t next_ns = tfrc_sender_next_send_ns (m_sender.get ());

  if (m_burst == 1)
    return next_ns;
  TfrcSenderStats stats = Stats ();
  double gap_s = stats.segment_size_bytes / stats.x_inst_Bps;
  // A wait of more than one round-trip time would lose unused rate, so half of one is the limit.
  return next_ns
      + static_cast<uint64_t> (std::min ((m_burst - 1) * gap_s * kNsPerS, stats.rtt_ns / 2.0));
}

void
TfrcSenderApp::Send (const Offered &offered, uint64_t now_ns)
{
  TfrcWireData wire = {};
  TfrcData data;
  TfrcResult result = tfrc_sender_prepare (m_sender.get (), offered.payload_bytes, now_ns, &data);

  if (result != TFRC_OK)
    Fail (std::string ("a packet cannot be sent: ") + tfrc_result_to_string (result));
  wire.payload_type = TFRC_WIRE_PAYLOAD_TYPE;
  tfrc_wire_set_data (&wire, &data);
  wire.timestamp = RtpTimestamp (offered.due_ns, m_clock_offset_us);
  wire.ssrc = m_ssrc;

  ns3::Ptr<ns3::Packet> packet = MakeDataPacket (wire, offered.payload_bytes);
  Delivery delivery = TagPacket (packet, m_index++, offered);

  if (m_socket->Send (packet) < 0)
    Fail ("a packet cannot be sent: there is no route, or it is too large");
  m_sent_trace (delivery);
}

void
TfrcSenderApp::Receive (ns3::Ptr<ns3::Socket> socket)
{
  while (ns3::Ptr<ns3::Packet> packet = socket->Recv ()) {
    TfrcWireRtcp rtcp;

    if (ParseRtcp (*packet, m_ssrc, &rtcp) != TFRC_WIRE_OK || !rtcp.has_feedback
        || rtcp.media_ssrc != m_ssrc)
      m_malformed++;
    else if (tfrc_sender_on_feedback (
                 m_sender.get (), &rtcp.feedback, static_cast<uint64_t> (NowNs ()))
        == TFRC_OK)
      m_feedback_trace (rtcp.feedback);
  }
  Serve ();
}

void
TfrcSenderApp::OnTimeout ()
{
  tfrc_sender_on_timeout (m_sender.get (), static_cast<uint64_t> (NowNs ()));
  Serve ();
}

} // namespace sim
