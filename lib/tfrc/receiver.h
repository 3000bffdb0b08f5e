/* The state of a receiver; tests look into it.  See tfrc.h for the interface. */
#ifndef TFRC_RECEIVER_H
#define TFRC_RECEIVER_H

#include "handover.h"
#include "loss_detection.h"
#include "receive_rate.h"
#include "seqnum.h"

struct TfrcReceiver
{
  TfrcReceiverConfig config;
  TfrcSeqTracker seq;
  TfrcLossDetection loss;
  TfrcReceiveRate rate;
  TfrcReceiverHandover handover;

  bool started;                 /* a packet has arrived */
  uint64_t now_ns;              /* the newest time seen */
  uint64_t first_expected;      /* extended sequence number of the stream's first packet */
  uint64_t restart_jumps;       /* sequence numbers that restarts have skipped */

  uint32_t rtt_us;              /* R_m: of the packet with the highest sequence number */
  uint32_t previous_rtt_us;     /* R_(m-1): at the previous feedback */
  uint32_t last_send_time_us;   /* of the last packet to arrive, and when that was */
  uint64_t last_arrival_ns;

  uint64_t feedback_ns;         /* when the feedback timer expires */
  bool news;                    /* data has arrived since the last feedback */
  bool requested;               /* feedback is to be sent even without */
  uint64_t next_request_ns;     /* when that may be asked for again */
  bool silent;                  /* the timer has expired without anything to report */

  double p;                     /* p_prev, when last calculated */
  double x_recv_Bps;            /* of the last feedback */
  double max_x_recv_Bps;

  uint64_t packets_received, packets_late, packets_duplicate, packets_ce, feedbacks_sent;
};

#endif
