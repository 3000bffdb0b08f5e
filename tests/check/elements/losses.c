/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsrc tells downstream of lost packets. */
#include "srcfixture.h"

typedef struct
{
  GstStructure *events[2 * N_PAYLOADS];
  guint n;
} Lost;

static GstPadProbeReturn
note_event (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  const GstStructure *structure = gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));
  Lost *lost = user;

  if (structure && gst_structure_has_name (structure, "GstRTPPacketLost")) {
    fail_unless (lost->n < G_N_ELEMENTS (lost->events));
    lost->events[lost->n++] = gst_structure_copy (structure);
  }
  return GST_PAD_PROBE_OK;
}

/* The events are noted before the next buffer comes. */
static void
watch (Fixture *f, Lost *lost)
{
  GstPad *pad = gst_element_get_static_pad (f->receiver->src, "src");

  lost->n = 0;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_event, lost, NULL);
  gst_object_unref (pad);
}

static void
clear (Lost *lost)
{
  while (lost->n > 0)
    gst_structure_free (lost->events[--lost->n]);
}

static guint
seq_of (const GstStructure *event)
{
  guint seq = G_MAXUINT;

  fail_unless (gst_structure_get_uint (event, "seqnum", &seq));
  return seq;
}

static guint64
field_of (const GstStructure *event, const gchar *field)
{
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (event, field, &value));
  return value;
}

static GstClockTime
time_of (Fixture *f, guint i)
{
  GstClockTime pts;

  g_mutex_lock (&f->receiver->lock);
  pts = g_array_index (f->receiver->buffers, TestBuffer, i).pts;
  g_mutex_unlock (&f->receiver->lock);
  return pts;
}

/* Whole packets: header and payload */
static void
wait_packets (Fixture *f, guint n)
{
  test_receiver_wait_bytes (f->receiver, n * (TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES));
}

/* Packets 2 and 3 of 65530 + i are lost. */
GST_START_TEST (test_rtp_output_tells_of_each_lost_packet)
{
  Fixture f = fixture_new ("latency=1 ! application/x-rtp");
  Lost lost;
  GstClockTime before, step;

  watch (&f, &lost);
  send_payload (&f, 0);
  send_payload (&f, 1);
  wait_packets (&f, 2);
  f.peer->timestamp += 100 * 90000; /* A packet of another time is due when it comes. */
  send_payload (&f, 4);
  send_payload (&f, 5);
  wait_packets (&f, 4);
  before = time_of (&f, 1);
  step = (time_of (&f, 2) - before) / 3;
  fail_unless_equals_int (lost.n, 2);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (seq_of (lost.events[i]), 65532 + i);
    fail_unless_equals_uint64 (field_of (lost.events[i], "timestamp"), before + (i + 1) * step);
    fail_unless_equals_uint64 (field_of (lost.events[i], "duration"), step);
  }
  for (guint i = 1; i < 4; i++)
    fail_unless_equals_int (has_discont (&f, i), i == 2);
  clear (&lost);
  fixture_free (&f);
}

GST_END_TEST;

GST_START_TEST (test_numbers_of_lost_packets_wrap)
{
  Fixture f = fixture_new ("latency=1 ! application/x-rtp");
  Lost lost;

  watch (&f, &lost);
  send_payload (&f, 4);
  send_payload (&f, 8);
  wait_packets (&f, 2);
  fail_unless_equals_int (lost.n, 3);
  fail_unless_equals_int (seq_of (lost.events[0]), 65535);
  fail_unless_equals_int (seq_of (lost.events[1]), 0);
  fail_unless_equals_int (seq_of (lost.events[2]), 1);
  clear (&lost);
  fixture_free (&f);
}

GST_END_TEST;

/* A demuxer does not know the event. */
GST_START_TEST (test_transport_stream_output_tells_of_losses_by_discont_alone)
{
  Fixture f = fixture_new ("latency=1");
  const gint out[] = { 0, 3, 4, -1 };
  Lost lost;

  watch (&f, &lost);
  send_payload (&f, 0);
  send_payload (&f, 3);
  send_payload (&f, 4);
  fail_unless_out (&f, out);
  fail_unless_equals_int (lost.n, 0);
  for (guint i = 1; i < 3; i++)
    fail_unless_equals_int (has_discont (&f, i), i == 1);
  fixture_free (&f);
}

GST_END_TEST;

/* Both outputs are in order. */
GST_START_TEST (test_rtp_output_is_in_order)
{
  Fixture f = fixture_new (NEVER_IN_A_TEST "! application/x-rtp");
  const guint order[] = { 0, 2, 1, 3 };
  gsize packet_bytes = TFRC_WIRE_HEADER_BYTES + PAYLOAD_BYTES;
  Lost lost;

  watch (&f, &lost);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    send_payload (&f, order[i]);
  wait_packets (&f, 4);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (
        GST_READ_UINT16_BE (f.receiver->bytes->data + i * packet_bytes + 2), 65530 + i);
  fail_unless_equals_int (lost.n, 0);
  fixture_free (&f);
}

GST_END_TEST;

static Suite *
losses_suite (void)
{
  Suite *suite = suite_create ("losses");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_rtp_output_tells_of_each_lost_packet);
  tcase_add_test (tcase, test_numbers_of_lost_packets_wrap);
  tcase_add_test (tcase, test_transport_stream_output_tells_of_losses_by_discont_alone);
  tcase_add_test (tcase, test_rtp_output_is_in_order);
  return suite;
}

GST_CHECK_MAIN (losses);
