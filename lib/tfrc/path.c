/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Validation of the path to an address, see path.h. */
#include <tfrc/path.h>

#include <stdlib.h>
#include <string.h>

#include "constant_time.h"
#include "struct_size.h"
#include "units.h"

#define MS_NS UINT64_C (1000000)

#define MIN_INTERVAL_NS (10 * MS_NS)
#define INITIAL_RTT_NS (333 * MS_NS)        /* kInitialRtt of RFC 9002 section 6.2.2 */
#define INITIAL_PTO_NS (3 * INITIAL_RTT_NS) /* with half of it as variation */
#define PATIENCE 3                          /* timeouts of 4 R at least, RFC 9000 section 8.2.4 */

enum
{
  BARE, /* a challenge without padding */
  FULL  /* a challenge as large as a data packet */
};

struct TfrcPath
{
  TfrcPathConfig config;
  TfrcPathState state;
  uint64_t received_bytes, received_packets; /* from the address */
  uint64_t sent_bytes, sent_packets;         /* to the address, while PROBING */
  bool full_sent;                            /* a challenge of full size has been sent */
  uint64_t asked_ns; /* when the first challenge left; TFRC_TIME_NEVER: a response may be to another
                        challenge */
  uint64_t measured_rtt_ns;
  uint64_t challenge_ns; /* when the next challenge is due */
  uint64_t interval_ns;  /* time from that challenge to the one after it */
  uint64_t end_ns;       /* when the time for this state is up */
};

/* ---- life -------------------------------------------------------------- */

TfrcResult
tfrc_path_new (TfrcPath **path)
{
  if (path == NULL)
    return TFRC_ERROR_ARGUMENT;
  *path = calloc (1, sizeof **path);
  if (*path == NULL)
    return TFRC_ERROR_NO_MEMORY;
  (*path)->state = TFRC_PATH_FAILED;
  return TFRC_OK;
}

void
tfrc_path_free (TfrcPath *path)
{
  free (path);
}

void
tfrc_path_copy (TfrcPath *to, const TfrcPath *from)
{
  if (to != NULL && from != NULL)
    *to = *from;
}

/* Starts the challenges: one at once, and then at growing intervals. */
static void
challenge_anew (TfrcPath *path, uint64_t now_ns)
{
  uint64_t rtt_ns = path->config.rtt_ns > 0 ? path->config.rtt_ns : INITIAL_RTT_NS;
  uint64_t timeout_ns = tfrc_max_ns (4 * rtt_ns, INITIAL_PTO_NS);

  path->challenge_ns = now_ns;
  path->interval_ns = tfrc_max_ns (rtt_ns, MIN_INTERVAL_NS);
  path->end_ns = tfrc_add_ns (now_ns, PATIENCE * timeout_ns);
}

TfrcResult
tfrc_path_start_sized (
    TfrcPath *path, const TfrcPathConfig *config, size_t config_size, uint64_t now_ns)
{
  TfrcPathConfig known = { 0 };
  TfrcResult result;

  if (path == NULL)
    return TFRC_ERROR_ARGUMENT;
  result = tfrc_struct_read (
      &known, sizeof known, config, config_size, TFRC_PATH_CONFIG_FIRST_SIZE);
  if (result != TFRC_OK)
    return result;
  if (known.full_bytes < TFRC_WIRE_MIN_PATH_BYTES || known.full_bytes % 4 != 0)
    return TFRC_ERROR_ARGUMENT;
  memset (path, 0, sizeof *path);
  path->config = known;
  challenge_anew (path, now_ns);
  return TFRC_OK;
}

void
tfrc_path_restart (TfrcPath *path, uint64_t now_ns)
{
  if (path == NULL)
    return;
  challenge_anew (path, now_ns);
  path->asked_ns = TFRC_TIME_NEVER;
  path->measured_rtt_ns = path->config.rtt_ns;
}

void
tfrc_path_on_received (TfrcPath *path, size_t bytes)
{
  if (path == NULL)
    return;
  path->received_bytes += bytes;
  path->received_packets++;
}

static bool
is_at_work (const TfrcPath *path)
{
  return path->state == TFRC_PATH_PROBING || path->state == TFRC_PATH_REACHED;
}

