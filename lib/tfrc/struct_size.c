/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structs that grow in later versions, see struct_size.h. */
#include "struct_size.h"

#include <string.h>

bool
tfrc_struct_size_is_valid (size_t size, size_t first_size)
{
  return size >= first_size && size <= TFRC_MAX_STRUCT_BYTES;
}

static bool
is_zero (const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] != 0)
      return false;
  }
  return true;
}

TfrcResult
tfrc_struct_read (void *known, size_t known_size, const void *given, size_t size, size_t first_size)
{
  size_t common = size < known_size ? size : known_size;

  if (given == NULL)
    return TFRC_ERROR_ARGUMENT;
  if (!tfrc_struct_size_is_valid (size, first_size)
      || !is_zero ((const uint8_t *) given + common, size - common))
    return TFRC_ERROR_SIZE;
  memcpy (known, given, common);
  return TFRC_OK;
}

TfrcResult
tfrc_struct_write (
    void *given, size_t size, const void *known, size_t known_size, size_t first_size)
{
  size_t common = size < known_size ? size : known_size;

  if (given == NULL)
    return TFRC_ERROR_ARGUMENT;
  if (!tfrc_struct_size_is_valid (size, first_size))
    return TFRC_ERROR_SIZE;
  memcpy (given, known, common);
  memset ((uint8_t *) given + common, 0, size - common);
  return TFRC_OK;
}
