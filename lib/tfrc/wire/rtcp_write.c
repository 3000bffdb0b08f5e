/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing the RTCP compounds of docs/wire-format.md, "RTCP": feedback with the receiver's state,
 * sender report, receiver report, challenge and response of a path, goodbye. */
#include <tfrc/wire.h>

#include <string.h>

#include "../struct_size.h"
#include "bytes.h"
#include "rtcp.h"

#define SDES_CNAME 1
#define MAX_CNAME_BYTES 63

static uint8_t *
put_header (uint8_t *at, unsigned type, unsigned count, size_t size, uint32_t ssrc)
{
  at = tfrc_put_u8 (at, 0x80 | count);
  at = tfrc_put_u8 (at, type);
  at = tfrc_put_u16 (at, (unsigned) (size / 4 - 1));
  return tfrc_put_u32 (at, ssrc);
}

/* Writes the CNAME of one chunk.  One to four null bytes follow the item. */
static uint8_t *
put_cname (uint8_t *at, const char *cname, size_t cname_bytes, size_t item_bytes)
{
  memset (at, 0, item_bytes);
  at[0] = SDES_CNAME;
  at[1] = (uint8_t) cname_bytes;
  memcpy (at + 2, cname, cname_bytes);
  return at + item_bytes;
}

/* Writes one chunk for each stream, with the same CNAME. */
static uint8_t *
put_sdes (uint8_t *at, uint32_t ssrc, const TfrcWireStream *more, size_t n_more, const char *cname)
{
  size_t cname_bytes = 0;
  size_t item_bytes;

  while (cname_bytes < MAX_CNAME_BYTES && cname[cname_bytes] != '\0')
    cname_bytes++;
  /* Cuts between UTF-8 characters. */
  while (cname_bytes > 0 && ((unsigned char) cname[cname_bytes] & 0xc0) == 0x80)
    cname_bytes--;

  item_bytes = (2 + cname_bytes + 4) / 4 * 4;
  at = put_header (at, RTCP_TYPE_SDES, (unsigned) (1 + n_more),
      RTCP_HEADER_BYTES + (1 + n_more) * (RTCP_SSRC_BYTES + item_bytes), ssrc);
  at = put_cname (at, cname, cname_bytes, item_bytes);
  for (size_t i = 0; i < n_more; i++)
    at = put_cname (tfrc_put_u32 (at, more[i].ssrc), cname, cname_bytes, item_bytes);
  return at;
}

static uint8_t *
put_report (uint8_t *at, const TfrcWireReport *report)
{
  int32_t lost = report->packets_lost < 0x7fffff ? report->packets_lost : 0x7fffff;

  lost = lost > -0x800000 ? lost : -0x800000;
  at = tfrc_put_u32 (at, report->ssrc);
  at = tfrc_put_u8 (at, report->fraction_lost);
  at = tfrc_put_u24 (at, (uint32_t) lost);
  at = tfrc_put_u32 (at, report->highest_seq);
  at = tfrc_put_u32 (at, report->jitter);
  at = tfrc_put_u32 (at, report->lsr);
  return tfrc_put_u32 (at, report->dlsr);
}

static uint32_t
p_to_wire (double p)
{
  if (!(p > 0)) /* NaN too */
    return 0;
  return p * RTCP_P_ONE < RTCP_P_MAX ? (uint32_t) (p * RTCP_P_ONE) : RTCP_P_MAX;
}

static uint8_t
flags_of (const TfrcFeedback *feedback)
{
  return (uint8_t) ((feedback->handover ? TFRC_WIRE_STATE_HANDOVER : 0)
      | (feedback->classified ? TFRC_WIRE_STATE_CLASSIFIED : 0)
      | (feedback->new_link ? TFRC_WIRE_STATE_NEW_LINK : 0)
      | (feedback->suppress_echo ? TFRC_WIRE_STATE_SUPPRESS_ECHO : 0)
      | (feedback->bandwidth ? TFRC_WIRE_STATE_BANDWIDTH : 0)
      | (feedback->handover_number % TFRC_HANDOVER_NUMBERS) << 4);
}

/* Saturates. */
static unsigned
delay_to_wire (uint32_t delay_ms)
{
  uint32_t units = delay_ms / RTCP_PLAYOUT_DELAY_MS;

  return units < RTCP_PLAYOUT_DELAY_MAX ? units : RTCP_PLAYOUT_DELAY_MAX;
}

static bool
needs_words (const TfrcWirePlayout *playout)
{
  return playout->queueing_us != TFRC_WIRE_QUEUEING_UNKNOWN || playout->ahead_ms > 0
      || playout->ahead_bytes > 0;
}

