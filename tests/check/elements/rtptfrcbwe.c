/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element rtptfrcbwe: with events as rtpsession sends them, in virtual time, and with rtpbin */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <tfrc/equation.h>
#include <tfrc/wire.h>

#define MS GST_MSECOND
#define PAYLOAD 1200
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

static GstTestClock *clock_;
static GstHarness *h;
static gint notified; /* atomic */
static guint sent;

static void
on_notify (GstElement *element, GParamSpec *spec, gpointer data)
{
  g_atomic_int_inc (&notified);
}

static void
setup (void)
{
  clock_ = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (GST_SECOND));
  gst_system_clock_set_default (GST_CLOCK (clock_));
  notified = 0;
  sent = 0;
  h = gst_harness_new ("rtptfrcbwe");
  g_signal_connect (h->element, "notify::estimated-bitrate", G_CALLBACK (on_notify), NULL);
  gst_harness_set_src_caps_str (h, CAPS);
}

static void
teardown (void)
{
  gst_harness_teardown (h);
  gst_system_clock_set_default (NULL);
  gst_object_unref (clock_);
}

static GstClockTime
now (void)
{
  return gst_clock_get_time (GST_CLOCK (clock_));
}

static guint
estimate (void)
{
  guint value;

  g_object_get (h->element, "estimated-bitrate", &value, NULL);
  return value;
}

static GstBuffer *
new_packet (void)
{
  guint8 *bytes = g_malloc0 (12 + PAYLOAD);

  bytes[0] = 0x80;
  bytes[1] = 96;
  GST_WRITE_UINT16_BE (bytes + 2, sent);
  sent++;
  return gst_buffer_new_wrapped (bytes, 12 + PAYLOAD);
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS
static GValueArray *
new_array (void)
{
  return g_value_array_new (0);
}

/* Takes the structure; NULL: something that is none */
static void
add (GValueArray *array, GstStructure *packet)
{
  GValue value = G_VALUE_INIT;

  if (packet) {
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, packet);
  } else {
    g_value_init (&value, G_TYPE_INT);
  }
  g_value_array_append (array, &value);
  g_value_unset (&value);
}

/* Takes the array. */
static void
push_feedback (GValueArray *array)
{
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");
  GValue value = G_VALUE_INIT;

  g_value_init (&value, g_value_array_get_type ());
  g_value_take_boxed (&value, array);
  gst_structure_take_value (structure, "packets", &value);
  gst_harness_push_upstream_event (h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure));
}
G_GNUC_END_IGNORE_DEPRECATIONS

static GstStructure *
new_entry (guint seq, GstClockTime sent_ns, gboolean lost)
{
  return gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT, seq & 0xffff, "local-ts",
      G_TYPE_UINT64, sent_ns, "remote-ts", G_TYPE_UINT64,
      lost ? GST_CLOCK_TIME_NONE : sent_ns + 20 * MS, "payload-type", G_TYPE_UCHAR, 96, "size",
      G_TYPE_UINT, PAYLOAD, "lost", G_TYPE_BOOLEAN, lost, NULL);
}

/* Packets leave all 4 ms, and feedback about ten of them comes 40 ms after the last. */
static void
run_feedback (guint n, gboolean with_loss)
{
  while (n-- > 0) {
    GValueArray *array = new_array ();
    guint from = sent;

    for (guint i = 0; i < 10; i++) {
      fail_unless_equals_int (gst_harness_push (h, new_packet ()), GST_FLOW_OK);
      add (array, new_entry (from + i, now (), with_loss && i == 5));
      gst_test_clock_advance_time (clock_, 4 * MS);
    }
    gst_test_clock_advance_time (clock_, 36 * MS);
    push_feedback (array);
  }
}

GST_START_TEST (packets_pass_at_once_and_unchanged)
{
  GstBuffer *packet = new_packet ();
  GstBufferList *list = gst_buffer_list_new ();

  fail_unless (gst_harness_push (h, gst_buffer_ref (packet)) == GST_FLOW_OK);
  fail_unless (gst_harness_pull (h) == packet);
  gst_buffer_unref (packet);
  gst_buffer_unref (packet);
  gst_buffer_list_add (list, new_packet ());
  gst_buffer_list_add (list, gst_buffer_new_allocate (NULL, 3, NULL)); /* no RTP */
  fail_unless (gst_pad_push_list (h->srcpad, list) == GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 3);
  fail_unless_equals_int (estimate (), 300000);
}

