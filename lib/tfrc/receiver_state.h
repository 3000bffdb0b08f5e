/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a receiver, for the library and for tests. <tfrc/receiver.h> has the interface. */
#ifndef TFRC_RECEIVER_STATE_H
#define TFRC_RECEIVER_STATE_H

#include "control_info.h"
#include "receiver_handover.h"
#include "loss_detection.h"
#include "receiver_classification.h"
#include "receive_rate.h"
#include "seqnum.h"

/* A packet far from all others: it is used if the packet with the next sequence number arrives. */
typedef struct
{
  bool held; /* there is such a packet: the other fields are valid */
  TfrcData data;
  uint64_t arrival_ns;
} TfrcSuspect;

struct TfrcReceiver
{
  TfrcReceiverConfig config;
  TfrcSeqTracker seq;
  TfrcSuspect suspect;
  TfrcControlInfo control;
  TfrcLossDetection loss;
  TfrcReceiverClassification *classification; /* NULL: no classifier */
  TfrcReceiveRate rate;
  TfrcReceiverHandover handover;

  bool started;            /* a packet has arrived */
  uint64_t now_ns;         /* the newest time seen */
  uint64_t arrival_ns;     /* of the last packet; before now_ns if the packet waited to be read */
  uint64_t first_expected; /* extended sequence number of the stream's first packet */
  uint64_t restart_jumps;  /* sequence numbers that restarts have skipped */

  uint32_t rtt_us;          /* R_m: of the believed packet with the highest sequence number */
  uint32_t previous_rtt_us; /* R_(m-1): at the previous feedback */

  uint64_t feedback_ns;     /* when the feedback timer expires */
  uint64_t earliest_ns;     /* when it expires if enough packets for feedback have arrived */
  uint64_t unreported;      /* packets since the last feedback */
  bool requested;           /* feedback is to be sent even without new data */
  uint64_t next_request_ns; /* the time from which feedback may be requested again */
  bool silent;              /* the timer has expired without new data */

  double p;          /* p_prev, when last calculated */
  double x_recv_Bps; /* of the last feedback */
  double max_x_recv_Bps;

  uint64_t packets_received, packets_late, packets_duplicate, packets_suspect;
  uint64_t packets_ecn[TFRC_ECN_FIELD_CE + 1]; /* of packets_received, by their ECN field */
  uint64_t feedbacks_sent;
};

/* ---- of receiver.c, for receiver_data.c --------------------------------------------------------- */

/* The shortest interval between expirations of the feedback timer */
uint64_t tfrc_receiver_feedback_interval_ns (const TfrcReceiver *receiver, uint32_t rtt_us);

/* p as it is now, 0..1 */
double tfrc_receiver_loss_event_rate (const TfrcReceiver *receiver);

/* Returns the loss interval with which the equation gives this rate; for a very low rate the
 * interval of the lowest rate (section 6.3.1). */
double tfrc_receiver_interval_for_rate (const TfrcReceiver *receiver, double rate_Bps);

/* Sections 6.1 steps 2 and 3, and the option to send feedback when a loss event is taken back.  Returns
 * true if p asks for feedback at once. */
bool tfrc_receiver_update_p (TfrcReceiver *receiver, TfrcLossChange change);

/* Tells the program of a decision.  The record's event and details are set; the state is added. */
void tfrc_receiver_trace (const TfrcReceiver *receiver, TfrcTraceRecord *record);

/* Tells the program that the handover has entered a phase. */
void tfrc_receiver_trace_phase (const TfrcReceiver *receiver);

/* ---- of receiver.c, for arrivals.c --------------------------------------------------------------- */

/* If no data comes before this time, does the timer expire without new data by then?  While data is new
 * now, that is the second time that the timer expires. */
bool tfrc_receiver_falls_silent (const TfrcReceiver *receiver, uint64_t until_ns);

/* Forgets all packets, as tfrc_receiver_new() would; a receiver without a classifier alone. */
void tfrc_receiver_begin_anew (TfrcReceiver *receiver);

#endif
