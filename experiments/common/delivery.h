// What is known of a packet that has arrived, whatever it travelled in: due, sent and arrival times go with the packet
// as a tag, so that delays are exact and cost nothing on the wire.
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
  uint64_t index = 0; // counts the packets of a flow from 0, in the order in which they were sent
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

  // Trace sources "Sent" and "Received" call with these.
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

// Tags a packet that leaves now, and tells what it is.
Delivery TagPacket (ns3::Ptr<ns3::Packet> packet, uint64_t index, const Offered &offered);

// What has arrived now; due and sent are the present if the packet has no tag.
Delivery ReadDelivery (const ns3::Packet &packet, uint32_t payload_bytes);

} // namespace sim
#endif
