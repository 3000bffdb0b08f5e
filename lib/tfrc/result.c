/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of results. */
#include <tfrc/tfrc.h>

const char *
tfrc_result_to_string (TfrcResult result)
{
  switch (result) {
    case TFRC_OK:
      return "ok";
    case TFRC_ERROR_ARGUMENT:
      return "argument out of range";
    case TFRC_ERROR_NO_MEMORY:
      return "out of memory";
    case TFRC_ERROR_TOO_EARLY:
      return "the pacer does not allow a packet yet";
    case TFRC_ERROR_NOT_SENT:
      return "feedback about a time at which nothing was sent";
    case TFRC_ERROR_STALE:
      return "feedback older than one already used";
    case TFRC_ERROR_RANGE:
      return "field out of range";
    case TFRC_ERROR_SIZE:
      return "size or fields of a struct that this version does not know";
  }
  return "unknown result";
}
