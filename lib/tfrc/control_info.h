/* Which send times and round-trip times of data packets are believed.
 *
 * Everything else in TFRC follows from both: the sender samples R with the send time that feedback returns, and R sets the
 * interval of feedback and groups losses into loss events.  So one packet that says something else than those before it is
 * doubted: neither is used, until the next packet agrees with it.  The packet's payload and sequence number do not depend
 * on this. */
#ifndef TFRC_CONTROL_INFO_H
#define TFRC_CONTROL_INFO_H

#include <tfrc/tfrc.h>

typedef struct
{
  uint64_t believed;     /* packets; 0: the next three are not valid */
  uint32_t send_time_us; /* of the last packet to arrive that was believed, and when that was */
  uint64_t arrival_ns;
  uint32_t newest_send_time_us; /* of the believed packet with the highest sequence number */

  bool doubts; /* the packet with the highest sequence number was doubted, and said: */
  uint32_t doubted_send_time_us;
  uint32_t doubted_rtt_us;
  uint64_t doubted_ns; /* when it arrived */
} TfrcControlInfo;

/* What the receiver knows about a packet */
typedef struct
{
  bool
      highest; /* it has the highest sequence number.  Only such a packet is compared with the one doubted; of
                                   any other the send time alone is judged, as its R is not used. */
  bool new_path; /* it is the first over a path to which the receiver has moved: it may be late */
  bool new_rtt;  /* it tells R of that path, and perhaps no other packet will */
} TfrcControlContext;

void tfrc_control_info_init (TfrcControlInfo *info);

/* Tells whether the packet, which has TFRC's control information, is believed: its send time fits to that of another packet
 * and the time between their arrivals, and its R to that packet's R within a factor of two.  The other packet is the last
 * one believed, with the R in use, or the last one doubted, where nothing has come between.
 * rtt_us: the R in use; 0: none */
bool tfrc_control_info_judge (TfrcControlInfo *info, const TfrcData *data,
    const TfrcControlContext *context, uint32_t rtt_us, uint64_t now_ns);

/* Feedback will be about this packet, which is believed. */
void tfrc_control_info_use (
    TfrcControlInfo *info, const TfrcData *data, bool highest, uint64_t now_ns);

/* Tells whether a packet can have left the sender after all those believed, so that it is no copy of an earlier one.  A
 * stream without TFRC does not tell: every packet can.  After five seconds without any that is believed every
 * packet can as well, as then the sender's clock may be another one. */
bool tfrc_control_info_is_new (const TfrcControlInfo *info, const TfrcData *data, uint64_t now_ns);

#endif
