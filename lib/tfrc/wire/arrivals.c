/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback, see arrivals.h. */
#include "arrivals.h"

#include <tfrc/reports.h>

#include "bytes.h"

#define HEADER_BYTES 8
#define CHUNK_BYTES 2

#define CHUNK_IS_VECTOR 0x8000u
#define CHUNK_HAS_TWO_BITS 0x4000u
#define ONE_BIT_SYMBOLS 14
#define TWO_BIT_SYMBOLS 7

/* Symbols of two bits.  A symbol of one bit is one of the first two. */
typedef enum
{
  NOT_RECEIVED,
  SMALL_DELTA,
  LARGE_DELTA,
  RESERVED
} Symbol;

static unsigned
symbols_of (uint16_t chunk)
{
  if (!(chunk & CHUNK_IS_VECTOR))
    return chunk & 0x1fffu;
  return chunk & CHUNK_HAS_TWO_BITS ? TWO_BIT_SYMBOLS : ONE_BIT_SYMBOLS;
}

/* left: how many of the chunk's symbols follow, with this one */
static Symbol
symbol_at (uint16_t chunk, unsigned left)
{
  if (!(chunk & CHUNK_IS_VECTOR))
    return (Symbol) (chunk >> 13 & 3);
  return (
      Symbol) (chunk & CHUNK_HAS_TWO_BITS ? chunk >> 2 * (left - 1) & 3 : chunk >> (left - 1) & 1);
}

static size_t
delta_bytes (Symbol symbol)
{
  switch (symbol) {
    case NOT_RECEIVED:
    case RESERVED:
      break;
    case SMALL_DELTA:
      return 1;
    case LARGE_DELTA:
      return 2;
  }
  return 0;
}

/* The symbols of a chunk that are about packets. */
static unsigned
used_symbols (uint16_t chunk, unsigned packets)
{
  unsigned symbols = symbols_of (chunk);

  return symbols < packets ? symbols : packets;
}

/* Adds the bytes of the deltas of a chunk; returns false for a reserved symbol. */
static bool
add_deltas (uint16_t chunk, unsigned used, size_t *bytes)
{
  unsigned symbols = symbols_of (chunk);

  for (unsigned i = 0; i < used; i++) {
    Symbol symbol = symbol_at (chunk, symbols - i);

    if (symbol == RESERVED)
      return false;
    *bytes += delta_bytes (symbol);
  }
  return true;
}

TfrcWireResult
tfrc_wire_parse_arrivals (const uint8_t *fci, size_t size, TfrcWireArrivals *arrivals)
{
  size_t at = HEADER_BYTES, deltas = 0;
  unsigned left;

  if (size < HEADER_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  arrivals->base_seq = tfrc_get_u16 (fci);
  arrivals->count = tfrc_get_u16 (fci + 2);
  arrivals->reference_time = tfrc_get_u24 (fci + 4);
  if (arrivals->count == 0 || arrivals->count > TFRC_ARRIVALS_PACKETS)
    return TFRC_WIRE_BAD_FIELD;
  for (left = arrivals->count; left > 0; at += CHUNK_BYTES) {
    uint16_t chunk;
    unsigned used;

    if (at + CHUNK_BYTES > size)
      return TFRC_WIRE_TOO_SHORT;
    chunk = tfrc_get_u16 (fci + at);
    used = used_symbols (chunk, left);
    if (!add_deltas (chunk, used, &deltas))
      return TFRC_WIRE_BAD_FIELD;
    left -= used;
  }
  if (deltas > size - at)
    return TFRC_WIRE_TOO_SHORT;
  arrivals->chunk = fci + HEADER_BYTES;
  arrivals->delta = fci + at;
  arrivals->symbols_left = symbols_of (tfrc_get_u16 (arrivals->chunk));
  return TFRC_WIRE_OK;
}

static int32_t
take_delta (TfrcWireArrivals *arrivals, Symbol symbol)
{
  const uint8_t *delta = arrivals->delta;

  arrivals->delta += delta_bytes (symbol);
  return symbol == SMALL_DELTA ? delta[0] : (int16_t) tfrc_get_u16 (delta);
}

TfrcWireArrivalOf
tfrc_wire_next_arrival (TfrcWireArrivals *arrivals)
{
  TfrcWireArrivalOf packet = { 0 };
  Symbol symbol;

  /* A run may have no packets. */
  while (arrivals->symbols_left == 0) {
    arrivals->chunk += CHUNK_BYTES;
    arrivals->symbols_left = symbols_of (tfrc_get_u16 (arrivals->chunk));
  }
  symbol = symbol_at (tfrc_get_u16 (arrivals->chunk), arrivals->symbols_left--);
  packet.arrived = symbol != NOT_RECEIVED;
  if (packet.arrived)
    packet.delta = take_delta (arrivals, symbol);
  return packet;
}
