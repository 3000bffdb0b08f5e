/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast link adaptation: the actions of receiver and sender when the receiver has moved to another
 * link ("Fast link adaptation for TFRC", sections IV.A to IV.C).
 *
 * The receiver decides.  It announces the handover in feedback (HOn) and freezes the sending rate.
 * When it knows the round-trip time of the new link, it starts a new history of losses, with
 * intervals that give the wanted rate there.  The sender only sets R to the samples of such
 * feedback, and marks its packets.
 *
 *     time  what arrives at the receiver              phase from then on
 *           (the application starts a handover)       STARTED: feedback with HOn at once, and again
 *                                                     without new data
 *     t0    data over the old link                    OLD_LINK: feedback with HOn for every packet
 *     t1    data over the new link                    NEW_LINK: the rate stays frozen
 *     t2    data with a mark: R of the new link,      ECHO: the new history is in use
 *           once it is believed (control_info.h)
 *     t3    data without a mark                       NORMAL
 *
 * Any packet of a series triggers its step, and a later step includes the steps before it.
 *
 *                 start                 t0                 t1                t2
 *      NORMAL ------------> STARTED --------> OLD_LINK --------> NEW_LINK --------> ECHO
 *        ^                   |  |                |                  |  ^             |
 *        |                   |  +----------------|------------------|--+ t1          |
 *        +-------------------+-------------------+------------------+----------------+
 *          the phase has lasted too long: the adaptation is abandoned;      from ECHO also t3
 *
 *   | from              | to       | because of               | function                          |
 *   |-------------------|----------|--------------------------|-----------------------------------|
 *   | any               | STARTED  | the application          | tfrc_receiver_handover_start()    |
 *   | STARTED           | OLD_LINK | t0                       | tfrc_receiver_handover_on_data()  |
 *   | STARTED, OLD_LINK | NEW_LINK | t1                       | tfrc_receiver_handover_on_data()  |
 *   | NEW_LINK          | ECHO     | t2                       | tfrc_receiver_handover_on_data()  |
 *   | ECHO              | NORMAL   | t3: completed            | tfrc_receiver_handover_on_data()  |
 *   | any but NORMAL    | NORMAL   | max (4 R, 1 s): a packet | tfrc_receiver_handover_on_data(), |
 *   |                   |          | that a step waits for    | tfrc_receiver_handover_repeat_ns()|
 *   |                   |          | never came; plain TFRC   |                                   |
 *   |                   |          | continues                |                                   |
 *
 * A start within a handover abandons the one before. tfrc_receiver_handover_check() has what holds in
 * every state; scripts/gdb-tfrc.py prints a state in gdb.
 *
 * Mode PAPER takes the round-trip time of the new link from the first packet with an echo mark,
 * which was sampled half on the old link.  Mode DIRECT waits for the mark that says that R was
 * sampled on the new link alone, and asks for it until it comes.  Mode DIRECT leaves the true p in
 * feedback, so that a sender without this mechanism does plain TFRC. */
#ifndef TFRC_RECEIVER_HANDOVER_H
#define TFRC_RECEIVER_HANDOVER_H

#include <tfrc/tfrc.h>

/* The receiver's state when a handover starts */
typedef struct
{
  double x_recv_Bps; /* measured over the last round-trip time */
  double x_eq_Bps;   /* the rate of the equation on the old link; INFINITY while p = 0 */
  uint32_t rtt_us;   /* R of the sender's last packet */
} TfrcHandoverBefore;

