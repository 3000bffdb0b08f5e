/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Protected packets: no number is used for two different packets, whatever fails. See
 * gst_tfrc_send_session_take_back() in gst/flow/sendsession.h. */
#include "sessiontest.h"

#define TAG_BYTES 10
#define MAX_SEALED 64

static SessionTest t;

/* This protection does not encrypt. It marks the payload and remembers the protected numbers and
 * bytes. */
typedef struct
{
  guint16 numbers[MAX_SEALED];
  guint n;
  gboolean refuses;
} FakeProtector;

static FakeProtector fake;

static gsize
protect (gpointer user, guint8 *datagram, gsize size)
{
  FakeProtector *self = user;
  guint16 number = GST_READ_UINT16_BE (datagram + 2);

  if (self->refuses)
    return 0;
  for (guint i = 0; i < self->n; i++)
    fail_unless (self->numbers[i] != number, "number %u is protected twice", number);
  fail_unless (self->n < MAX_SEALED);
  self->numbers[self->n++] = number;
  for (gsize i = TFRC_WIRE_HEADER_BYTES; i < size; i++)
    datagram[i] ^= 0xa5;
  memset (datagram + size, 0x7a, TAG_BYTES);
  return size + TAG_BYTES;
}

static void
setup (void)
{
  session_test_init (&t);
  memset (&fake, 0, sizeof fake);
  session_test_restart_sink (&t,
      &(GstTfrcSendSessionConfig){
          .media.streams[GST_TFRC_RTP_MEDIA].protector = { protect, &fake } });
}

static void
teardown (void)
{
  session_test_clear (&t);
}

/* Returns FALSE if the packet cannot be protected. */
static gboolean
prepare_and_seal (GstTfrcOutgoing *packet)
{
  if (!gst_tfrc_outgoing_is_sealed (packet))
    t.now_ns = MAX (t.now_ns, gst_tfrc_rate_control_next_send_ns (control_of (t.sink)));
  fail_unless_equals_int (
      gst_tfrc_send_session_prepare (t.sink, packet, t.now_ns), GST_TFRC_PREPARED);
  return seal (&t, packet);
}

GST_START_TEST (a_packet_is_protected_in_a_copy)
{
  static const guint8 zeros[SEGMENT];
  GstTfrcOutgoing *packet = new_packet (&t);

  fail_unless (prepare_and_seal (packet));
  fail_unless (gst_tfrc_outgoing_is_sealed (packet));
  fail_unless_equals_int (get_datagram (&t, packet), TFRC_WIRE_HEADER_BYTES + SEGMENT + TAG_BYTES);
  fail_unless_equals_int (t.datagram[TFRC_WIRE_HEADER_BYTES], 0xa5);
  fail_unless_equals_int (t.datagram[TFRC_WIRE_HEADER_BYTES + SEGMENT], 0x7a);
  fail_unless (memcmp (gst_tfrc_packet_get_payload (gst_tfrc_outgoing_get_packet (packet)), zeros,
                   sizeof zeros)
      == 0);
  gst_tfrc_outgoing_free (packet);
}

GST_END_TEST;

GST_START_TEST (a_sealed_packet_that_comes_back_leaves_as_the_same_bytes)
{
  GstTfrcOutgoing *packet = new_packet (&t), *next = new_packet (&t);
  guint8 before[GST_TFRC_DATAGRAM_BYTES];
  gsize size;
  guint64 sent;

  fail_unless (prepare_and_seal (packet));
  size = get_datagram (&t, packet);
  memcpy (before, t.datagram, size);
  sent = sender_stats (&t).packets_sent;
  gst_tfrc_send_session_take_back (t.sink, packet);
  fail_unless (gst_tfrc_outgoing_is_sealed (packet) && gst_tfrc_outgoing_has_rtp_seq (packet));
  fail_unless_equals_uint64 (sender_stats (&t).packets_sent, sent);

  /* the packet may leave at once, as TFRC has allowed it before */
  fail_unless (prepare_and_seal (packet));
  fail_unless_equals_int (fake.n, 1);
  fail_unless_equals_int (get_datagram (&t, packet), size);
  fail_unless (memcmp (before, t.datagram, size) == 0);
  fail_unless_equals_uint64 (sender_stats (&t).packets_sent, sent);

  fail_unless (prepare_and_seal (next));
  fail_unless_equals_int (fake.numbers[1], (guint16) (fake.numbers[0] + 1));
  gst_tfrc_outgoing_free (packet);
  gst_tfrc_outgoing_free (next);
}

GST_END_TEST;

GST_START_TEST (the_numbers_of_a_sealed_packet_that_is_dropped_are_not_used_again)
{
  GstTfrcOutgoing *packet = new_packet (&t), *next = new_packet (&t);
  TfrcWireData header;

  fail_unless (prepare_and_seal (packet));
  gst_tfrc_send_session_take_back (t.sink, packet);
  gst_tfrc_outgoing_free (packet); /* as a flush does */
  fail_unless (prepare_and_seal (next));
  header = get_header (&t, next);
  fail_unless_equals_int (header.seq, (guint16) (fake.numbers[0] + 1));
  /* The transport number skips the same number. */
  fail_if (header.has_transport_seq);
  gst_tfrc_outgoing_free (next);
}

GST_END_TEST;

GST_START_TEST (a_batch_that_fails_in_the_middle_uses_no_number_twice)
{
  GstTfrcOutgoing *packets[8];

  for (guint i = 0; i < 8; i++) {
    packets[i] = new_packet (&t);
    fail_unless (prepare_and_seal (packets[i]));
  }
  for (guint i = 8; i-- > 3;)
    gst_tfrc_send_session_take_back (t.sink, packets[i]);
  for (guint i = 3; i < 8; i++) {
    fail_unless (prepare_and_seal (packets[i]));
    fail_unless_equals_int (gst_tfrc_outgoing_get_rtp_seq (packets[i]), fake.numbers[i]);
  }
  fail_unless_equals_int (fake.n, 8);
  for (guint i = 0; i < 8; i++)
    gst_tfrc_outgoing_free (packets[i]);
}

GST_END_TEST;

/* It is unknown what the protector did with the number before it failed. */
GST_START_TEST (the_numbers_of_a_packet_that_cannot_be_protected_are_not_used_again)
{
  GstTfrcOutgoing *packet = new_packet (&t), *next = new_packet (&t);
  guint16 refused;

  fake.refuses = TRUE;
  fail_if (prepare_and_seal (packet));
  fail_if (gst_tfrc_outgoing_is_sealed (packet));
  refused = gst_tfrc_outgoing_get_rtp_seq (packet);
  gst_tfrc_outgoing_free (packet);
  fake.refuses = FALSE;
  fail_unless (prepare_and_seal (next));
  fail_unless_equals_int (gst_tfrc_outgoing_get_rtp_seq (next), (guint16) (refused + 1));
  gst_tfrc_outgoing_free (next);
}

GST_END_TEST;

static Suite *
sinksealed_suite (void)
{
  Suite *s = suite_create ("sinksealed");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, a_packet_is_protected_in_a_copy);
  tcase_add_test (tc, a_sealed_packet_that_comes_back_leaves_as_the_same_bytes);
  tcase_add_test (tc, the_numbers_of_a_sealed_packet_that_is_dropped_are_not_used_again);
  tcase_add_test (tc, a_batch_that_fails_in_the_middle_uses_no_number_twice);
  tcase_add_test (tc, the_numbers_of_a_packet_that_cannot_be_protected_are_not_used_again);
  return s;
}

GST_CHECK_MAIN (sinksealed);
