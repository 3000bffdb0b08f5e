/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Movies and pipelines, see tfrctest.h. */
#include "tfrctest.h"

#include <gst/app/app.h>
#include <string.h>

/* ---- movies ------------------------------------------------------------ */

static void
write_ts_packet (guint8 *packet, guint i, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed + i * 2654435761u);
  guint at = 4;

  packet[0] = 0x47;
  packet[1] = 0x01;
  packet[2] = 0x00; /* PID 0x100 */
  packet[3] = 0x10 | (i & 0x0f);
  if (i % 10 == 0) {
    packet[3] |= 0x20; /* with an adaptation field */
    packet[4] = 7;
    packet[5] = 0x10; /* that is a PCR */
    for (at = 6; at < 12; at++)
      packet[at] = (guint8) g_rand_int (random);
  }
  for (; at < TS_BYTES; at++) {
    packet[at] = (guint8) g_rand_int (random);
    if (packet[at] == 0x47)
      packet[at] = 0;
  }
  g_rand_free (random);
}

GBytes *
test_movie (guint n, guint32 seed)
{
  guint8 *data = g_malloc (n * TS_BYTES);

  for (guint i = 0; i < n; i++)
    write_ts_packet (data + i * TS_BYTES, i, seed);
  return g_bytes_new_take (data, n * TS_BYTES);
}

GBytes *
test_bytes_from (GBytes *bytes, gsize from)
{
  return g_bytes_new_from_bytes (bytes, from, g_bytes_get_size (bytes) - from);
}

void
test_fail_unless_equal_bytes (GBytes *expected, GBytes *actual)
{
  gsize expected_size, actual_size, i;
  const guint8 *a = g_bytes_get_data (expected, &expected_size);
  const guint8 *b = g_bytes_get_data (actual, &actual_size);

  for (i = 0; i < MIN (expected_size, actual_size) && a[i] == b[i]; i++)
    ;
  fail_unless (i == expected_size && i == actual_size,
      "%" G_GSIZE_FORMAT " bytes instead of %" G_GSIZE_FORMAT ", equal up to byte %" G_GSIZE_FORMAT,
      actual_size, expected_size, i);
}

/* ---- elements of others ------------------------------------------------ */

gboolean
test_has_elements (const gchar *const *names)
{
  for (; *names; names++) {
    GstElementFactory *factory = gst_element_factory_find (*names);

    if (factory == NULL) {
      g_print ("skipped: there is no element %s\n", *names);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

/* ---- pipelines --------------------------------------------------------- */

static GstElement *
launch (const gchar *description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  fail_unless (error == NULL, "%s: %s", description, error ? error->message : "");
  return pipeline;
}

void
test_set_state (GstElement *element, GstState state)
{
  fail_unless (gst_element_set_state (element, state) != GST_STATE_CHANGE_FAILURE,
      "%s does not reach %s", GST_ELEMENT_NAME (element), gst_element_state_get_name (state));
}

static GstFlowReturn
take_sample (GstAppSink *appsink, gpointer data)
{
  TestReceiver *receiver = data;
  GstSample *sample = gst_app_sink_pull_sample (appsink);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  TestBuffer seen = { gst_buffer_get_size (buffer),
    GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), GST_BUFFER_PTS (buffer) };
  gsize before;

  g_mutex_lock (&receiver->lock);
  before = receiver->bytes->len;
  g_byte_array_set_size (receiver->bytes, before + seen.size);
  gst_buffer_extract (buffer, 0, receiver->bytes->data + before, seen.size);
  g_array_append_val (receiver->buffers, seen);
  g_cond_broadcast (&receiver->changed);
  while (receiver->hold)
    g_cond_wait (&receiver->changed, &receiver->lock);
  g_mutex_unlock (&receiver->lock);
  gst_sample_unref (sample);
  return GST_FLOW_OK;
}

static void
take_eos (GstAppSink *appsink, gpointer data)
{
  TestReceiver *receiver = data;

  g_mutex_lock (&receiver->lock);
  receiver->eos = TRUE;
  g_cond_broadcast (&receiver->changed);
  g_mutex_unlock (&receiver->lock);
}

TestReceiver *
test_receiver_new (const gchar *properties)
{
  GstAppSinkCallbacks callbacks = { .eos = take_eos, .new_sample = take_sample };
  TestReceiver *receiver = g_new0 (TestReceiver, 1);
  gchar *description = g_strdup_printf ("tfrcsrc name=src address=127.0.0.1 port=0 "
                                        "stats-update-interval=20 %s "
                                        "! appsink name=out sync=false",
      properties ? properties : "");
  GstElement *out;

  g_mutex_init (&receiver->lock);
  g_cond_init (&receiver->changed);
  receiver->bytes = g_byte_array_new ();
  receiver->buffers = g_array_new (FALSE, FALSE, sizeof (TestBuffer));
  receiver->pipeline = launch (description);
  receiver->log = test_log_new (receiver->pipeline);
  receiver->src = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "src");
  out = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "out");
  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, receiver, NULL);
  gst_object_unref (out);
  test_set_state (receiver->pipeline, GST_STATE_PLAYING);
  g_object_get (receiver->src, "port", &receiver->port, NULL);
  fail_unless (receiver->port > 0);
  g_free (description);
  return receiver;
}