typedef struct
{
  TfrcHandoverMode mode;
  TfrcHandoverPhase phase;
  uint8_t link;        /* the link over which data comes from now on */
  bool awaited;        /* no data has come over that link yet */
  uint8_t newest_link; /* the link of the packet with the highest sequence number */
  bool suppress_echo;
  bool bandwidth_told; /* the bandwidth of the new link is known; hold_Bps is that bandwidth */
  double hold_Bps;     /* the sending rate while it is frozen */
  double rebuild_Bps;  /* the rate that the new history allows; INFINITY: no new history */
  double kept_Bps;     /* hold_Bps and rebuild_Bps as they would be without a bandwidth */
  double kept_rebuild_Bps;
  uint32_t rtt_old_us;
  uint64_t phase_ns;    /* when the phase began */
  uint64_t new_link_ns; /* the last t1; 0: none */
  uint64_t patience_ns; /* the longest time that a phase lasts */
  /* number of packets over the new link that are still to be answered at once */
  uint32_t urgent_left;
  bool tell;                              /* an answer at once is still to be made */
  uint64_t started, completed, abandoned; /* numbers of handovers */
} TfrcReceiverHandover;

/* The actions that a data packet causes at the receiver */
typedef struct
{
  bool urgent; /* feedback is due at once */
  /* t1: packets with lower sequence numbers came over the old link, or will */
  bool first_on_new_link;
  uint32_t rebuild_rtt_us; /* not 0: t2, start a new history for this round-trip time ... */
  double rebuild_Bps;      /* ... that gives this rate; INFINITY: the history stays as it is */
} TfrcHandoverAction;

void tfrc_receiver_handover_init (TfrcReceiverHandover *handover, TfrcHandoverMode mode);

static inline TfrcHandoverPhase
tfrc_receiver_handover_phase (const TfrcReceiverHandover *handover)
{
  return handover->phase;
}

/* The number of handovers that have been started */
static inline uint64_t
tfrc_receiver_handover_started (const TfrcReceiverHandover *handover)
{
  return handover->started;
}

/* Starts a handover; before->x_recv_Bps > 0.  Within another handover, and for a while after it,
 * the rates of the first handover stay in use. */
void tfrc_receiver_handover_start (TfrcReceiverHandover *handover, const TfrcHandover *told,
    const TfrcHandoverBefore *before, uint64_t now_ns);

/* Notes that the new link is in use, without an adaptation. */
void tfrc_receiver_handover_set_link (
    TfrcReceiverHandover *handover, uint8_t link, uint64_t now_ns);

/* Handles a packet. highest_seq: its sequence number is above all before */
TfrcHandoverAction tfrc_receiver_handover_on_data (
    TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq, uint64_t now_ns);

/* Feedback leaves without new data until data has come over the new link: the old link may be dead,
 * and then nothing else tells the sender of the new link.  Returns the time until the next such
 * feedback is due; 0: there is none.  After a while without any data this ends the adaptation, and
 * the feedback becomes rare.
 *
 * interval_ns: interval of the feedback timer; 0: R is not known */
uint64_t tfrc_receiver_handover_repeat_ns (
    TfrcReceiverHandover *handover, uint64_t interval_ns, uint64_t now_ns);

/* Returns whether feedback may name this packet, so that the sender samples R with it.  It may not
 * if the packet is late and came over another link than the newest packet. */
bool tfrc_receiver_handover_counts (
    const TfrcReceiverHandover *handover, const TfrcData *data, bool highest_seq);

/* Returns whether this is the first packet over the link that the receiver has moved to.  Call
 * before tfrc_receiver_handover_on_data(), which changes the answer. */
bool tfrc_receiver_handover_arrives (const TfrcReceiverHandover *handover, const TfrcData *data);

/* Returns whether R in this packet is used although no other packet confirms it.  In paper mode R
 * may change with the next packet, the marks may end, and the sender's actions depend on each of
 * them. */
bool tfrc_receiver_handover_takes_any_rtt (
    const TfrcReceiverHandover *handover, const TfrcData *data);

/* Fills in the handover's fields of feedback that is about to be sent, as the phase needs. */
void tfrc_receiver_handover_fill (TfrcReceiverHandover *handover, TfrcFeedback *feedback);

/* Fills in the handover's fields of the statistics. */
void tfrc_receiver_handover_fill_stats (
    const TfrcReceiverHandover *handover, TfrcReceiverStats *stats);

/* Returns what is wrong with the state, as text for a person; NULL: nothing. For tests. */
const char *tfrc_receiver_handover_check (const TfrcReceiverHandover *handover);

#endif
