/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cuts the output of a transport into the packets that were sent: 1316 bytes, seven transport
 * stream packets.
 *
 * Datagram transports keep the boundaries of packets, TCP does not.  Where a cut does not begin
 * with seven sync bytes, bytes are skipped until it does.  A cut that is off by whole transport
 * stream packets cannot be detected; a discontinuity mark of the source restores the right cuts. */
#ifndef METER_TSCHUNKER_H
#define METER_TSCHUNKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packethash.h"

typedef void (*TsChunkFunc) (const uint8_t *packet, void *data);

typedef struct
{
  TsChunkFunc on_packet;
  void *data;

  uint8_t rest[2 * PACKET_HASH_BYTES]; /* rest of the earlier input */
  size_t rest_bytes;                   /* less than a packet between calls */

  uint64_t packets;
  uint64_t bytes;         /* of all input */
  uint64_t skipped_bytes; /* outside packets */
} TsChunker;

void ts_chunker_init (TsChunker *chunker, TsChunkFunc on_packet, void *data);

/** Calls on_packet for every packet that these bytes complete.  @a discont: these bytes do not
 * continue the earlier ones. */
void ts_chunker_push (TsChunker *chunker, const uint8_t *bytes, size_t size, bool discont);

#endif
