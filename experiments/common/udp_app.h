/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Plain UDP: packets leave when they are due, without congestion control.
#ifndef SIM_UDP_APP_H
#define SIM_UDP_APP_H

#include <functional>
#include <memory>

#include <ns3/application.h>
#include <ns3/inet-socket-address.h>
#include <ns3/socket.h>
#include <ns3/traced-callback.h>

#include "delivery.h"
#include "flow.h"
#include "source.h"

namespace sim
{

// Trace source: "Sent" (const Delivery &). The source must not be greedy, because it would never
// run out of packets.
class UdpSenderApp : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();

  void Setup (std::unique_ptr<PacketSource> source, const ns3::InetSocketAddress &peer);
  uint64_t
  PacketsSent () const
  {
    return m_index;
  }

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Serve ();

  std::unique_ptr<PacketSource> m_source;
  ns3::InetSocketAddress m_peer{ uint16_t{ 0 } };
  ns3::Ptr<ns3::Socket> m_socket;
  uint64_t m_index = 0;
  ns3::TracedCallback<const Delivery &> m_sent_trace;
};

// Trace source: "Received" (const Delivery &).
class UdpReceiverApp : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();

  void
  Setup (uint16_t port)
  {
    m_port = port;
  }
  uint64_t
  PacketsReceived () const
  {
    return m_received;
  }

protected:
  void DoDispose () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Receive (ns3::Ptr<ns3::Socket> socket);

  uint16_t m_port = 0;
  ns3::Ptr<ns3::Socket> m_socket;
  uint64_t m_received = 0;
  ns3::TracedCallback<const Delivery &> m_received_trace;
};

// A sender and a receiver on two nodes. Data flows from start_s to stop_s.
class UdpFlow
{
public:
  UdpFlow (const Endpoints &endpoints, std::unique_ptr<PacketSource> source, double start_s,
      double stop_s);

  ns3::Ptr<UdpSenderApp>
  Sender () const
  {
    return m_sender;
  }
  ns3::Ptr<UdpReceiverApp>
  Receiver () const
  {
    return m_receiver;
  }

  void OnSent (std::function<void (const Delivery &)> listener);
  void OnReceived (std::function<void (const Delivery &)> listener);
  void OnDelivered (std::function<void (uint32_t payload_bytes)> listener);

private:
  ns3::Ptr<UdpSenderApp> m_sender;
  ns3::Ptr<UdpReceiverApp> m_receiver;
};

} // namespace sim
#endif
