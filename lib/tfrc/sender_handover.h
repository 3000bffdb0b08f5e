/* Fast link adaptation at the sender: the rate is held while the receiver changes links, packets are marked, and afterwards
 * the rate grows slowly to what section 4.3 of RFC 5348 allows.  handover.h has the mechanism, which is the receiver's.
 *
 * A receiver that lies must not gain by it.  So
 *
 * - a hold ends by itself after max (4 R, 1 s), R being the estimate before the hold;
 * - the held rate is at most twice the highest rate that was sent in the last intervals, or X before, and at least a packet
 *   per R, so that feedback goes on;
 * - a single notification, which the next feedback does not repeat, counts only if it fits: where it has cut the rate below
 *   half of X, or where the next sample is not its R within a factor of two, the sender takes back what it has changed;
 * - what was sent during a hold above the rate that the equation gives afterwards is a debt, and no further notification
 *   counts until the debt is paid: a twentieth of the equation's rate is set against it.
 *
 * A notification that does not count is feedback like any other. */
#ifndef TFRC_SENDER_HANDOVER_H
#define TFRC_SENDER_HANDOVER_H

#include <tfrc/tfrc.h>

typedef struct
{
  bool echo;                  /* packets are marked ... */
  bool direct;                /* ... since R was sampled on the new link */
  uint8_t number;             /* ... of this handover; 0 without marks */
  bool holding;               /* the rate is frozen ... */
  double hold_Bps;            /* ... at this, or was */
  double least_Bps, most_Bps; /* ... within these */
  uint32_t notifications;     /* of the hold */
  double cut_Bps;             /* half of X before the hold */
  bool single;                /* the last feedback has ended a hold of one notification */
  double before_Bps;          /* X before, if the sender was data-limited; else 0 */
  uint64_t end_ns;            /* when the hold ends by itself; valid once there was one */
  bool over;           /* the hold has ended by itself, and the receiver still asks for it ... */
  uint8_t over_number; /* ... for this handover */
  bool settling;       /* the rate is free again, but has not met that of the equation */
  uint64_t settled_ns; /* when it was last allowed to grow */
  uint64_t handovers;

  uint64_t began_ns;       /* when the hold began ... */
  uint64_t began_bytes;    /* ... and what had been sent by then */
  uint64_t unjudged_ns;    /* length of the holds that have ended since p was last above 0 ... */
  uint64_t unjudged_bytes; /* ... and what was sent in them */
  double debt_bytes;       /* sent in holds above the rate that the equation gave afterwards */
  uint64_t paid_ns;        /* when the debt was last reduced */
} TfrcSenderHandover;

/* What the sender knows when feedback comes, before the feedback has changed anything */
typedef struct
{
  double x_Bps;        /* X */
  bool data_limited;   /* X was more than the application sent */
  uint64_t rtt_ns;     /* R */
  double least_Bps;    /* a packet per R */
  double most_Bps;     /* twice the highest rate sent lately */
  uint64_t bytes_sent; /* in all */
  uint64_t now_ns;
} TfrcSenderHandoverContext;

void tfrc_sender_handover_init (TfrcSenderHandover *handover);

/* The hold that has ended is taken back: the rate does not settle from there. */
void tfrc_sender_handover_take_back (TfrcSenderHandover *handover);

/* The path is another one, of which the receiver has not told: this ends a hold, and what follows from the hold.  The debt
 * stays.  bytes_sent: in all */
void tfrc_sender_handover_cancel (
    TfrcSenderHandover *handover, uint64_t bytes_sent, uint64_t now_ns);

/* Feedback has come.  Returns whether it notifies of a handover, and the notification counts: the rate is frozen then. */
bool tfrc_sender_handover_on_feedback (TfrcSenderHandover *handover, const TfrcFeedback *feedback,
    const TfrcSenderHandoverContext *context);

/* Has the last feedback ended a hold that somebody else than the receiver may have asked for?  R is held_rtt_ns as the only
 * notification had it, and the new sample says sample_ns. */
bool tfrc_sender_handover_is_refuted (
    const TfrcSenderHandover *handover, uint64_t held_rtt_ns, uint64_t sample_ns);

/* Judges the holds that have ended, and reduces the debt.  To be called after every feedback.
 * x_eq_Bps: the rate of the equation after that feedback; 0: there is none, as p = 0 */
void tfrc_sender_handover_judge (TfrcSenderHandover *handover, double x_eq_Bps, uint64_t now_ns);

/* What may be sent of the rate that section 4.3 allows, min (X_eq, recv_limit).  From the frozen rate on it grows by a
 * packet per round-trip time, as the TFRC of the paper does everywhere, until it has met the rate allowed (which is not
 * met where it cuts X): where the new history allows too much, the queue that this makes is seen in time. */
double tfrc_sender_handover_settle_Bps (TfrcSenderHandover *handover, double x_eq_Bps,
    double recv_limit_Bps, double x_Bps, double segment_bytes, double rtt_s, uint64_t now_ns);

#endif
