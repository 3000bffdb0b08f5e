/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Big-endian integers in a byte buffer: the byte order of docs/wire-format.md.  The caller
 * checks the bounds. */
#ifndef TFRC_WIRE_BYTES_H
#define TFRC_WIRE_BYTES_H

#include <stdint.h>

static inline uint16_t
tfrc_get_u16 (const uint8_t *at)
{
  return (uint16_t) (at[0] << 8 | at[1]);
}

static inline uint32_t
tfrc_get_u24 (const uint8_t *at)
{
  return (uint32_t) at[0] << 16 | (uint32_t) at[1] << 8 | at[2];
}

static inline uint32_t
tfrc_get_u32 (const uint8_t *at)
{
  return (uint32_t) at[0] << 24 | tfrc_get_u24 (at + 1);
}

static inline uint64_t
tfrc_get_u64 (const uint8_t *at)
{
  return (uint64_t) tfrc_get_u32 (at) << 32 | tfrc_get_u32 (at + 4);
}

/* The writers return the position of the next field. */

static inline uint8_t *
tfrc_put_u8 (uint8_t *at, unsigned value)
{
  at[0] = (uint8_t) value;
  return at + 1;
}

static inline uint8_t *
tfrc_put_u16 (uint8_t *at, unsigned value)
{
  return tfrc_put_u8 (tfrc_put_u8 (at, value >> 8), value);
}

static inline uint8_t *
tfrc_put_u24 (uint8_t *at, uint32_t value)
{
  return tfrc_put_u16 (tfrc_put_u8 (at, value >> 16), value);
}

static inline uint8_t *
tfrc_put_u32 (uint8_t *at, uint32_t value)
{
  return tfrc_put_u16 (tfrc_put_u16 (at, value >> 16), value);
}

static inline uint8_t *
tfrc_put_u64 (uint8_t *at, uint64_t value)
{
  return tfrc_put_u32 (tfrc_put_u32 (at, (uint32_t) (value >> 32)), (uint32_t) value);
}

#endif
