/* Validation of the path to an address that a peer seems to have moved to (RFC 9000 sections 8.1 and 8.2)
 *
 * The host there repeats the random bytes of a challenge, and so proves that it receives what is sent there.  Until it has
 * answered, no more bytes and no more packets are sent there than came from there, so that a forged source address brings
 * no host more traffic than the forger sends itself.  So the first challenge has no padding, unless as many bytes have come
 * as a packet of data has.  A path that has been reached can be used; but to be valid, it must have carried a challenge of
 * full size.
 *
 *     PROBING --- a response ---> REACHED --- the response to a challenge of full size ---> VALID
 *        \________________________________\_________ neither in time _____________________> FAILED
 *
 * No sockets, no clock, no memory of its own; the owner knows which address it is about. */
#ifndef TFRC_PATH_H
#define TFRC_PATH_H

#include <tfrc/wire.h>

TFRC_BEGIN_DECLS

typedef enum
{
  TFRC_PATH_PROBING, /**< nobody has answered */
  TFRC_PATH_REACHED, /**< somebody has: the path can be used */
  TFRC_PATH_VALID,   /**< ... and carries packets of full size */
  TFRC_PATH_FAILED
} TfrcPathState;

typedef struct
{
  uint8_t data
      [2]
      [TFRC_WIRE_PATH_DATA_BYTES]; /**< of challenges without padding, and of full size: random, not to be
                                                     guessed from anything else */
  size_t full_bytes;               /**< a multiple of 4, at least TFRC_WIRE_MIN_PATH_BYTES */
  uint64_t rtt_ns; /**< R over the path so far, or what is known instead; 0: unknown */
} TfrcPathConfig;

/** A plain value: tfrc_path_start() begins it, nothing ends it. */
typedef struct
{
  TfrcPathConfig config;
  TfrcPathState state;
  uint64_t received_bytes, received_packets; /**< from there */
  uint64_t sent_bytes, sent_packets;         /**< to there, while PROBING */
  bool full_sent;                            /**< a challenge of full size has been sent */
  uint64_t
      asked_ns; /**< when the first challenge left; TFRC_TIME_NEVER: it is not the one that is answered */
  uint64_t
      measured_rtt_ns; /**< from then to the first response: R of the path, or more if either was lost; after a
                                     restart TfrcPathConfig.rtt_ns; 0: not known */
  uint64_t challenge_ns; /**< when the next one is due */
  uint64_t interval_ns;  /**< ... and how long after it another one */
  uint64_t end_ns;       /**< of the patience with this state */
} TfrcPath;

/** Tells whether these are the same bytes, in a time that does not depend on them: a sender of guesses learns nothing from
 * how long an answer takes. */
TFRC_API bool tfrc_path_is_same_data (
    const uint8_t a[TFRC_WIRE_PATH_DATA_BYTES], const uint8_t b[TFRC_WIRE_PATH_DATA_BYTES]);

/** Begins with PROBING; nothing can be sent before tfrc_path_on_received(). */
TFRC_API void tfrc_path_start (TfrcPath *path, const TfrcPathConfig *config, uint64_t now_ns);

/** Patience and challenges begin anew, as there is another reason to ask.  What has been sent and received still counts, and
 * may be answered. */
TFRC_API void tfrc_path_restart (TfrcPath *path, uint64_t now_ns);

/** UDP payload of a packet that came from there, and is not refused */
TFRC_API void tfrc_path_on_received (TfrcPath *path, size_t bytes);

/** Somebody there repeats these bytes.
 * @return false: they are not of a challenge, and nothing has changed */
TFRC_API bool tfrc_path_on_response (
    TfrcPath *path, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES], uint64_t now_ns);

/** When tfrc_path_on_time() or tfrc_path_take_challenge() has something to do; TFRC_TIME_NEVER: nothing is left. */
TFRC_API uint64_t tfrc_path_next_ns (const TfrcPath *path);

/** Ends patience. */
TFRC_API void tfrc_path_on_time (TfrcPath *path, uint64_t now_ns);

/** Takes the challenge that is due, to be sent at once.
 * @return its size, for tfrc_wire_write_path_challenge(); 0: none is due, or none is allowed */
TFRC_API size_t tfrc_path_take_challenge (
    TfrcPath *path, uint64_t now_ns, uint8_t data[TFRC_WIRE_PATH_DATA_BYTES]);

TFRC_END_DECLS
#endif
