/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the control information that travels between sender and receiver.
 *
 * Both structs are filled and read once per packet, so their size is fixed: there is no size to
 * pass and to check.  Fields of later versions take the place of the reserved words.  A program
 * sets a struct to zero before it fills it; the library refuses a reserved word that is not 0
 * with TFRC_ERROR_ARGUMENT, and writes 0 there. */
#ifndef TFRC_PACKETS_H
#define TFRC_PACKETS_H

#include <tfrc/types.h>

TFRC_BEGIN_DECLS

/** The number of handovers that packets can tell apart: their numbers are modulo this */
#define TFRC_HANDOVER_NUMBERS 4

/** The values of the ECN field, the lower two bits of TOS and traffic class (RFC 3168 section 5) */
#define TFRC_ECN_FIELD_NOT_ECT 0
#define TFRC_ECN_FIELD_ECT_1 1
#define TFRC_ECN_FIELD_ECT_0 2
#define TFRC_ECN_FIELD_CE 3

/** Control information of one data packet (RFC 5348 section 3.2.1) */
typedef struct
{
  uint16_t seq;          /**< sequence number, wraps */
  uint32_t send_time_us; /**< ts_i on the sender's clock, wraps */
  uint32_t rtt_us;       /**< R_i; 0: the sender does not know R */
  uint32_t size_bytes;   /**< segment size, at most 65535 */
  bool has_tfrc;         /**< false: plain RTP, send_time_us and rtt_us mean nothing */
  bool echo;             /**< the sender knows of a handover, see tfrc_receiver_start_handover() */
  bool direct;           /**< with echo: R_i was sampled on the new link alone */
  uint8_t handover_number; /**< with echo: the handover's number, modulo TFRC_HANDOVER_NUMBERS */
  uint8_t link; /**< set at the receiver: the link that the packet came over, as the receiver's
                   program numbers its links */
  bool ce;      /**< set at the receiver: the packet has Congestion Experienced (RFC 3168), and
                   counts as a lost one in p */
  uint8_t ecn;  /**< set at the receiver: the ECN field, TFRC_ECN_FIELD_*; without ce it is counted
                   and nothing else */
  uint32_t model;       /**< TfrcModel: the throughput equation that the sender's rate comes from */
  uint32_t reserved[1]; /**< 0 */
} TfrcData;

/** One feedback packet (RFC 5348 section 3.2.2) */
typedef struct
{
  uint32_t recv_data_us; /**< t_recvdata: send time of the last data packet received */
  uint32_t delay_us;     /**< t_delay: time from that packet's arrival to this feedback */
  uint32_t x_recv_Bps;   /**< X_recv */
  double p;              /**< loss event rate, 0..1 */
  bool no_rtt_sample; /**< set at the sender: the time at which the feedback came is not known, so
                            R is not sampled, unless R is unknown */

  bool has_state;       /**< number and loss_events are valid */
  uint32_t number;      /**< counts feedback packets, wraps */
  uint32_t loss_events; /**< counts loss events, wraps */

  bool handover;           /**< HOn: set R to this sample, and keep the rate at 2 X_recv */
  uint8_t handover_number; /**< HOn: the handover's number, modulo TFRC_HANDOVER_NUMBERS */
  bool new_link;           /**< HOn: the last data packet came over the new link */
  bool suppress_echo;      /**< HOn: the sender is not to mark data packets */
  bool bandwidth;          /**< HOn: 2 X_recv is the new link's bandwidth */

  bool classified;      /**< the next two fields are valid: the receiver tells losses apart */
  uint32_t link_errors; /**< counts lost packets that the receiver calls link errors, wraps */
  double congestion_p;  /**< loss event rate without link errors, 0..1 */
  uint32_t reserved[3]; /**< 0 */
} TfrcFeedback;

TFRC_END_DECLS
#endif
