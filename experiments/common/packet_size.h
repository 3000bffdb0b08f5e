/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Sizes on the wire and of payloads. The papers count packets with all headers from IP up.
#ifndef SIM_PACKET_SIZE_H
#define SIM_PACKET_SIZE_H

#include <cstdint>

#include <tfrc/wire.h>

namespace sim
{

constexpr uint32_t kUdpIpBytes = 20 + 8;
constexpr uint32_t kTfrcIpBytes = kUdpIpBytes + TFRC_WIRE_HEADER_BYTES;
constexpr uint32_t kTcpIpBytes = 20 + 20 + 12; // with time stamps

constexpr uint32_t
UdpPayload (uint32_t wire_bytes)
{
  return wire_bytes - kUdpIpBytes;
}
constexpr uint32_t
TfrcPayload (uint32_t wire_bytes)
{
  return wire_bytes - kTfrcIpBytes;
}
constexpr uint32_t
TcpSegment (uint32_t wire_bytes)
{
  return wire_bytes - kTcpIpBytes;
}

} // namespace sim
#endif
