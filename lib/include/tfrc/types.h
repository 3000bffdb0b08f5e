/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

/** The most recent samples of the round-trip time that a configuration may ask for */
#define TFRC_MAX_RTT_SAMPLES 32

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

/** The throughput equation: the rate that a TCP gets at a round-trip time and a loss event rate.
 * Later versions may add values at the end. */
typedef enum
{
  TFRC_MODEL_RENO, /**< RFC 5348 section 3.1 */
  TFRC_MODEL_CUBIC /**< RFC 9438 section 5.2: as much as TCP CUBIC gets, never less than Reno.  RFC 5348 requires
                      Reno's; beside Reno in long paths and deep queues this one takes what CUBIC takes */
} TfrcModel;

/** The rules that hold beside those of RFC 5348 */
typedef enum
{
  TFRC_RULES_CAUTIOUS, /**< rules against peers that lie, and against others who forge packets: values
                          of a peer are checked against each other, and against what was sent */
  TFRC_RULES_STRICT /**< none: a value that can be true is used, X_inst has no limit from X_recv, no
                       packet checks a deep cut of X, the nofeedback timer is that of the X before the
                       feedback, and the feedback timer does not expire earlier when R falls.  See
                       docs/rfc5348-map.md */
} TfrcRules;

/** The sender's average of the round-trip time R */
typedef enum
{
  TFRC_RTT_METHOD_EWMA,     /**< RFC 5348 section 4.3 step 2, q = 0.9 */
  TFRC_RTT_METHOD_ADAPTIVE, /**< enhanced TFRC, eq. 3: while the samples rise, R grows by the spread
                               of the recent samples, again and again */
  TFRC_RTT_METHOD_ADAPTIVE_BOUNDED /**< while the samples rise, R is the average plus the spread of the
                                      recent samples; the addition ends at the longest of them, and R
                                      is never below the average, which can be longer than all of
                                      them; the spread does not enter the average */
} TfrcRttMethod;

/** The value of t_RTO in the throughput equation.  The nofeedback timer does not use it.  D is
 * RTTVAR of RFC 6298. */
typedef enum
{
  TFRC_RTO_POLICY_4R,       /**< RFC 5348 section 3.1: 4 R */
  TFRC_RTO_POLICY_TCP,      /**< RFC 6298: max (1 s, R + 4 D) */
  TFRC_RTO_POLICY_LINUX,    /**< as TCP of Linux: R + max (200 ms, 4 D) */
  TFRC_RTO_POLICY_BALANCED, /**< max (200 ms, 2 R): gives about the throughput of standard TCP, see
                               docs/decisions/loss.md, "A t_RTO that gives TCP's throughput" */
  TFRC_RTO_POLICY_ADAPTIVE  /**< enhanced TFRC, eq. 3 and 4: 4 R; on a link error the last t_RTO
                               times R_new / R_old */
} TfrcRtoPolicy;

/** The receiver's average of the loss intervals */
typedef enum
{
  TFRC_LOSS_INTERVAL_METHOD_WEIGHTED,     /**< RFC 5348 sections 5.4 and 5.5 */
  TFRC_LOSS_INTERVAL_METHOD_CI_REPLACE,   /**< enhanced TFRC, eq. 7: the bounds of the confidence
                                           interval in place of the shortest and the longest */
  TFRC_LOSS_INTERVAL_METHOD_CI_INCLUDE,   /**< eq. 8: the bounds besides */
  TFRC_LOSS_INTERVAL_METHOD_MEAN_REPLACE, /**< eq. 9: the mean in place of the shortest and the
                                             longest */
  TFRC_LOSS_INTERVAL_METHOD_MEAN_INCLUDE  /**< eq. 10: the mean besides */
} TfrcLossIntervalMethod;

/** The way to tell packets that a link has damaged from packets that a full queue has
 * dropped.  All classifiers judge by the one-way delay, of which the receiver knows the
 * differences. */
typedef enum
{
  TFRC_LOSS_CLASSIFIER_NONE,   /**< does not tell */
  TFRC_LOSS_CLASSIFIER_TREND,  /**< enhanced TFRC, section 3.1: congestion while the delay rises */
  TFRC_LOSS_CLASSIFIER_SPIKE,  /**< Spike, as Cen, Cosman and Voelker (2003) describe it */
  TFRC_LOSS_CLASSIFIER_ZIGZAG, /**< ZigZag, of the same paper */
  TFRC_LOSS_CLASSIFIER_EMPTY_QUEUE /**< Spike, and the delay is near the least, the losses are within
                                      TfrcReceiverConfig.loss_allowance, and they do not grow with the
                                      stream's own rate */
} TfrcLossClassifier;

/** The losses that make the sender slower */
typedef enum
{
  TFRC_LOSS_RESPONSE_ALL,            /**< RFC 5348: all losses */
  TFRC_LOSS_RESPONSE_CONGESTION_ONLY /**< not those that the receiver calls link errors; all losses
                                        if the receiver does not tell.  A path that drops packets
                                        without a queue, as a policer does, gets too much. */
} TfrcLossResponse;

TFRC_END_DECLS
#endif
