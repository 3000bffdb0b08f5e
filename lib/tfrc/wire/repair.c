/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repairs (RFC 4588) and what asks for them, NACKs (RFC 4585 section 6.2.1) and requests of RIST; docs/wire-format.md,
 * "Repairs". */
#include <tfrc/wire.h>

#include "bytes.h"
#include "rtcp.h"

/* The packets behind the one of a pair, a bit for each */
#define PAIR_BITS (TFRC_WIRE_NACK_PAIR_NUMBERS - 1)

size_t
tfrc_wire_write_repair (uint8_t *buffer, const TfrcWireData *data, uint16_t original_seq)
{
  size_t bytes = tfrc_wire_write_data (buffer, data);

  if (bytes == 0)
    return 0;
  tfrc_put_u16 (buffer + bytes, original_seq);
  return bytes + TFRC_WIRE_REPAIR_SEQ_BYTES;
}

bool
tfrc_wire_take_original_seq (const uint8_t *packet, TfrcWireData *data, uint16_t *original_seq)
{
  if (packet == NULL || data == NULL || original_seq == NULL
      || data->payload_bytes < TFRC_WIRE_REPAIR_SEQ_BYTES)
    return false;
  *original_seq = tfrc_get_u16 (packet + data->header_bytes);
  data->header_bytes += TFRC_WIRE_REPAIR_SEQ_BYTES;
  data->payload_bytes -= TFRC_WIRE_REPAIR_SEQ_BYTES;
  return true;
}

size_t
tfrc_wire_read_nack (const uint8_t *fci, size_t fci_bytes, uint16_t *seqs, size_t max)
{
  size_t n = 0;

  if (fci == NULL || seqs == NULL)
    return 0;
  for (; fci_bytes >= RTCP_NACK_PAIR_BYTES; fci += RTCP_NACK_PAIR_BYTES) {
    unsigned pid = tfrc_get_u16 (fci), following = tfrc_get_u16 (fci + 2);

    fci_bytes -= RTCP_NACK_PAIR_BYTES;
    if (n < max)
      seqs[n++] = (uint16_t) pid;
    for (unsigned i = 1; i <= PAIR_BITS; i++) {
      if ((following >> (i - 1) & 1) != 0 && n < max)
        seqs[n++] = (uint16_t) (pid + i);
    }
  }
  return n;
}

size_t
tfrc_wire_read_rist_request (const uint8_t *ranges, size_t bytes, uint16_t *seqs, size_t max)
{
  size_t n = 0;

  if (ranges == NULL || seqs == NULL)
    return 0;
  for (; bytes >= RTCP_RIST_RANGE_BYTES; ranges += RTCP_RIST_RANGE_BYTES) {
    unsigned first = tfrc_get_u16 (ranges), following = tfrc_get_u16 (ranges + 2);

    bytes -= RTCP_RIST_RANGE_BYTES;
    for (unsigned i = 0; i <= following && n < max; i++)
      seqs[n++] = (uint16_t) (first + i);
  }
  return n;
}

/* The bits of a pair, for the numbers behind the first.  Sets how many numbers the pair has. */
static unsigned
following_of (const uint16_t *seqs, size_t n, size_t *count)
{
  unsigned following = 0;

  for (*count = 1; *count < n; ++*count) {
    unsigned after = (uint16_t) (seqs[*count] - seqs[0]);

    if (after == 0 || after > PAIR_BITS)
      break;
    following |= 1u << (after - 1);
  }
  return following;
}

size_t
tfrc_wire_write_nack (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc, const uint16_t *seqs,
    size_t n, size_t *used)
{
  uint8_t *at = buffer;
  size_t words;

  if (buffer == NULL || used == NULL)
    return 0;
  *used = 0;
  if (seqs == NULL || n == 0)
    return 0;
  at += RTCP_FB_BYTES;
  for (unsigned pairs = 0; *used < n && pairs < TFRC_WIRE_NACK_PAIRS; pairs++) {
    size_t count;
    unsigned following = following_of (seqs + *used, n - *used, &count);

    at = tfrc_put_u16 (at, seqs[*used]);
    at = tfrc_put_u16 (at, following);
    *used += count;
  }
  words = (size_t) (at - buffer) / 4;
  at = tfrc_put_u8 (buffer, 0x80 | RTCP_FMT_NACK);
  at = tfrc_put_u8 (at, RTCP_TYPE_RTPFB);
  at = tfrc_put_u16 (at, (unsigned) words - 1);
  at = tfrc_put_u32 (at, ssrc);
  tfrc_put_u32 (at, media_ssrc);
  return words * 4;
}
