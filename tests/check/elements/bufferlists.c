/* tfrcsrc pushes packets that are ready at the same time as one buffer list. */
#include "tfrctest.h"

#define N_WAITING 10

/* What leaves the source, in pushes */
typedef struct
{
  GMutex lock;
  guint singles;
  guint lists;
  guint in_lists;   /* buffers */
  guint wrong_size; /* buffers that are no packet */
} Pushes;

static gboolean
note_buffer (GstBuffer **buffer, guint i, gpointer user)
{
  Pushes *pushes = user;

  pushes->wrong_size += gst_buffer_get_size (*buffer) != PAYLOAD_BYTES;
  return TRUE;
}

static GstPadProbeReturn
note_push (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Pushes *pushes = user;

  g_mutex_lock (&pushes->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

    pushes->lists++;
    pushes->in_lists += gst_buffer_list_length (list);
    gst_buffer_list_foreach (list, note_buffer, pushes);
  } else {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    pushes->singles++;
    note_buffer (&buffer, 0, pushes);
  }
  g_mutex_unlock (&pushes->lock);
  return GST_PAD_PROBE_OK;
}

static void
wait_for_stat (GstElement *element, const gchar *field, guint64 value)
{
  gint64 end_us = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;

  while (test_stat (element, field) != value) {
    fail_unless (g_get_monotonic_time () < end_us, "waited in vain for %s", field);
    g_thread_yield ();
  }
}

/* The pipeline is busy with the first packet while others come, and then takes them. */
static Pushes
push_behind_a_busy_pipeline (const gchar *properties)
{
  TestReceiver *receiver = test_receiver_new (properties);
  TestPeer *peer = test_peer_new (0);
  GBytes *movie = test_movie (7 * (N_WAITING + 1), 9);
  const guint8 *ts = g_bytes_get_data (movie, NULL);
  GstPad *pad = gst_element_get_static_pad (receiver->src, "src");
  Pushes pushes = { 0 };

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, note_push, &pushes, NULL);
  gst_object_unref (pad);
  test_receiver_hold (receiver, TRUE);
  test_peer_send_data (peer, receiver->port, ts, PAYLOAD_BYTES);
  test_receiver_wait_bytes (receiver, PAYLOAD_BYTES);
  for (guint i = 1; i <= N_WAITING; i++)
    test_peer_send_data (peer, receiver->port, ts + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
  wait_for_stat (receiver->src, "packets-received", N_WAITING + 1);
  test_receiver_hold (receiver, FALSE);
  test_receiver_wait_movie (receiver, movie);
  test_receiver_free (receiver);
  test_peer_free (peer);
  g_bytes_unref (movie);
  return pushes;
}

GST_START_TEST (test_packets_that_wait_leave_as_a_list)
{
  Pushes pushes = push_behind_a_busy_pipeline (NULL);

  fail_unless_equals_int (pushes.singles, 1);
  fail_unless_equals_int (pushes.lists, 1);
  fail_unless_equals_int (pushes.in_lists, N_WAITING);
  fail_unless_equals_int (pushes.wrong_size, 0);
}

GST_END_TEST;

/* The base class counts pushes. */
GST_START_TEST (test_num_buffers_counts_packets)
{
  Pushes pushes = push_behind_a_busy_pipeline ("num-buffers=1000");

  fail_unless_equals_int (pushes.singles, N_WAITING + 1);
  fail_unless_equals_int (pushes.lists, 0);
  fail_unless_equals_int (pushes.wrong_size, 0);
}

GST_END_TEST;

static Suite *
bufferlists_suite (void)
{
  Suite *s = suite_create ("bufferlists");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_packets_that_wait_leave_as_a_list);
  tcase_add_test (tc, test_num_buffers_counts_packets);
  return s;
}

GST_CHECK_MAIN (bufferlists);
