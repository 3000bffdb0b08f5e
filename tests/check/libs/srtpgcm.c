/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP with AES-GCM of OpenSSL beside that of libsrtp, which says what is right: both are given the
 * same packets, and write the same bytes and refuse the same packets for the same reason.  See
 * gst/security/srtpgcm.h. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "gst/security/libsrtp.h"
#include "gst/security/srtpgcm.h"

#define SSRC 0x01020304u
#define REPAIR_SSRC 0x01020305u
#define MAX_BYTES 1500
#define TAIL_BYTES 20
#define WINDOW 1024

static const GstTfrcCipher ciphers[] = { GST_TFRC_CIPHER_AES_128_GCM, GST_TFRC_CIPHER_AES_256_GCM };

typedef struct
{
  guint32 words[(MAX_BYTES + TAIL_BYTES) / 4];
  gsize size;
  guint32 roc;
} Packet;

/* One end in one direction, twice */
typedef struct
{
  GstTfrcSrtpGcm *gcm;
  GstTfrcLibsrtp *judge;
} Pair;

static GRand *numbers;
static GstTfrcCipher cipher;
static Pair sealers, openers, report_sealers, report_openers;

static guint8 *
bytes_of (Packet *packet)
{
  return (guint8 *) packet->words;
}

static Pair
new_pair (gboolean seals, gboolean has_data)
{
  const GstTfrcSrtpStreams data = gst_tfrc_srtp_streams (SSRC, TRUE);
  Pair pair = { gst_tfrc_srtp_gcm_new (seals, has_data ? &data : NULL),
    gst_tfrc_libsrtp_new (seals, has_data ? &data : NULL) };

  return pair;
}

static void
free_pair (Pair *pair)
{
  gst_tfrc_srtp_gcm_free (pair->gcm);
  gst_tfrc_libsrtp_free (pair->judge);
}

static void
set_key (const Pair *pair, guint8 generation)
{
  const GstTfrcCipherSizes *sizes = gst_tfrc_cipher_get_sizes (cipher);
  GstTfrcMasterKey key = { { 0 }, { 0 } };
  GError *error = NULL;

  for (gsize i = 0; i < sizes->key_bytes; i++)
    key.key[i] = (guint8) (i + 50 * generation);
  for (gsize i = 0; i < sizes->salt_bytes; i++)
    key.salt[i] = (guint8) (3 * i + generation);
  fail_unless (gst_tfrc_srtp_gcm_set_key (pair->gcm, cipher, &key));
  fail_unless (gst_tfrc_libsrtp_set_key (pair->judge, cipher, &key, &error));
  g_assert_no_error (error);
}

static void
set_keys (guint8 generation)
{
  set_key (&sealers, generation);
  set_key (&openers, generation);
  set_key (&report_sealers, generation);
  set_key (&report_openers, generation);
}

static void
setup (void)
{
  numbers = g_rand_new_with_seed (1);
  sealers = new_pair (TRUE, TRUE);
  openers = new_pair (FALSE, TRUE);
  report_sealers = new_pair (TRUE, FALSE);
  report_openers = new_pair (FALSE, FALSE);
}

static void
teardown (void)
{
  free_pair (&sealers);
  free_pair (&openers);
  free_pair (&report_sealers);
  free_pair (&report_openers);
  g_rand_free (numbers);
}

static void
start (gint i)
{
  cipher = ciphers[i];
  set_keys (1);
}

static void
fill (Packet *packet)
{
  for (gsize i = 0; i < packet->size; i++)
    bytes_of (packet)[i] = (guint8) (i * 7 + packet->size);
}

