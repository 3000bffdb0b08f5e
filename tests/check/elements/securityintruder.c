/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host that sees all packets of a stream, and adds packets from its own address.  The stream is
 * protected, and its sender would follow its receiver to another address. */
#include "securitytest.h"

#include "testwire.h"

#include <string.h>

#define MAX_PACKET 2048

/* A push of the movie, and how many follow while an intruder is at work */
#define ROUND_BYTES (2 * PAYLOAD_BYTES)
#define ROUNDS 40

static TestReceiver *receiver;
static TestSender *sender;
static TestWire *wire;
static GBytes *movie;
static gsize pushed;

static void
start (void)
{
  receiver = test_receiver_new (PSK);
  wire = test_wire_new (receiver->port, 0);
  sender = test_sender_new (wire->port, PSK);
  movie = test_movie (ROUND_BYTES / TS_BYTES, 1);
  pushed = 0;
}

static void
finish (void)
{
  test_wire_set_tap (wire, NULL, NULL, NULL);
  test_sender_free (sender);
  test_receiver_free (receiver);
  test_wire_free (wire);
  g_bytes_unref (movie);
}

static void
push_round (void)
{
  test_sender_push_bytes (sender, movie, 0);
  pushed += ROUND_BYTES;
}

/* Plays the movie again and again: each round has to arrive before the next is pushed. */
static void
play (guint rounds)
{
  for (guint i = 0; i < rounds; i++) {
    push_round ();
    test_receiver_wait_bytes (receiver, pushed);
  }
}

static void
begin (void)
{
  start ();
  play (2);
  test_wait_security (sender->log, 1, "established");
  test_log_wait_stat (sender->log, "sink", "feedback-received", 1);
}

static gboolean
is_at_home (void)
{
  gchar *home = g_strdup_printf ("127.0.0.1:%d", wire->port);
  gchar *is = test_stat_string (sender->sink, "peer-address");
  gboolean same = g_str_equal (is, home);

  g_free (home);
  g_free (is);
  return same;
}

static void
check_undisturbed (void)
{
  fail_unless (is_at_home ());
  fail_unless_equals_uint64 (test_stat (sender->sink, "migrations"), 0);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, NULL, NULL), 0);
  fail_unless_equals_int (
      test_log_count (receiver->log, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, NULL, NULL), 0);
}

static guint64
count_refused (void)
{
  return test_refused (sender->sink) + test_refused (receiver->src)
      + test_stat (sender->sink, "foreign-packets")
      + test_stat (sender->sink, "key-messages-refused");
}

/* ---- what the intruder does with each packet ------------------------------ */

typedef struct
{
  guint8 data[MAX_PACKET];
  gsize size;
} Kept;

static Kept kept[2]; /* the packet before, of each direction */

static gboolean
copy_first (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  test_wire_send_as_third (w, to_receiver, data, size);
  return TRUE;
}

static gboolean
copy_after (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  test_wire_pass (w, to_receiver, data, size);
  test_wire_send_as_third (w, to_receiver, data, size);
  return FALSE;
}

static gboolean
replay (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  Kept *before = &kept[to_receiver];

  if (before->size > 0)
    test_wire_send_as_third (w, to_receiver, before->data, before->size);
  memcpy (before->data, data, size);
  before->size = size;
  return TRUE;
}

static gboolean
reflect (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  test_wire_send_as_third (w, !to_receiver, data, size);
  return TRUE;
}

static gboolean
forge (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  guint8 forged[MAX_PACKET];

  memcpy (forged, data, size);
  forged[size / 2] ^= 1;
  test_wire_send_as_third (w, to_receiver, forged, size);
  test_wire_pass (w, to_receiver, forged, size);
  return TRUE;
}

/* Every third packet of the receiver comes from the intruder alone, one packet later. */
static gboolean
delay_feedback (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  static guint n;

  if (to_receiver)
    return TRUE;
  replay (w, to_receiver, data, size, user);
  return ++n % 3 != 0;
}