void
test_receiver_hold (TestReceiver *receiver, gboolean hold)
{
  g_mutex_lock (&receiver->lock);
  receiver->hold = hold;
  g_cond_broadcast (&receiver->changed);
  g_mutex_unlock (&receiver->lock);
}

void
test_receiver_free (TestReceiver *receiver)
{
  test_receiver_hold (receiver, FALSE);
  test_set_state (receiver->pipeline, GST_STATE_NULL);
  gst_object_unref (receiver->src);
  gst_object_unref (receiver->pipeline);
  test_log_free (receiver->log);
  g_byte_array_unref (receiver->bytes);
  g_array_unref (receiver->buffers);
  g_cond_clear (&receiver->changed);
  g_mutex_clear (&receiver->lock);
  g_free (receiver);
}

void
test_receiver_wait_bytes (TestReceiver *receiver, gsize n)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  g_mutex_lock (&receiver->lock);
  while (receiver->bytes->len < n)
    fail_unless (g_cond_wait_until (&receiver->changed, &receiver->lock, end),
        "%u bytes instead of %" G_GSIZE_FORMAT, receiver->bytes->len, n);
  g_mutex_unlock (&receiver->lock);
}

void
test_receiver_wait_eos (TestReceiver *receiver)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;

  g_mutex_lock (&receiver->lock);
  while (!receiver->eos)
    fail_unless (g_cond_wait_until (&receiver->changed, &receiver->lock, end),
        "no EOS after %u bytes", receiver->bytes->len);
  g_mutex_unlock (&receiver->lock);
}

gsize
test_receiver_bytes (TestReceiver *receiver)
{
  gsize n;

  g_mutex_lock (&receiver->lock);
  n = receiver->bytes->len;
  g_mutex_unlock (&receiver->lock);
  return n;
}

void
test_receiver_wait_movie (TestReceiver *receiver, GBytes *movie)
{
  GBytes *received;

  test_receiver_wait_bytes (receiver, g_bytes_get_size (movie));
  g_mutex_lock (&receiver->lock);
  received = g_bytes_new (receiver->bytes->data, receiver->bytes->len);
  g_mutex_unlock (&receiver->lock);
  test_fail_unless_equal_bytes (movie, received);
  g_bytes_unref (received);
}

/* In the state NULL */
static TestSender *
sender_of (const gchar *description)
{
  TestSender *sender = g_new0 (TestSender, 1);

  sender->pipeline = launch (description);
  sender->log = test_log_new (sender->pipeline);
  sender->appsrc = gst_bin_get_by_name (GST_BIN (sender->pipeline), "in");
  sender->sink = gst_bin_get_by_name (GST_BIN (sender->pipeline), "sink");
  return sender;
}

TestSender *
test_sender_launch (const gchar *description)
{
  TestSender *sender = sender_of (description);

  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  return sender;
}

