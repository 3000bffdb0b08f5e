/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the elements' tests: movies, and a sender and a receiver in a pipeline each.  All
 * traffic stays on the loopback interface. */
#ifndef TFRC_TEST_H
#define TFRC_TEST_H

#include "testlog.h"
#include "testpeer.h"

#define TS_BYTES 188
#define PAYLOAD_BYTES (7 * TS_BYTES)

/* ---- movies ------------------------------------------------------------ */

/* Returns a transport stream of @n packets.  No two packets are equal, and every tenth has a
 * PCR. Another @seed gives another stream. */
GBytes *test_movie (guint n, guint32 seed);

/* Returns the bytes from @from to the end. */
GBytes *test_bytes_from (GBytes *bytes, gsize from);

void test_fail_unless_equal_bytes (GBytes *expected, GBytes *actual);

/* ---- elements of others ------------------------------------------------ */

/* Says which of these elements (up to NULL) is the first that GStreamer does not have, if any: a test that needs them
 * is skipped then. */
gboolean test_has_elements (const gchar *const *names);

/* ---- pipelines --------------------------------------------------------- */

/* tfrcsrc ! appsink, playing */
typedef struct
{
  GstElement *pipeline;
  GstElement *src;
  TestLog *log;
  gint port;

  GMutex lock; /* protects all fields below */
  GCond changed;
  GByteArray *bytes;
  GArray *buffers; /* of TestBuffer */
  gboolean eos;
  gboolean hold;
} TestReceiver;

typedef struct
{
  gsize size;
  gboolean discont;
  GstClockTime pts;
} TestBuffer;

/* @properties: tfrcsrc's, as in gst-launch-1.0; " ! …" may follow. */
TestReceiver *test_receiver_new (const gchar *properties);
void test_receiver_free (TestReceiver *receiver);

/* While held, the pipeline takes one more buffer and then no others. */
void test_receiver_hold (TestReceiver *receiver, gboolean hold);

void test_receiver_wait_bytes (TestReceiver *receiver, gsize n);
void test_receiver_wait_eos (TestReceiver *receiver);
gsize test_receiver_bytes (TestReceiver *receiver);

/* Waits for the whole movie, and checks that nothing else has come. */
void test_receiver_wait_movie (TestReceiver *receiver, GBytes *movie);

/* appsrc ! tfrcsink, playing */
typedef struct
{
  GstElement *pipeline;
  GstElement *appsrc;
  GstElement *sink;
  TestLog *log;
} TestSender;

/* @properties: tfrcsink's, as in gst-launch-1.0 */
TestSender *test_sender_new (gint port, const gchar *properties);

/* As test_sender_new(), with a live appsrc */
TestSender *test_live_sender_new (gint port, const gchar *properties);

/* Another pipeline, playing. @description: as in gst-launch-1.0, with an appsrc named "in" and an element named "sink" */
TestSender *test_sender_launch (const gchar *description);

/* appsrc ! tfrcsink, playing to a caller of another sink */
TestSender *test_guest_sender_new (GstElement *listener, guint64 id);
void test_sender_free (TestSender *sender);
void test_sender_push (TestSender *sender, gconstpointer data, gsize size);

/* Pushes in buffers of @buffer_bytes; 0: as one buffer. */
void test_sender_push_bytes (TestSender *sender, GBytes *bytes, gsize buffer_bytes);
void test_sender_eos (TestSender *sender);
void test_sender_wait_eos (TestSender *sender);

void test_set_state (GstElement *element, GstState state);

/* Return fields of the property "stats". */
guint64 test_stat (GstElement *element, const gchar *field);
gdouble test_stat_double (GstElement *element, const gchar *field);
gchar *test_stat_string (GstElement *element, const gchar *field);

/* Waits until the field is this text. */
void test_wait_stat (GstElement *element, const gchar *field, const gchar *expected);

/* Fails unless the field is this text. */
void test_assert_stat (GstElement *element, const gchar *field, const gchar *expected);

#endif