bool
tfrc_path_on_response (
    TfrcPath *path, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES], uint64_t now_ns)
{
  bool bare, full;

  if (path == NULL || data == NULL)
    return false;
  bare = tfrc_path_is_same_data (data, path->config.data[BARE]);
  full = tfrc_path_is_same_data (data, path->config.data[FULL]);
  if (!(bare || full) || path->state == TFRC_PATH_FAILED)
    return false;
  if (path->measured_rtt_ns == 0 && path->asked_ns != TFRC_TIME_NEVER)
    path->measured_rtt_ns = tfrc_sub_ns (now_ns, path->asked_ns);
  if (full) {
    path->state = TFRC_PATH_VALID;
  } else if (path->state == TFRC_PATH_PROBING) {
    path->state = TFRC_PATH_REACHED;
    challenge_anew (path, now_ns);
  }
  return true;
}

/* Returns the bytes that one packet may have now.  Until a response has come, no more bytes and
 * no more packets leave than have come.  RFC 9000 section 8.1 allows three times the bytes. */
static uint64_t
allowed_bytes (const TfrcPath *path)
{
  if (path->state != TFRC_PATH_PROBING)
    return UINT64_MAX;
  return path->sent_packets < path->received_packets ? path->received_bytes - path->sent_bytes : 0;
}

/* Returns the size of the next challenge; 0: no challenge is allowed now */
static size_t
challenge_bytes (const TfrcPath *path)
{
  uint64_t allowed = allowed_bytes (path);

  if (allowed >= path->config.full_bytes)
    return path->config.full_bytes;
  return allowed >= TFRC_WIRE_MIN_PATH_BYTES ? TFRC_WIRE_MIN_PATH_BYTES : 0;
}

/* The first challenge of full size leaves as soon as it is allowed. */
static uint64_t
next_challenge_ns (const TfrcPath *path)
{
  size_t bytes = challenge_bytes (path);

  if (bytes == 0)
    return TFRC_TIME_NEVER;
  return bytes == path->config.full_bytes && !path->full_sent ? 0 : path->challenge_ns;
}

uint64_t
tfrc_path_next_ns (const TfrcPath *path)
{
  uint64_t challenge_ns;

  if (path == NULL || !is_at_work (path))
    return TFRC_TIME_NEVER;
  challenge_ns = next_challenge_ns (path);
  return tfrc_min_ns (challenge_ns, path->end_ns);
}

void
tfrc_path_on_time (TfrcPath *path, uint64_t now_ns)
{
  if (path != NULL && is_at_work (path) && now_ns >= path->end_ns)
    path->state = TFRC_PATH_FAILED;
}

size_t
tfrc_path_take_challenge (TfrcPath *path, uint64_t now_ns, uint8_t data[TFRC_WIRE_PATH_DATA_BYTES])
{
  size_t bytes;
  bool full;

  if (path == NULL || data == NULL)
    return 0;
  bytes = challenge_bytes (path);
  full = bytes == path->config.full_bytes;
  if (!is_at_work (path) || now_ns < next_challenge_ns (path))
    return 0;
  memcpy (data, path->config.data[full ? FULL : BARE], TFRC_WIRE_PATH_DATA_BYTES);
  if (path->sent_packets == 0)
    path->asked_ns = now_ns;
  if (path->state == TFRC_PATH_PROBING) {
    path->sent_bytes += bytes;
    path->sent_packets++;
  }
  path->full_sent = path->full_sent || full;
  path->challenge_ns = tfrc_add_ns (now_ns, path->interval_ns);
  path->interval_ns = tfrc_add_ns (path->interval_ns, path->interval_ns);
  return bytes;
}

/* ---- state ------------------------------------------------------------- */

TfrcPathState
tfrc_path_get_state (const TfrcPath *path)
{
  return path != NULL ? path->state : TFRC_PATH_FAILED;
}

uint64_t
tfrc_path_get_measured_rtt_ns (const TfrcPath *path)
{
  return path != NULL ? path->measured_rtt_ns : 0;
}

uint64_t
tfrc_path_get_credit_bytes (const TfrcPath *path)
{
  return path != NULL ? path->received_bytes - path->sent_bytes : 0;
}

uint64_t
tfrc_path_get_credit_packets (const TfrcPath *path)
{
  return path != NULL ? path->received_packets - path->sent_packets : 0;
}

bool
tfrc_path_is_same_data (
    const uint8_t a[TFRC_WIRE_PATH_DATA_BYTES], const uint8_t b[TFRC_WIRE_PATH_DATA_BYTES])
{
  return a != NULL && b != NULL && tfrc_bytes_are_equal (a, b, TFRC_WIRE_PATH_DATA_BYTES);
}
