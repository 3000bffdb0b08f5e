/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP data packets: the difference from RTCP, the header (RFC 3550 section 5.1), and the header
 * extension (RFC 8285 section 4.2); docs/wire-format.md, "Data". */
#include <tfrc/wire.h>

#include <string.h>

#include "bytes.h"

#define FIXED_HEADER_BYTES 12
#define SSRC_BYTES 4
#define EXTENSION_HEADER_BYTES 4
#define ONE_BYTE_PROFILE 0xbede
#define ID_PADDING 0
#define ID_STOP 15
#define RTT_SENDTS_BYTES 7
#define FLAGS_BYTES 2
#define TRANSPORT_SEQ_BYTES 2
#define ELEMENT_HEADER_BYTES 1

static const char *const result_names[TFRC_WIRE_N_RESULTS] = {
  [TFRC_WIRE_OK] = "ok",
  [TFRC_WIRE_TOO_SHORT] = "too-short",
  [TFRC_WIRE_BAD_VERSION] = "bad-version",
  [TFRC_WIRE_BAD_LENGTH] = "bad-length",
  [TFRC_WIRE_BAD_PADDING] = "bad-padding",
  [TFRC_WIRE_BAD_EXTENSION] = "bad-extension",
  [TFRC_WIRE_BAD_FIELD] = "bad-field",
  [TFRC_WIRE_NOT_OURS] = "not-ours",
};

const char *
tfrc_wire_result_to_string (TfrcWireResult result)
{
  if (result == TFRC_WIRE_ERROR_ARGUMENT)
    return "argument";
  return (unsigned) result < TFRC_WIRE_N_RESULTS ? result_names[result] : "unknown";
}

TfrcWireKind
tfrc_wire_classify (const uint8_t *packet, size_t size)
{
  if (packet == NULL || size < 2 || packet[0] >> 6 != 2)
    return TFRC_WIRE_KIND_NONE;
  if (packet[1] >= 192 && packet[1] <= 223)
    return size >= 8 ? TFRC_WIRE_KIND_RTCP : TFRC_WIRE_KIND_NONE;
  return size >= FIXED_HEADER_BYTES ? TFRC_WIRE_KIND_DATA : TFRC_WIRE_KIND_NONE;
}

void
tfrc_wire_set_data (TfrcWireData *wire, const TfrcData *data)
{
  if (wire == NULL || data == NULL)
    return;
  if (wire->has_transport_seq)
    wire->transport_seq = data->seq;
  else
    wire->seq = data->seq;
  wire->rtt_us = data->rtt_us;
  wire->send_time_us = data->send_time_us;
  if (data->echo)
    wire->flags |= TFRC_WIRE_FLAG_ECHO;
  if (data->direct)
    wire->flags |= TFRC_WIRE_FLAG_DIRECT;
  if (data->model == TFRC_MODEL_CUBIC)
    wire->flags |= TFRC_WIRE_FLAG_CUBIC;
  wire->flags |= (uint8_t) ((data->handover_number % TFRC_HANDOVER_NUMBERS) << 2);
  wire->has_flags = wire->flags != 0 || wire->ttl != 0;
}

void
tfrc_wire_get_data (const TfrcWireData *wire, TfrcData *data)
{
  if (wire == NULL || data == NULL)
    return;
  memset (data, 0, sizeof *data);
  data->seq = wire->has_transport_seq ? wire->transport_seq : wire->seq;
  data->send_time_us = wire->send_time_us;
  data->rtt_us = wire->rtt_us;
  data->size_bytes = (uint32_t) wire->payload_bytes;
  data->has_tfrc = wire->has_rtt_sendts;
  data->echo = (wire->flags & TFRC_WIRE_FLAG_ECHO) != 0;
  data->direct = (wire->flags & TFRC_WIRE_FLAG_DIRECT) != 0;
  data->handover_number = TFRC_WIRE_FLAG_NUMBER (wire->flags);
  data->model = wire->flags & TFRC_WIRE_FLAG_CUBIC ? TFRC_MODEL_CUBIC : TFRC_MODEL_RENO;
}

