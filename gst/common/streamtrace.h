/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace of an element's stream: the property `trace-location' of both elements, and the
 * decisions of the library as events (docs/trace.md). */
#ifndef GST_TFRC_STREAM_TRACE_H
#define GST_TFRC_STREAM_TRACE_H

#include <gst/gst.h>
#include <tfrc/tfrc.h>

#include "properties.h"
#include "trace.h"

G_BEGIN_DECLS

/** Names the file of each element that has no `trace-location'. */
#define GST_TFRC_TRACE_VARIABLE "TFRC_TRACE"

/** The row of both elements' tables of properties, for a struct of settings that has a member
 * `trace_location' (gchar *). */
#define GST_TFRC_TRACE_PROPERTY(Struct) \
  { \
    "trace-location", "Trace location", \
        "File to which a line of JSON is appended for each decision on the rate; " \
        "the environment variable TFRC_TRACE names a file for all elements", \
        GST_TFRC_CHANGE_READY, GST_TFRC_PROPERTY_STRING (NULL), \
        GST_TFRC_PROPERTY_FIELD (Struct, trace_location), \
        .check = gst_tfrc_stream_trace_refuse_in_uri \
  }

/** For GstTfrcProperty.check: whoever writes a URI must not name a file to be written. */
gboolean gst_tfrc_stream_trace_refuse_in_uri (const gchar *text, GError **error);

/** Opens the file that @a location or the environment names. Posts a warning if the file cannot be
 * opened; the stream goes on without a trace.
 *
 * @param location the setting, which the function reads under the object's lock
 * @param role "sender" or "receiver": static
 * @return the trace, for gst_tfrc_trace_free(); NULL: none. Without the object's lock. */
GstTfrcTrace *gst_tfrc_stream_trace_open (
    GstElement *element, gchar *const *location, const gchar *role);

/** Returns what the configuration of a sender or a receiver needs, so that each decision becomes an
 * event of @a trace, which may be NULL. */
TfrcTrace gst_tfrc_stream_trace_decisions (GstTfrcTrace *trace);

/** The sender's queue at one time, and what has left so far */
typedef struct
{
  guint64 wait_ns; /**< of the oldest packet */
  guint packets;
  gsize bytes;
  guint64 packets_sent, bytes_sent, packets_dropped, packets_past_deadline;
} GstTfrcQueueSample;

/** Adds samples of a queue to a trace, GST_TFRC_QUEUE_TRACE_INTERVAL_NS apart at least: often enough
 * for a picture, and less often than packets leave. */
typedef struct
{
  GstTfrcTrace *trace; /**< NULL: none */
  guint64 next_ns;     /**< for streamtrace.c alone; 0 at first */
} GstTfrcQueueTrace;

#define GST_TFRC_QUEUE_TRACE_INTERVAL_NS (20 * G_GUINT64_CONSTANT (1000000))

/** Returns whether a sample is wanted now; never without a trace. */
gboolean gst_tfrc_queue_trace_is_due (const GstTfrcQueueTrace *self, guint64 now_ns);

/** Adds a sample. The rules of gst_tfrc_trace_add() hold. */
void gst_tfrc_queue_trace_add (
    GstTfrcQueueTrace *self, guint64 now_ns, const GstTfrcQueueSample *sample);

G_END_DECLS
#endif
