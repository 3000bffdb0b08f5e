/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison of secrets, in a time that does not depend on their bytes. */
#ifndef TFRC_CONSTANT_TIME_H
#define TFRC_CONSTANT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are these the same bytes? The reads are volatile, so that the compiler cannot end the loop at
 * the first difference. */
static inline bool
tfrc_bytes_are_equal (const uint8_t *a, const uint8_t *b, size_t size)
{
  const volatile uint8_t *at_a = a, *at_b = b;
  uint8_t difference = 0;

  for (size_t i = 0; i < size; i++)
    difference |= (uint8_t) (at_a[i] ^ at_b[i]);
  return difference == 0;
}

#endif
