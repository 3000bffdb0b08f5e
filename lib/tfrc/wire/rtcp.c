/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading RTCP compounds: feedback (RFC 4585 section 6.2), the APP packets "TFRC" beside it, and
 * the used fields of SR, RR, SDES and BYE (RFC 3550 section 6); docs/wire-format.md, "RTCP". */
#include <tfrc/wire.h>

#include <string.h>

#include "../struct_size.h"
#include "bytes.h"
#include "rtcp.h"

/* One packet of a compound. */
typedef struct
{
  const uint8_t *bytes;
  size_t size; /* with header, without padding */
  unsigned type;
  unsigned count; /* of blocks, chunks or SSRCs; FMT; subtype */
} Packet;

/* RFC 3550 section 6.4.1 has padding of whole words, in the last packet.  libwebrtc and Pion fill up each
 * transport-wide feedback by 1 to 3 bytes, and a compound may have several: refused, the compound would
 * take its reports along, and nothing would control the rate. */
static bool
fills_up_itself (unsigned type, unsigned count)
{
  return type == RTCP_TYPE_RTPFB && count == RTCP_FMT_TRANSPORT;
}

static bool
is_padding_valid (const Packet *packet, size_t padding, size_t left)
{
  if (padding == 0 || padding > packet->size - RTCP_HEADER_BYTES)
    return false;
  return fills_up_itself (packet->type, packet->count) || (left == 0 && padding % 4 == 0);
}

