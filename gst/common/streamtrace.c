/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace of an element's stream, see streamtrace.h. A field of an event is a row of the table. */
#include "streamtrace.h"

#include "clock.h"
#include "enums.h"

#define OF(event) (1u << TFRC_TRACE_##event)

/* Decisions that may change X, and all decisions of a sender */
#define SETS_X \
  (OF (FEEDBACK) | OF (LIMITED) | OF (NOFEEDBACK) | OF (HOLD) | OF (NEW_PATH) | OF (RATE))
#define OF_SENDER (SETS_X | OF (GUARD))
#define OF_RECEIVER (OF (REPORT) | OF (LOSS_EVENT) | OF (LOSS_REMOVED))

typedef enum
{
  KIND_NUMBER, /* a double */
  KIND_COUNT,  /* a uint64_t */
  KIND_TIME,   /* a uint64_t, ns; written in ms */
} Kind;

/* Numbers of a record, in the order of the lines, and the decisions that have them */
static const struct
{
  const gchar *name;
  Kind kind;
  gsize offset;
  guint events;
} fields[] = {
#define FIELD(name, kind, member, events) \
  { \
    name, kind, G_STRUCT_OFFSET (TfrcTraceRecord, member), events \
  }
  FIELD ("X_Bps", KIND_NUMBER, x_Bps, OF_SENDER),
  FIELD ("X_before_Bps", KIND_NUMBER, x_before_Bps, SETS_X),
  FIELD ("X_inst_Bps", KIND_NUMBER, x_inst_Bps, OF_SENDER),
  FIELD ("X_eq_Bps", KIND_NUMBER, x_eq_Bps, SETS_X),
  FIELD ("recv_limit_Bps", KIND_NUMBER, recv_limit_Bps, SETS_X),
  FIELD ("guard_Bps", KIND_NUMBER, guard_Bps, OF (FEEDBACK) | OF (GUARD)),
  FIELD ("X_recv_Bps", KIND_NUMBER, x_recv_Bps, OF (FEEDBACK) | OF (LIMITED) | OF (REPORT)),
  FIELD ("X_recv_told_Bps", KIND_NUMBER, x_recv_told_Bps, OF (LIMITED)),
  FIELD ("p", KIND_NUMBER, p, SETS_X | OF_RECEIVER),
  FIELD ("p_told", KIND_NUMBER, p_told, OF (LIMITED)),
  FIELD ("R_ms", KIND_TIME, rtt_ns, SETS_X | OF_RECEIVER | OF (DOUBTED)),
  FIELD ("R_sample_ms", KIND_TIME, rtt_sample_ns, OF (FEEDBACK) | OF (LIMITED)),
  FIELD ("packets_lost", KIND_COUNT, packets_lost, OF_RECEIVER),
  FIELD ("loss_events", KIND_COUNT, loss_events, OF (FEEDBACK) | OF_RECEIVER),
  FIELD ("count", KIND_COUNT, count,
      OF (FEEDBACK) | OF (REFUSED) | OF (NOFEEDBACK) | OF (REPORT) | OF (HANDOVER)),
};

static gdouble
number_of (const TfrcTraceRecord *record, guint field)
{
  gconstpointer value = (const guint8 *) record + fields[field].offset;

  switch (fields[field].kind) {
    case KIND_NUMBER:
      return *(const gdouble *) value;
    case KIND_COUNT:
      return (gdouble) * (const guint64 *) value;
    case KIND_TIME:
      return (gdouble) * (const guint64 *) value * 1e-6;
  }
  return 0;
}

/* Adds the words of a decision. Returns how many. */
static guint
add_words (GstTfrcTraceField *line, const TfrcTraceRecord *record)
{
  guint of = 1u << record->event, n = 0;

  if (of & SETS_X)
    line[n++] = (GstTfrcTraceField){ "reason", tfrc_trace_reason_to_string (record->reason), 0 };
  if (of & (OF (REFUSED) | OF (SUSPECT)))
    line[n++] = (GstTfrcTraceField){ "result", tfrc_result_to_string (record->result), 0 };
  if (of & OF (HANDOVER))
    line[n++] = (GstTfrcTraceField){ "phase",
      gst_tfrc_enum_get_nick (GST_TYPE_TFRC_HANDOVER_PHASE, record->phase), 0 };
  return n;
}

static void
on_decision (void *user, const TfrcTraceRecord *record)
{
  GstTfrcTraceField line[GST_TFRC_TRACE_MAX_FIELDS];
  guint n = add_words (line, record);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (fields[i].events & 1u << record->event)
      line[n++] = (GstTfrcTraceField){ fields[i].name, NULL, number_of (record, i) };
  }
  gst_tfrc_trace_add (user, record->now_ns, tfrc_trace_event_to_string (record->event), line, n);
}

TfrcTrace
gst_tfrc_stream_trace_decisions (GstTfrcTrace *trace)
{
  const TfrcTrace decisions = { trace ? on_decision : NULL, trace };

  return decisions;
}

/* ---- the queue ----------------------------------------------------------- */

gboolean
gst_tfrc_queue_trace_is_due (const GstTfrcQueueTrace *self, guint64 now_ns)
{
  return self->trace != NULL && now_ns >= self->next_ns;
}

void
gst_tfrc_queue_trace_add (GstTfrcQueueTrace *self, guint64 now_ns, const GstTfrcQueueSample *sample)
{
  const GstTfrcTraceField line[] = {
    { "queue_ms", NULL, (gdouble) sample->wait_ns * 1e-6 },
    { "queue_packets", NULL, sample->packets },
    { "queue_bytes", NULL, (gdouble) sample->bytes },
    { "packets_sent", NULL, (gdouble) sample->packets_sent },
    { "bytes_sent", NULL, (gdouble) sample->bytes_sent },
    { "packets_dropped", NULL, (gdouble) sample->packets_dropped },
    { "packets_past_deadline", NULL, (gdouble) sample->packets_past_deadline },
  };

  self->next_ns = now_ns + GST_TFRC_QUEUE_TRACE_INTERVAL_NS;
  gst_tfrc_trace_add (self->trace, now_ns, "queue", line, G_N_ELEMENTS (line));
}

/* ---- the file ------------------------------------------------------------ */

gboolean
gst_tfrc_stream_trace_refuse_in_uri (const gchar *text, GError **error)
{
  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "Key 'trace-location' names a file that is written, which a URI must not have");
  return FALSE;
}

GstTfrcTrace *
gst_tfrc_stream_trace_open (GstElement *element, gchar *const *location, const gchar *role)
{
  GstTfrcTrace *trace = NULL;
  GError *error = NULL;
  gchar *name, *file;

  GST_OBJECT_LOCK (element);
  file = g_strdup (*location ? *location : g_getenv (GST_TFRC_TRACE_VARIABLE));
  GST_OBJECT_UNLOCK (element);
  if (file == NULL || *file == '\0') {
    g_free (file);
    return NULL;
  }
  name = gst_element_get_name (element);
  trace = gst_tfrc_trace_new (file, name, role, gst_tfrc_clock_now_ns (), &error);
  if (error) {
    GST_ELEMENT_WARNING (element, RESOURCE, OPEN_WRITE, ("No trace is written: %s", error->message),
        ("trace-location or " GST_TFRC_TRACE_VARIABLE
         " has to name a file that can be appended to"));
    g_error_free (error);
  }
  g_free (name);
  g_free (file);
  return trace;
}
