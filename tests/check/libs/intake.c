/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of a receiver's packets, see gst/flow/intake.h. */
#define GST_USE_UNSTABLE_API 1 /* for the hooks of a tracer */
#include <gst/check/gstcheck.h>
#include <gst/gsttracer.h>
#include <string.h>
#include <sys/resource.h>

#include "gst/flow/intake.h"
#include "testnet.h"

#define SSRC 0x12345678
#define NOW (1000 * GST_SECOND)
#define TS_BYTES (7 * 188)
#define HEADER_BYTES 12 /* of plain RTP */
#define AT_ONCE 10      /* packets in the pipeline at one time */

/* ---- what GStreamer makes, with any allocator of GLib ------------------------- */

typedef struct
{
  GstTracer parent;
} Counter;

typedef struct
{
  GstTracerClass parent;
} CounterClass;

GType counter_get_type (void);
G_DEFINE_TYPE (Counter, counter, GST_TYPE_TRACER)

static guint n_made; /* buffers and memories */

static void
on_made (GObject *tracer, guint64 time_ns, GstMiniObject *object)
{
  n_made++;
}

static void
counter_class_init (CounterClass *klass)
{
}

static void
counter_init (Counter *self)
{
  gst_tracing_register_hook (GST_TRACER (self), "mini-object-created", G_CALLBACK (on_made));
}

/* ---- a sender ------------------------------------------------------------------ */

static GstTfrcIntake *intake;
static guint n_sent;

static void
setup (void)
{
  TfrcReceiverConfig config;

  tfrc_receiver_config_init (&config);
  intake = gst_tfrc_intake_new (&config, 200 * GST_MSECOND, 0, NULL);
  n_sent = 0;
}

static void
teardown (void)
{
  gst_tfrc_intake_free (intake);
}

/* The next packet of plain RTP arrives, a millisecond after the one before. */
static void
take (gsize payload_bytes)
{
  static guint8 data[HEADER_BYTES + GST_TFRC_MAX_PACKET_BYTES];
  const GstTfrcAddress from = test_address ("192.0.2.1", 5004);
  const guint64 now = NOW + n_sent * GST_MSECOND;
  const GstTfrcReceivedPacket packet = { .data = data,
    .size = HEADER_BYTES + payload_bytes,
    .from = &from,
    .arrival_ns = now,
    .read_ns = now };
  const TfrcWireData header = { .payload_type = TFRC_WIRE_PAYLOAD_TYPE,
    .seq = (guint16) n_sent,
    .timestamp = 90 * n_sent,
    .ssrc = SSRC,
    .header_bytes = HEADER_BYTES,
    .payload_bytes = payload_bytes };

  memset (data, n_sent % 256, sizeof data);
  if (n_sent++ == 0)
    fail_unless (gst_tfrc_intake_start (intake, &packet, SSRC));
  fail_unless (gst_tfrc_intake_take_data (intake, &packet, &header, now));
}

static GstBuffer *
pop (void)
{
  GstTfrcReorderItem item;

  fail_unless_equals_int (gst_tfrc_intake_pop (intake, NOW + n_sent * GST_MSECOND, &item, 1), 1);
  return item.data;
}

/* Packets pass through, of which AT_ONCE are in the pipeline at a time.  The pipeline cuts off the
 * header and sets times. */
static void
pass (guint n)
{
  GstBuffer *pipeline[AT_ONCE] = { NULL };

  for (guint i = 0; i < n; i++) {
    GstBuffer **place = &pipeline[i % AT_ONCE];

    gst_clear_buffer (place);
    take (TS_BYTES);
    *place = pop ();
    fail_unless_equals_int (gst_buffer_get_size (*place), HEADER_BYTES + TS_BYTES);
    fail_unless_equals_int (GST_BUFFER_OFFSET (*place), HEADER_BYTES);
    fail_if (GST_BUFFER_PTS_IS_VALID (*place));
    gst_buffer_resize (*place, HEADER_BYTES, TS_BYTES);
    GST_BUFFER_PTS (*place) = NOW;
  }
  for (guint i = 0; i < AT_ONCE; i++)
    gst_clear_buffer (&pipeline[i]);
}

GST_START_TEST (a_steady_stream_makes_no_buffers)
{
  Counter *counter = g_object_new (counter_get_type (), NULL);
  guint made;

  pass (3 * AT_ONCE);
  made = n_made;
  if (made == 0)
    g_print ("skipped: this GStreamer has no hooks for tracers\n");
  pass (1000);
  fail_unless_equals_int (n_made, made);
  gst_object_unref (counter);
}

GST_END_TEST;

GST_START_TEST (a_buffer_has_the_bytes_of_its_packet)
{
  static const gsize sizes[] = { TS_BYTES, 188, 1800, TS_BYTES };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    guint8 expected[1800];
    GstBuffer *buffer;

    take (sizes[i]);
    buffer = pop ();
    memset (expected, (gint) i, sizeof expected);
    fail_unless_equals_int (gst_buffer_get_size (buffer), HEADER_BYTES + sizes[i]);
    fail_unless_equals_int (gst_buffer_memcmp (buffer, HEADER_BYTES, expected, sizes[i]), 0);
    gst_buffer_unref (buffer);
  }
}

GST_END_TEST;

GST_START_TEST (buffers_outlive_the_intake)
{
  GstBuffer *held[2];

  for (guint i = 0; i < 3; i++) /* the third stays in the queue */
    take (TS_BYTES);
  held[0] = pop ();
  held[1] = pop ();
  teardown ();
  intake = NULL;
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_buffer_memset (held[i], 0, 7, TS_BYTES), TS_BYTES);
    gst_buffer_unref (held[i]);
  }
}

GST_END_TEST;

/* There is no warning, and packets take memory of the system. */
GST_START_TEST (a_process_without_descriptors_has_buffers_all_the_same)
{
  TfrcReceiverConfig config;
  struct rlimit before, none;

  teardown ();
  getrlimit (RLIMIT_NOFILE, &before);
  none = before;
  none.rlim_cur = 3;
  fail_unless_equals_int (setrlimit (RLIMIT_NOFILE, &none), 0);
  tfrc_receiver_config_init (&config);
  intake = gst_tfrc_intake_new (&config, 200 * GST_MSECOND, 0, NULL);
  fail_unless_equals_int (setrlimit (RLIMIT_NOFILE, &before), 0);
  pass (2 * AT_ONCE);
}

GST_END_TEST;

static Suite *
intake_suite (void)
{
  Suite *suite = suite_create ("intake");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, a_steady_stream_makes_no_buffers);
  tcase_add_test (tcase, a_buffer_has_the_bytes_of_its_packet);
  tcase_add_test (tcase, buffers_outlive_the_intake);
  tcase_add_test (tcase, a_process_without_descriptors_has_buffers_all_the_same);
  return suite;
}

GST_CHECK_MAIN (intake);
