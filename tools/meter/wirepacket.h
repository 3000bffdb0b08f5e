/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of an IPv4 packet that the wire meter uses */
#ifndef METER_WIREPACKET_H
#define METER_WIREPACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint32_t source; /* in host byte order */
  uint32_t destination;
  uint16_t sport;
  uint16_t dport;
  uint8_t protocol; /* IPPROTO_UDP, IPPROTO_TCP or IPPROTO_DCCP */
} WireFlow;

typedef struct
{
  WireFlow flow;
  uint32_t ip_bytes;          /* of the whole IP packet */
  uint32_t payload_bytes;     /* after the transport's header */
  const uint8_t *payload_end; /* UDP: NULL if not captured */
} WirePacket;

/** Parses @a captured bytes that begin with the IP header.  Returns false if the packet is not
 * IPv4, not a first fragment, of another protocol, or damaged. */
bool wire_packet_parse (WirePacket *packet, const uint8_t *bytes, size_t captured);

/** Returns "udp", "tcp" or "dccp". */
const char *wire_protocol_name (uint8_t protocol);

#endif
