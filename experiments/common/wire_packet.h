/* SPDX-License-Identifier: LGPL-2.1-or-later */
// libtfrc's wire format in ns-3's packets. Payloads are virtual: only headers are written, copied
// and read.
#ifndef SIM_WIRE_PACKET_H
#define SIM_WIRE_PACKET_H

#include <cstddef>
#include <cstdint>

#include <ns3/packet.h>

#include <tfrc/wire.h>

namespace sim
{

ns3::Ptr<ns3::Packet> MakeDataPacket (const TfrcWireData &header, uint32_t payload_bytes);

// Like tfrc_wire_parse_data() and tfrc_wire_parse_rtcp(). The result is NOT_OURS for packets of the
// other kind, too.
TfrcWireResult ParseData (const ns3::Packet &packet, TfrcWireData *header);
TfrcWireResult ParseRtcp (const ns3::Packet &packet, uint32_t report_ssrc, TfrcWireRtcp *rtcp);

} // namespace sim
#endif
