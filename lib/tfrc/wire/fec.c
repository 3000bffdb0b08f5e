/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of forward error correction (SMPTE ST 2022-1, which has that of RFC 2733); docs/wire-format.md,
 * "Forward error correction". */
#include <tfrc/wire.h>

#include "bytes.h"

/* E: the header is the longer one of ST 2022-1.  N, type and index are 0: XOR. */
#define EXTENDED 0x80
#define IS_ROW 0x40
#define XOR_ONLY 0xbf /* bits of N, type and index */
#define MASK_BYTES 3  /* of RFC 2733, not used: offset and count say the same */

size_t
tfrc_wire_write_fec (uint8_t *buffer, const TfrcWireData *data, const TfrcWireFec *fec)
{
  size_t bytes = fec == NULL ? 0 : tfrc_wire_write_data (buffer, data);
  uint8_t *at;

  if (bytes == 0)
    return 0;
  at = tfrc_put_u16 (buffer + bytes, fec->first_seq);
  at = tfrc_put_u16 (at, fec->length_recovery);
  at = tfrc_put_u8 (at, EXTENDED | (fec->payload_type & 0x7fu));
  at = tfrc_put_u24 (at, 0);
  at = tfrc_put_u32 (at, fec->timestamp);
  at = tfrc_put_u8 (at, fec->is_row ? IS_ROW : 0);
  at = tfrc_put_u8 (at, fec->offset);
  at = tfrc_put_u8 (at, fec->count);
  tfrc_put_u8 (at, 0); /* numbers of 16 bits have no more */
  return bytes + TFRC_WIRE_FEC_BYTES;
}

bool
tfrc_wire_take_fec (const uint8_t *packet, TfrcWireData *data, TfrcWireFec *fec)
{
  const uint8_t *at;

  if (packet == NULL || data == NULL || fec == NULL || data->payload_bytes < TFRC_WIRE_FEC_BYTES)
    return false;
  at = packet + data->header_bytes;
  fec->first_seq = tfrc_get_u16 (at);
  fec->length_recovery = tfrc_get_u16 (at + 2);
  fec->payload_type = at[4] & 0x7f;
  fec->timestamp = tfrc_get_u32 (at + 5 + MASK_BYTES);
  fec->is_row = (at[12] & IS_ROW) != 0;
  fec->offset = at[13];
  fec->count = at[14];
  if ((at[4] & EXTENDED) == 0 || (at[12] & XOR_ONLY) != 0 || fec->offset == 0 || fec->count == 0)
    return false;
  data->header_bytes += TFRC_WIRE_FEC_BYTES;
  data->payload_bytes -= TFRC_WIRE_FEC_BYTES;
  return true;
}
