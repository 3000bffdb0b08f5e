/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data receiver (RFC 5348 section 6): how it handles data packets. */
#include "receiver_state.h"

#include <math.h>
#include <string.h>

#include "model.h"
#include "units.h"

/* Feedback about fewer packets may wait, see TfrcReceiverConfig.feedback_wait_ns.  An initial window
 * has as many packets (section 4.2): slow start does not wait. */
#define PACKETS_WORTH_FEEDBACK 4

/* Section 6.3 */
static void
start (TfrcReceiver *receiver, uint16_t seq)
{
  tfrc_seq_start (
      &receiver->seq, receiver->config.has_first_seq ? receiver->config.first_seq : seq);
  receiver->first_expected = tfrc_seq_highest (&receiver->seq) + 1;
  tfrc_loss_detection_start (&receiver->loss, receiver->first_expected, receiver->now_ns);
  tfrc_receive_rate_mark (&receiver->rate, 0, receiver->now_ns);
  receiver->started = true;
}

/* Tells the program of a packet that is not used as it is. */
static void
tell_of_packet (
    const TfrcReceiver *receiver, TfrcTraceEvent event, const TfrcData *data, TfrcResult result)
{
  TfrcTraceRecord record = { 0 };

  record.event = event;
  record.result = result;
  record.rtt_ns = data->has_tfrc ? data->rtt_us * TFRC_NS_PER_US : 0;
  record.count = receiver->packets_suspect;
  tfrc_receiver_trace (receiver, &record);
}

/* ---- the history (section 6.1 step 1) ---------------------------------- */

/* A packet that is being used */
typedef struct
{
  const TfrcData *data;
  uint64_t arrival_ns;
  bool highest;  /* its number is above all others */
  bool believed; /* its R and its send time are used */
  TfrcLossChange change;
} Packet;

/* Handles a restart of the sender's sequence numbers: no packet between is missing. */
static void
restart (TfrcReceiver *receiver, const Packet *packet, TfrcArrival *arrival)
{
  uint64_t highest_before = tfrc_seq_highest (&receiver->seq);

  arrival->kind = TFRC_ARRIVAL_RESTART;
  arrival->seq = tfrc_seq_restart (&receiver->seq, packet->data->seq);
  receiver->restart_jumps += arrival->seq - highest_before - 1;
  tfrc_loss_detection_restart (&receiver->loss, arrival->seq, receiver->rtt_us, packet->arrival_ns);
  tell_of_packet (receiver, TFRC_TRACE_RESTART, packet->data, TFRC_OK);
}

/* Adds the packet to the history; returns false if it is a duplicate. */
static bool
add_to_history (TfrcReceiver *receiver, Packet *packet, TfrcSeqKind kind, TfrcArrival *arrival)
{
  const TfrcData *data = packet->data;
  bool duplicate;

  if (kind == TFRC_SEQ_ELSEWHERE) {
    restart (receiver, packet, arrival);
    return true;
  }
  arrival->seq = tfrc_seq_accept (&receiver->seq, data->seq);
  if (packet->highest) {
    arrival->kind = TFRC_ARRIVAL_NEXT;
    packet->change = tfrc_loss_detection_on_next (&receiver->loss, arrival->seq, data->ce,
        packet->believed ? data->rtt_us : receiver->rtt_us, packet->arrival_ns);
    return true;
  }
  packet->change = tfrc_loss_detection_on_behind (
      &receiver->loss, arrival->seq, data->ce, receiver->rtt_us, packet->arrival_ns, &duplicate);
  arrival->kind = duplicate ? TFRC_ARRIVAL_DUPLICATE : TFRC_ARRIVAL_LATE;
  receiver->packets_duplicate += duplicate;
  receiver->packets_late += !duplicate;
  return !duplicate;
}

/* ---- feedback that it asks for ----------------------------------------- */

/* Section 6.1 step 4, and section 6.3 for a sender that does not know R: does every packet get feedback
 * at once? */
static bool
answers_packets (const TfrcReceiver *receiver)
{
  return receiver->rtt_us == 0 || receiver->feedback_ns == TFRC_TIME_NEVER || receiver->silent;
}

/* Tells the handover under way, if there is one, of a packet that is in the history.  Returns
 * true if feedback is due at once. */
