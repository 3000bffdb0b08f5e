/* SPDX-License-Identifier: LGPL-2.1-or-later */
// A TFRC sender and its receiver, see tfrc_app.h.
#include "tfrc_app.h"

namespace sim
{

TfrcFlow::TfrcFlow (const Endpoints &endpoints, const TfrcSenderConfig &sender,
    const TfrcReceiverConfig &receiver, std::unique_ptr<PacketSource> source, double start_s,
    double stop_s)
    : m_sender (ns3::CreateObject<TfrcSenderApp> ()),
      m_receiver (ns3::CreateObject<TfrcReceiverApp> ())
{
  m_receiver->Setup (receiver, endpoints.port);
  endpoints.to->AddApplication (m_receiver);
  m_sender->Setup (sender, std::move (source),
      { AddressOf (endpoints.to, endpoints.interface), endpoints.port });
  m_sender->SetStartTime (ToTime (start_s));
  m_sender->SetStopTime (ToTime (stop_s));
  endpoints.from->AddApplication (m_sender);
}

void
TfrcFlow::OnSent (std::function<void (const Delivery &)> listener)
{
  m_sender->TraceConnectWithoutContext ("Sent", ns3::Callback<void, const Delivery &> (listener));
}

void
TfrcFlow::OnReceived (std::function<void (const Delivery &)> listener)
{
  m_receiver->TraceConnectWithoutContext (
      "Received", ns3::Callback<void, const Delivery &> (listener));
}

void
TfrcFlow::OnDelivered (std::function<void (uint32_t payload_bytes)> listener)
{
  OnReceived ([listener] (const Delivery &delivery) { listener (delivery.payload_bytes); });
}

} // namespace sim
