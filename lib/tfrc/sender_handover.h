/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation at the sender.  While the receiver changes links, the rate is held and
 * packets are marked.  Afterwards the rate grows slowly to the rate of RFC 5348 section 4.3.
 * receiver_handover.h has the mechanism, which the receiver controls.
 *
 * A receiver that lies must gain nothing:
 *
 * - A hold ends by itself after max (4 R, 1 s); R is the estimate before the hold.
 * - The held rate is at most twice the highest rate that was sent in the last intervals, or X
 *   before the hold; and at least a packet per R, so that feedback continues.
 * - A single notification, which the next feedback does not repeat, has to fit.  If it has cut the
 *   rate below half of X, or if the next sample differs from its R by more than a factor of two,
 *   the sender takes back its changes.
 * - The bytes that were sent during a hold above the rate that the equation gives afterwards are a
 *   debt.  No further notification counts until the debt is paid: a twentieth of the equation's
 *   rate pays it.
 *
 * A notification that does not count is handled like any other feedback.
 *
 *                     a notification that counts
 *          +---------------------------------------------+
 *          |                                             v
 *        PLAIN <------------- SETTLING <------------- HOLDING
 *              the rate of 4.3          no notification, or the hold is too long
 *              is reached, or the       (then the same handover asks in vain: over)
 *              hold is taken back
 *
 *   | from            | to       | because of                     | function                           |
 *   |-----------------|----------|--------------------------------|------------------------------------|
 *   | PLAIN, SETTLING | HOLDING  | a notification that counts     | tfrc_sender_handover_on_feedback() |
 *   | HOLDING         | SETTLING | feedback without notification, | tfrc_sender_handover_on_feedback() |
 *   |                 |          | or max (4 R, 1 s)              |                                    |
 *   | SETTLING        | PLAIN    | the rate of section 4.3        | tfrc_sender_handover_settle_Bps()  |
 *   | SETTLING        | PLAIN    | the hold is refuted            | tfrc_sender_handover_take_back()   |
 *   | any             | PLAIN    | another path, unannounced      | tfrc_sender_handover_cancel()      |
 *
 * PLAIN is neither `holding' nor `settling', HOLDING is both, SETTLING is the latter alone.
 * tfrc_sender_handover_check() has what holds in every state; scripts/gdb-tfrc.py prints a state in
 * gdb. */
#ifndef TFRC_SENDER_HANDOVER_H
#define TFRC_SENDER_HANDOVER_H

#include <tfrc/tfrc.h>

typedef struct
{
  bool echo;                  /* packets get the echo mark */
  bool direct;                /* packets get the direct mark: R was sampled on the new link alone */
  uint8_t number;             /* the handover's number in the marks; 0 without marks */
  bool holding;               /* the rate is frozen */
  double hold_Bps;            /* the rate of this hold, or of the last one ... */
  double least_Bps, most_Bps; /* ... which is within these limits */
  uint32_t notifications;     /* number of notifications of the hold */
  double before_hold_Bps;     /* X before the hold */
  bool single;                /* the last feedback has ended a hold of one notification */
  double before_Bps;          /* X before, if the sender was data-limited; else 0 */
  uint64_t end_ns;            /* when the hold ends by itself; valid once there was one */
  bool over;                  /* the hold has ended by itself, and the receiver still asks for it */
  uint8_t over_number;        /* the handover's number for `over' */
  bool settling; /* the rate is not frozen any more, and has not reached the equation's rate */
  uint64_t settled_ns; /* when the rate was last allowed to grow */
  uint64_t handovers;

  uint64_t began_ns;       /* when the hold started */
  uint64_t began_bytes;    /* bytes that had been sent by then */
  uint64_t unjudged_ns;    /* total length of the holds that have ended since p was last above 0 */
  uint64_t unjudged_bytes; /* bytes that were sent in those holds */
  double debt_bytes;       /* bytes that were sent in holds above the equation's later rate */
  uint64_t paid_ns;        /* when the debt was last reduced */
} TfrcSenderHandover;