static bool
advance_handover (TfrcReceiver *receiver, const Packet *packet)
{
  TfrcHandoverPhase before = tfrc_receiver_handover_phase (&receiver->handover);
  TfrcData data = *packet->data;
  TfrcHandoverAction action;

  /* A doubted R does not start a new history. */
  if (!packet->believed)
    data.rtt_us = 0;
  action = tfrc_receiver_handover_on_data (
      &receiver->handover, &data, packet->highest, receiver->now_ns);
  if (action.first_on_new_link)
    tfrc_loss_detection_new_path (&receiver->loss);
  if (action.rebuild_rtt_us != 0 && !isinf (action.rebuild_Bps)) {
    receiver->rtt_us = action.rebuild_rtt_us;
    tfrc_loss_detection_rebuild (
        &receiver->loss, tfrc_receiver_interval_for_rate (receiver, action.rebuild_Bps));
  }
  if (tfrc_receiver_handover_phase (&receiver->handover) != before)
    tfrc_receiver_trace_phase (receiver);
  return action.urgent;
}

/* Has R fallen since the timer was set by more than on one path? One step of the sender's filter
 * takes a tenth of R at most. */
static bool
has_reset_rtt (const TfrcReceiver *receiver)
{
  return receiver->config.rules != TFRC_RULES_STRICT && receiver->rtt_us != 0
      && receiver->rtt_us < receiver->previous_rtt_us / 2;
}

/* Uses the control information of a packet that is in the history. */
static void
use_control_info (TfrcReceiver *receiver, const Packet *packet)
{
  const TfrcData *data = packet->data;
  bool urgent, p_changed;

  if (tfrc_receiver_handover_counts (&receiver->handover, data, packet->highest)) {
    if (packet->believed)
      tfrc_control_info_use (&receiver->control, data, packet->highest, packet->arrival_ns);
    receiver->unreported++;
  }
  if (packet->highest && packet->believed) {
    receiver->rtt_us = data->rtt_us;
    receiver->config.model = (TfrcModel) data->model;
  }
  urgent = advance_handover (receiver, packet);
  p_changed = tfrc_receiver_update_p (receiver, packet->change);
  if (p_changed || urgent || answers_packets (receiver))
    receiver->feedback_ns = receiver->now_ns;
  /* The sender has reset R, and with R its nofeedback timer, which may expire before the old R's
   * interval ends. */
  else if (tfrc_receiver_handover_phase (&receiver->handover) != TFRC_HANDOVER_NORMAL
      || has_reset_rtt (receiver))
    receiver->feedback_ns = tfrc_min_ns (receiver->feedback_ns,
        tfrc_add_ns (
            receiver->now_ns, tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us)));
  else if (receiver->unreported >= PACKETS_WORTH_FEEDBACK)
    receiver->feedback_ns = tfrc_min_ns (
        receiver->feedback_ns, tfrc_max_ns (receiver->now_ns, receiver->earliest_ns));
}

/* ---- arrivals ---------------------------------------------------------- */

static bool
is_believed (TfrcReceiver *receiver, const Packet *packet)
{
  TfrcControlContext context = { 0 };

  if (receiver->config.rules == TFRC_RULES_STRICT)
    return true;
  context.highest = packet->highest;
  context.new_path = tfrc_receiver_handover_arrives (&receiver->handover, packet->data);
  context.new_rtt = tfrc_receiver_handover_takes_any_rtt (&receiver->handover, packet->data);
  return tfrc_control_info_judge (
      &receiver->control, packet->data, &context, receiver->rtt_us, packet->arrival_ns);
}

/* Uses a packet. */
static void
take (TfrcReceiver *receiver, const TfrcData *data, TfrcSeqKind kind, uint64_t arrival_ns,
    TfrcArrival *arrival)
{
  Packet packet = { data, arrival_ns, false, false, TFRC_LOSS_NOTHING };

  packet.highest = kind != TFRC_SEQ_BEHIND && kind != TFRC_SEQ_FAR_BEHIND;
  packet.believed = data->has_tfrc && is_believed (receiver, &packet);
  arrival->believed = packet.believed;
  if (packet.highest && receiver->classification != NULL)
    tfrc_receiver_classification_on_packet (receiver->classification, data,
        kind == TFRC_SEQ_ELSEWHERE || tfrc_receiver_handover_arrives (&receiver->handover, data),
        packet.believed, arrival_ns);
  if (data->has_tfrc && !packet.believed)
    tell_of_packet (receiver, TFRC_TRACE_DOUBTED, data, TFRC_OK);
  /* The packet is counted first, because a first loss interval is derived from all packets that
   * have arrived. */
  if (receiver->silent && receiver->unreported == 0)
    tfrc_receive_rate_resume (&receiver->rate,
        tfrc_receiver_feedback_interval_ns (receiver, receiver->rtt_us), receiver->now_ns);
  tfrc_receive_rate_on_bytes (&receiver->rate, data->size_bytes);
  receiver->packets_received++;
  if (!add_to_history (receiver, &packet, kind, arrival)) {
    tfrc_receive_rate_cancel (&receiver->rate, data->size_bytes);
    receiver->packets_received--;
    return;
  }
  receiver->packets_ecn[data->ce ? TFRC_ECN_FIELD_CE : data->ecn & TFRC_ECN_FIELD_CE]++;
  if (data->has_tfrc)
    use_control_info (receiver, &packet);
}