static uint8_t *
put_state (uint8_t *at, uint32_t ssrc, const TfrcFeedback *feedback, const TfrcWireState *state,
    const TfrcWirePlayout *playout)
{
  unsigned flags = state->flags | flags_of (feedback);
  bool has_words = needs_words (playout);

  at = put_header (at, RTCP_TYPE_APP, RTCP_APP_SUBTYPE_STATE,
      tfrc_rtcp_state_bytes (flags) + (has_words ? RTCP_APP_PLAYOUT_BYTES : 0), ssrc);
  at = tfrc_put_u32 (at, RTCP_APP_NAME);
  at = tfrc_put_u32 (at, state->highest_seq);
  at = tfrc_put_u32 (at, state->packets_lost);
  at = tfrc_put_u32 (at, state->loss_events);
  at = tfrc_put_u32 (at, state->ce_marks);
  at = tfrc_put_u32 (at, state->feedback_number);
  at = tfrc_put_u8 (at, flags);
  at = tfrc_put_u8 (at, state->ttl);
  at = tfrc_put_u16 (at, delay_to_wire (playout->delay_ms));
  if (flags & TFRC_WIRE_STATE_CLASSIFIED) {
    at = tfrc_put_u32 (
        at, feedback->classified ? p_to_wire (feedback->congestion_p) : state->congestion_p);
    at = tfrc_put_u32 (at, feedback->classified ? feedback->link_errors : state->link_errors);
  }
  if (flags & TFRC_WIRE_STATE_ECN) {
    at = tfrc_put_u32 (at, state->ect0);
    at = tfrc_put_u32 (at, state->ect1);
    at = tfrc_put_u32 (at, state->not_ect);
  }
  if (has_words) {
    at = tfrc_put_u32 (at, playout->queueing_us);
    at = tfrc_put_u32 (at, playout->ahead_ms);
    at = tfrc_put_u32 (at, playout->ahead_bytes);
  }
  return at;
}

static uint8_t *
put_feedback (uint8_t *at, uint32_t ssrc, uint32_t media_ssrc, const TfrcFeedback *feedback)
{
  at = put_header (at, RTCP_TYPE_RTPFB, RTCP_FMT_TFRC, RTCP_FEEDBACK_BYTES, ssrc);
  at = tfrc_put_u32 (at, media_ssrc);
  at = tfrc_put_u32 (at, feedback->recv_data_us);
  at = tfrc_put_u32 (at, feedback->delay_us);
  at = tfrc_put_u32 (at, feedback->x_recv_Bps);
  return tfrc_put_u32 (at, p_to_wire (feedback->p));
}

size_t
tfrc_wire_write_feedback (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc,
    const TfrcFeedback *feedback, const TfrcWireState *state)
{
  if (state != NULL)
    return tfrc_wire_write_playout_feedback (buffer, ssrc, media_ssrc, feedback, state, NULL);
  if (buffer == NULL || feedback == NULL)
    return 0;
  return (size_t) (put_feedback (buffer, ssrc, media_ssrc, feedback) - buffer);
}

size_t
tfrc_wire_write_playout_feedback (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc,
    const TfrcFeedback *feedback, const TfrcWireState *state, const TfrcWirePlayout *playout)
{
  static const TfrcWirePlayout not_told = { .queueing_us = TFRC_WIRE_QUEUEING_UNKNOWN };
  uint8_t *at;

  if (buffer == NULL || feedback == NULL || state == NULL)
    return 0;
  at = put_feedback (buffer, ssrc, media_ssrc, feedback);
  at = put_state (at, ssrc, feedback, state, playout != NULL ? playout : &not_told);
  return (size_t) (at - buffer);
}

static uint8_t *
put_sr (uint8_t *at, const TfrcWireRtcp *rtcp, const TfrcWireStream *stream)
{
  at = put_header (at, RTCP_TYPE_SR, 0, RTCP_SR_BYTES, stream->ssrc);
  at = tfrc_put_u64 (at, rtcp->sr_ntp);
  at = tfrc_put_u32 (at, rtcp->sr_timestamp);
  at = tfrc_put_u32 (at, stream->packets);
  return tfrc_put_u32 (at, stream->bytes);
}

static bool
are_too_many (const TfrcWireStream *more, size_t n_more)
{
  return n_more > TFRC_WIRE_MAX_MORE_STREAMS || (more == NULL && n_more > 0);
}

/* Reports come before all else (RFC 3550 section 6.1). */
static size_t
write_sender_reports (uint8_t *buffer, const TfrcWireRtcp *rtcp, const TfrcWireStream *more,
    size_t n_more, const char *cname)
{
  const TfrcWireStream first = { rtcp->sender_ssrc, rtcp->sr_packets, rtcp->sr_bytes };
  uint8_t *at = put_sr (buffer, rtcp, &first);

  for (size_t i = 0; i < n_more; i++)
    at = put_sr (at, rtcp, &more[i]);
  at = put_sdes (at, rtcp->sender_ssrc, more, n_more, cname);
  at = put_header (
      at, RTCP_TYPE_APP, RTCP_APP_SUBTYPE_CLOCK, RTCP_APP_CLOCK_BYTES, rtcp->sender_ssrc);
  at = tfrc_put_u32 (at, RTCP_APP_NAME);
  at = tfrc_put_u32 (at, rtcp->clock_send_time_us);
  return (size_t) (at - buffer);
}

