/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: validation of the path to an address that a peer seems to have moved to (RFC 9000
 * sections 8.1 and 8.2)
 *
 * The host at the address repeats the random bytes of a challenge, and so proves that it receives
 * packets there.  Until the host has answered, no more bytes and no more packets leave for the
 * address than came from it.  So a forged source address brings no host more traffic than the
 * forger sends itself.  For that reason the first challenge has no padding, unless a packet as
 * large as a data packet has come from there.  A path that has been reached can be used; it is
 * valid when it has carried a challenge of full size.
 *
 *     PROBING --- a response ---> REACHED --- the response to a challenge of full size ---> VALID
 *        \________________________________\_________ neither in time ____________________> FAILED
 *
 * The library knows neither sockets nor addresses; the program keeps one path per address.  A
 * program that allocates no memory while packets arrive creates its paths beforehand, and starts
 * the same path again for the next address. */
#ifndef TFRC_PATH_H
#define TFRC_PATH_H

#include <tfrc/wire.h>

TFRC_BEGIN_DECLS

typedef enum
{
  TFRC_PATH_PROBING, /**< no response yet */
  TFRC_PATH_REACHED, /**< a response has come: the path can be used */
  TFRC_PATH_VALID,   /**< the path carries packets of full size */
  TFRC_PATH_FAILED   /**< no response in time */
} TfrcPathState;

/** Configuration of a path.  Set it to zero before you fill it.  Grows in later versions. */
typedef struct
{
  uint8_t data[2][TFRC_WIRE_PATH_DATA_BYTES]; /**< of challenges without padding, and of full size:
                                                 random bytes that no other data gives away */
  size_t full_bytes; /**< size of a challenge of full size: a multiple of 4, at least
                        TFRC_WIRE_MIN_PATH_BYTES */
  uint64_t rtt_ns;   /**< the best estimate of R over the path; 0: unknown */
} TfrcPathConfig;

/** The validation of one path.  Opaque. */
typedef struct TfrcPath TfrcPath;

/** Creates a path.  It is FAILED until tfrc_path_start().
 *
 * @param path where to store the path; set to NULL on failure
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *path and frees it with tfrc_path_free(). */
TFRC_API TfrcResult tfrc_path_new (TfrcPath **path);

/** Frees @a path.  NULL is allowed. */
TFRC_API void tfrc_path_free (TfrcPath *path);

/** Starts the validation, and forgets any earlier one.  The state is PROBING, and nothing can be
 * sent before tfrc_path_on_received().
 *
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT (NULL or full_bytes; nothing has changed) or
 *   TFRC_ERROR_SIZE */
TFRC_API TfrcResult tfrc_path_start_sized (
    TfrcPath *path, const TfrcPathConfig *config, size_t config_size, uint64_t now_ns);

static inline TfrcResult
tfrc_path_start (TfrcPath *path, const TfrcPathConfig *config, uint64_t now_ns)
{
  return tfrc_path_start_sized (path, config, sizeof *config, now_ns);
}

/** Copies the whole state of @a from to @a to. */
TFRC_API void tfrc_path_copy (TfrcPath *to, const TfrcPath *from);

/** Starts the time limit and the challenges anew, for a program that has another reason to ask.
 * The counts of packets stay, and responses to earlier challenges stay valid. */
TFRC_API void tfrc_path_restart (TfrcPath *path, uint64_t now_ns);

/** A packet has come from the address, and was not refused.
 *
 * @param bytes UDP payload */
TFRC_API void tfrc_path_on_received (TfrcPath *path, size_t bytes);

/** A response with these bytes has come from the address.
 *
 * The time that the comparison takes does not depend on the bytes.
 * @return false: the bytes are not those of a challenge, and nothing has changed */
TFRC_API bool tfrc_path_on_response (
    TfrcPath *path, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES], uint64_t now_ns);

/** Returns the time at which to call tfrc_path_on_time() or tfrc_path_take_challenge();
 * TFRC_TIME_NEVER: there is nothing left to do. */
TFRC_API uint64_t tfrc_path_next_ns (const TfrcPath *path);

/** Makes the path FAILED if its time is up. */
TFRC_API void tfrc_path_on_time (TfrcPath *path, uint64_t now_ns);

/** Takes the challenge that is due, to be sent at once.
 *
 * @param data filled in with the challenge's bytes unless 0 is returned
 * @return its size, for tfrc_wire_write_path_challenge(); 0: no challenge is due or allowed */
TFRC_API size_t tfrc_path_take_challenge (
    TfrcPath *path, uint64_t now_ns, uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

/* ---- state ------------------------------------------------------------- */

/** Returns the state; TFRC_PATH_FAILED for NULL. */
TFRC_API TfrcPathState tfrc_path_get_state (const TfrcPath *path);

/** Returns the time from the first challenge to the first response: R of the path, or more if a
 * challenge or a response was lost.  After tfrc_path_restart() it is TfrcPathConfig.rtt_ns.
 * 0: unknown */
TFRC_API uint64_t tfrc_path_get_measured_rtt_ns (const TfrcPath *path);

/** Return how many more bytes and packets have come from the address than challenges have left
 * for it while the state was PROBING. */
TFRC_API uint64_t tfrc_path_get_credit_bytes (const TfrcPath *path);
TFRC_API uint64_t tfrc_path_get_credit_packets (const TfrcPath *path);

/** Tells whether both arrays have the same bytes.  The time that this takes does not depend on
 * the bytes, so that a host that guesses learns nothing from it.  False for NULL. */
TFRC_API bool tfrc_path_is_same_data (
    const uint8_t a[TFRC_WIRE_PATH_DATA_BYTES], const uint8_t b[TFRC_WIRE_PATH_DATA_BYTES]);

TFRC_END_DECLS
#endif
