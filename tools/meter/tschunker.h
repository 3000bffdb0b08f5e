/* Cuts what a transport delivers into the packets that were sent: 1316 bytes,
 * seven transport stream packets.
 *
 * Transports of datagrams keep the cuts, TCP does not.  Where a cut does not
 * show seven sync bytes, bytes are skipped until it does.  Cuts that are off by
 * whole transport stream packets cannot be told from right ones: a source that
 * marks a discontinuity gets its cuts back there. */
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

  uint8_t rest[2 * PACKET_HASH_BYTES]; /* of what came before */
  size_t rest_bytes;                   /* less than a packet between calls */

  uint64_t packets;
  uint64_t bytes;         /* of all that came */
  uint64_t skipped_bytes; /* that were in no packet */
} TsChunker;

void ts_chunker_init (TsChunker *chunker, TsChunkFunc on_packet, void *data);

/** Calls on_packet for every packet that is complete with these bytes.
 * @a discont: they do not continue those before. */
void ts_chunker_push (TsChunker *chunker, const uint8_t *bytes, size_t size, bool discont);

#endif
