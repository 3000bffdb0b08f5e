/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the wire codec (docs/wire-format.md).  Whatever the bytes, parsing ends and reads only
 * inside the packet.  An accepted packet has fields in range, and survives being written and
 * parsed again. */
#include <stdlib.h>
#include <string.h>

#include <tfrc/wire.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) \
      abort (); \
  } while (0)

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static void
check_same_data (const TfrcWireData *a, const TfrcWireData *b)
{
  CHECK (a->payload_type == b->payload_type && a->marker == b->marker);
  CHECK (a->seq == b->seq && a->timestamp == b->timestamp);
  CHECK (a->ssrc == b->ssrc);
  CHECK (a->rtt_us == b->rtt_us && a->send_time_us == b->send_time_us);
  CHECK (a->has_flags == b->has_flags);
  CHECK (a->flags == b->flags && a->ttl == b->ttl);
  CHECK (a->has_transport_seq == b->has_transport_seq && a->transport_seq == b->transport_seq);
}

/* data is a copy. */
static void
check_repair_round_trip (const uint8_t *bytes, TfrcWireData data)
{
  uint8_t buffer[TFRC_WIRE_MAX_REPAIR_HEADER_BYTES];
  size_t end = data.header_bytes + data.payload_bytes, written;
  TfrcWireData again;
  uint16_t seq, again_seq;

  if (!tfrc_wire_take_original_seq (bytes, &data, &seq)) {
    CHECK (data.payload_bytes < TFRC_WIRE_REPAIR_SEQ_BYTES);
    return;
  }
  CHECK (data.header_bytes + data.payload_bytes == end);
  written = tfrc_wire_write_repair (buffer, &data, seq);
  CHECK (written <= sizeof buffer);
  CHECK (tfrc_wire_parse_data (buffer, written, &again) == TFRC_WIRE_OK);
  CHECK (tfrc_wire_take_original_seq (buffer, &again, &again_seq));
  CHECK (again_seq == seq && again.payload_bytes == 0);
  check_same_data (&data, &again);
}

/* data is a copy. */
static void
check_fec_round_trip (const uint8_t *bytes, TfrcWireData data)
{
  uint8_t buffer[TFRC_WIRE_MAX_FEC_HEADER_BYTES];
  size_t end = data.header_bytes + data.payload_bytes, written;
  TfrcWireData again;
  TfrcWireFec fec, again_fec;

  if (!tfrc_wire_take_fec (bytes, &data, &fec))
    return;
  CHECK (data.header_bytes + data.payload_bytes == end);
  CHECK (fec.count > 0 && fec.offset > 0);
  written = tfrc_wire_write_fec (buffer, &data, &fec);
  CHECK (written <= sizeof buffer);
  CHECK (tfrc_wire_parse_data (buffer, written, &again) == TFRC_WIRE_OK);
  CHECK (tfrc_wire_take_fec (buffer, &again, &again_fec));
  CHECK (again_fec.first_seq == fec.first_seq && again_fec.count == fec.count);
  CHECK (again_fec.offset == fec.offset && again_fec.timestamp == fec.timestamp);
  check_same_data (&data, &again);
}

static void
fuzz_data (const uint8_t *bytes, size_t size)
{
  uint8_t buffer[TFRC_WIRE_MAX_HEADER_BYTES];
  TfrcWireData data, again;
  TfrcWireResult result = tfrc_wire_parse_data (bytes, size, &data);
  size_t written;

  CHECK (strcmp (tfrc_wire_result_to_string (result), "unknown") != 0);
  if (result != TFRC_WIRE_OK)
    return;
  CHECK (data.header_bytes >= 12 && data.header_bytes <= size);
  CHECK (data.payload_bytes <= size - data.header_bytes);
  CHECK (data.rtt_us <= TFRC_WIRE_MAX_RTT_US);
  CHECK (data.has_rtt_sendts || (data.rtt_us == 0 && data.send_time_us == 0));
  CHECK (data.has_flags || (data.flags == 0 && data.ttl == 0));
  CHECK (data.has_transport_seq || data.transport_seq == 0);
  CHECK (data.has_rtt_sendts || !data.has_transport_seq);

  written = tfrc_wire_write_data (buffer, &data);
  CHECK (written <= sizeof buffer);
  CHECK (tfrc_wire_parse_data (buffer, written, &again) == TFRC_WIRE_OK);
  CHECK (again.has_rtt_sendts && again.header_bytes == written);
  CHECK (again.payload_bytes == 0);
  check_same_data (&data, &again);
  check_repair_round_trip (bytes, data);
  check_fec_round_trip (bytes, data);
}

