/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events from bytes, shared by the fuzz targets of sender and receiver.  Past the end of the
 * input, every value is 0. */
#ifndef EVENTS_H
#define EVENTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfrc/tfrc.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) \
      abort (); \
  } while (0)

/* The highest rate that any configuration allows */
#define CEILING_BPS 125e9

/* Relative error that rounding may cause in sums */
#define ROUNDING 1e-9

typedef struct
{
  const uint8_t *bytes;
  size_t size;
} Input;

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

/* Takes n bytes, little endian. */
static inline uint64_t
take (Input *input, unsigned n)
{
  uint64_t value = 0;
  unsigned i;

  for (i = 0; i < n && input->size > 0; i++) {
    value |= (uint64_t) *input->bytes << (8 * i);
    input->bytes++;
    input->size--;
  }
  return value;
}

/* Takes any 64 bits, which may make infinities, NaN and denormal numbers. */
static inline double
take_double (Input *input)
{
  uint64_t bits = take (input, 8);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Takes a duration of any order of magnitude, up to some days. */
static inline uint64_t
take_duration (Input *input)
{
  uint64_t mantissa = take (input, 1);

  return mantissa << take (input, 1) % 42;
}

#endif