static gboolean
forge_plaintext (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  guint8 bye[TFRC_WIRE_MAX_RTCP_BYTES];
  guint32 ssrc = GST_READ_UINT32_BE (
      data + (tfrc_wire_classify (data, size) == TFRC_WIRE_KIND_DATA ? 8 : 4));
  gsize bye_size = tfrc_wire_write_bye (bye, ssrc, "forged");

  test_wire_pass (w, to_receiver, bye, bye_size);
  test_wire_send_as_third (w, to_receiver, bye, bye_size);
  return TRUE;
}

static const TestWireTap attacks[] = { copy_after, replay, reflect, forge, forge_plaintext,
  delay_feedback };

GST_START_TEST (test_stream_stays_with_its_receiver)
{
  begin ();
  test_wire_set_tap (wire, attacks[__i__], NULL, NULL);
  play (ROUNDS);
  /* The receiver's own packets, though late, may all be read. */
  while (attacks[__i__] != delay_feedback && count_refused () == 0)
    play (1);
  test_wire_set_tap (wire, NULL, NULL, NULL);
  play (ROUNDS);
  check_undisturbed ();
  finish ();
}

GST_END_TEST;

/* The copies are read, and the originals count all the same. */
GST_START_TEST (test_stream_stays_although_the_intruder_is_always_first)
{
  begin ();
  test_wire_set_tap (wire, copy_first, NULL, NULL);
  play (ROUNDS);
  test_wire_set_tap (wire, NULL, NULL, NULL);
  play (ROUNDS);
  check_undisturbed ();
  finish ();
}

GST_END_TEST;

/* ---- the intruder that becomes the path (RFC 9000 section 9.3.3) ---------- */

/* What the receiver sends comes to the sender from the intruder's address alone ... */
static gboolean
divert (TestWire *w, gboolean to_receiver, const guint8 *data, gsize size, gpointer user)
{
  if (!to_receiver)
    test_wire_send_as_third (w, FALSE, data, size);
  return to_receiver;
}

/* ... and what the sender sends to the intruder comes to the receiver. */
static void
forward (TestWire *w, const GstTfrcAddress *from, const guint8 *data, gsize size, gpointer user)
{
  if (gst_tfrc_address_equal (from, &w->sender))
    test_wire_pass (w, TRUE, data, size);
}

/* The movie goes on until the sender sends to the other address. */
static void
play_until (gboolean home)
{
  while (is_at_home () != home)
    play (1);
}

/* The intruder forwards the challenge and its response, too. So the sender moves to the intruder's
 * address, and the movie goes on over that address. When the receiver's own packets come to the
 * sender again, the sender goes back, also if copies of the packets come later. */
GST_START_TEST (test_stream_returns_from_an_intruder_that_was_the_path)
{
  const TestWireTap after[] = { NULL, copy_after };

  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (after); i++) {
    test_wire_set_tap (wire, divert, forward, NULL);
    play_until (FALSE);
    test_wire_set_tap (wire, after[i], forward, NULL);
    play_until (TRUE);
  }
  fail_unless_equals_uint64 (test_stat (sender->sink, "migrations"), 4);
  fail_unless_equals_uint64 (test_stat (receiver->src, "packets-lost"), 0);
  fail_unless_equals_int (
      test_log_count (sender->log, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, NULL, NULL), 0);
  finish ();
}

GST_END_TEST;

static Suite *
securityintruder_suite (void)
{
  Suite *suite = suite_create ("securityintruder");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_stream_stays_with_its_receiver, 0, (gint) G_N_ELEMENTS (attacks));
  tcase_add_test (tcase, test_stream_stays_although_the_intruder_is_always_first);
  tcase_add_test (tcase, test_stream_returns_from_an_intruder_that_was_the_path);
  return suite;
}

GST_CHECK_MAIN (securityintruder);