/* A packet with 0 to 3 CSRCs, with or without an extension, and 0 to 1300 bytes of payload */
static Packet
make_data (guint32 ssrc, guint64 index)
{
  guint csrcs = (guint) g_rand_int_range (numbers, 0, 4);
  guint extension = (guint) g_rand_int_range (numbers, 0, 3); /* words; 0: none */
  gsize header_bytes = 12 + 4 * csrcs + (extension ? 4 + 4 * (extension - 1) : 0);
  Packet packet = { .size = header_bytes, .roc = (guint32) (index >> 16) };

  if (g_rand_int_range (numbers, 0, 10) > 0)
    packet.size += (gsize) g_rand_int_range (numbers, 0, 1301);
  fill (&packet);
  GST_WRITE_UINT32_BE (bytes_of (&packet),
      0x80210000u | csrcs << 24 | (extension ? 0x10000000u : 0) | (guint32) (index & 0xffff));
  GST_WRITE_UINT32_BE (bytes_of (&packet) + 8, ssrc);
  if (extension)
    GST_WRITE_UINT32_BE (bytes_of (&packet) + 12 + 4 * csrcs, 0xbede0000u | (extension - 1));
  return packet;
}

static Packet
make_report (guint32 ssrc)
{
  Packet packet = { .size = 8 + 4 * (gsize) g_rand_int_range (numbers, 0, 300) };

  fill (&packet);
  GST_WRITE_UINT32_BE (bytes_of (&packet), 0x80c80006u);
  GST_WRITE_UINT32_BE (bytes_of (&packet) + 4, ssrc);
  return packet;
}

static void
expect_same (Packet *packet, Packet *judged, gsize size)
{
  fail_unless (memcmp (packet->words, judged->words, size) == 0, "the bytes differ");
}

/* Protects with both.
 * @return FALSE: both refuse */
static gboolean
seal (Packet *packet)
{
  Packet judged = *packet;
  gsize size = packet->size, judged_size;

  judged_size = gst_tfrc_libsrtp_protect_data (
      sealers.judge, judged.roc, bytes_of (&judged), judged.size);
  packet->size = gst_tfrc_srtp_gcm_protect_data (
      sealers.gcm, packet->roc, bytes_of (packet), packet->size);
  fail_unless_equals_int (packet->size, judged_size);
  if (judged_size == 0)
    return FALSE;
  fail_unless_equals_int (judged_size, size + 16);
  expect_same (packet, &judged, judged_size);
  return TRUE;
}

/* Unprotects with both.
 * @param packet stays as it is */
static GstTfrcUnprotectResult
open_both (const Packet *packet)
{
  Packet opened = *packet, judged = *packet;
  GstTfrcUnprotectResult result = gst_tfrc_srtp_gcm_unprotect_data (
      openers.gcm, packet->roc, bytes_of (&opened), &opened.size);
  GstTfrcUnprotectResult judgement = gst_tfrc_libsrtp_unprotect_data (
      openers.judge, packet->roc, bytes_of (&judged), &judged.size);

  fail_unless_equals_int (result, judgement);
  fail_unless_equals_int (opened.size, judged.size);
  if (result == GST_TFRC_UNPROTECTED_OK)
    expect_same (&opened, &judged, opened.size);
  return result;
}

static gboolean
seal_report (const Pair *pair, Packet *packet)
{
  Packet judged = *packet;
  gsize judged_size = gst_tfrc_libsrtp_protect_report (
      pair->judge, bytes_of (&judged), judged.size);

  packet->size = gst_tfrc_srtp_gcm_protect_report (pair->gcm, bytes_of (packet), packet->size);
  fail_unless_equals_int (packet->size, judged_size);
  expect_same (packet, &judged, judged_size);
  return judged_size != 0;
}

static GstTfrcUnprotectResult
open_report (const Pair *pair, const Packet *packet)
{
  Packet opened = *packet, judged = *packet;
  GstTfrcUnprotectResult result = gst_tfrc_srtp_gcm_unprotect_report (
      pair->gcm, bytes_of (&opened), &opened.size);
  GstTfrcUnprotectResult judgement = gst_tfrc_libsrtp_unprotect_report (
      pair->judge, bytes_of (&judged), &judged.size);

  fail_unless_equals_int (result, judgement);
  fail_unless_equals_int (opened.size, judged.size);
  if (result == GST_TFRC_UNPROTECTED_OK)
    expect_same (&opened, &judged, opened.size);
  return result;
}

