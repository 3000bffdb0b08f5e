/* Validation of the path to an address, see path.h. */
#include <tfrc/path.h>

#include <string.h>

#include "units.h"

#define MS_NS UINT64_C (1000000)

#define MIN_INTERVAL_NS (10 * MS_NS)
#define INITIAL_RTT_NS (333 * MS_NS)        /* kInitialRtt of RFC 9002 section 6.2.2 */
#define INITIAL_PTO_NS (3 * INITIAL_RTT_NS) /* with half of it as variation */
#define PATIENCE 3                          /* timeouts of 4 R at least, RFC 9000 section 8.2.4 */

enum
{
  BARE, /* kinds of challenges: without padding */
  FULL  /* ... and as large as a packet of data */
};

bool
tfrc_path_is_same_data (
    const uint8_t a[TFRC_WIRE_PATH_DATA_BYTES], const uint8_t b[TFRC_WIRE_PATH_DATA_BYTES])
{
  uint8_t difference = 0;

  for (size_t i = 0; i < TFRC_WIRE_PATH_DATA_BYTES; i++)
    difference |= a[i] ^ b[i];
  return difference == 0;
}

/* Begins to challenge: at once, then less and less often. */
static void
challenge_anew (TfrcPath *path, uint64_t now_ns)
{
  uint64_t rtt_ns = path->config.rtt_ns > 0 ? path->config.rtt_ns : INITIAL_RTT_NS;
  uint64_t timeout_ns = tfrc_max_ns (4 * rtt_ns, INITIAL_PTO_NS);

  path->challenge_ns = now_ns;
  path->interval_ns = tfrc_max_ns (rtt_ns, MIN_INTERVAL_NS);
  path->end_ns = tfrc_add_ns (now_ns, PATIENCE * timeout_ns);
}

void
tfrc_path_start (TfrcPath *path, const TfrcPathConfig *config, uint64_t now_ns)
{
  memset (path, 0, sizeof *path);
  path->config = *config;
  challenge_anew (path, now_ns);
}

void
tfrc_path_restart (TfrcPath *path, uint64_t now_ns)
{
  challenge_anew (path, now_ns);
  path->asked_ns = TFRC_TIME_NEVER;
  path->measured_rtt_ns = path->config.rtt_ns;
}

void
tfrc_path_on_received (TfrcPath *path, size_t bytes)
{
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
  bool bare = tfrc_path_is_same_data (data, path->config.data[BARE]);
  bool full = tfrc_path_is_same_data (data, path->config.data[FULL]);

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

/* How many bytes may be sent now in one packet: until somebody has answered, never more bytes nor more packets than have
 * come.  RFC 9000 section 8.1 allows three times the bytes. */
static uint64_t
allowed_bytes (const TfrcPath *path)
{
  if (path->state != TFRC_PATH_PROBING)
    return UINT64_MAX;
  return path->sent_packets < path->received_packets ? path->received_bytes - path->sent_bytes : 0;
}

/* The size of the next challenge; 0: it would be too much for now */
static size_t
challenge_bytes (const TfrcPath *path)
{
  uint64_t allowed = allowed_bytes (path);

  if (allowed >= path->config.full_bytes)
    return path->config.full_bytes;
  return allowed >= TFRC_WIRE_MIN_PATH_BYTES ? TFRC_WIRE_MIN_PATH_BYTES : 0;
}

/* The first one of full size waits for nothing but that it is allowed. */
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

  if (!is_at_work (path))
    return TFRC_TIME_NEVER;
  challenge_ns = next_challenge_ns (path);
  return tfrc_min_ns (challenge_ns, path->end_ns);
}

void
tfrc_path_on_time (TfrcPath *path, uint64_t now_ns)
{
  if (is_at_work (path) && now_ns >= path->end_ns)
    path->state = TFRC_PATH_FAILED;
}

size_t
tfrc_path_take_challenge (TfrcPath *path, uint64_t now_ns, uint8_t data[TFRC_WIRE_PATH_DATA_BYTES])
{
  size_t bytes = challenge_bytes (path);
  bool full = bytes == path->config.full_bytes;

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
