/* One valid packet of each kind, byte for byte as in docs/wire-format.md. The wire tests share
 * these packets. */
#ifndef TFRC_TEST_WIREPACKETS_H
#define TFRC_TEST_WIREPACKETS_H

#include <string.h>

#include <gst/check/gstcheck.h>
#include <tfrc/wire.h>

#define SENDER 0x11223344u
#define RECEIVER 0xa1b2c3d4u

static const guint8 data_packet[] = {
  0x90, 0xa1, 0x12, 0x34, /* X; M, PT 33; sequence number */
  0xde, 0xad, 0xbe, 0xef, /* timestamp */
  0x11, 0x22, 0x33, 0x44, /* SSRC */
  0xbe, 0xde, 0x00, 0x02, /* one-byte form, 2 words */
  0x16, 0x01, 0x86, 0xa0, /* id 1, 7 bytes; RTT 100000 us */
  0x89, 0xab, 0xcd, 0xef, /* send time */
  0x47, 0x1f, 0xff, 0x10, /* payload */
};

static const guint8 data_packet_with_flags[] = {
  0x90,
  0x21,
  0xff,
  0xff,
  0x00,
  0x00,
  0x00,
  0x01,
  0x11,
  0x22,
  0x33,
  0x44,
  0xbe,
  0xde,
  0x00,
  0x03,
  0x16,
  0xff,
  0xff,
  0xff, /* RTT saturated */
  0x00,
  0x00,
  0x00,
  0x02,
  0x21,
  0x01,
  0x40,
  0x00, /* id 2, 2 bytes; echo; TTL 64; padding */
  0x47,
  0x1f,
  0xff,
  0x10,
};

static const guint8 feedback_packet[] = {
  0x82, 0xcd, 0x00, 0x06, /* FMT 2, PT 205, 7 words */
  0xa1, 0xb2, 0xc3, 0xd4, /* SSRC of the receiver */
  0x11, 0x22, 0x33, 0x44, /* SSRC of the media */
  0x89, 0xab, 0xcd, 0xef, /* t_recvdata */
  0x00, 0x00, 0x27, 0x10, /* t_delay 10000 us */
  0x00, 0x03, 0xd0, 0x90, /* X_recv 250000 byte/s */
  0x20, 0x00, 0x00, 0x00, /* p 1/8 */
};

static const guint8 feedback_with_state[] = {
  0x82, 0xcd, 0x00, 0x06, 0xa1, 0xb2, 0xc3, 0xd4, 0x11, 0x22, 0x33, 0x44, 0x89, 0xab, 0xcd, 0xef,
  0x00, 0x00, 0x27, 0x10, 0x00, 0x03, 0xd0, 0x90, 0x20, 0x00, 0x00, 0x00, 0x80, 0xcc, 0x00,
  0x08,                   /* subtype 0, PT 204, 9 words */
  0xa1, 0xb2, 0xc3, 0xd4, /* SSRC of the receiver */
  0x54, 0x46, 0x52, 0x43, /* "TFRC" */
  0x00, 0x01, 0x12, 0x34, /* highest sequence number */
  0x00, 0x00, 0x00, 0x19, /* packets lost */
  0x00, 0x00, 0x00, 0x07, /* loss events */
  0x00, 0x00, 0x00, 0x03, /* CE marks */
  0x00, 0x00, 0x01, 0x00, /* feedback number */
  0x03, 0x3f, 0x00, 0x00, /* flags; TTL 63; reserved */
};

static const guint8 sender_report[] = {
  0x80, 0xc8, 0x00, 0x06,                         /* no block, PT 200, 7 words */
  0x11, 0x22, 0x33, 0x44,                         /* SSRC of the sender */
  0xe8, 0x00, 0x00, 0x01, 0x80, 0x00, 0x00, 0x00, /* NTP time */
  0xde, 0xad, 0xbe, 0xef,                         /* RTP timestamp */
  0x00, 0x00, 0x03, 0xe8,                         /* packets */
  0x00, 0x14, 0x14, 0xa0,                         /* bytes */
  0x81, 0xca, 0x00, 0x04,                         /* one chunk, PT 202, 5 words */
  0x11, 0x22, 0x33, 0x44, 0x01, 0x06, 0x61, 0x40, 0x68, 0x6f, 0x73, 0x74, /* CNAME "a@host" */
  0x00, 0x00, 0x00, 0x00,                                                 /* end of the items */
  0x81, 0xcc, 0x00, 0x03,                         /* subtype 1, PT 204, 4 words */
  0x11, 0x22, 0x33, 0x44, 0x54, 0x46, 0x52, 0x43, /* "TFRC" */
  0x01, 0x02, 0x03, 0x04,                         /* send time */
};

static const guint8 receiver_report[] = {
  0x80, 0xc9, 0x00, 0x01, 0xa1, 0xb2, 0xc3, 0xd4, 0x81, 0xca, 0x00, 0x03, 0xa1, 0xb2, 0xc3, 0xd4,
  0x01, 0x04, 0x72, 0x65, 0x63, 0x76, 0x00, 0x00, /* CNAME "recv" */
};

