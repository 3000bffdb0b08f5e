/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time to protect and to unprotect a packet of 1340 bytes, with each cipher.  The result is the
 * median of many rounds, so that other work on the machine hardly matters.  Not a gate, because the
 * library of cryptography below libsrtp decides. */
#include <string.h>

#include "cost.h"
#include "gst/security/srtp.h"
#include "gst/queue/packet.h"

#define PACKET_BYTES 1340
#define BATCH 64
#define SSRC 1

typedef struct
{
  guint32 words[(PACKET_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  gsize size;
} Packet;

static GstTfrcSrtp *
new_end (GstTfrcSrtpEnd end, GstTfrcCipher cipher)
{
  GstTfrcSrtp *self = gst_tfrc_srtp_new (end);
  GstTfrcStreamKeys keys = {
    .cipher = cipher, .sender = { { 1 }, { 2 } }, .receiver = { { 3 }, { 4 } }
  };

  REQUIRE (gst_tfrc_srtp_install (self, &keys, SSRC, 0, 0, NULL));
  return self;
}

static double
cost_of_protect (GstTfrcSrtp *sender, Packet packets[BATCH])
{
  double begin = now_ns ();

  for (int i = 0; i < BATCH; i++) {
    packets[i].size = gst_tfrc_srtp_protect (
        sender, FALSE, (guint8 *) packets[i].words, PACKET_BYTES);
    REQUIRE (packets[i].size > PACKET_BYTES);
  }
  return (now_ns () - begin) / BATCH;
}

static double
cost_of_unprotect (GstTfrcSrtp *receiver, Packet packets[BATCH])
{
  double begin = now_ns ();

  for (int i = 0; i < BATCH; i++)
    REQUIRE (
        gst_tfrc_srtp_unprotect (receiver, FALSE, (guint8 *) packets[i].words, &packets[i].size, 0)
        == GST_TFRC_UNPROTECTED_OK);
  return (now_ns () - begin) / BATCH;
}

static void
measure (GstTfrcCipher cipher, const char *name)
{
  static double protect_ns[ROUNDS], unprotect_ns[ROUNDS];
  static Packet packets[BATCH];
  GstTfrcSrtp *sender = new_end (GST_TFRC_SRTP_SENDER, cipher);
  GstTfrcSrtp *receiver = new_end (GST_TFRC_SRTP_RECEIVER, cipher);
  guint16 seq = 0;

  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < BATCH; i++) {
      packets[i].words[0] = GUINT32_TO_BE (0x80210000u | seq++);
      packets[i].words[1] = 0;
      packets[i].words[2] = GUINT32_TO_BE (SSRC);
    }
    protect_ns[round] = cost_of_protect (sender, packets);
    unprotect_ns[round] = cost_of_unprotect (receiver, packets);
  }
  printf ("%-12s protect %6.0f ns, unprotect %6.0f ns\n", name, median (protect_ns, ROUNDS),
      median (unprotect_ns, ROUNDS));
  gst_tfrc_srtp_free (sender);
  gst_tfrc_srtp_free (receiver);
}

int
main (void)
{
  measure (GST_TFRC_CIPHER_AES_128_GCM, "aes-128-gcm");
  measure (GST_TFRC_CIPHER_AES_256_GCM, "aes-256-gcm");
  measure (GST_TFRC_CIPHER_AES_128_ICM, "aes-128-icm");
  measure (GST_TFRC_CIPHER_AES_256_ICM, "aes-256-icm");
  return 0;
}
