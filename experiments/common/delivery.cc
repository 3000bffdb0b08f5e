/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Times of packets, see delivery.h.
#include "delivery.h"

#include "clock.h"

namespace sim
{

ns3::TypeId
DeliveryTag::GetTypeId ()
{
  static ns3::TypeId id =
      ns3::TypeId ("sim::DeliveryTag").SetParent<ns3::Tag> ().AddConstructor<DeliveryTag> ();

  return id;
}

ns3::TypeId
DeliveryTag::GetInstanceTypeId () const
{
  return GetTypeId ();
}

uint32_t
DeliveryTag::GetSerializedSize () const
{
  return 3 * 8;
}

void
DeliveryTag::Serialize (ns3::TagBuffer buffer) const
{
  buffer.WriteU64 (index);
  buffer.WriteU64 (static_cast<uint64_t> (due_ns));
  buffer.WriteU64 (static_cast<uint64_t> (sent_ns));
}

void
DeliveryTag::Deserialize (ns3::TagBuffer buffer)
{
  index = buffer.ReadU64 ();
  due_ns = static_cast<int64_t> (buffer.ReadU64 ());
  sent_ns = static_cast<int64_t> (buffer.ReadU64 ());
}

void
DeliveryTag::Print (std::ostream &stream) const
{
  stream << "index=" << index << " due_ns=" << due_ns << " sent_ns=" << sent_ns;
}

Delivery
TagPacket (ns3::Ptr<ns3::Packet> packet, uint64_t index, const Offered &offered)
{
  DeliveryTag tag;

  tag.index = index;
  tag.due_ns = offered.due_ns;
  tag.sent_ns = NowNs ();
  packet->AddPacketTag (tag);
  return { index, offered.payload_bytes, tag.due_ns, tag.sent_ns, tag.sent_ns };
}

Delivery
ReadDelivery (const ns3::Packet &packet, uint32_t payload_bytes)
{
  DeliveryTag tag;

  tag.due_ns = tag.sent_ns = NowNs ();
  packet.PeekPacketTag (tag);
  return { tag.index, payload_bytes, tag.due_ns, tag.sent_ns, NowNs () };
}

} // namespace sim