GST_END_TEST;

GST_START_TEST (the_estimate_grows_and_is_told)
{
  run_feedback (20, FALSE);
  fail_unless (estimate () > 400000, "%u", estimate ());
  fail_unless (notified >= 3 && notified <= 16, "%d", notified); /* every 100 ms of 1.5 s at most */
}

GST_END_TEST;

/* p is one in ten, and R is 36 to 40 ms. */
GST_START_TEST (losses_lower_the_estimate)
{
  gdouble expected = 8 * tfrc_equation_rate_Bps (PAYLOAD, 0.038, 4 * 0.038, 0.1);

  run_feedback (20, FALSE);
  fail_unless (estimate () > 1.5 * expected);
  run_feedback (40, TRUE);
  fail_unless (estimate () > 0.9 * expected && estimate () < 1.1 * expected, "%u, not %g",
      estimate (), expected);
}

GST_END_TEST;

GST_START_TEST (the_event_goes_on_upstream)
{
  GstEvent *event;

  run_feedback (1, FALSE);
  while ((event = gst_harness_try_pull_upstream_event (h))
      && !gst_event_has_name (event, "RTPTWCCPackets"))
    gst_event_unref (event);
  fail_unless (event != NULL);
  gst_event_unref (event);
}

GST_END_TEST;

/* Each entry is false in another way, and no entry counts. */
GST_START_TEST (false_entries_are_left_out)
{
  static const gchar *const fields[] = { "seqnum", "local-ts", "remote-ts", "size", "lost" };
  GValueArray *array = new_array ();
  GstStructure *entry;

  fail_unless (gst_harness_push (h, new_packet ()) == GST_FLOW_OK);
  add (array, NULL);
  add (array, gst_structure_new_empty ("RTPTWCCPacket"));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    entry = new_entry (0, now (), FALSE);
    gst_structure_remove_field (entry, fields[i]);
    add (array, entry);
    entry = new_entry (0, now (), FALSE);
    gst_structure_set (entry, fields[i], G_TYPE_STRING, "0", NULL);
    add (array, entry);
  }
  add (array, new_entry (0, GST_CLOCK_TIME_NONE, FALSE)); /* was not sent */
  entry = new_entry (0, now (), FALSE);
  gst_structure_set (entry, "remote-ts", G_TYPE_UINT64, GST_CLOCK_TIME_NONE, NULL);
  add (array, entry);
  entry = new_entry (0, now (), FALSE);
  gst_structure_set (entry, "seqnum", G_TYPE_UINT, 65536, NULL);
  add (array, entry);
  push_feedback (array);
  push_feedback (new_array ());
  gst_harness_push_upstream_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("RTPTWCCPackets")));
  gst_harness_push_upstream_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("RTPTWCCPackets", "packets", G_TYPE_INT, 1, NULL)));
  fail_unless_equals_int (estimate (), 300000);
  /* No feedback has counted: the timer of 4 * 333 ms halves the rate. */
  gst_test_clock_advance_time (clock_, 1332 * MS);
  fail_unless (gst_harness_push (h, new_packet ()) == GST_FLOW_OK);
  gst_test_clock_advance_time (clock_, GST_SECOND);
  fail_unless_equals_int (estimate (), 150000);
}

GST_END_TEST;

/* ---- pacing ------------------------------------------------------------------ */

static gpointer
push_two (gpointer data)
{
  GstFlowReturn flow = gst_harness_push (h, new_packet ());

  if (flow == GST_FLOW_OK)
    flow = gst_harness_push (h, new_packet ());
  return GINT_TO_POINTER (flow);
}

