/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a deadline changes around the send queue: room for the pipeline (gst/queue/outbox.h), and what the
 * application is told (gst/flow/sendnews.h). */
#include <gst/check/gstcheck.h>

#include "gst/flow/sendnews.h"
#include "gst/queue/outbox.h"

#define MS GST_MSECOND
#define NOW (1000 * GST_SECOND)
#define BYTES GST_TFRC_PACKET_MAX_PAYLOAD_BYTES
#define MAX_PACKETS 16
#define MAX_TIME (100 * MS)

static GstTfrcPacketPool *pool;
static GstTfrcOutbox outbox;

/* A packet leaves each 50 ms: with max-queue-time alone two may wait. */
static void
setup (void)
{
  pool = gst_tfrc_packet_pool_new ();
  fail_unless (gst_tfrc_outbox_init (&outbox, 0));
  gst_tfrc_outbox_set_limits (&outbox, MAX_PACKETS, MAX_TIME, GST_TFRC_LEAKY_NONE);
  gst_tfrc_outbox_set_receiver (&outbox, FALSE, BYTES * 20.0, TRUE);
  gst_tfrc_outbox_set_deadline (&outbox, TRUE, 10 * GST_SECOND);
}

static void
teardown (void)
{
  gst_tfrc_outbox_clear (&outbox);
  gst_tfrc_packet_pool_free (pool);
}

static GstTfrcAdmission
offer (GstTfrcClass class)
{
  const GstTfrcImportance importance = { (guint8) class, 0, 0 };
  GstTfrcAdmission admission = gst_tfrc_outbox_admit (&outbox, NOW, NOW);
  GstTfrcPacket *packet;

  if (admission != GST_TFRC_ADMIT)
    return admission;
  packet = gst_tfrc_packet_pool_take (pool);
  gst_tfrc_packet_set_payload_bytes (packet, BYTES);
  gst_tfrc_packet_set_importance (packet, &importance);
  gst_tfrc_outbox_push (&outbox, packet, GST_TFRC_RTP_MEDIA, NOW, NOW);
  return admission;
}

static GstTfrcOutboxStats
stats (void)
{
  GstTfrcOutboxStats now;

  gst_tfrc_outbox_get_stats (&outbox, NOW, &now);
  return now;
}

static void
assert_room (guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (offer (GST_TFRC_CLASS_UNKNOWN), GST_TFRC_ADMIT);
}

/* ---- room ------------------------------------------------------------------- */

GST_START_TEST (a_wait_that_is_in_time_stops_no_pipeline)
{
  assert_room (MAX_PACKETS);
  fail_unless_equals_int (stats ().queue_packets, MAX_PACKETS);
  fail_unless_equals_uint64 (stats ().deadline.dropped, 0);
}

GST_END_TEST;

GST_START_TEST (a_full_queue_drops_what_matters_least)
{
  assert_room (MAX_PACKETS - 1);
  fail_unless_equals_int (offer (GST_TFRC_CLASS_AUDIO), GST_TFRC_ADMIT);
  fail_unless_equals_int (offer (GST_TFRC_CLASS_AUDIO), GST_TFRC_ADMIT);
  fail_unless_equals_int (stats ().queue_packets, MAX_PACKETS - 1);
  fail_unless_equals_uint64 (stats ().deadline.of_class[GST_TFRC_CLASS_UNKNOWN], 2);
  fail_unless_equals_uint64 (stats ().packets_dropped, 0);
  fail_unless_equals_uint64 (gst_tfrc_outbox_get_dropped (&outbox), 2);
}

GST_END_TEST;

GST_START_TEST (a_queue_full_of_sound_stops_the_pipeline)
{
  for (guint i = 0; i < MAX_PACKETS; i++)
    fail_unless_equals_int (offer (GST_TFRC_CLASS_AUDIO), GST_TFRC_ADMIT);
  fail_unless_equals_int (offer (GST_TFRC_CLASS_AUDIO), GST_TFRC_ADMIT_LATER);
}

GST_END_TEST;

GST_START_TEST (input_without_times_is_paced_by_its_wait)
{
  gst_tfrc_outbox_set_timed (&outbox, FALSE);
  assert_room (1);
  fail_unless_equals_int (offer (GST_TFRC_CLASS_UNKNOWN), GST_TFRC_ADMIT_LATER);
  gst_tfrc_outbox_set_deadline (&outbox, TRUE, 10 * GST_SECOND);
  fail_unless_equals_int (offer (GST_TFRC_CLASS_UNKNOWN), GST_TFRC_ADMIT_LATER);
  gst_tfrc_outbox_set_timed (&outbox, TRUE);
  gst_tfrc_outbox_set_deadline (&outbox, TRUE, 10 * GST_SECOND);
  assert_room (1);
}

GST_END_TEST;

/* ---- news ------------------------------------------------------------------- */

GST_START_TEST (drops_are_told_once_a_second_at_most)
{
  GstTfrcEvents events = { 0 };
  const GstTfrcAddress peer = { 0 };
  GstTfrcSendNews news;
  guint told = 0;

  gst_tfrc_send_news_init (&news, &peer, &events);
  gst_tfrc_send_news_set_limits (&news, 0, 0, 0, NOW);
  for (guint ms = 0; ms <= 2500; ms++) {
    GstTfrcEvent event;

    gst_tfrc_send_news_on_past_deadline (&news, 1 + MIN (ms, 1500));
    gst_tfrc_send_news_on_time (&news, NOW + ms * MS);
    while (gst_tfrc_events_take (&events, &event)) {
      fail_unless_equals_int (event.kind, GST_TFRC_EVENT_PAST_DEADLINE);
      fail_unless_equals_int (ms % 1000, 0);
      told++;
    }
    if (ms == 1500)
      fail_unless_equals_uint64 (gst_tfrc_send_news_next_timer (&news).due_ns, NOW + 2000 * MS);
  }
  fail_unless_equals_int (told, 3); /* at 0, 1 and 2 s; nothing is new after that */
  fail_unless_equals_uint64 (gst_tfrc_send_news_next_timer (&news).due_ns, G_MAXUINT64);
  gst_tfrc_events_clear (&events);
}

GST_END_TEST;

static Suite *
deadlinerules_suite (void)
{
  Suite *suite = suite_create ("deadlinerules");
  TCase *tcase = tcase_create ("general");

  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_wait_that_is_in_time_stops_no_pipeline);
  tcase_add_test (tcase, a_full_queue_drops_what_matters_least);
  tcase_add_test (tcase, a_queue_full_of_sound_stops_the_pipeline);
  tcase_add_test (tcase, input_without_times_is_paced_by_its_wait);
  tcase_add_test (tcase, drops_are_told_once_a_second_at_most);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (deadlinerules);