/* Takes the first packet off a compound of which `left` bytes are left. */
static TfrcWireResult
take_packet (const uint8_t **at, size_t *left, Packet *packet)
{
  const uint8_t *bytes = *at;
  size_t size;

  if (*left < RTCP_HEADER_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  if (bytes[0] >> 6 != 2)
    return TFRC_WIRE_BAD_VERSION;
  if (bytes[1] < RTCP_TYPE_MIN || bytes[1] > RTCP_TYPE_MAX)
    return TFRC_WIRE_NOT_OURS;
  size = ((size_t) tfrc_get_u16 (bytes + 2) + 1) * 4;
  if (size > *left)
    return TFRC_WIRE_BAD_LENGTH;
  *at += size;
  *left -= size;

  *packet = (Packet){ .bytes = bytes, .size = size, .type = bytes[1], .count = bytes[0] & 0x1fu };
  if (bytes[0] & 0x20) {
    size_t padding = bytes[size - 1];

    if (!is_padding_valid (packet, padding, *left))
      return TFRC_WIRE_BAD_PADDING;
    packet->size -= padding;
  }
  return TFRC_WIRE_OK;
}

/* Skips packets of an SSRC other than the first, as a mixer sends them: they are not the peer's. */
static bool
skip_if_foreign (const Packet *packet, TfrcWireRtcp *rtcp)
{
  if (tfrc_get_u32 (packet->bytes + RTCP_HEADER_BYTES) == rtcp->sender_ssrc)
    return false;
  rtcp->unknown++;
  return true;
}

static TfrcWireReport
parse_report (const uint8_t *block)
{
  uint32_t lost = tfrc_get_u24 (block + 5);

  return (TfrcWireReport){
    .ssrc = tfrc_get_u32 (block),
    .fraction_lost = block[4],
    .packets_lost = lost < 0x800000 ? (int32_t) lost : (int32_t) lost - 0x1000000,
    .highest_seq = tfrc_get_u32 (block + 8),
    .jitter = tfrc_get_u32 (block + 12),
    .lsr = tfrc_get_u32 (block + 16),
    .dlsr = tfrc_get_u32 (block + 20),
  };
}

static TfrcWireResult
parse_sr_or_rr (const Packet *packet, uint32_t report_ssrc, TfrcWireRtcp *rtcp)
{
  const uint8_t *bytes = packet->bytes;
  size_t reports = packet->type == RTCP_TYPE_SR ? RTCP_SR_BYTES : RTCP_RR_BYTES;
  size_t end = reports + packet->count * RTCP_REPORT_BYTES;

  if (packet->size < reports)
    return TFRC_WIRE_TOO_SHORT;
  if (packet->size < end)
    return TFRC_WIRE_BAD_LENGTH;
  if (skip_if_foreign (packet, rtcp))
    return TFRC_WIRE_OK;

  if (packet->type == RTCP_TYPE_SR) {
    rtcp->has_sr = true;
    rtcp->sr_ntp = tfrc_get_u64 (bytes + 8);
    rtcp->sr_timestamp = tfrc_get_u32 (bytes + 16);
    rtcp->sr_packets = tfrc_get_u32 (bytes + 20);
    rtcp->sr_bytes = tfrc_get_u32 (bytes + 24);
  } else {
    rtcp->has_rr = true;
  }
  for (size_t at = reports; at < end; at += RTCP_REPORT_BYTES) {
    if (tfrc_get_u32 (bytes + at) == report_ssrc) {
      rtcp->has_report = true;
      rtcp->report = parse_report (bytes + at);
    }
  }
  return TFRC_WIRE_OK;
}

/* Checks the lengths only: the peer's name is not used. */
static TfrcWireResult
check_sdes (const Packet *packet)
{
  size_t offset = RTCP_HEADER_BYTES;

  for (unsigned i = 0; i < packet->count; i++) {
    offset += RTCP_SSRC_BYTES;
    while (offset < packet->size && packet->bytes[offset] != 0) {
      if (offset + 1 >= packet->size)
        return TFRC_WIRE_BAD_LENGTH;
      offset += 2 + packet->bytes[offset + 1];
    }
    if (offset >= packet->size) /* the null item is missing */
      return TFRC_WIRE_BAD_LENGTH;
    offset = (offset / 4 + 1) * 4;
  }
  return TFRC_WIRE_OK;
}

static TfrcWireResult
parse_bye (const Packet *packet, TfrcWireRtcp *rtcp)
{
  size_t reason = RTCP_HEADER_BYTES + packet->count * RTCP_SSRC_BYTES;

  if (reason > packet->size)
    return TFRC_WIRE_BAD_LENGTH;
  if (reason < packet->size && reason + 1 + packet->bytes[reason] > packet->size)
    return TFRC_WIRE_BAD_LENGTH;

  if (packet->count == 0)
    rtcp->has_bye = true;
  for (size_t at = RTCP_HEADER_BYTES; at < reason; at += RTCP_SSRC_BYTES) {
    if (tfrc_get_u32 (packet->bytes + at) == rtcp->sender_ssrc)
      rtcp->has_bye = true;
  }
  return TFRC_WIRE_OK;
}

static double
p_from_wire (uint32_t p)
{
  return p == RTCP_P_MAX ? 1 : p / RTCP_P_ONE;
}

/* What is asked for, find_message() finds. */
static TfrcWireResult
count_message (const Packet *packet, TfrcWireRtcp *rtcp, uint32_t *count)
{
  if (packet->size < RTCP_FB_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  if (!skip_if_foreign (packet, rtcp))
    ++*count;
  return TFRC_WIRE_OK;
}

static TfrcWireResult
parse_payload_feedback (const Packet *packet, TfrcWireRtcp *rtcp)
{
  if (packet->count == RTCP_FMT_PLI)
    return count_message (packet, rtcp, &rtcp->plis);
  rtcp->unknown++;
  return TFRC_WIRE_OK;
}

static TfrcWireResult
parse_feedback (const Packet *packet, TfrcWireRtcp *rtcp)
{
  const uint8_t *bytes = packet->bytes;

  if (packet->count == RTCP_FMT_TRANSPORT)
    return TFRC_WIRE_OK;
  if (packet->count == RTCP_FMT_NACK)
    return count_message (packet, rtcp, &rtcp->nacks);
  if (packet->count != RTCP_FMT_TFRC) {
    rtcp->unknown++;
    return TFRC_WIRE_OK;
  }
  /* Other programs check the length field for equality, so the field must not include padding
   * either. */
  if (packet->size != RTCP_FEEDBACK_BYTES
      || tfrc_get_u16 (bytes + 2) != RTCP_FEEDBACK_BYTES / 4 - 1)
    return TFRC_WIRE_BAD_FIELD;
  if (skip_if_foreign (packet, rtcp))
    return TFRC_WIRE_OK;

  rtcp->has_feedback = true;
  rtcp->media_ssrc = tfrc_get_u32 (bytes + 8);
  rtcp->feedback.recv_data_us = tfrc_get_u32 (bytes + 12);
  rtcp->feedback.delay_us = tfrc_get_u32 (bytes + 16);
  rtcp->feedback.x_recv_Bps = tfrc_get_u32 (bytes + 20);
  rtcp->feedback.p = p_from_wire (tfrc_get_u32 (bytes + 24));
  return TFRC_WIRE_OK;
}

static bool
is_classified (uint8_t state_flags)
{
  return (state_flags & TFRC_WIRE_STATE_CLASSIFIED) != 0;
}

static TfrcWireState
parse_state (const uint8_t *bytes)
{
  TfrcWireState state = {
    .highest_seq = tfrc_get_u32 (bytes + 12),
    .packets_lost = tfrc_get_u32 (bytes + 16),
    .loss_events = tfrc_get_u32 (bytes + 20),
    .ce_marks = tfrc_get_u32 (bytes + 24),
    .feedback_number = tfrc_get_u32 (bytes + 28),
    .flags = bytes[32],
    .ttl = bytes[33],
  };

  bytes += RTCP_APP_STATE_BYTES;
  if (is_classified (state.flags)) {
    state.congestion_p = tfrc_get_u32 (bytes);
    state.link_errors = tfrc_get_u32 (bytes + 4);
    bytes += RTCP_APP_CLASSIFIED_BYTES;
  }
  if (state.flags & TFRC_WIRE_STATE_ECN) {
    state.ect0 = tfrc_get_u32 (bytes);
    state.ect1 = tfrc_get_u32 (bytes + 4);
    state.not_ect = tfrc_get_u32 (bytes + 8);
  }
  return state;
}

/* The words about playout have no flag: they are there if the packet is long enough. */
static TfrcWirePlayout
parse_playout (const Packet *packet)
{
  size_t words = tfrc_rtcp_state_bytes (packet->bytes[32]);
  const uint8_t *at = packet->bytes + words;
  TfrcWirePlayout playout = {
    .delay_ms = (uint32_t) tfrc_get_u16 (packet->bytes + 34) * RTCP_PLAYOUT_DELAY_MS,
    .queueing_us = TFRC_WIRE_QUEUEING_UNKNOWN,
  };

  if (packet->size < words + RTCP_APP_PLAYOUT_BYTES)
    return playout;
  playout.queueing_us = tfrc_get_u32 (at);
  playout.ahead_ms = tfrc_get_u32 (at + 4);
  playout.ahead_bytes = tfrc_get_u32 (at + 8);
  return playout;
}

static TfrcWireResult
parse_app (const Packet *packet, TfrcWireRtcp *rtcp)
{
  static const size_t least_bytes[] = {
    [RTCP_APP_SUBTYPE_STATE] = RTCP_APP_STATE_BYTES,
    [RTCP_APP_SUBTYPE_CLOCK] = RTCP_APP_CLOCK_BYTES,
    [RTCP_APP_SUBTYPE_CHALLENGE] = TFRC_WIRE_MIN_PATH_BYTES,
    [RTCP_APP_SUBTYPE_RESPONSE] = TFRC_WIRE_MIN_PATH_BYTES,
  };
  const uint8_t *bytes = packet->bytes;

  if (packet->size < RTCP_APP_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  if (tfrc_get_u32 (bytes + 8) != RTCP_APP_NAME
      || packet->count >= sizeof least_bytes / sizeof least_bytes[0]) {
    rtcp->unknown++;
    return TFRC_WIRE_OK;
  }
  if (packet->size < least_bytes[packet->count]
      || (packet->count == RTCP_APP_SUBTYPE_STATE
          && packet->size < tfrc_rtcp_state_bytes (bytes[32])))
    return TFRC_WIRE_TOO_SHORT;
  if (skip_if_foreign (packet, rtcp))
    return TFRC_WIRE_OK;

  switch (packet->count) {
    case RTCP_APP_SUBTYPE_STATE:
      rtcp->has_state = true;
      rtcp->state = parse_state (bytes);
      rtcp->playout = parse_playout (packet);
      break;
    case RTCP_APP_SUBTYPE_CLOCK:
      rtcp->has_clock = true;
      rtcp->clock_send_time_us = tfrc_get_u32 (bytes + 12);
      break;
    case RTCP_APP_SUBTYPE_CHALLENGE:
      rtcp->has_challenge = true;
      memcpy (rtcp->challenge, bytes + RTCP_APP_BYTES, sizeof rtcp->challenge);
      break;
    default:
      rtcp->has_response = true;
      memcpy (rtcp->response, bytes + RTCP_APP_BYTES, sizeof rtcp->response);
      break;
  }
  return TFRC_WIRE_OK;
}

static TfrcWireResult
parse_packet (const Packet *packet, uint32_t report_ssrc, TfrcWireRtcp *rtcp)
{
  switch (packet->type) {
    case RTCP_TYPE_SR:
    case RTCP_TYPE_RR:
      return parse_sr_or_rr (packet, report_ssrc, rtcp);
    case RTCP_TYPE_SDES:
      return check_sdes (packet);
    case RTCP_TYPE_BYE:
      return parse_bye (packet, rtcp);
    case RTCP_TYPE_APP:
      return parse_app (packet, rtcp);
    case RTCP_TYPE_RTPFB:
      return parse_feedback (packet, rtcp);
    case RTCP_TYPE_PSFB:
      return parse_payload_feedback (packet, rtcp);
    default:
      rtcp->unknown++;
      return TFRC_WIRE_OK;
  }
}

static void
copy_state_to_feedback (const TfrcWireState *state, TfrcFeedback *feedback)
{
  feedback->has_state = true;
  feedback->number = state->feedback_number;
  feedback->loss_events = state->loss_events;
  feedback->handover = (state->flags & TFRC_WIRE_STATE_HANDOVER) != 0;
  feedback->new_link = (state->flags & TFRC_WIRE_STATE_NEW_LINK) != 0;
  feedback->suppress_echo = (state->flags & TFRC_WIRE_STATE_SUPPRESS_ECHO) != 0;
  feedback->bandwidth = (state->flags & TFRC_WIRE_STATE_BANDWIDTH) != 0;
  feedback->handover_number = TFRC_WIRE_STATE_NUMBER (state->flags);
  feedback->classified = is_classified (state->flags);
  feedback->congestion_p = p_from_wire (state->congestion_p);
  feedback->link_errors = state->link_errors;
}

static TfrcWireResult
parse_compound (const uint8_t *packet, size_t size, uint32_t report_ssrc, TfrcWireRtcp *rtcp)
{
  const uint8_t *at = packet;
  size_t left = size;
  uint32_t packets = 0;

  do {
    Packet one;
    TfrcWireResult result = take_packet (&at, &left, &one);

    if (result != TFRC_WIRE_OK)
      return result;
    if (packets == 0) {
      /* SRTCP finds the sender in bytes 4..7 as well, whatever packet comes first. */
      if (one.size < RTCP_HEADER_BYTES + RTCP_SSRC_BYTES)
        return TFRC_WIRE_TOO_SHORT;
      rtcp->sender_ssrc = tfrc_get_u32 (packet + RTCP_HEADER_BYTES);
    }
    result = parse_packet (&one, report_ssrc, rtcp);
    if (result != TFRC_WIRE_OK)
      return result;
    packets++;
  } while (left > 0);

  if (rtcp->unknown == packets)
    return TFRC_WIRE_NOT_OURS;
  if (rtcp->has_feedback && rtcp->has_state)
    copy_state_to_feedback (&rtcp->state, &rtcp->feedback);
  return TFRC_WIRE_OK;
}

TfrcWireResult
tfrc_wire_parse_rtcp_sized (
    const uint8_t *packet, size_t size, uint32_t report_ssrc, TfrcWireRtcp *rtcp, size_t rtcp_size)
{
  TfrcWireRtcp known = { .playout = { .queueing_us = TFRC_WIRE_QUEUEING_UNKNOWN } };
  TfrcWireResult result;

  if ((packet == NULL && size > 0) || rtcp == NULL
      || !tfrc_struct_size_is_valid (rtcp_size, TFRC_WIRE_RTCP_FIRST_SIZE))
    return TFRC_WIRE_ERROR_ARGUMENT;
  result = parse_compound (packet, size, report_ssrc, &known);
  tfrc_struct_write (rtcp, rtcp_size, &known, sizeof known, TFRC_WIRE_RTCP_FIRST_SIZE);
  return result;
}

/* Is it a feedback message of this type and format about the media, or with APP a packet of RIST for it? */
static bool
is_message (const Packet *packet, unsigned type, unsigned count, uint32_t media_ssrc)
{
  size_t media_at = type == RTCP_TYPE_APP ? RTCP_HEADER_BYTES : RTCP_HEADER_BYTES + RTCP_SSRC_BYTES;

  return packet->type == type && packet->count == count && packet->size >= RTCP_FB_BYTES
      && tfrc_get_u32 (packet->bytes + media_at) == media_ssrc
      && (type != RTCP_TYPE_APP || tfrc_get_u32 (packet->bytes + 8) == RTCP_APP_NAME_RIST);
}

/* Finds a message, whose content is behind 12 bytes. */
static bool
find_message (const uint8_t *packet, size_t size, unsigned type, unsigned count,
    uint32_t media_ssrc, unsigned nth, const uint8_t **content, size_t *bytes)
{
  Packet one;

  if (packet == NULL || content == NULL || bytes == NULL)
    return false;
  while (size > 0 && take_packet (&packet, &size, &one) == TFRC_WIRE_OK) {
    if (!is_message (&one, type, count, media_ssrc) || nth-- > 0)
      continue;
    *content = one.bytes + RTCP_FB_BYTES;
    *bytes = one.size - RTCP_FB_BYTES;
    return true;
  }
  return false;
}

bool
tfrc_wire_find_transport_feedback (const uint8_t *packet, size_t size, uint32_t media_ssrc,
    unsigned nth, const uint8_t **fci, size_t *fci_bytes)
{
  return find_message (
      packet, size, RTCP_TYPE_RTPFB, RTCP_FMT_TRANSPORT, media_ssrc, nth, fci, fci_bytes);
}

bool
tfrc_wire_find_nack (const uint8_t *packet, size_t size, uint32_t media_ssrc, unsigned nth,
    const uint8_t **fci, size_t *fci_bytes)
{
  return find_message (
      packet, size, RTCP_TYPE_RTPFB, RTCP_FMT_NACK, media_ssrc, nth, fci, fci_bytes);
}

bool
tfrc_wire_find_rist_request (const uint8_t *packet, size_t size, uint32_t media_ssrc, unsigned nth,
    const uint8_t **ranges, size_t *bytes)
{
  return find_message (
      packet, size, RTCP_TYPE_APP, RTCP_APP_SUBTYPE_RIST_REQUEST, media_ssrc, nth, ranges, bytes);
}

bool
tfrc_wire_find_pli (const uint8_t *packet, size_t size, uint32_t media_ssrc)
{
  const uint8_t *content;
  size_t bytes;

  return find_message (packet, size, RTCP_TYPE_PSFB, RTCP_FMT_PLI, media_ssrc, 0, &content, &bytes);
}