static void
check_same_state (const TfrcWireState *a, const TfrcWireState *b)
{
  CHECK (a->highest_seq == b->highest_seq);
  CHECK (a->packets_lost == b->packets_lost);
  CHECK (a->loss_events == b->loss_events && a->ce_marks == b->ce_marks);
  CHECK (a->feedback_number == b->feedback_number);
  CHECK (a->flags == b->flags && a->ttl == b->ttl);
  CHECK (a->congestion_p == b->congestion_p && a->link_errors == b->link_errors);
  CHECK (a->ect0 == b->ect0 && a->ect1 == b->ect1 && a->not_ect == b->not_ect);
}

static void
check_same_playout (const TfrcWirePlayout *a, const TfrcWirePlayout *b)
{
  CHECK (a->delay_ms == b->delay_ms && a->queueing_us == b->queueing_us);
  CHECK (a->ahead_ms == b->ahead_ms && a->ahead_bytes == b->ahead_bytes);
}

static bool
tells_playout (const TfrcWirePlayout *playout)
{
  return playout->queueing_us != TFRC_WIRE_QUEUEING_UNKNOWN || playout->ahead_ms > 0
      || playout->ahead_bytes > 0;
}

static void
check_feedback_round_trip (const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  const TfrcFeedback *feedback = &rtcp->feedback;
  TfrcWireRtcp again;
  size_t written = rtcp->has_state
      ? tfrc_wire_write_playout_feedback (
          buffer, rtcp->sender_ssrc, rtcp->media_ssrc, feedback, &rtcp->state, &rtcp->playout)
      : tfrc_wire_write_feedback (buffer, rtcp->sender_ssrc, rtcp->media_ssrc, feedback, NULL);

  CHECK (rtcp->has_state || (!tells_playout (&rtcp->playout) && rtcp->playout.delay_ms == 0));
  CHECK (feedback->has_state || !feedback->classified);
  CHECK (feedback->classified
      == (rtcp->has_state && (rtcp->state.flags & TFRC_WIRE_STATE_CLASSIFIED) != 0));
  CHECK (feedback->congestion_p >= 0 && feedback->congestion_p <= 1);
  CHECK (feedback->classified || (feedback->congestion_p == 0 && feedback->link_errors == 0));
  CHECK (written
      == 28 + (rtcp->has_state ? 36u : 0) + (feedback->classified ? 8u : 0)
          + (rtcp->state.flags & TFRC_WIRE_STATE_ECN ? 12u : 0)
          + (tells_playout (&rtcp->playout) ? 12u : 0));
  CHECK ((rtcp->state.flags & TFRC_WIRE_STATE_ECN) != 0
      || (rtcp->state.ect0 | rtcp->state.ect1 | rtcp->state.not_ect) == 0);
  CHECK (tfrc_wire_parse_rtcp (buffer, written, 0, &again) == TFRC_WIRE_OK);
  CHECK (again.has_feedback && again.has_state == rtcp->has_state);
  CHECK (again.sender_ssrc == rtcp->sender_ssrc);
  CHECK (again.media_ssrc == rtcp->media_ssrc);
  CHECK (again.feedback.recv_data_us == feedback->recv_data_us);
  CHECK (again.feedback.delay_us == feedback->delay_us);
  CHECK (again.feedback.x_recv_Bps == feedback->x_recv_Bps);
  CHECK (again.feedback.p == feedback->p);
  CHECK (again.feedback.has_state == feedback->has_state);
  CHECK (again.feedback.number == feedback->number);
  CHECK (again.feedback.loss_events == feedback->loss_events);
  CHECK (again.feedback.classified == feedback->classified);
  CHECK (again.feedback.congestion_p == feedback->congestion_p);
  CHECK (again.feedback.link_errors == feedback->link_errors);
  check_same_state (&again.state, &rtcp->state);
  check_same_playout (&again.playout, &rtcp->playout);
}

