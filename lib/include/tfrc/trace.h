/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: each decision of a sender or a receiver, with its numbers
 *
 * A program that sets TfrcSenderConfig.trace or TfrcReceiverConfig.trace is called once for each
 * decision: on every feedback packet, and when something rare happens.  Nothing happens for each data
 * packet, and without a function the cost is a comparison for each decision. */
#ifndef TFRC_TRACE_H
#define TFRC_TRACE_H

#include <tfrc/handover.h>

TFRC_BEGIN_DECLS

/** The decision.  Later versions may add values at the end. */
typedef enum
{
  /* sender */
  TFRC_TRACE_FEEDBACK, /**< feedback was used (RFC 5348 section 4.3); reason says what X is from */
  TFRC_TRACE_REFUSED,  /**< feedback was refused: result */
  TFRC_TRACE_LIMITED,  /**< feedback was used, but not all of its values: x_recv_told_Bps is above
                              x_recv_Bps, p_told below p, or rtt_sample_ns was doubted */
  TFRC_TRACE_NOFEEDBACK, /**< the nofeedback timer has expired and has changed X (section 4.4) */
  TFRC_TRACE_HOLD,       /**< the rate is frozen because the receiver changes links, or no longer */
  TFRC_TRACE_NEW_PATH,   /**< packets take another path, tfrc_sender_on_new_path() */
  TFRC_TRACE_GUARD,      /**< the queue guard has begun or ceased to limit X_inst: guard_Bps */
  TFRC_TRACE_RATE,       /**< X has changed without feedback: reason */

  /* receiver */
  TFRC_TRACE_REPORT,       /**< feedback was made */
  TFRC_TRACE_LOSS_EVENT,   /**< a loss event has begun, or more than one */
  TFRC_TRACE_LOSS_REMOVED, /**< late packets have taken a loss event back */
  TFRC_TRACE_HANDOVER,     /**< the adaptation to another link has entered a phase: phase */
  TFRC_TRACE_DOUBTED, /**< R and send time of a data packet are not used: rtt_ns is the R told */
  TFRC_TRACE_SUSPECT, /**< a data packet far from all others waits for its successor, or was
                                refused: result is TFRC_OK or TFRC_ERROR_STALE */
  TFRC_TRACE_RESTART  /**< the sender has restarted its sequence numbers */
} TfrcTraceEvent;

/** The number of events of this version */
#define TFRC_TRACE_N_EVENTS (TFRC_TRACE_RESTART + 1)

/** What X is from.  Later versions may add values at the end. */
typedef enum
{
  TFRC_TRACE_BY_NOTHING,    /**< the event does not set X, or X stays */
  TFRC_TRACE_BY_START,      /**< the first sample of R, section 4.2 */
  TFRC_TRACE_BY_SLOW_START, /**< p = 0, X doubles at most */
  TFRC_TRACE_BY_EQUATION,   /**< the throughput equation */
  TFRC_TRACE_BY_RECV_LIMIT, /**< X_recv_set */
  TFRC_TRACE_BY_HOLD,       /**< frozen for a handover */
  TFRC_TRACE_BY_SETTLING,   /**< grows slowly after a hold */
  TFRC_TRACE_BY_NEW_PATH,   /**< section 4.2 again */
  TFRC_TRACE_BY_NOFEEDBACK, /**< halved by the nofeedback timer */
  TFRC_TRACE_BY_REPORTS,    /**< the limit from receiver reports */
  TFRC_TRACE_BY_PROGRAM,    /**< tfrc_sender_set_rate_limits() */
  TFRC_TRACE_BY_RESUME,     /**< half of the remembered rate (RFC 9959) */
  TFRC_TRACE_BY_RETREAT     /**< back from it after a loss */
} TfrcTraceReason;

/** The number of reasons of this version */
#define TFRC_TRACE_N_REASONS (TFRC_TRACE_BY_RETREAT + 1)

/** Return a name such as "feedback", or "slow-start": static, never NULL.  Any thread may call them. */
TFRC_API const char *tfrc_trace_event_to_string (TfrcTraceEvent event);
TFRC_API const char *tfrc_trace_reason_to_string (TfrcTraceReason reason);

/** One decision.  All values are those after it, unless they say otherwise; a value that the event's
 * object does not have is 0.  Grows in later versions. */
typedef struct
{
  TfrcTraceEvent event;
  TfrcTraceReason reason;
  TfrcResult result; /**< why something was refused; else TFRC_OK */
  TfrcHandoverPhase phase;
  uint64_t
      now_ns; /**< the time that the program passed; with TFRC_TRACE_BY_PROGRAM, that of the last
                      packet */

  double x_Bps;           /**< X of the sender */
  double x_before_Bps;    /**< X before the decision */
  double x_inst_Bps;      /**< X_inst */
  double x_eq_Bps;        /**< X_Bps of the equation; 0 while p = 0 */
  double recv_limit_Bps;  /**< INFINITY before it is known */
  double guard_Bps;       /**< the queue guard's limit of X_inst; INFINITY: none */
  double x_recv_Bps;      /**< X_recv as it was used, or reported */
  double x_recv_told_Bps; /**< X_recv as the feedback had it */
  double p;               /**< the loss event rate in use, or reported */
  double p_told;          /**< p as the feedback had it */
  uint64_t rtt_ns;        /**< R; 0: not known */
  uint64_t rtt_sample_ns; /**< the sample of R of this feedback */
  uint64_t packets_lost;  /**< of the receiver: so far */
  uint64_t loss_events;   /**< so far: of the receiver, or as the feedback counts them */
  uint64_t count; /**< events of this kind so far, where the statistics count them: feedback used,
                             refused or made, expirations of the timer, handovers */
} TfrcTraceRecord;

/** A function that is told of decisions.
 *
 * The object calls it from within the call of the program that led to the decision, on that thread.
 * The function must not call the object.  The record is valid until it returns. */
typedef struct
{
  void (*fn) (void *user, const TfrcTraceRecord *record); /**< NULL: nobody is told */
  void *user;
} TfrcTrace;

TFRC_END_DECLS
#endif
