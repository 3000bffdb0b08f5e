/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identifies a packet everywhere on its way: a hash of its 1316 bytes of transport stream.
 *
 * Sender, taps and receiver compute the hash independently, so that their logs can be joined
 * whatever the transport.  The function resembles FNV-1a, but takes 64 bits at a time, because
 * it runs for every packet in an emulated processor.  It does not resist deliberate collisions. */
#ifndef METER_PACKETHASH_H
#define METER_PACKETHASH_H

#include <stdint.h>

#define PACKET_HASH_BYTES 1316
#define PACKET_HASH_WORDS (PACKET_HASH_BYTES / 8)

static inline uint64_t
packet_hash_mix (uint64_t h, uint64_t word)
{
  h = (h ^ word) * 0x100000001b3u;
  return h ^ (h >> 32);
}

static inline uint64_t
packet_hash_read32 (const uint8_t *p)
{
  return (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16 | (uint64_t) p[3] << 24;
}

/** Hashes exactly PACKET_HASH_BYTES bytes: 164 little-endian words of 64 bits, then the last
 * four bytes as one more word. */
static inline uint64_t
packet_hash (const uint8_t *payload)
{
  uint64_t h = 0xcbf29ce484222325u;
  unsigned i;

  for (i = 0; i < PACKET_HASH_WORDS; i++, payload += 8)
    h = packet_hash_mix (h, packet_hash_read32 (payload) | packet_hash_read32 (payload + 4) << 32);
  return packet_hash_mix (h, packet_hash_read32 (payload));
}

#endif
