/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of SRTP share: keys, packets, and the two ends of a stream. */
#ifndef GST_TFRC_SRTP_TEST_H
#define GST_TFRC_SRTP_TEST_H

#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/security/srtp.h"
#include "gst/queue/packet.h"

#define SSRC 0x01020304
#define OTHER_SSRC 0x0a0b0c0d
#define PAYLOAD_BYTES 1316
#define HEADER_BYTES 24 /* with an extension of 8 bytes */
#define DATA_BYTES (HEADER_BYTES + PAYLOAD_BYTES)
#define REPORT_BYTES 28 /* a sender report */
#define N_CIPHERS 4
#define NOW (5 * GST_SECOND)

static GstTfrcSrtp *sender, *receiver;

typedef struct
{
  guint32 words[(DATA_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  gsize size;
} Packet;

static inline guint8 *
bytes_of (Packet *packet)
{
  return (guint8 *) packet->words;
}

/* Keys of a generation: all bytes differ between generations, directions, and key and salt. */
static inline GstTfrcStreamKeys
make_keys (GstTfrcCipher cipher, guint8 generation)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
  GstTfrcStreamKeys keys = { .cipher = cipher };

  for (gsize i = 0; i < sizes->key_bytes; i++) {
    keys.sender.key[i] = (guint8) (i + generation * 50);
    keys.receiver.key[i] = (guint8) (i + generation * 50 + 100);
  }
  for (gsize i = 0; i < sizes->salt_bytes; i++) {
    keys.sender.salt[i] = (guint8) (i * 3 + generation);
    keys.receiver.salt[i] = (guint8) (i * 5 + generation);
  }
  return keys;
}

static inline void
write_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (at, &value, sizeof value);
}

static inline Packet
make_data_of (guint32 ssrc, guint16 seq, gsize payload_bytes)
{
  Packet packet = { .size = HEADER_BYTES + payload_bytes };
  guint8 *bytes = bytes_of (&packet);

  write_u32 (bytes, 0x90210000u | seq); /* version 2, extension, payload type 33 */
  write_u32 (bytes + 4, seq * 3000u);
  write_u32 (bytes + 8, ssrc);
  write_u32 (bytes + 12, 0xbede0002);
  write_u32 (bytes + 16, 0x16111213);
  write_u32 (bytes + 20, 0x14151617);
  for (gsize i = 0; i < payload_bytes; i++)
    bytes[HEADER_BYTES + i] = (guint8) (i ^ seq);
  return packet;
}

static inline Packet
make_data (guint16 seq)
{
  return make_data_of (SSRC, seq, PAYLOAD_BYTES);
}

static inline Packet
make_report (guint32 ssrc, guint8 content)
{
  Packet packet = { .size = REPORT_BYTES };

  memset (packet.words, content, REPORT_BYTES);
  write_u32 (bytes_of (&packet), 0x80c80006);
  write_u32 (bytes_of (&packet) + 4, ssrc);
  return packet;
}

static inline gboolean
is_same (Packet *a, Packet *b)
{
  return a->size == b->size && memcmp (a->words, b->words, a->size) == 0;
}

static inline gsize
protect (GstTfrcSrtp *end, gboolean is_rtcp, Packet *packet)
{
  return packet->size = gst_tfrc_srtp_protect (end, is_rtcp, bytes_of (packet), packet->size);
}

static inline Packet
sealed_data (guint16 seq)
{
  Packet packet = make_data (seq);

  fail_unless (protect (sender, FALSE, &packet) > DATA_BYTES, "packet %u is not protected", seq);
  return packet;
}

static inline Packet
sealed_report (GstTfrcSrtp *from, guint32 ssrc)
{
  Packet packet = make_report (ssrc, 7);

  fail_unless (protect (from, TRUE, &packet) > REPORT_BYTES);
  return packet;
}

/* The packet stays as it is; the result may be compared with @plain. */
static inline GstTfrcUnprotectResult
unprotect_at (GstTfrcSrtp *end, gboolean is_rtcp, const Packet *packet, guint64 now_ns)
{
  Packet copy = *packet;

  return gst_tfrc_srtp_unprotect (end, is_rtcp, bytes_of (&copy), &copy.size, now_ns);
}

static inline GstTfrcUnprotectResult
receive (const Packet *packet)
{
  return unprotect_at (receiver, FALSE, packet, NOW);
}

/* Expects that the receiver takes the packet and that the packet is what was protected. */
static inline void
expect_data (Packet packet, guint16 seq)
{
  Packet plain = make_data (seq);
  GstTfrcUnprotectResult result = gst_tfrc_srtp_unprotect (
      receiver, FALSE, bytes_of (&packet), &packet.size, NOW);

  fail_unless (result == GST_TFRC_UNPROTECTED_OK, "packet %u: result %d", seq, result);
  fail_unless (is_same (&packet, &plain), "packet %u has changed", seq);
}

static inline void
install (GstTfrcSrtp *end, GstTfrcCipher cipher, guint8 generation, guint32 roc)
{
  GstTfrcStreamKeys keys = make_keys (cipher, generation);
  GError *error = NULL;

  fail_unless (gst_tfrc_srtp_install (end, &keys, SSRC, roc, 0, &error));
  g_assert_no_error (error);
}

static inline void
start_with (GstTfrcCipher cipher, guint32 sender_roc, guint32 told_roc)
{
  install (sender, cipher, 1, sender_roc);
  install (receiver, cipher, 1, told_roc);
}

static inline void
start (GstTfrcCipher cipher)
{
  start_with (cipher, 0, 0);
}

static void
setup (void)
{
  sender = gst_tfrc_srtp_new (GST_TFRC_SRTP_SENDER);
  receiver = gst_tfrc_srtp_new (GST_TFRC_SRTP_RECEIVER);
}

static void
teardown (void)
{
  g_clear_pointer (&sender, gst_tfrc_srtp_free);
  g_clear_pointer (&receiver, gst_tfrc_srtp_free);
}

static inline TCase *
add_case (Suite *suite, const char *name)
{
  TCase *tcase = tcase_create (name);

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  return tcase;
}

#endif