/* ---- data --------------------------------------------------------------- */

GST_START_TEST (packets_are_those_of_libsrtp_over_wraps_of_the_sequence_number)
{
  start (__i__);
  /* The rollover counter becomes 2. */
  for (guint64 index = 0x1ff00; index < 0x20100; index++) {
    Packet packet = make_data (SSRC, index);

    fail_unless (seal (&packet));
    fail_unless_equals_int (open_both (&packet), GST_TFRC_UNPROTECTED_OK);
    packet = make_data (REPAIR_SSRC, index + 0x12345);
    fail_unless (seal (&packet));
    fail_unless_equals_int (open_both (&packet), GST_TFRC_UNPROTECTED_OK);
  }
}
GST_END_TEST;

GST_START_TEST (packets_are_those_of_libsrtp_up_to_the_last_index)
{
  const guint64 last = (G_GUINT64_CONSTANT (1) << 48) - 1;

  start (__i__);
  for (guint64 index = last - 0x10100; index <= last; index += 0x80) {
    Packet packet = make_data (SSRC, index);

    fail_unless (seal (&packet));
    fail_unless_equals_int (open_both (&packet), GST_TFRC_UNPROTECTED_OK);
  }
}
GST_END_TEST;

/* Returns an index near the furthest, mostly ahead, sometimes so late that the window has passed. */
static guint64
near (guint64 furthest)
{
  gint kind = g_rand_int_range (numbers, 0, 20);

  if (kind < 12)
    return furthest + 1;
  if (kind < 14)
    return furthest + (guint64) g_rand_int_range (numbers, 0, 3 * WINDOW);
  if (kind < 19)
    return furthest - (guint64) g_rand_int_range (numbers, 0, WINDOW + 10);
  return furthest - (guint64) g_rand_int_range (numbers, 0, 32768);
}

/* Unprotects with the rollover counter that a receiver guesses. */
static GstTfrcUnprotectResult
receive (GstTfrcSrtpIndex *received, Packet *packet)
{
  guint16 seq = GST_READ_UINT16_BE (bytes_of (packet) + 2);
  GstTfrcUnprotectResult result;

  packet->roc = (guint32) gst_tfrc_srtp_index_guess_roc (received, 1, seq);
  result = open_both (packet);
  if (result == GST_TFRC_UNPROTECTED_OK)
    gst_tfrc_srtp_index_note (received, packet->roc, seq);
  return result;
}

/* The sender repeats numbers, which must not leave; and the receiver gets copies, late and damaged packets.
 * Refused packets, too, have to leave both alike. */
GST_START_TEST (replays_late_and_damaged_packets_are_judged_as_by_libsrtp)
{
  static Packet past[WINDOW];
  guint64 furthest = 0x17000, guess;
  GstTfrcSrtpIndex sent = { FALSE, 0 }, received = sent;
  guint counts[GST_TFRC_UNPROTECTED_REPLAYED + 1] = { 0 }, n_past = 0, n_repeated = 0;

  start (__i__);
  for (guint i = 0; i < 20000; i++) {
    Packet packet, damaged;

    guess = near (furthest);
    packet = make_data (SSRC, guess);
    packet.roc = (guint32) gst_tfrc_srtp_index_guess_roc (&sent, 1, (guint16) guess);
    if (!seal (&packet)) {
      n_repeated++;
      if (n_past > 0)
        counts[receive (
            &received, &past[g_rand_int_range (numbers, 0, (gint32) MIN (n_past, WINDOW))])]++;
      continue;
    }
    gst_tfrc_srtp_index_note (&sent, packet.roc, (guint16) guess);
    furthest = MAX (furthest, (guint64) packet.roc << 16 | (guint16) guess);
    past[n_past++ % WINDOW] = packet;
    if (i % 5 == 0)
      continue; /* comes late */
    if (i % 3 == 0) {
      damaged = packet;
      bytes_of (&damaged)[g_rand_int_range (numbers, 12, (gint32) packet.size)] ^= 4;
      counts[receive (&received, &damaged)]++;
    }
    counts[receive (&received, &packet)]++;
    if (i % 7 == 0 && n_past > 50)
      counts[receive (
          &received, &past[(n_past - (guint) g_rand_int_range (numbers, 1, 50)) % WINDOW])]++;
  }
  fail_unless (n_repeated > 1000);
  fail_unless (counts[GST_TFRC_UNPROTECTED_OK] > 5000);
  fail_unless (counts[GST_TFRC_UNPROTECTED_FORGED] > 3000);
  fail_unless (counts[GST_TFRC_UNPROTECTED_REPLAYED] > 1000);
}
GST_END_TEST;

