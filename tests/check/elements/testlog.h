/* What a pipeline tells: every message of its bus, kept. */
#ifndef TEST_LOG_H
#define TEST_LOG_H

#include <gst/check/gstcheck.h>

/* Waits end with a failure after this time; none is expected to last. */
#define TEST_PATIENCE (40 * G_TIME_SPAN_SECOND)

/* Every message of a pipeline, from any thread. */
typedef struct
{
  GMutex lock;
  GCond changed;
  GPtrArray *messages;
} TestLog;

/* Takes the bus of @element, which gets one if it is in no pipeline. */
TestLog *test_log_new (GstElement *element);
void test_log_free (TestLog *log);

/* How many messages of @type there are, and with structure @name, and with
 * @value in its field "state" (NULL: any). */
guint test_log_count (TestLog *log, GstMessageType type, const gchar *name, const gchar *state);

/* Waits for the @n-th of these and returns it; free with gst_message_unref(). */
GstMessage *test_log_wait (
    TestLog *log, guint n, GstMessageType type, const gchar *name, const gchar *state);

/* Waits until an element named @element posts statistics with a @field of at
 * least @least.  It has to have a stats-update-interval. */
void test_log_wait_stat (TestLog *log, const gchar *element, const gchar *field, guint64 least);

/* Waits for the first error, which has to be of this domain and code. */
void test_log_wait_error (TestLog *log, GQuark domain, gint code);

#endif
