/* SPDX-License-Identifier: LGPL-2.1-or-later */
// libtfrc with ns-3's UDP sockets, as tfrcsink and tfrcsrc are libtfrc with GStreamer. The
// applications use the wire format of the elements (docs/wire-format.md) for data and feedback.
// They send no reports and no BYE.
#ifndef SIM_TFRC_APP_H
#define SIM_TFRC_APP_H

#include <functional>
#include <memory>
#include <optional>

#include <ns3/application.h>
#include <ns3/inet-socket-address.h>
#include <ns3/net-device.h>
#include <ns3/socket.h>
#include <ns3/traced-callback.h>

#include <tfrc/tfrc.h>
#include <tfrc/wire.h>

#include "alarm.h"
#include "delivery.h"
#include "flow.h"
#include "source.h"

namespace sim
{

struct FreeSender
{
  void
  operator() (::TfrcSender *sender) const
  {
    tfrc_sender_free (sender);
  }
};

struct FreeReceiver
{
  void
  operator() (::TfrcReceiver *receiver) const
  {
    tfrc_receiver_free (receiver);
  }
};

// Trace sources: "Sent" (const Delivery &), "Feedback" (const TfrcFeedback &, after the sender has
// processed it).
class TfrcSenderApp : public ns3::Application
{
public:
  using FeedbackCallback = void (*) (const TfrcFeedback &);

  static ns3::TypeId GetTypeId ();

  // Values of 0 for first_seq and clock_offset_us are replaced by random values.
  void Setup (const TfrcSenderConfig &config, std::unique_ptr<PacketSource> source,
      const ns3::InetSocketAddress &peer);

  // Begins again as a new stream with the same source: nothing is known of the path, and feedback
  // for the old stream is ignored.
  void Restart ();

  // Waits with each packet until this many packets may leave together. RFC 5348 (section 4.6) lets
  // a sender catch up on unused rate. 1, the default, gives even spacing.
  void
  SetBurst (uint32_t packets)
  {
    m_burst = packets;
  }

  ::TfrcSender *
  Sender () const
  {
    return m_sender.get ();
  }
  TfrcSenderStats Stats () const;
  uint64_t
  Malformed () const
  {
    return m_malformed;
  } // malformed, or of another stream

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Receive (ns3::Ptr<ns3::Socket> socket);
  void Serve ();
  void Send (const Offered &offered, uint64_t now_ns);
  uint64_t NextBurstNs () const;
  void OnTimeout ();

  void MakeSender ();

  TfrcSenderConfig m_config = {};
  std::unique_ptr<::TfrcSender, FreeSender> m_sender;
  std::unique_ptr<PacketSource> m_source;
  ns3::InetSocketAddress m_peer{ uint16_t{ 0 } };
  ns3::Ptr<ns3::Socket> m_socket;
  Alarm m_next_send{ [this] { Serve (); } };
  Alarm m_nofeedback{ [this] { OnTimeout (); } };
  uint32_t m_ssrc = 0;
  uint32_t m_clock_offset_us = 0;
  uint64_t m_index = 0;
  uint64_t m_malformed = 0;
  uint32_t m_burst = 1;
  ns3::TracedCallback<const Delivery &> m_sent_trace;
  ns3::TracedCallback<const TfrcFeedback &> m_feedback_trace;
};

// Trace sources: "Received" (const Delivery &; no duplicates), "Feedback" (const TfrcFeedback &, as
// sent).
class TfrcReceiverApp : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();

  void Setup (const TfrcReceiverConfig &config, uint16_t port);

  // From now on, data comes over another device of the node, and feedback leaves over it. The
  // caller changes the routes. bandwidth_Bps: see TfrcHandover.
  void StartHandover (
      ns3::Ptr<const ns3::NetDevice> device, double bandwidth_Bps = 0, bool suppress_echo = false);

  // Waits for a new stream. Packets of the old stream that are under way are still delivered, but
  // count for nothing else.
  void Restart ();

  ::TfrcReceiver *
  Receiver () const
  {
    return m_receiver.get ();
  }
  TfrcReceiverStats Stats () const;
  uint64_t
  Malformed () const
  {
    return m_malformed;
  }

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Receive (ns3::Ptr<ns3::Socket> socket);
  bool OnPacket (const ns3::Packet &packet);
  uint8_t LinkOf (const ns3::Packet &packet) const;
  void Serve ();
  void SendFeedback (const TfrcFeedback &feedback);

  void MakeReceiver ();

  TfrcReceiverConfig m_config = {};
  std::unique_ptr<::TfrcReceiver, FreeReceiver> m_receiver;
  uint16_t m_port = 0;
  ns3::Ptr<ns3::Socket> m_socket;
  ns3::Address m_peer; // sender of the newest data
  Alarm m_next_feedback{ [this] { Serve (); } };
  uint32_t m_ssrc = 0;
  uint32_t m_media_ssrc = 0;
  std::optional<uint32_t> m_old_media_ssrc; // of the stream before Restart
  ns3::Ptr<const ns3::NetDevice> m_device;  // of the link in use; null: any
  uint8_t m_link = 0;
  uint64_t m_malformed = 0;
  Delivery m_suspect; // the last packet that was not used when it arrived
  ns3::TracedCallback<const Delivery &> m_received_trace;
  ns3::TracedCallback<const TfrcFeedback &> m_feedback_trace;
};

// A sender and a receiver on two nodes. Data flows from start_s to stop_s.
class TfrcFlow
{
public:
  TfrcFlow (const Endpoints &endpoints, const TfrcSenderConfig &sender,
      const TfrcReceiverConfig &receiver, std::unique_ptr<PacketSource> source, double start_s,
      double stop_s);

  ns3::Ptr<TfrcSenderApp>
  Sender () const
  {
    return m_sender;
  }
  ns3::Ptr<TfrcReceiverApp>
  Receiver () const
  {
    return m_receiver;
  }

  void OnSent (std::function<void (const Delivery &)> listener);
  void OnReceived (std::function<void (const Delivery &)> listener);
  void OnDelivered (std::function<void (uint32_t payload_bytes)> listener);

private:
  ns3::Ptr<TfrcSenderApp> m_sender;
  ns3::Ptr<TfrcReceiverApp> m_receiver;
};

} // namespace sim
#endif
