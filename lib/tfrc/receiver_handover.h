/* Fast link adaptation: what a receiver and a sender do when the receiver has moved to another link ("Fast link
 * adaptation for TFRC", sections IV.A to IV.C).
 *
 * Decisions are the receiver's.  It tells of the handover in feedback (HOn), freezes the sending rate, and when it knows
 * the round-trip time of the new link, it begins a new history of losses, of such intervals as give the wanted rate
 * there.  The sender only takes the samples of such feedback for R as they are, and marks its packets.
 *
 *     time  what arrives at the receiver              phase from then on
 *           (the application tells of a handover)     STARTED: feedback with HOn at once, and again without news
 *     t0    data over the old link                    OLD_LINK: feedback with HOn for every packet
 *     t1    data over the new link                    NEW_LINK: the rate stays frozen
 *     t2    data with a mark: R of the new link,      ECHO: the new history is in use
 *           once it is believed (control_info.h)
 *     t3    data without a mark                       NORMAL
 *
 * Every step is triggered by any packet of a series, a later one by what an earlier one should have, and what never
 * comes ends the adaptation after a while: plain TFRC goes on.
 *
 * Mode PAPER takes the round-trip time of the new link from the first packet marked as echo, which was sampled half on
 * the old link; mode DIRECT waits for the mark that says that R was sampled on the new link alone, asks for it until it
 * comes, and leaves the true p in feedback, so that a sender that knows nothing of all this does plain TFRC. */
#ifndef TFRC_RECEIVER_HANDOVER_H
#define TFRC_RECEIVER_HANDOVER_H

#include <tfrc/tfrc.h>

/* ---- receiver ---------------------------------------------------------- */

/* What is known when a handover begins */
typedef struct
{
  double x_recv_Bps; /* measured over the last round-trip time */
  double x_eq_Bps;   /* of the equation on the old link; INFINITY while p = 0 */
  uint32_t rtt_us;   /* R as the sender last told */
} TfrcHandoverBefore;

typedef struct
{
  TfrcHandoverMode mode;
  TfrcHandoverPhase phase;
  uint8_t link;        /* on which data comes from now on */
  bool awaited;        /* nothing has come over that link yet */
  uint8_t newest_link; /* on which the packet with the highest sequence number came */
  bool suppress_echo;
  bool bandwidth_told; /* of the new link, which hold_Bps then is */
  double hold_Bps;     /* the sending rate while it is frozen */
  double rebuild_Bps;  /* what the new history is to allow; INFINITY: no new history */
  uint32_t rtt_old_us;
  uint64_t phase_ns;    /* when the phase began */
  uint64_t new_link_ns; /* the last t1; 0: none */
  uint64_t patience_ns; /* a phase lasts no longer */
  uint32_t urgent_left; /* packets over the new link that are still to be answered at once */
  bool tell;            /* ... and the answer is still to be made */
  uint64_t started, completed, abandoned; /* handovers */
} TfrcReceiverHandover;

/* What a packet of data asks of the receiver */
typedef struct
{
  bool urgent;            /* feedback is to be sent at once */
  bool first_on_new_link; /* t1: what has a lower sequence number came over the old link, or will */
  uint32_t rebuild_rtt_us; /* not 0: t2, a new history is to be made for this round-trip time */
} TfrcHandoverAction;

void tfrc_receiver_handover_init (TfrcReceiverHandover *handover, TfrcHandoverMode mode);

/* The application tells of a handover; before->x_recv_Bps > 0.  Within another one the rates of the first hold, and after
 * it for a while. */
void tfrc_receiver_handover_start (TfrcReceiverHandover *handover, const TfrcHandover *told,
    const TfrcHandoverBefore *before, uint64_t now_ns);

/* The new link is in use, but there is nothing to adapt. */
void tfrc_receiver_handover_set_link (
    TfrcReceiverHandover *handover, uint8_t link, uint64_t now_ns);

/* A packet has arrived; highest_seq: it is above all that came before. */
TfrcHandoverAction tfrc_receiver_handover_on_data (
    TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq, uint64_t now_ns);

/* Feedback goes out without news until data has come over the new link: the old one may be dead, and then the sender hears of
 * the new one by nothing else.  Returns how long until the next of it is due, 0: there is none.  After a while without any
 * data this gives the adaptation up, and becomes rare.
 * interval_ns: of the feedback timer; 0: R is not known */
uint64_t tfrc_receiver_handover_repeat_ns (
    TfrcReceiverHandover *handover, uint64_t interval_ns, uint64_t now_ns);

/* Is feedback to be about this packet, so that R is sampled on it?  Not if it comes late, and over another link than the
 * newest. */
bool tfrc_receiver_handover_counts (
    const TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq);

/* Is this the first packet over the link that was moved to?  To be asked before tfrc_receiver_handover_on_data(). */
bool tfrc_receiver_handover_arrives (const TfrcReceiverHandover *handover, const TfrcData *data);

/* Does the packet tell R of the link that was moved to in a way that cannot wait for another packet to say the same?  In
 * paper mode R may change with the next packet, the marks may end, and what the sender does depends on each of them. */
bool tfrc_receiver_handover_takes_any_rtt (
    const TfrcReceiverHandover *handover, const TfrcData *data);

/* Writes into feedback, which is about to be sent, what the phase asks for. */
void tfrc_receiver_handover_fill (TfrcReceiverHandover *handover, TfrcFeedback *feedback);

#endif
