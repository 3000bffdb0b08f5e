/* libtfrc: macros, results and choices that every other public header uses.
 *
 * Programs include <tfrc/tfrc.h>; its first lines give the rules for all functions. */
#ifndef TFRC_TYPES_H
#define TFRC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TFRC_BEGIN_DECLS extern "C" {
#define TFRC_END_DECLS }
#else
#define TFRC_BEGIN_DECLS
#define TFRC_END_DECLS
#endif

#if defined(__GNUC__)
#define TFRC_API __attribute__ ((visibility ("default")))
#else
#define TFRC_API
#endif

/** A deadline that never comes. */
#define TFRC_TIME_NEVER UINT64_MAX

/** The longest loss history that a configuration may ask for, in loss intervals */
#define TFRC_MAX_HISTORY_LENGTH 32

/** The largest size of a struct that a function with the suffix _sized takes, in bytes */
#define TFRC_MAX_STRUCT_BYTES 4096

TFRC_BEGIN_DECLS

/** Outcome of a call that can refuse its arguments.  TFRC_OK is 0.  Later versions may add
 * values at the end. */
typedef enum
{
  TFRC_OK = 0,
  TFRC_ERROR_ARGUMENT,  /**< a pointer is NULL, or a value is out of its range */
  TFRC_ERROR_NO_MEMORY, /**< only from the _new() functions */
  TFRC_ERROR_TOO_EARLY, /**< the pacer does not allow a packet yet */
  TFRC_ERROR_NOT_SENT,  /**< feedback about a time at which no packet can have been sent */
  TFRC_ERROR_STALE,     /**< feedback older than feedback that was used before */
  TFRC_ERROR_RANGE,     /**< a packet's field has a value that no conforming peer sends */
  TFRC_ERROR_SIZE /**< the size of a struct is wrong, or the struct sets a field that this version
                     of the library does not have */
} TfrcResult;

/** Returns an English description of @a result: static, never NULL. */
TFRC_API const char *tfrc_result_to_string (TfrcResult result);

/** How the sender averages the round-trip time R */
typedef enum
{
  TFRC_RTT_METHOD_EWMA /**< RFC 5348 section 4.3 step 2, q = 0.9 */
} TfrcRttMethod;

/** The value of t_RTO in the throughput equation.  The nofeedback timer does not use it.  D is
 * RTTVAR of RFC 6298. */
typedef enum
{
  TFRC_RTO_POLICY_4R,      /**< RFC 5348 section 3.1: 4 R */
  TFRC_RTO_POLICY_TCP,     /**< RFC 6298: max (1 s, R + 4 D) */
  TFRC_RTO_POLICY_LINUX,   /**< as TCP of Linux: R + max (200 ms, 4 D) */
  TFRC_RTO_POLICY_BALANCED /**< max (200 ms, 2 R): gives about the throughput of standard TCP, see
                              docs/decisions.md */
} TfrcRtoPolicy;

/** How the receiver makes an average of the loss intervals */
typedef enum
{
  TFRC_LOSS_INTERVAL_METHOD_WEIGHTED /**< RFC 5348 sections 5.4 and 5.5 */
} TfrcLossIntervalMethod;

TFRC_END_DECLS
#endif
