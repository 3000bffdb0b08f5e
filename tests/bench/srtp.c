/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU time to protect and to unprotect a packet of 1340 bytes: with each cipher and one stream; and
 * with AES-GCM of OpenSSL beside that of libsrtp, with many streams in turns, as a server has them.
 * Keys that are not in the caches, and what a library looks up for each key, cost more than
 * the packet.
 *
 * Each result is the median of many rounds, so that other work on the machine hardly matters, and the
 * two libraries take turns in the rounds.  Not a gate, because the libraries decide. */
#include <string.h>

#include "cost.h"
#include "gst/queue/packet.h"
#include "gst/security/libsrtp.h"
#include "gst/security/srtp.h"
#include "gst/security/srtpgcm.h"

#define PACKET_BYTES 1340
#define BATCH 64
#define SSRC 1
#define MAX_STREAMS 1000

typedef struct
{
  guint32 words[(PACKET_BYTES + GST_TFRC_PACKET_TAIL_BYTES) / 4];
  gsize size;
} Packet;

static void
write_header (Packet *packet, guint16 seq)
{
  packet->words[0] = GUINT32_TO_BE (0x80210000u | seq);
  packet->words[1] = 0;
  packet->words[2] = GUINT32_TO_BE (SSRC);
  packet->size = PACKET_BYTES;
}

/* ---- each cipher, one stream --------------------------------------------- */

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
    for (int i = 0; i < BATCH; i++)
      write_header (&packets[i], seq++);
    protect_ns[round] = cost_of_protect (sender, packets);
    unprotect_ns[round] = cost_of_unprotect (receiver, packets);
  }
  printf ("%-12s protect %6.0f ns, unprotect %6.0f ns\n", name, median (protect_ns, ROUNDS),
      median (unprotect_ns, ROUNDS));
  gst_tfrc_srtp_free (sender);
  gst_tfrc_srtp_free (receiver);
}

/* ---- AES-GCM of both libraries, many streams ------------------------------ */

#define TURNS 41 /* rounds: with 1000 streams of libsrtp one takes 40 ms */

static GstTfrcSrtpGcm *sealers[MAX_STREAMS], *openers[MAX_STREAMS];
static GstTfrcLibsrtp *protectors[MAX_STREAMS], *unprotectors[MAX_STREAMS];
static Packet packets[MAX_STREAMS];

static void
make_streams (GstTfrcCipher cipher, int n)
{
  const GstTfrcSrtpStreams data = gst_tfrc_srtp_streams (SSRC, TRUE);

  for (int i = 0; i < n; i++) {
    GstTfrcMasterKey key = { { (guint8) i, (guint8) (i >> 8) }, { 2 } };

    sealers[i] = gst_tfrc_srtp_gcm_new (TRUE, &data);
    openers[i] = gst_tfrc_srtp_gcm_new (FALSE, &data);
    protectors[i] = gst_tfrc_libsrtp_new (TRUE, &data);
    unprotectors[i] = gst_tfrc_libsrtp_new (FALSE, &data);
    REQUIRE (gst_tfrc_srtp_gcm_set_key (sealers[i], cipher, &key));
    REQUIRE (gst_tfrc_srtp_gcm_set_key (openers[i], cipher, &key));
    REQUIRE (gst_tfrc_libsrtp_set_key (protectors[i], cipher, &key, NULL));
    REQUIRE (gst_tfrc_libsrtp_set_key (unprotectors[i], cipher, &key, NULL));
  }
}

static void
free_streams (int n)
{
  for (int i = 0; i < n; i++) {
    gst_tfrc_srtp_gcm_free (sealers[i]);
    gst_tfrc_srtp_gcm_free (openers[i]);
    gst_tfrc_libsrtp_free (protectors[i]);
    gst_tfrc_libsrtp_free (unprotectors[i]);
  }
}

static double
turn_of_openssl (int n, double *unprotect_ns)
{
  double begin = now_ns (), middle;

  for (int i = 0; i < n; i++)
    packets[i].size = gst_tfrc_srtp_gcm_protect_data (
        sealers[i], 0, (guint8 *) packets[i].words, PACKET_BYTES);
  middle = now_ns ();
  for (int i = 0; i < n; i++)
    REQUIRE (gst_tfrc_srtp_gcm_unprotect_data (
                 openers[i], 0, (guint8 *) packets[i].words, &packets[i].size)
        == GST_TFRC_UNPROTECTED_OK);
  *unprotect_ns = (now_ns () - middle) / n;
  return (middle - begin) / n;
}

static double
turn_of_libsrtp (int n, double *unprotect_ns)
{
  double begin = now_ns (), middle;

  for (int i = 0; i < n; i++)
    packets[i].size = gst_tfrc_libsrtp_protect_data (
        protectors[i], 0, (guint8 *) packets[i].words, PACKET_BYTES);
  middle = now_ns ();
  for (int i = 0; i < n; i++)
    REQUIRE (gst_tfrc_libsrtp_unprotect_data (
                 unprotectors[i], 0, (guint8 *) packets[i].words, &packets[i].size)
        == GST_TFRC_UNPROTECTED_OK);
  *unprotect_ns = (now_ns () - middle) / n;
  return (middle - begin) / n;
}

static void
compare_libraries (GstTfrcCipher cipher, const char *name, int n)
{
  static double ours[2][TURNS], theirs[2][TURNS];
  double results[4];

  make_streams (cipher, n);
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < n; i++)
      write_header (&packets[i], (guint16) turn);
    ours[0][turn] = turn_of_openssl (n, &ours[1][turn]);
    for (int i = 0; i < n; i++)
      write_header (&packets[i], (guint16) turn);
    theirs[0][turn] = turn_of_libsrtp (n, &theirs[1][turn]);
  }
  free_streams (n);
  for (int i = 0; i < 2; i++) {
    results[i] = median (ours[i], TURNS);
    results[2 + i] = median (theirs[i], TURNS);
  }
  printf (
      "%-12s %4d streams: OpenSSL protect %5.0f ns, unprotect %5.0f ns; libsrtp %6.0f and %6.0f "
      "ns: %4.1f and %4.1f times\n",
      name, n, results[0], results[1], results[2], results[3], results[2] / results[0],
      results[3] / results[1]);
}

int
main (void)
{
  static const int streams[] = { 1, 100, MAX_STREAMS };

  measure (GST_TFRC_CIPHER_AES_128_GCM, "aes-128-gcm");
  measure (GST_TFRC_CIPHER_AES_256_GCM, "aes-256-gcm");
  measure (GST_TFRC_CIPHER_AES_128_ICM, "aes-128-icm");
  measure (GST_TFRC_CIPHER_AES_256_ICM, "aes-256-icm");
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    compare_libraries (GST_TFRC_CIPHER_AES_128_GCM, "aes-128-gcm", streams[i]);
    compare_libraries (GST_TFRC_CIPHER_AES_256_GCM, "aes-256-gcm", streams[i]);
  }
  return 0;
}
