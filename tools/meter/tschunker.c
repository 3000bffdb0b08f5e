/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cuts bytes into packets of 1316, see tschunker.h. */
#include "tschunker.h"

#include <string.h>

#define TS_PACKET_BYTES 188
#define TS_SYNC_BYTE 0x47

void
ts_chunker_init (TsChunker *chunker, TsChunkFunc on_packet, void *data)
{
  memset (chunker, 0, sizeof *chunker);
  chunker->on_packet = on_packet;
  chunker->data = data;
}

static bool
is_packet (const uint8_t *bytes)
{
  size_t at;

  for (at = 0; at < PACKET_HASH_BYTES; at += TS_PACKET_BYTES)
    if (bytes[at] != TS_SYNC_BYTE)
      return false;
  return true;
}

/* Takes packets from the start of @a bytes while the position is before @a limit.  Returns the
 * position after the last packet. */
static size_t
take_packets (TsChunker *chunker, const uint8_t *bytes, size_t size, size_t limit)
{
  size_t at = 0;

  while (at < limit && size - at >= PACKET_HASH_BYTES) {
    if (is_packet (bytes + at)) {
      chunker->packets++;
      chunker->on_packet (bytes + at, chunker->data);
      at += PACKET_HASH_BYTES;
    } else {
      chunker->skipped_bytes++;
      at++;
    }
  }
  return at;
}

void
ts_chunker_push (TsChunker *chunker, const uint8_t *bytes, size_t size, bool discont)
{
  size_t used = 0;

  if (size == 0)
    return;
  chunker->bytes += size;
  if (discont) {
    chunker->skipped_bytes += chunker->rest_bytes;
    chunker->rest_bytes = 0;
  }

  /* A packet that begins in the rest ends within PACKET_HASH_BYTES after the rest. */
  if (chunker->rest_bytes > 0) {
    size_t rest = chunker->rest_bytes;
    size_t added = size < PACKET_HASH_BYTES ? size : PACKET_HASH_BYTES;
    size_t taken;

    memcpy (chunker->rest + rest, bytes, added);
    taken = take_packets (chunker, chunker->rest, rest + added, rest);
    if (taken < rest) {
      /* the rest now holds all new bytes */
      chunker->rest_bytes = rest + added - taken;
      memmove (chunker->rest, chunker->rest + taken, chunker->rest_bytes);
      return;
    }
    used = taken - rest;
    chunker->rest_bytes = 0;
  }

  used += take_packets (chunker, bytes + used, size - used, size - used);
  chunker->rest_bytes = size - used;
  memcpy (chunker->rest, bytes + used, chunker->rest_bytes);
}
