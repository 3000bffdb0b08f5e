/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the send times and round-trip times in data packets.
 *
 * All of TFRC depends on both: the sender samples R with the send time that feedback returns,
 * and R sets the interval of feedback and groups losses into loss events.  So a packet that
 * contradicts the packets before it is doubted: its send time and its R are not used until the
 * next packet agrees with them.  Its payload and its sequence number are used in any case. */
#ifndef TFRC_CONTROL_INFO_H
#define TFRC_CONTROL_INFO_H

#include <tfrc/tfrc.h>

typedef struct
{
  uint64_t believed;     /* number of believed packets; 0: the next three fields are not valid */
  uint32_t send_time_us; /* of the believed packet that arrived last */
  uint64_t arrival_ns;
  uint32_t newest_send_time_us; /* of the believed packet with the highest sequence number */

  bool doubts; /* the packet with the highest sequence number was doubted, and said: */
  uint32_t doubted_send_time_us;
  uint32_t doubted_rtt_us;
  uint64_t doubted_ns; /* when it arrived */
} TfrcControlInfo;

/* The receiver's knowledge of a packet */
typedef struct
{
  /* the packet has the highest sequence number.  Only such a packet is compared with the doubted
   * packet; of any other packet the send time alone is judged, because its R is not used. */
  bool highest;
  /* the packet is the first over a path to which the receiver has moved: it may be late */
  bool new_path;
  bool new_rtt; /* the packet has R of that path, and perhaps no other packet will have it */
} TfrcControlContext;

void tfrc_control_info_init (TfrcControlInfo *info);

/* Tells whether the packet, which has TFRC's control information, is believed.  Two conditions hold
 * then: the difference of its send time from another packet's fits the time between their arrivals;
 * and its R differs from that packet's R by a factor of two at most.  The other packet is the last
 * believed packet, with the R in use; or the doubted packet, if no packet has come since.  After five
 * seconds without a believed packet, the send time of the highest one need not fit.  If that packet is a
 * forged one, the sender refuses feedback about a time after its last packet, and doubts a sample that is
 * far above R.
 *
 * rtt_us: the R in use; 0: none */
bool tfrc_control_info_judge (TfrcControlInfo *info, const TfrcData *data,
    const TfrcControlContext *context, uint32_t rtt_us, uint64_t now_ns);

/* The time by which the delays of two packets in sequence may differ, on one path and one clock */
uint64_t tfrc_control_info_jitter_ns (uint32_t rtt_us);

/* Takes the packet, which is believed, as the packet that feedback is about. */
void tfrc_control_info_use (
    TfrcControlInfo *info, const TfrcData *data, bool highest, uint64_t now_ns);

/* Tells whether a packet can have left the sender after all believed packets, so that it is no
 * copy of an earlier packet.  Packets of a stream without TFRC have no send time: each of them
 * can.  After five seconds without a believed packet every packet can, because the sender's
 * clock may be another one. */
bool tfrc_control_info_is_new (const TfrcControlInfo *info, const TfrcData *data, uint64_t now_ns);

#endif