/* In the state NULL */
static TestSender *
sender_build (gint port, const gchar *properties, gboolean live)
{
  gchar *description = g_strdup_printf ("appsrc name=in max-bytes=0 is-live=%d format=%s "
                                        "caps=video/mpegts,systemstream=true,packetsize=188 "
                                        "! tfrcsink name=sink sync=false port=%d "
                                        "stats-update-interval=20 %s",
      live, live ? "time" : "bytes", port, properties ? properties : "");
  TestSender *sender = sender_of (description);

  g_free (description);
  return sender;
}

static TestSender *
sender_new (gint port, const gchar *properties, gboolean live)
{
  TestSender *sender = sender_build (port, properties, live);

  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  return sender;
}

TestSender *
test_guest_sender_new (GstElement *listener, guint64 id)
{
  TestSender *sender = sender_build (1, NULL, FALSE);

  g_object_set (sender->sink, "listener", listener, "caller-id", id, NULL);
  test_set_state (sender->pipeline, GST_STATE_PLAYING);
  return sender;
}

TestSender *
test_sender_new (gint port, const gchar *properties)
{
  return sender_new (port, properties, FALSE);
}

TestSender *
test_live_sender_new (gint port, const gchar *properties)
{
  return sender_new (port, properties, TRUE);
}

void
test_sender_free (TestSender *sender)
{
  test_set_state (sender->pipeline, GST_STATE_NULL);
  gst_object_unref (sender->appsrc);
  gst_object_unref (sender->sink);
  gst_object_unref (sender->pipeline);
  test_log_free (sender->log);
  g_free (sender);
}

void
test_sender_push (TestSender *sender, gconstpointer data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  fail_unless_equals_int (
      gst_app_src_push_buffer (GST_APP_SRC (sender->appsrc), buffer), GST_FLOW_OK);
}

void
test_sender_push_bytes (TestSender *sender, GBytes *bytes, gsize buffer_bytes)
{
  gsize size, at, n;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (at = 0; at < size; at += n) {
    n = MIN (buffer_bytes ? buffer_bytes : size, size - at);
    test_sender_push (sender, data + at, n);
  }
}

void
test_sender_eos (TestSender *sender)
{
  gst_app_src_end_of_stream (GST_APP_SRC (sender->appsrc));
}

void
test_sender_wait_eos (TestSender *sender)
{
  gst_message_unref (test_log_wait (sender->log, 1, GST_MESSAGE_EOS, NULL, NULL));
}

static GstStructure *
get_stats (GstElement *element, const gchar *field)
{
  GstStructure *stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (stats != NULL && gst_structure_has_field (stats, field), "no field %s", field);
  return stats;
}

guint64
test_stat (GstElement *element, const gchar *field)
{
  GstStructure *stats = get_stats (element, field);
  guint64 value = 0;
  gboolean flag;
  guint small;
  gint number;

  if (gst_structure_get_boolean (stats, field, &flag))
    value = flag;
  else if (gst_structure_get_uint (stats, field, &small))
    value = small;
  else if (gst_structure_get_int (stats, field, &number))
    value = (guint64) number;
  else
    fail_unless (gst_structure_get_uint64 (stats, field, &value));
  gst_structure_free (stats);
  return value;
}

gdouble
test_stat_double (GstElement *element, const gchar *field)
{
  GstStructure *stats = get_stats (element, field);
  gdouble value = 0;

  fail_unless (gst_structure_get_double (stats, field, &value));
  gst_structure_free (stats);
  return value;
}

gchar *
test_stat_string (GstElement *element, const gchar *field)
{
  GstStructure *stats = get_stats (element, field);
  gchar *value = g_strdup (gst_structure_get_string (stats, field));

  gst_structure_free (stats);
  return value;
}

void
test_wait_stat (GstElement *element, const gchar *field, const gchar *expected)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE;
  gchar *text = test_stat_string (element, field);

  while (strcmp (text, expected) != 0 && g_get_monotonic_time () < end) {
    g_usleep (1000);
    g_free (text);
    text = test_stat_string (element, field);
  }
  fail_unless_equals_string (text, expected);
  g_free (text);
}

void
test_assert_stat (GstElement *element, const gchar *field, const gchar *expected)
{
  gchar *value = test_stat_string (element, field);

  fail_unless_equals_string (value, expected);
  g_free (value);
}