static void
check_sender_report_round_trip (const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  TfrcWireRtcp again;
  size_t written = tfrc_wire_write_sender_report (buffer, rtcp, "cname");

  CHECK (tfrc_wire_parse_rtcp (buffer, written, 0, &again) == TFRC_WIRE_OK);
  CHECK (again.has_sr && again.has_clock && again.unknown == 0);
  CHECK (again.sender_ssrc == rtcp->sender_ssrc);
  CHECK (again.sr_ntp == rtcp->sr_ntp);
  CHECK (again.sr_timestamp == rtcp->sr_timestamp);
  CHECK (again.sr_packets == rtcp->sr_packets);
  CHECK (again.sr_bytes == rtcp->sr_bytes);
  CHECK (again.clock_send_time_us == rtcp->clock_send_time_us);
}

static void
check_receiver_report_round_trip (const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[TFRC_WIRE_MAX_RTCP_BYTES];
  const TfrcWireReport *report = &rtcp->report;
  TfrcWireRtcp again;
  size_t written = tfrc_wire_write_receiver_report (buffer, rtcp, "cname");

  CHECK (tfrc_wire_parse_rtcp (buffer, written, report->ssrc, &again) == TFRC_WIRE_OK);
  CHECK (again.has_rr && again.has_report == rtcp->has_report);
  CHECK (again.report.fraction_lost == report->fraction_lost);
  CHECK (again.report.packets_lost == report->packets_lost);
  CHECK (again.report.highest_seq == report->highest_seq);
  CHECK (again.report.jitter == report->jitter);
  CHECK (again.report.lsr == report->lsr && again.report.dlsr == report->dlsr);
}

static void
check_path_round_trip (const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[2 * TFRC_WIRE_MIN_PATH_BYTES];
  TfrcWireRtcp again;
  size_t written = tfrc_wire_write_path_challenge (
      buffer, sizeof buffer, rtcp->sender_ssrc, rtcp->challenge);

  CHECK (tfrc_wire_parse_rtcp (buffer, written, 0, &again) == TFRC_WIRE_OK);
  CHECK (again.has_challenge && again.sender_ssrc == rtcp->sender_ssrc);
  CHECK (memcmp (again.challenge, rtcp->challenge, sizeof rtcp->challenge) == 0);
  written = tfrc_wire_write_path_response (buffer, rtcp->sender_ssrc, rtcp->response);
  CHECK (tfrc_wire_parse_rtcp (buffer, written, 0, &again) == TFRC_WIRE_OK);
  CHECK (again.has_response && again.sender_ssrc == rtcp->sender_ssrc);
  CHECK (memcmp (again.response, rtcp->response, sizeof rtcp->response) == 0);
}

/* Returns the SSRC of the first block of an RR, with which the parser finds the block. */
static uint32_t
wanted_ssrc (const uint8_t *bytes, size_t size)
{
  if (size < 12)
    return 0;
  return (uint32_t) bytes[8] << 24 | (uint32_t) bytes[9] << 16 | (uint32_t) bytes[10] << 8
      | bytes[11];
}

/* Is each number later than the one before it?  A request of another program may have any order. */
static bool
are_in_order (const uint16_t *seqs, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if ((uint16_t) (seqs[i] - seqs[i - 1] - 1) >= 0x7fff)
      return false;
  return true;
}

