/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The times of a packet that has arrived, whatever its transport. A tag carries due and sent times
// with the packet, so that delays are exact and the tag adds no bytes to the wire.
#ifndef SIM_DELIVERY_H
#define SIM_DELIVERY_H

#include <cstdint>

#include <ns3/packet.h>
#include <ns3/tag.h>

#include "source.h"

namespace sim
{

struct Delivery
{
  uint64_t index = 0; // number of the packet in its flow, from 0 on, in order of sending
  uint32_t payload_bytes = 0;
  int64_t due_ns = 0;
  int64_t sent_ns = 0;
  int64_t arrived_ns = 0;

  double
  SenderDelayS () const
  {
    return static_cast<double> (sent_ns - due_ns) / 1e9;
  }
  double
  NetworkDelayS () const
  {
    return static_cast<double> (arrived_ns - sent_ns) / 1e9;
  }
  double
  DelayS () const
  {
    return static_cast<double> (arrived_ns - due_ns) / 1e9;
  }

  // The trace sources "Sent" and "Received" call functions of this type.
  using TracedCallback = void (*) (const Delivery &);
};

class DeliveryTag : public ns3::Tag
{
public:
  static ns3::TypeId GetTypeId ();
  ns3::TypeId GetInstanceTypeId () const override;
  uint32_t GetSerializedSize () const override;
  void Serialize (ns3::TagBuffer buffer) const override;
  void Deserialize (ns3::TagBuffer buffer) override;
  void Print (std::ostream &stream) const override;

  uint64_t index = 0;
  int64_t due_ns = 0;
  int64_t sent_ns = 0;
};

// Tags a packet that leaves now, and returns its times.
Delivery TagPacket (ns3::Ptr<ns3::Packet> packet, uint64_t index, const Offered &offered);

// Returns the times of a packet that arrives now. Without a tag, due and sent are now.
Delivery ReadDelivery (const ns3::Packet &packet, uint32_t payload_bytes);

} // namespace sim
#endif