static uint8_t *
put_element_header (uint8_t *at, unsigned id, unsigned bytes)
{
  return tfrc_put_u8 (at, id << 4 | (bytes - 1));
}

/* Writes the elements, with padding to a full word. */
static uint8_t *
put_elements (uint8_t *at, const TfrcWireData *data, uint32_t rtt_us)
{
  uint8_t *start = at;

  at = put_element_header (at, TFRC_WIRE_EXT_ID_RTT_SENDTS, RTT_SENDTS_BYTES);
  at = tfrc_put_u24 (at, rtt_us);
  at = tfrc_put_u32 (at, data->send_time_us);
  if (data->has_flags) {
    at = put_element_header (at, TFRC_WIRE_EXT_ID_FLAGS, FLAGS_BYTES);
    at = tfrc_put_u8 (at, data->flags);
    at = tfrc_put_u8 (at, data->ttl);
  }
  if (data->has_transport_seq) {
    at = put_element_header (at, TFRC_WIRE_EXT_ID_TRANSPORT_SEQ, TRANSPORT_SEQ_BYTES);
    at = tfrc_put_u16 (at, data->transport_seq);
  }
  while ((at - start) % 4 != 0)
    at = tfrc_put_u8 (at, ID_PADDING);
  return at;
}

size_t
tfrc_wire_write_data (uint8_t *buffer, const TfrcWireData *data)
{
  uint8_t *at = buffer, *elements;
  uint32_t rtt_us;

  if (buffer == NULL || data == NULL)
    return 0;
  rtt_us = data->rtt_us < TFRC_WIRE_MAX_RTT_US ? data->rtt_us : TFRC_WIRE_MAX_RTT_US;
  at = tfrc_put_u8 (at, 0x90); /* version 2, an extension, no padding, no CSRC */
  at = tfrc_put_u8 (at, (data->marker ? 0x80u : 0) | (data->payload_type & 0x7f));
  at = tfrc_put_u16 (at, data->seq);
  at = tfrc_put_u32 (at, data->timestamp);
  at = tfrc_put_u32 (at, data->ssrc);

  at = tfrc_put_u16 (at, ONE_BYTE_PROFILE);
  elements = at + 2;
  at = put_elements (elements, data, rtt_us);
  tfrc_put_u16 (elements - 2, (unsigned) (at - elements) / 4);
  return (size_t) (at - buffer);
}

/* The second and the third element of one packet */
typedef struct
{
  bool has_flags, has_seq;
  bool malformed; /* another length, or more than one transport sequence number */
  uint8_t flags, ttl;
  uint16_t seq;
} MoreElements;

static void
parse_rtt_sendts (const uint8_t *value, size_t bytes, TfrcWireData *data)
{
  if (bytes != RTT_SENDTS_BYTES)
    return;
  data->has_rtt_sendts = true;
  data->rtt_us = tfrc_get_u24 (value);
  data->send_time_us = tfrc_get_u32 (value + 3);
}

static void
parse_flags (const uint8_t *value, size_t bytes, MoreElements *more)
{
  more->malformed |= bytes != FLAGS_BYTES;
  more->has_flags = true;
  if (bytes == FLAGS_BYTES) {
    more->flags = value[0];
    more->ttl = value[1];
  }
}

static void
parse_transport_seq (const uint8_t *value, size_t bytes, MoreElements *more)
{
  more->malformed |= more->has_seq || bytes != TRANSPORT_SEQ_BYTES;
  more->has_seq = true;
  if (bytes == TRANSPORT_SEQ_BYTES)
    more->seq = tfrc_get_u16 (value);
}

/* Ids are local to a session (RFC 8285 section 5).  A sender without TFRC may use them for other extensions,
 * which have other lengths, and no such packet may be lost for that. */
static TfrcWireResult
use_more_elements (const MoreElements *more, TfrcWireData *data)
{
  if (!data->has_rtt_sendts)
    return TFRC_WIRE_OK;
  if (more->malformed)
    return TFRC_WIRE_BAD_EXTENSION;
  data->has_flags = more->has_flags;
  data->flags = more->flags;
  data->ttl = more->ttl;
  data->has_transport_seq = more->has_seq;
  data->transport_seq = more->seq;
  return TFRC_WIRE_OK;
}