/* What a NACK asks for, another one can ask for as well. */
static void
check_nack_round_trip (const uint8_t *bytes, size_t size, const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[TFRC_WIRE_MAX_NACK_BYTES];
  uint16_t seqs[TFRC_WIRE_NACK_PAIRS], again[sizeof seqs / sizeof seqs[0]];
  const uint8_t *fci;
  size_t fci_bytes, n, used, written;
  uint32_t media_ssrc = wanted_ssrc (bytes, size);

  for (unsigned nth = 0; tfrc_wire_find_nack (bytes, size, media_ssrc, nth, &fci, &fci_bytes);
       nth++) {
    CHECK (fci >= bytes + 12 && fci + fci_bytes <= bytes + size);
    n = tfrc_wire_read_nack (fci, fci_bytes, seqs, sizeof seqs / sizeof seqs[0]);
    CHECK (n <= sizeof seqs / sizeof seqs[0] && (n > 0) == (fci_bytes >= 4));
    written = tfrc_wire_write_nack (buffer, rtcp->sender_ssrc, media_ssrc, seqs, n, &used);
    CHECK (used == n && (written > 0) == (n > 0) && written <= sizeof buffer);
    if (n == 0 || !are_in_order (seqs, n))
      continue;
    CHECK (tfrc_wire_find_nack (buffer, written, media_ssrc, 0, &fci, &fci_bytes));
    CHECK (tfrc_wire_read_nack (fci, fci_bytes, again, n) == n);
    CHECK (memcmp (again, seqs, n * sizeof seqs[0]) == 0);
  }
}

static void
check_pli (const uint8_t *bytes, size_t size, const TfrcWireRtcp *rtcp)
{
  uint8_t buffer[TFRC_WIRE_PLI_BYTES];
  uint32_t media_ssrc = wanted_ssrc (bytes, size);
  TfrcWireRtcp again;

  CHECK (!tfrc_wire_find_pli (bytes, size, media_ssrc) || size >= TFRC_WIRE_PLI_BYTES);
  if (rtcp->plis == 0)
    return;
  CHECK (size >= rtcp->plis * TFRC_WIRE_PLI_BYTES);
  CHECK (tfrc_wire_write_pli (buffer, rtcp->sender_ssrc, media_ssrc) == sizeof buffer);
  CHECK (tfrc_wire_find_pli (buffer, sizeof buffer, media_ssrc));
  CHECK (tfrc_wire_parse_rtcp (buffer, sizeof buffer, 0, &again) == TFRC_WIRE_OK);
  CHECK (again.plis == 1 && again.sender_ssrc == rtcp->sender_ssrc);
}

static void
fuzz_rtcp (const uint8_t *bytes, size_t size)
{
  TfrcWireRtcp rtcp;
  uint32_t ssrc = wanted_ssrc (bytes, size);
  TfrcWireResult result = tfrc_wire_parse_rtcp (bytes, size, ssrc, &rtcp);

  CHECK (strcmp (tfrc_wire_result_to_string (result), "unknown") != 0);
  if (result != TFRC_WIRE_OK)
    return;
  CHECK (size % 4 == 0 && rtcp.unknown < size / 4);
  CHECK (rtcp.feedback.p >= 0 && rtcp.feedback.p <= 1);
  CHECK (rtcp.feedback.has_state == (rtcp.has_feedback && rtcp.has_state));
  CHECK (!rtcp.has_report || rtcp.report.ssrc == ssrc);
  if (rtcp.has_feedback)
    check_feedback_round_trip (&rtcp);
  check_nack_round_trip (bytes, size, &rtcp);
  check_pli (bytes, size, &rtcp);
  check_path_round_trip (&rtcp);
  check_sender_report_round_trip (&rtcp);
  check_receiver_report_round_trip (&rtcp);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  TfrcWireKind kind = tfrc_wire_classify (bytes, size);

  CHECK (kind == TFRC_WIRE_KIND_NONE || size >= 8);
  fuzz_data (bytes, size);
  fuzz_rtcp (bytes, size);
  return 0;
}