/* The sender's state when feedback comes, before the feedback has changed it */
typedef struct
{
  double x_Bps;        /* X */
  bool data_limited;   /* the application sent less than X, which is proven */
  uint64_t rtt_ns;     /* R */
  double least_Bps;    /* a packet per R */
  double most_Bps;     /* twice the highest rate that was sent in the last intervals */
  uint64_t bytes_sent; /* since the start */
  uint64_t now_ns;
} TfrcSenderHandoverContext;

void tfrc_sender_handover_init (TfrcSenderHandover *handover);

/* Is the rate frozen? */
static inline bool
tfrc_sender_handover_is_holding (const TfrcSenderHandover *handover)
{
  return handover->holding;
}

/* Is the rate on its way back to that of section 4.3?  Also while it is frozen. */
static inline bool
tfrc_sender_handover_is_settling (const TfrcSenderHandover *handover)
{
  return handover->settling;
}

/* The rate of the hold, or of the last one; 0: there was none on this path */
static inline double
tfrc_sender_handover_hold_Bps (const TfrcSenderHandover *handover)
{
  return handover->hold_Bps;
}

/* X before the hold, or before the last one; 0: there was none */
static inline double
tfrc_sender_handover_before_Bps (const TfrcSenderHandover *handover)
{
  return handover->before_hold_Bps;
}

/* When the hold ends, or the last one would have ended, by itself; 0: there was none */
static inline uint64_t
tfrc_sender_handover_hold_end_ns (const TfrcSenderHandover *handover)
{
  return handover->end_ns;
}

/* The number of holds so far */
static inline uint64_t
tfrc_sender_handover_holds (const TfrcSenderHandover *handover)
{
  return handover->handovers;
}

/* Gives a packet that leaves its marks. */
static inline void
tfrc_sender_handover_mark (const TfrcSenderHandover *handover, TfrcData *data)
{
  data->echo = handover->echo;
  data->direct = handover->direct;
  data->handover_number = handover->number;
}

/* Takes back the hold that has ended: the rate does not settle from there. */
void tfrc_sender_handover_take_back (TfrcSenderHandover *handover);

/* The path has changed without an announcement: ends the hold and its effects.  The debt stays.
 * bytes_sent: since the start */
void tfrc_sender_handover_cancel (
    TfrcSenderHandover *handover, uint64_t bytes_sent, uint64_t now_ns);

/* Handles feedback.  Returns true if the feedback announces a handover and the announcement
 * counts: the rate is then frozen. */
bool tfrc_sender_handover_on_feedback (TfrcSenderHandover *handover, const TfrcFeedback *feedback,
    const TfrcSenderHandoverContext *context);

/* Has the last feedback ended a hold that another host may have asked for? The only notification
 * had the R held_rtt_ns, and the new sample is sample_ns. */
bool tfrc_sender_handover_is_refuted (
    const TfrcSenderHandover *handover, uint64_t held_rtt_ns, uint64_t sample_ns);

/* Judges the holds that have ended, and reduces the debt.  To be called after every feedback.
 *
 * x_eq_Bps: the rate of the equation after that feedback; 0: there is none, because p = 0 */
void tfrc_sender_handover_judge (TfrcSenderHandover *handover, double x_eq_Bps, uint64_t now_ns);

/* Returns the allowed part of the rate of section 4.3, min (X_eq, recv_limit).  From the frozen
 * rate on, it grows by a packet per round-trip time, as in the TFRC of the paper at all times,
 * until it has reached that rate.  Where the rate of section 4.3 cuts X, it is not reached.  If
 * the new history allows too much, the sender sees the queue in time. */
double tfrc_sender_handover_settle_Bps (TfrcSenderHandover *handover, double x_eq_Bps,
    double recv_limit_Bps, double x_Bps, double segment_bytes, double rtt_s, uint64_t now_ns);

/* Returns what is wrong with the state, as text for a person; NULL: nothing. For tests. */
const char *tfrc_sender_handover_check (const TfrcSenderHandover *handover);

#endif