static const guint8 receiver_report_with_block[] = {
  0x81,
  0xc9,
  0x00,
  0x07, /* one block, PT 201, 8 words */
  0xa1,
  0xb2,
  0xc3,
  0xd4, /* SSRC of the receiver */
  0x11,
  0x22,
  0x33,
  0x44, /* SSRC of the source */
  0x40,
  0xff,
  0xff,
  0xfe, /* a quarter lost; -2 in all */
  0x00,
  0x01,
  0x12,
  0x34, /* highest sequence number */
  0x00,
  0x00,
  0x00,
  0x5a, /* jitter */
  0x00,
  0x01,
  0x80,
  0x00, /* LSR */
  0x00,
  0x00,
  0x80,
  0x00, /* DLSR, half a second */
  0x81,
  0xca,
  0x00,
  0x03,
  0xa1,
  0xb2,
  0xc3,
  0xd4,
  0x01,
  0x04,
  0x72,
  0x65,
  0x63,
  0x76,
  0x00,
  0x00,
};

static const guint8 bye[] = {
  0x80,
  0xc9,
  0x00,
  0x01,
  0xa1,
  0xb2,
  0xc3,
  0xd4,
  0x81,
  0xca,
  0x00,
  0x03,
  0xa1,
  0xb2,
  0xc3,
  0xd4,
  0x01,
  0x04,
  0x72,
  0x65,
  0x63,
  0x76,
  0x00,
  0x00,
  0x81,
  0xcb,
  0x00,
  0x01,
  0xa1,
  0xb2,
  0xc3,
  0xd4,
};

static const guint8 path_challenge[] = {
  0x82, 0xcc, 0x00, 0x06,                         /* subtype 2, PT 204, 7 words */
  0x11, 0x22, 0x33, 0x44,                         /* SSRC of the sender */
  0x54, 0x46, 0x52, 0x43,                         /* "TFRC" */
  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* to be repeated */
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* padding */
};

static const guint8 path_response[] = {
  0x83, 0xcc, 0x00, 0x04,                         /* subtype 3, PT 204, 5 words */
  0xa1, 0xb2, 0xc3, 0xd4,                         /* SSRC of the receiver */
  0x54, 0x46, 0x52, 0x43,                         /* "TFRC" */
  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* of the challenge */
};

static const struct
{
  const guint8 *bytes;
  gsize size;
  TfrcWireKind kind;
} valid_packets[] = {
  { data_packet, sizeof data_packet, TFRC_WIRE_KIND_DATA },
  { data_packet_with_flags, sizeof data_packet_with_flags, TFRC_WIRE_KIND_DATA },
  { feedback_packet, sizeof feedback_packet, TFRC_WIRE_KIND_RTCP },
  { feedback_with_state, sizeof feedback_with_state, TFRC_WIRE_KIND_RTCP },
  { sender_report, sizeof sender_report, TFRC_WIRE_KIND_RTCP },
  { receiver_report, sizeof receiver_report, TFRC_WIRE_KIND_RTCP },
  { receiver_report_with_block, sizeof receiver_report_with_block, TFRC_WIRE_KIND_RTCP },
  { bye, sizeof bye, TFRC_WIRE_KIND_RTCP },
  { path_challenge, sizeof path_challenge, TFRC_WIRE_KIND_RTCP },
  { path_response, sizeof path_response, TFRC_WIRE_KIND_RTCP },
};

/* Parses from the end of an allocation of exactly this size. So memory checkers see a read past the
 * end. */
static inline TfrcWireResult
parse_data (const guint8 *bytes, gsize size, TfrcWireData *data)
{
  guint8 *packet = g_memdup2 (bytes, size);
  TfrcWireResult result = tfrc_wire_parse_data (packet, size, data);

  g_free (packet);
  return result;
}

static inline TfrcWireResult
parse_rtcp (const guint8 *bytes, gsize size, TfrcWireRtcp *rtcp)
{
  guint8 *packet = g_memdup2 (bytes, size);
  TfrcWireResult result = tfrc_wire_parse_rtcp (packet, size, SENDER, rtcp);

  g_free (packet);
  return result;
}

/* Reads hexadecimal digits, such as "80c9 0001". Blanks are ignored. */
static inline gsize
from_hex (const gchar *hex, guint8 *bytes, gsize max_bytes)
{
  gsize digits = 0;

  memset (bytes, 0, max_bytes);
  for (; *hex != '\0'; hex++) {
    if (*hex == ' ')
      continue;
    fail_unless (g_ascii_isxdigit (*hex) && digits / 2 < max_bytes);
    bytes[digits / 2] |= g_ascii_xdigit_value (*hex) << (digits % 2 ? 0 : 4);
    digits++;
  }
  fail_unless_equals_int (digits % 2, 0);
  return digits / 2;
}

static inline TfrcWireResult
parse_hex_data (const gchar *hex, TfrcWireData *data)
{
  guint8 bytes[128];
  gsize size = from_hex (hex, bytes, sizeof bytes);

  return parse_data (bytes, size, data);
}

static inline TfrcWireResult
parse_hex_rtcp (const gchar *hex, TfrcWireRtcp *rtcp)
{
  guint8 bytes[128];
  gsize size = from_hex (hex, bytes, sizeof bytes);

  return parse_rtcp (bytes, size, rtcp);
}

static inline void
assert_bytes (
    const guint8 *written, gsize written_size, const guint8 *expected, gsize expected_size)
{
  fail_unless_equals_int (written_size, expected_size);
  for (gsize i = 0; i < expected_size; i++) {
    if (written[i] != expected[i])
      fail ("byte %u is 0x%02x, not 0x%02x", (guint) i, written[i], expected[i]);
  }
}

#endif