/* 1200 bytes at 300 kbit/s are 32 ms, of which the sender may be half a step of the timer early. */
GST_START_TEST (a_paced_packet_waits_for_its_turn)
{
  GThread *thread;
  GstClockID id;
  GstClockTime turn;

  g_object_set (h->element, "pacing", TRUE, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, &id);
  turn = gst_clock_id_get_time (id) - GST_SECOND;
  fail_unless (turn > 30 * MS && turn <= 32 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (turn));
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  gst_clock_id_unref (id);
  gst_test_clock_set_time (clock_, GST_SECOND + turn);
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (clock_));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
}

GST_END_TEST;

GST_START_TEST (the_end_of_pacing_ends_the_wait)
{
  GThread *thread;

  g_object_set (h->element, "pacing", TRUE, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, NULL);
  g_object_set (h->element, "pacing", FALSE, NULL);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
}

GST_END_TEST;

/* From 1 kbit/s, with which a packet waits for 9.6 s, to 9.6 Mbit/s: 1 ms, of which the clock is a part short */
GST_START_TEST (a_higher_minimum_shortens_the_wait)
{
  GstClockTime turn;
  GThread *thread;
  GstClockID id;

  g_object_set (h->element, "max-bitrate", 1000, "min-bitrate", 1000, "pacing", TRUE, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, NULL);
  g_object_set (h->element, "max-bitrate", 9600000, "min-bitrate", 9600000, NULL);
  do {
    gst_test_clock_wait_for_next_pending_id (clock_, &id);
    turn = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
  } while (turn > now () + 2 * MS);
  gst_test_clock_set_time (clock_, now () + 2 * MS);
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (clock_));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
}

GST_END_TEST;

/* What an encoder makes meanwhile waits for even longer. At 1 kbit/s a packet waits for 9.6 s; after 1332 ms the nofeedback
 * timer halves X. */
GST_START_TEST (a_new_estimate_is_told_while_a_packet_waits)
{
  GThread *thread;
  GstClockID id;
  GstClockTime time;

  g_object_set (h->element, "pacing", TRUE, "min-bitrate", 1, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, NULL);
  g_object_set (h->element, "max-bitrate", 1000, NULL);
  for (;;) {
    gst_test_clock_wait_for_next_pending_id (clock_, &id);
    time = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (time > 4 * GST_SECOND)
      break;
    gst_test_clock_set_time (clock_, time);
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (clock_));
  }
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  fail_unless (g_atomic_int_get (&notified) >= 2, "%d", g_atomic_int_get (&notified));
  fail_unless_equals_int (estimate (), 500);
  g_object_set (h->element, "pacing", FALSE, NULL);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
}

GST_END_TEST;

GST_START_TEST (a_flush_ends_the_wait)
{
  GThread *thread;

  g_object_set (h->element, "pacing", TRUE, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, NULL);
  fail_unless (gst_pad_push_event (h->srcpad, gst_event_new_flush_start ()));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
}

GST_END_TEST;

