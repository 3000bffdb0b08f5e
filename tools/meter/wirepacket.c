/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the headers of IPv4, UDP, TCP and DCCP, see wirepacket.h. */
#include "wirepacket.h"

#include <netinet/in.h>

#define IP_HEADER_MIN 20
#define UDP_HEADER 8
#define FRAGMENT_OFFSET 0x1fff
/* Offset of the byte with the length of the transport's header, in words of 32 bits */
#define TCP_OFFSET_AT 12
#define DCCP_OFFSET_AT 4

static uint16_t
read16 (const uint8_t *p)
{
  return (uint16_t) (p[0] << 8 | p[1]);
}

static uint32_t
read32 (const uint8_t *p)
{
  return (uint32_t) read16 (p) << 16 | read16 (p + 2);
}

const char *
wire_protocol_name (uint8_t protocol)
{
  switch (protocol) {
    case IPPROTO_TCP:
      return "tcp";
    case IPPROTO_DCCP:
      return "dccp";
    default:
      return "udp";
  }
}

/* Returns the size of the transport's header, or 0 if the header is damaged. */
static size_t
transport_header_bytes (uint8_t protocol, const uint8_t *bytes, size_t captured)
{
  switch (protocol) {
    case IPPROTO_UDP:
      return captured >= UDP_HEADER ? UDP_HEADER : 0;
    case IPPROTO_TCP:
      return captured > TCP_OFFSET_AT ? (bytes[TCP_OFFSET_AT] >> 4) * 4u : 0;
    case IPPROTO_DCCP:
      return captured > DCCP_OFFSET_AT ? bytes[DCCP_OFFSET_AT] * 4u : 0;
    default:
      return 0;
  }
}

bool
wire_packet_parse (WirePacket *packet, const uint8_t *bytes, size_t captured)
{
  size_t ip_header, header, ip_bytes;
  const uint8_t *transport;

  if (captured < IP_HEADER_MIN || bytes[0] >> 4 != 4)
    return false;
  ip_header = (bytes[0] & 0xf) * 4u;
  ip_bytes = read16 (bytes + 2);
  if (ip_header < IP_HEADER_MIN || captured < ip_header
      || (read16 (bytes + 6) & FRAGMENT_OFFSET) != 0)
    return false;
  transport = bytes + ip_header;
  header = transport_header_bytes (bytes[9], transport, captured - ip_header);
  if (header == 0 || ip_bytes < ip_header + header)
    return false;

  packet->flow.protocol = bytes[9];
  packet->flow.source = read32 (bytes + 12);
  packet->flow.destination = read32 (bytes + 16);
  packet->flow.sport = read16 (transport);
  packet->flow.dport = read16 (transport + 2);
  packet->ip_bytes = (uint32_t) ip_bytes;
  packet->payload_bytes = (uint32_t) (ip_bytes - ip_header - header);
  packet->payload_end = packet->flow.protocol == IPPROTO_UDP && captured >= ip_bytes
      ? bytes + ip_bytes
      : NULL;
  return true;
}
