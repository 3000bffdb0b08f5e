/* Events from bytes: what the fuzz targets of sender and receiver share.  Past
 * the end of the input everything reads as 0. */
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

/* The highest rate that is allowed anywhere */
#define CEILING_BPS 125e9

/* Of what sums of rounded numbers may differ by */
#define ROUNDING 1e-9

typedef struct
{
  const uint8_t *bytes;
  size_t size;
} Input;

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

/* Little endian */
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

/* Any bits: also infinities, NaN and denormal numbers */
static inline double
take_double (Input *input)
{
  uint64_t bits = take (input, 8);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* A duration of any order of magnitude, up to some days */
static inline uint64_t
take_duration (Input *input)
{
  uint64_t mantissa = take (input, 1);

  return mantissa << take (input, 1) % 42;
}

#endif
