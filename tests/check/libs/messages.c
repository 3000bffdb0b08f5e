/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether anybody hears the notifications of a property */
#include <gst/check/gstcheck.h>

#include "gst/common/messages.h"

#define PROPERTY "async-handling"

static GstElement *element, *bin, *pipeline;

static void
setup (void)
{
  element = gst_bin_new (NULL); /* an element that needs no plugin */
  bin = gst_bin_new (NULL);
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (bin), element);
  gst_bin_add (GST_BIN (pipeline), bin);
}

static void
teardown (void)
{
  gst_object_unref (pipeline);
}

static void
do_nothing (void)
{
}

static gboolean
is_heard (void)
{
  return gst_tfrc_notify_is_heard (element, PROPERTY);
}

/* The element's own handlers, and those of the bins around it; with the name of the property, and for all of them */
GST_START_TEST (each_way_to_listen_is_found)
{
  static const gchar *const names[] = { "notify::" PROPERTY, "notify", "deep-notify::" PROPERTY,
    "deep-notify" };

  fail_if (is_heard ());
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *of = i < 2 ? element : i == 2 ? bin : pipeline;
    gulong id = g_signal_connect (of, names[i], do_nothing, NULL);

    fail_unless (is_heard (), "%s", names[i]);
    g_signal_handler_disconnect (of, id);
    fail_if (is_heard (), "%s", names[i]);
  }
}

GST_END_TEST;

/* gst-launch-1.0 -v */
GST_START_TEST (a_watch_of_all_properties_hears)
{
  gulong id = gst_element_add_property_deep_notify_watch (pipeline, NULL, TRUE);

  fail_unless (is_heard ());
  gst_element_remove_property_notify_watch (pipeline, id);
  fail_if (is_heard ());
}

GST_END_TEST;

GST_START_TEST (who_listens_to_another_property_does_not_hear)
{
  g_signal_connect (element, "notify::message-forward", do_nothing, NULL);
  g_signal_connect (pipeline, "deep-notify::message-forward", do_nothing, NULL);
  g_signal_connect (bin, "notify", do_nothing, NULL);
  fail_if (is_heard ());
}

GST_END_TEST;

static Suite *
messages_suite (void)
{
  Suite *suite = suite_create ("messages");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, each_way_to_listen_is_found);
  tcase_add_test (tcase, a_watch_of_all_properties_hears);
  tcase_add_test (tcase, who_listens_to_another_property_does_not_hear);
  return suite;
}

GST_CHECK_MAIN (messages);
