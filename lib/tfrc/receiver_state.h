/* The state of a receiver; tests look into it.  See tfrc.h for the interface. */
#ifndef TFRC_RECEIVER_STATE_H
#define TFRC_RECEIVER_STATE_H

#include "control_info.h"
#include "receiver_handover.h"
#include "loss_detection.h"
#include "receive_rate.h"
#include "seqnum.h"

/* A packet far from all others: it is used when the packet with the next sequence number arrives. */
typedef struct
{
  bool held; /* the rest is valid */
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
  TfrcReceiveRate rate;
  TfrcReceiverHandover handover;

  bool started;            /* a packet has arrived */
  uint64_t now_ns;         /* the newest time seen */
  uint64_t first_expected; /* extended sequence number of the stream's first packet */
  uint64_t restart_jumps;  /* sequence numbers that restarts have skipped */

  uint32_t rtt_us; /* R_m: of the packet with the highest sequence number, if that is believed */
  uint32_t previous_rtt_us; /* R_(m-1): at the previous feedback */

  uint64_t feedback_ns;     /* when the feedback timer expires */
  bool news;                /* data has arrived since the last feedback */
  bool requested;           /* feedback is to be sent even without */
  uint64_t next_request_ns; /* when that may be asked for again */
  bool silent;              /* the timer has expired without anything to report */

  double p;          /* p_prev, when last calculated */
  double x_recv_Bps; /* of the last feedback */
  double max_x_recv_Bps;

  uint64_t packets_received, packets_late, packets_duplicate, packets_suspect, packets_ce;
  uint64_t feedbacks_sent;
};

/* ---- what receiver.c and receiver_data.c share ------------------------- */

/* The interval between expirations of the feedback timer */
uint64_t tfrc_receiver_feedback_interval_ns (const TfrcReceiver *receiver, uint32_t rtt_us);

/* p as it is now, 0..1 */
double tfrc_receiver_loss_event_rate (const TfrcReceiver *receiver);

/* The loss interval with which the equation gives this rate, but for rates that are too small for it (section 6.3.1). */
double tfrc_receiver_interval_for_rate (const TfrcReceiver *receiver, double rate_Bps);

#endif
