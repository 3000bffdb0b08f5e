/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How tfrc-send and tfrc-recv end a pipeline before its time */
#include <gst/base/gstbasesink.h>
#include <gst/base/gstpushsrc.h>
#include <gst/check/gstcheck.h>

#include "elements.h"

/* ---- a source that tells when its base class unlocks it, and a sink ----------- */

static GMutex lock;
static GCond changed;
static gboolean is_unlocked;

static gboolean
unlock (GstBaseSrc *src)
{
  g_mutex_lock (&lock);
  is_unlocked = TRUE;
  g_cond_signal (&changed);
  g_mutex_unlock (&lock);
  return TRUE;
}

static GstFlowReturn
create (GstPushSrc *src, GstBuffer **buffer)
{
  *buffer = gst_buffer_new ();
  return GST_FLOW_OK;
}

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

typedef GstPushSrc TestSrc;
typedef GstPushSrcClass TestSrcClass;
GType test_src_get_type (void);
G_DEFINE_TYPE (TestSrc, test_src, GST_TYPE_PUSH_SRC)

static void
test_src_class_init (TestSrcClass *klass)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src_template);
  GST_BASE_SRC_CLASS (klass)->unlock = unlock;
  klass->create = create;
}

static void
test_src_init (TestSrc *src)
{
}

typedef GstBaseSink TestSink;
typedef GstBaseSinkClass TestSinkClass;
GType test_sink_get_type (void);
G_DEFINE_TYPE (TestSink, test_sink, GST_TYPE_BASE_SINK)

static void
test_sink_class_init (TestSinkClass *klass)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &sink_template);
}

static void
test_sink_init (TestSink *sink)
{
}

/* ---- the end ------------------------------------------------------------------ */

static gpointer
end (gpointer pipeline)
{
  elements_end (pipeline);
  return NULL;
}

static void
wait_for_unlock (void)
{
  g_mutex_lock (&lock);
  while (!is_unlocked)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

/* The first buffer waits in the sink, and so the source cannot send the end yet. */
GST_START_TEST (an_end_before_the_pipeline_plays_does_not_keep_it_from_playing)
{
  GstElement *elements[] = { g_object_new (test_src_get_type (), NULL),
    g_object_new (test_sink_get_type (), "sync", FALSE, NULL), NULL };
  GstElement *pipeline = elements_link (elements, NULL);
  GstMessage *message;
  GThread *thread;
  GstBus *bus;

  fail_if (pipeline == NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE), GST_STATE_CHANGE_SUCCESS);
  is_unlocked = FALSE;
  thread = g_thread_new ("end", end, pipeline);
  wait_for_unlock ();
  fail_unless (g_rec_mutex_trylock (GST_STATE_GET_LOCK (pipeline)));
  g_rec_mutex_unlock (GST_STATE_GET_LOCK (pipeline));

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_thread_join (thread);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS);
  fail_if (message == NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static Suite *
streamend_suite (void)
{
  Suite *suite = suite_create ("streamend");
  TCase *tcase = tcase_create ("general");

  tcase_add_test (tcase, an_end_before_the_pipeline_plays_does_not_keep_it_from_playing);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (streamend);
