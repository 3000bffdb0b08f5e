/* SPDX-License-Identifier: LGPL-2.1-or-later */
// The wire format in ns-3's packets, see wire_packet.h.
#include "wire_packet.h"

#include <algorithm>
#include <vector>

#include <ns3/header.h>

namespace sim
{

namespace
{

// More than the headers of our sender need. For larger headers, the whole packet is read.
constexpr size_t kPrefixBytes = 64;

constexpr uint8_t kPaddingBit = 0x20;

// Gives the bytes to ns-3 while they are added to a packet.
class BytesHeader : public ns3::Header
{
public:
  BytesHeader (const uint8_t *bytes, size_t size)
      : m_bytes (bytes), m_size (static_cast<uint32_t> (size))
  {
  }

  ns3::TypeId
  GetInstanceTypeId () const override
  {
    static ns3::TypeId id = ns3::TypeId ("sim::BytesHeader").SetParent<ns3::Header> ();

    return id;
  }

  uint32_t
  GetSerializedSize () const override
  {
    return m_size;
  }
  void
  Serialize (ns3::Buffer::Iterator start) const override
  {
    start.Write (m_bytes, m_size);
  }
  uint32_t
  Deserialize (ns3::Buffer::Iterator) override
  {
    return m_size;
  } // never called: the header is not removed again
  void
  Print (std::ostream &) const override
  {
  }

private:
  const uint8_t *m_bytes;
  uint32_t m_size;
};

} // namespace

ns3::Ptr<ns3::Packet>
MakeDataPacket (const TfrcWireData &header, uint32_t payload_bytes)
{
  uint8_t bytes[TFRC_WIRE_MAX_HEADER_BYTES];
  ns3::Ptr<ns3::Packet> packet = ns3::Create<ns3::Packet> (payload_bytes);

  packet->AddHeader (BytesHeader (bytes, tfrc_wire_write_data (bytes, &header)));
  return packet;
}

TfrcWireResult
ParseData (const ns3::Packet &packet, TfrcWireData *header)
{
  uint8_t prefix[kPrefixBytes];
  size_t size = packet.GetSize (), known = std::min (size, kPrefixBytes);
  TfrcWireResult result;

  packet.CopyData (prefix, static_cast<uint32_t> (known));
  if (tfrc_wire_classify (prefix, known) != TFRC_WIRE_KIND_DATA)
    return TFRC_WIRE_NOT_OURS;
  result = tfrc_wire_parse_data (prefix, known, header);
  if (result == TFRC_WIRE_OK && (prefix[0] & kPaddingBit) == 0) {
    header->payload_bytes = size - header->header_bytes;
    return TFRC_WIRE_OK;
  }
  if (known == size)
    return result;

  std::vector<uint8_t> all (size);

  packet.CopyData (all.data (), static_cast<uint32_t> (size));
  return tfrc_wire_parse_data (all.data (), size, header);
}

TfrcWireResult
ParseRtcp (const ns3::Packet &packet, uint32_t report_ssrc, TfrcWireRtcp *rtcp)
{
  uint8_t bytes[TFRC_WIRE_MAX_RTCP_BYTES];
  size_t size = packet.GetSize ();

  if (size > sizeof bytes)
    return TFRC_WIRE_BAD_LENGTH;
  packet.CopyData (bytes, static_cast<uint32_t> (size));
  if (tfrc_wire_classify (bytes, size) != TFRC_WIRE_KIND_RTCP)
    return TFRC_WIRE_NOT_OURS;
  return tfrc_wire_parse_rtcp (bytes, size, report_ssrc, rtcp);
}

} // namespace sim
