/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps every message of a pipeline's bus. */
#ifndef TEST_LOG_H
#define TEST_LOG_H

#include <gst/check/gstcheck.h>

/* A wait fails after this time.  No wait is expected to last that long. */
#define TEST_PATIENCE (40 * G_TIME_SPAN_SECOND)

/* The messages of a pipeline, from any thread */
typedef struct
{
  GMutex lock;
  GCond changed;
  GPtrArray *messages;
} TestLog;

/* Watches the bus of @element.  An element outside a pipeline gets a bus. */
TestLog *test_log_new (GstElement *element);
void test_log_free (TestLog *log);

/* Returns the number of messages of @type with structure @name and the value @state in field
 * "state". NULL stands for any. */
guint test_log_count (TestLog *log, GstMessageType type, const gchar *name, const gchar *state);

/* Returns the number of warnings that say @text. */
guint test_log_count_warnings (TestLog *log, const gchar *text);

/* Waits for the @n-th such message and returns it; free with gst_message_unref(). */
GstMessage *test_log_wait (
    TestLog *log, guint n, GstMessageType type, const gchar *name, const gchar *state);

/* Waits until an element named @element posts statistics whose @field is at least @least.  The
 * element needs a stats-update-interval. */
void test_log_wait_stat (TestLog *log, const gchar *element, const gchar *field, guint64 least);

/* Waits for the first error, which must have this domain and code. */
void test_log_wait_error (TestLog *log, GQuark domain, gint code);

/** Waits for the first warning, and checks its code of GST_RESOURCE_ERROR and parts of what it says. */
void test_log_wait_warning (TestLog *log, gint code, const gchar *text, const gchar *details);

#endif