static void
parse_element (
    unsigned id, const uint8_t *value, size_t bytes, TfrcWireData *data, MoreElements *more)
{
  switch (id) {
    case TFRC_WIRE_EXT_ID_RTT_SENDTS:
      parse_rtt_sendts (value, bytes, data);
      break;
    case TFRC_WIRE_EXT_ID_FLAGS:
      parse_flags (value, bytes, more);
      break;
    case TFRC_WIRE_EXT_ID_TRANSPORT_SEQ:
      parse_transport_seq (value, bytes, more);
      break;
    default:
      break;
  }
}

/* Parses elements of the one-byte form.  Id 15, and id 0 with a length, end the list and are no
 * error (RFC 8285 sections 4.2 and 4.1.2). */
static TfrcWireResult
parse_elements (const uint8_t *at, size_t left, TfrcWireData *data)
{
  MoreElements more = { 0 };

  while (left > 0) {
    unsigned id = at[0] >> 4;
    size_t bytes = (at[0] & 0x0fu) + 1;

    if (at[0] == ID_PADDING) {
      at++;
      left--;
      continue;
    }
    if (id == ID_PADDING || id == ID_STOP)
      break;
    if (ELEMENT_HEADER_BYTES + bytes > left)
      return TFRC_WIRE_BAD_EXTENSION;
    parse_element (id, at + ELEMENT_HEADER_BYTES, bytes, data, &more);
    at += ELEMENT_HEADER_BYTES + bytes;
    left -= ELEMENT_HEADER_BYTES + bytes;
  }
  return use_more_elements (&more, data);
}

/* Parses the header extension at data->header_bytes, and moves header_bytes behind it. */
static TfrcWireResult
parse_extension (const uint8_t *packet, size_t size, TfrcWireData *data)
{
  const uint8_t *extension = packet + data->header_bytes;
  size_t left = size - data->header_bytes;
  size_t bytes;

  if (left < EXTENSION_HEADER_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  bytes = (size_t) tfrc_get_u16 (extension + 2) * 4;
  if (bytes > left - EXTENSION_HEADER_BYTES)
    return TFRC_WIRE_BAD_LENGTH;
  data->header_bytes += EXTENSION_HEADER_BYTES + bytes;
  if (tfrc_get_u16 (extension) != ONE_BYTE_PROFILE)
    return TFRC_WIRE_OK;
  return parse_elements (extension + EXTENSION_HEADER_BYTES, bytes, data);
}

TfrcWireResult
tfrc_wire_parse_data (const uint8_t *packet, size_t size, TfrcWireData *data)
{
  if ((packet == NULL && size > 0) || data == NULL)
    return TFRC_WIRE_ERROR_ARGUMENT;
  *data = (TfrcWireData){ 0 };
  if (size < FIXED_HEADER_BYTES)
    return TFRC_WIRE_TOO_SHORT;
  if (packet[0] >> 6 != 2)
    return TFRC_WIRE_BAD_VERSION;

  data->marker = packet[1] & 0x80;
  data->payload_type = packet[1] & 0x7f;
  data->seq = tfrc_get_u16 (packet + 2);
  data->timestamp = tfrc_get_u32 (packet + 4);
  data->ssrc = tfrc_get_u32 (packet + 8);

  data->header_bytes = FIXED_HEADER_BYTES + SSRC_BYTES * (packet[0] & 0x0fu);
  if (data->header_bytes > size)
    return TFRC_WIRE_BAD_LENGTH;
  if (packet[0] & 0x10) {
    TfrcWireResult result = parse_extension (packet, size, data);

    if (result != TFRC_WIRE_OK)
      return result;
  }

  data->payload_bytes = size - data->header_bytes;
  if (packet[0] & 0x20) {
    size_t padding = packet[size - 1];

    if (padding == 0 || padding > data->payload_bytes)
      return TFRC_WIRE_BAD_PADDING;
    data->payload_bytes -= padding;
  }
  return TFRC_WIRE_OK;
}
