/* What the wire meter wants to know of an IPv4 packet. */
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
  uint32_t payload_bytes;     /* behind the transport's header */
  const uint8_t *payload_end; /* UDP: NULL if it has not been captured */
} WirePacket;

/** Reads @a captured bytes that begin with the IP header.  False: not IPv4, not
 * the first fragment, another protocol, or damaged. */
bool wire_packet_parse (WirePacket *packet, const uint8_t *bytes, size_t captured);

/** "udp", "tcp" or "dccp". */
const char *wire_protocol_name (uint8_t protocol);

#endif