/* The packet is the successor of the held packet: uses both. */
static void
take_both (TfrcReceiver *receiver, const TfrcData *data, TfrcArrival *arrival)
{
  const TfrcData *first = &receiver->suspect.data;
  TfrcSeqKind kind = tfrc_seq_classify (&receiver->seq, first->seq);
  TfrcArrival first_arrival;

  /* Later packets may have reached the held packet's number since.  If not, it is behind because
   * the sender has restarted. */
  if (kind == TFRC_SEQ_FAR_BEHIND)
    kind = TFRC_SEQ_ELSEWHERE;
  take (receiver, first, kind, receiver->suspect.arrival_ns, &first_arrival);
  take (
      receiver, data, tfrc_seq_classify (&receiver->seq, data->seq), receiver->arrival_ns, arrival);
  if (first_arrival.kind == TFRC_ARRIVAL_RESTART)
    arrival->kind = TFRC_ARRIVAL_RESTART;
  arrival->confirms_previous = true;
  receiver->suspect.held = false;
}

/* Holds the packet, which lies far from all others. */
static void
hold (TfrcReceiver *receiver, const TfrcData *data, TfrcArrival *arrival)
{
  arrival->kind = TFRC_ARRIVAL_SUSPECT;
  receiver->packets_suspect++;
  receiver->suspect.held = true;
  receiver->suspect.data = *data;
  receiver->suspect.arrival_ns = receiver->arrival_ns;
  tell_of_packet (receiver, TFRC_TRACE_SUSPECT, data, TFRC_OK);
  /* After an outage the sender sends so rarely that its next packet takes long, unless feedback
   * reaches it. */
  if (receiver->silent)
    tfrc_receiver_request_feedback (receiver, receiver->now_ns);
}

static bool
is_successor (const TfrcReceiver *receiver, const TfrcData *data)
{
  return receiver->suspect.held && data->seq == (uint16_t) (receiver->suspect.data.seq + 1);
}

TfrcResult
tfrc_receiver_on_data (
    TfrcReceiver *receiver, const TfrcData *data, uint64_t arrival_ns, TfrcArrival *arrival)
{
  TfrcArrival local;
  TfrcSeqKind kind;
  bool is_new;

  if (receiver == NULL || data == NULL || data->reserved[0] != 0
      || tfrc_model_find ((TfrcModel) data->model) == NULL)
    return TFRC_ERROR_ARGUMENT;
  if (data->size_bytes > UINT16_MAX)
    return TFRC_ERROR_RANGE;
  if (arrival == NULL)
    arrival = &local;

  memset (arrival->reserved, 0, sizeof arrival->reserved);
  receiver->now_ns = tfrc_max_ns (receiver->now_ns, arrival_ns);
  receiver->arrival_ns = tfrc_max_ns (receiver->arrival_ns, arrival_ns);
  arrival->confirms_previous = arrival->believed = false;
  if (!receiver->started)
    start (receiver, data->seq);
  kind = tfrc_seq_classify (&receiver->seq, data->seq);
  is_new = tfrc_control_info_is_new (&receiver->control, data, receiver->arrival_ns);
  if (is_new && is_successor (receiver, data)) {
    take_both (receiver, data, arrival);
  } else if (kind == TFRC_SEQ_AHEAD || kind == TFRC_SEQ_BEHIND
      || (kind == TFRC_SEQ_FAR_BEHIND && !is_new)) {
    take (receiver, data, kind, receiver->arrival_ns, arrival);
  } else if (is_new) {
    hold (receiver, data, arrival);
  } else {
    arrival->kind = TFRC_ARRIVAL_REFUSED;
    receiver->packets_suspect++;
    tell_of_packet (receiver, TFRC_TRACE_SUSPECT, data, TFRC_ERROR_STALE);
  }
  return TFRC_OK;
}