size_t
tfrc_wire_write_sender_report_sized (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, size_t rtcp_size, const char *cname)
{
  return tfrc_wire_write_sender_reports_sized (buffer, rtcp, rtcp_size, NULL, 0, cname);
}

size_t
tfrc_wire_write_sender_reports_sized (uint8_t *buffer, const TfrcWireRtcp *rtcp, size_t rtcp_size,
    const TfrcWireStream *more, size_t n_more, const char *cname)
{
  TfrcWireRtcp known = { 0 };

  if (buffer == NULL || cname == NULL || are_too_many (more, n_more)
      || tfrc_struct_read (&known, sizeof known, rtcp, rtcp_size, TFRC_WIRE_RTCP_FIRST_SIZE)
          != TFRC_OK)
    return 0;
  return write_sender_reports (buffer, &known, more, n_more, cname);
}

static size_t
write_receiver_report (uint8_t *buffer, const TfrcWireRtcp *rtcp, const char *cname)
{
  unsigned count = rtcp->has_report ? 1 : 0;
  uint8_t *at = put_header (
      buffer, RTCP_TYPE_RR, count, RTCP_RR_BYTES + count * RTCP_REPORT_BYTES, rtcp->sender_ssrc);

  if (rtcp->has_report)
    at = put_report (at, &rtcp->report);
  at = put_sdes (at, rtcp->sender_ssrc, NULL, 0, cname);
  return (size_t) (at - buffer);
}

size_t
tfrc_wire_write_receiver_report_sized (
    uint8_t *buffer, const TfrcWireRtcp *rtcp, size_t rtcp_size, const char *cname)
{
  TfrcWireRtcp known = { 0 };

  if (buffer == NULL || cname == NULL
      || tfrc_struct_read (&known, sizeof known, rtcp, rtcp_size, TFRC_WIRE_RTCP_FIRST_SIZE)
          != TFRC_OK)
    return 0;
  return write_receiver_report (buffer, &known, cname);
}

static size_t
write_path_packet (
    uint8_t *buffer, size_t size, unsigned subtype, uint32_t ssrc, const uint8_t *data)
{
  uint8_t *at;

  if (buffer == NULL || data == NULL || size < TFRC_WIRE_MIN_PATH_BYTES || size > RTCP_MAX_BYTES
      || size % 4 != 0)
    return 0;
  at = put_header (buffer, RTCP_TYPE_APP, subtype, size, ssrc);
  at = tfrc_put_u32 (at, RTCP_APP_NAME);
  memcpy (at, data, TFRC_WIRE_PATH_DATA_BYTES);
  memset (buffer + TFRC_WIRE_MIN_PATH_BYTES, 0, size - TFRC_WIRE_MIN_PATH_BYTES);
  return size;
}

size_t
tfrc_wire_write_path_challenge (
    uint8_t *buffer, size_t size, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES])
{
  return write_path_packet (buffer, size, RTCP_APP_SUBTYPE_CHALLENGE, ssrc, data);
}

size_t
tfrc_wire_write_path_response (
    uint8_t *buffer, uint32_t ssrc, const uint8_t data[TFRC_WIRE_PATH_DATA_BYTES])
{
  return write_path_packet (
      buffer, TFRC_WIRE_MIN_PATH_BYTES, RTCP_APP_SUBTYPE_RESPONSE, ssrc, data);
}

size_t
tfrc_wire_write_bye (uint8_t *buffer, uint32_t ssrc, const char *cname)
{
  return tfrc_wire_write_byes (buffer, ssrc, NULL, 0, cname);
}

size_t
tfrc_wire_write_byes (
    uint8_t *buffer, uint32_t ssrc, const TfrcWireStream *more, size_t n_more, const char *cname)
{
  uint8_t *at;

  if (buffer == NULL || cname == NULL || are_too_many (more, n_more))
    return 0;
  at = put_header (buffer, RTCP_TYPE_RR, 0, RTCP_RR_BYTES, ssrc);
  at = put_sdes (at, ssrc, more, n_more, cname);
  at = put_header (
      at, RTCP_TYPE_BYE, (unsigned) (1 + n_more), RTCP_BYE_BYTES + n_more * RTCP_SSRC_BYTES, ssrc);
  for (size_t i = 0; i < n_more; i++)
    at = tfrc_put_u32 (at, more[i].ssrc);
  return (size_t) (at - buffer);
}

size_t
tfrc_wire_write_pli (uint8_t *buffer, uint32_t ssrc, uint32_t media_ssrc)
{
  uint8_t *at = buffer;

  if (buffer == NULL)
    return 0;
  at = tfrc_put_u8 (at, 0x80 | RTCP_FMT_PLI);
  at = tfrc_put_u8 (at, RTCP_TYPE_PSFB);
  at = tfrc_put_u16 (at, TFRC_WIRE_PLI_BYTES / 4 - 1);
  at = tfrc_put_u32 (at, ssrc);
  tfrc_put_u32 (at, media_ssrc);
  return TFRC_WIRE_PLI_BYTES;
}