GST_START_TEST (a_stop_ends_the_wait)
{
  GThread *thread;

  g_object_set (h->element, "pacing", TRUE, NULL);
  thread = g_thread_new ("push", push_two, NULL);
  gst_test_clock_wait_for_next_pending_id (clock_, NULL);
  fail_unless_equals_int (
      gst_element_set_state (h->element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  fail_unless_equals_int (estimate (), 300000);
}

GST_END_TEST;

/* ---- properties -------------------------------------------------------------- */

GST_START_TEST (limits_hold_while_the_element_runs)
{
  g_object_set (h->element, "max-bitrate", 200000, NULL);
  fail_unless_equals_int (estimate (), 200000);
  g_object_set (h->element, "max-bitrate", 900000, "min-bitrate", 800000, NULL);
  run_feedback (1, FALSE);
  fail_unless (estimate () >= 800000 && estimate () <= 900000, "%u", estimate ());
}

GST_END_TEST;

GST_START_TEST (a_minimum_above_the_maximum_is_an_error)
{
  GstElement *element = gst_element_factory_make ("rtptfrcbwe", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (element, bus);
  g_object_set (element, "min-bitrate", 2000, "max-bitrate", 1000, NULL);
  fail_unless_equals_int (
      gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless_equals_string (error->message, "min-bitrate is above max-bitrate.");
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- rtpbin ------------------------------------------------------------------ */

#define EXTENSION_CAPS \
  "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0,extmap-1=(string)" TFRC_WIRE_EXT_TRANSPORT_SEQ_URI

/* Makes a pipeline with an udpsrc "in" that plays, and returns the port of that. */
static GstElement *
play (const gchar *line, gint *port)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *in;

  if (error) {
    g_print ("skipped: %s\n", error->message);
    g_error_free (error);
    if (pipeline)
      gst_object_unref (pipeline);
    return NULL;
  }
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  g_object_get (in, "port", port, NULL);
  gst_object_unref (in);
  return pipeline;
}

static void
end (GstElement *pipeline)
{
  if (pipeline == NULL)
    return;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
send_reports_to (GstElement *receiver, gint port)
{
  GstElement *reports = gst_bin_get_by_name (GST_BIN (receiver), "reports");

  g_object_set (reports, "port", port, NULL);
  gst_object_unref (reports);
}

/* Feedback comes at the end of each picture, which is a packet. */
GST_START_TEST (rtpbin_tells_the_element_what_its_receiver_says)
{
  gint64 timeout = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  GstElement *receiver, *sender = NULL, *bwe;
  gint port, reports_port;
  gchar *line;

  gst_system_clock_set_default (NULL);
  receiver = play (
      "rtpbin name=bin rtp-profile=avpf udpsrc name=in address=127.0.0.1 port=0 caps=\"" EXTENSION_CAPS
      "\" ! bin.recv_rtp_sink_0 "
      "bin.send_rtcp_src_0 ! udpsink name=reports host=127.0.0.1 port=9 sync=false async=false",
      &port);
  if (receiver) {
    line = g_strdup_printf (
        "rtpbin name=bin rtp-profile=avpf "
        "audiotestsrc is-live=true samplesperbuffer=160 ! audio/x-raw,rate=8000,channels=1 ! "
        "mulawenc ! rtppcmupay ! " EXTENSION_CAPS " ! rtptfrcbwe name=bwe ! bin.send_rtp_sink_0 "
        "bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port=%d sync=false async=false "
        "udpsrc name=in address=127.0.0.1 port=0 ! bin.recv_rtcp_sink_0",
        port);
    sender = play (line, &reports_port);
    g_free (line);
  }
  if (sender) {
    send_reports_to (receiver, reports_port);
    bwe = gst_bin_get_by_name (GST_BIN (sender), "bwe");
    g_signal_connect (bwe, "notify::estimated-bitrate", G_CALLBACK (on_notify), NULL);
    while (g_atomic_int_get (&notified) < 5 && g_get_monotonic_time () < timeout)
      g_usleep (10000);
    fail_unless (g_atomic_int_get (&notified) >= 5, "%d", notified);
    gst_object_unref (bwe);
  }
  end (sender);
  end (receiver);
}

GST_END_TEST;

static Suite *
rtptfrcbwe_suite (void)
{
  Suite *suite = suite_create ("rtptfrcbwe");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, packets_pass_at_once_and_unchanged);
  tcase_add_test (tcase, the_estimate_grows_and_is_told);
  tcase_add_test (tcase, losses_lower_the_estimate);
  tcase_add_test (tcase, the_event_goes_on_upstream);
  tcase_add_test (tcase, false_entries_are_left_out);
  tcase_add_test (tcase, a_paced_packet_waits_for_its_turn);
  tcase_add_test (tcase, the_end_of_pacing_ends_the_wait);
  tcase_add_test (tcase, a_higher_minimum_shortens_the_wait);
  tcase_add_test (tcase, a_new_estimate_is_told_while_a_packet_waits);
  tcase_add_test (tcase, a_flush_ends_the_wait);
  tcase_add_test (tcase, a_stop_ends_the_wait);
  tcase_add_test (tcase, limits_hold_while_the_element_runs);
  tcase_add_test (tcase, a_minimum_above_the_maximum_is_an_error);
  tcase_add_test (tcase, rtpbin_tells_the_element_what_its_receiver_says);
  return suite;
}

GST_CHECK_MAIN (rtptfrcbwe);