/* A copy of which the tag is damaged as well: replays are looked for first. */
GST_START_TEST (a_damaged_copy_counts_as_replayed_and_a_damaged_packet_moves_no_window)
{
  Packet packet, ahead;

  start (__i__);
  packet = make_data (SSRC, 0x10005);
  fail_unless (seal (&packet));
  ahead = make_data (SSRC, 0x10005 + 20000);
  fail_unless (seal (&ahead));
  bytes_of (&ahead)[ahead.size - 1] ^= 1;
  fail_unless_equals_int (open_both (&ahead), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (open_both (&packet), GST_TFRC_UNPROTECTED_OK);
  bytes_of (&packet)[packet.size - 1] ^= 1;
  fail_unless_equals_int (open_both (&packet), GST_TFRC_UNPROTECTED_REPLAYED);
}
GST_END_TEST;

GST_START_TEST (a_packet_of_any_size_and_header_is_judged_as_by_libsrtp)
{
  start (__i__);
  for (guint i = 0; i < 3000; i++) {
    Packet packet = make_data (SSRC, 0x10000 + i), shorter;
    guint32 other = (guint32) g_rand_int (numbers);

    fail_unless (seal (&packet));
    shorter = packet;
    shorter.size = (gsize) g_rand_int_range (numbers, 12 + 16, (gint32) packet.size + 1);
    if (i % 2)
      bytes_of (&shorter)[0] = (guint8) other; /* says more or fewer CSRCs */
    if (shorter.size != packet.size || i % 2)
      open_both (&shorter);
    GST_WRITE_UINT32_BE (bytes_of (&shorter) + 8, other);
    fail_unless_equals_int (open_both (&shorter), GST_TFRC_UNPROTECTED_FORGED);
    open_both (&packet);
  }
}
GST_END_TEST;

GST_START_TEST (other_keys_give_other_packets_and_no_number_leaves_twice)
{
  Packet before, after, packet;

  start (__i__);
  before = packet = make_data (SSRC, 0x10000);
  fail_unless (seal (&before));
  after = packet;
  fail_if (seal (&after));

  set_keys (2);
  after = packet;
  fail_unless (seal (&after));
  fail_if (memcmp (bytes_of (&before) + before.size - 16, bytes_of (&after) + before.size - 16, 16)
      == 0);
  fail_unless_equals_int (open_both (&before), GST_TFRC_UNPROTECTED_FORGED);
  fail_unless_equals_int (open_both (&after), GST_TFRC_UNPROTECTED_OK);

  /* The counter goes on; what is far behind does not leave under the new keys either. */
  packet = make_data (SSRC, 0x10000 + 2 * WINDOW);
  fail_unless (seal (&packet));
  set_keys (3);
  packet = make_data (SSRC, 0x10000);
  fail_if (seal (&packet));
  packet = make_data (SSRC, 0x10000 + 2 * WINDOW);
  fail_unless (seal (&packet));
}
GST_END_TEST;

GST_START_TEST (data_of_other_ssrcs_do_not_leave)
{
  Packet packet;

  start (__i__);
  packet = make_data (SSRC + 4, 0x10000);
  fail_if (seal (&packet));
}
GST_END_TEST;

/* ---- reports ------------------------------------------------------------ */

GST_START_TEST (reports_are_those_of_libsrtp_in_both_directions)
{
  start (__i__);
  for (guint i = 0; i < 300; i++) {
    Packet packet = make_report (SSRC);

    fail_unless (seal_report (&sealers, &packet));
    fail_unless_equals_int (open_report (&openers, &packet), GST_TFRC_UNPROTECTED_OK);
    fail_unless_equals_int (open_report (&openers, &packet), GST_TFRC_UNPROTECTED_REPLAYED);
    packet = make_report (0x77777777);
    fail_unless (seal_report (&report_sealers, &packet));
    fail_unless_equals_int (open_report (&report_openers, &packet), GST_TFRC_UNPROTECTED_OK);
    fail_unless_equals_int (open_report (&openers, &packet), GST_TFRC_UNPROTECTED_FORGED);
    if (i == 150)
      set_keys (2); /* the index goes on */
  }
}
GST_END_TEST;

GST_START_TEST (late_copied_and_damaged_reports_are_judged_as_by_libsrtp)
{
  static Packet past[1000];
  guint counts[GST_TFRC_UNPROTECTED_REPLAYED + 1] = { 0 };

  start (__i__);
  for (guint i = 0; i < G_N_ELEMENTS (past); i++) {
    past[i] = make_report (SSRC);
    fail_unless (seal_report (&report_sealers, &past[i]));
  }
  for (guint i = 0; i < 5000; i++) {
    guint furthest = 1 + i / 6;
    guint at = furthest - (guint) g_rand_int_range (numbers, 0, (gint32) MIN (furthest, 150) + 1);
    Packet packet = past[at];

    if (i % 4 == 0)
      bytes_of (&packet)[g_rand_int_range (numbers, 0, (gint32) packet.size)] ^= 0x10;
    counts[open_report (&report_openers, &packet)]++;
  }
  fail_unless (counts[GST_TFRC_UNPROTECTED_OK] > 500);
  fail_unless (counts[GST_TFRC_UNPROTECTED_FORGED] > 100);
  fail_unless (counts[GST_TFRC_UNPROTECTED_REPLAYED] > 500);
}
GST_END_TEST;

GST_START_TEST (reports_of_every_smaller_size_are_forged)
{
  Packet packet;

  start (__i__);
  packet = make_report (SSRC);
  fail_unless (seal_report (&sealers, &packet));
  while (packet.size-- > 8 + 16 + 4)
    fail_unless_equals_int (open_report (&openers, &packet), GST_TFRC_UNPROTECTED_FORGED);
  for (; packet.size >= 8; packet.size--)
    fail_unless_equals_int (
        gst_tfrc_srtp_gcm_unprotect_report (openers.gcm, bytes_of (&packet), &packet.size),
        GST_TFRC_UNPROTECTED_FORGED);
}
GST_END_TEST;

static Suite *
srtpgcm_suite (void)
{
  Suite *suite = suite_create ("srtpgcm");
  TCase *tcase = tcase_create ("each cipher");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
#define EACH_CIPHER(test) tcase_add_loop_test (tcase, test, 0, G_N_ELEMENTS (ciphers))
  EACH_CIPHER (packets_are_those_of_libsrtp_over_wraps_of_the_sequence_number);
  EACH_CIPHER (packets_are_those_of_libsrtp_up_to_the_last_index);
  EACH_CIPHER (replays_late_and_damaged_packets_are_judged_as_by_libsrtp);
  EACH_CIPHER (a_damaged_copy_counts_as_replayed_and_a_damaged_packet_moves_no_window);
  EACH_CIPHER (a_packet_of_any_size_and_header_is_judged_as_by_libsrtp);
  EACH_CIPHER (other_keys_give_other_packets_and_no_number_leaves_twice);
  EACH_CIPHER (data_of_other_ssrcs_do_not_leave);
  EACH_CIPHER (reports_are_those_of_libsrtp_in_both_directions);
  EACH_CIPHER (late_copied_and_damaged_reports_are_judged_as_by_libsrtp);
  EACH_CIPHER (reports_of_every_smaller_size_are_forged);
  return suite;
}

GST_CHECK_MAIN (srtpgcm);
