/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record of what a stream decides, see trace.h */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "threads.h"

/* A picture shows no delay of the file, and a disk sees few writes. */
#define WRITE_INTERVAL_US (50 * 1000)

/* Text that may wait to be written. Lines are written together, and never in parts: other elements may
 * append to the same file. */
#define CHUNK_BYTES (32 * 1024)

/* Above this, doubles have no fractions. */
#define EXACT_LIMIT 9007199254740992.0

GST_TFRC_DECLARE_MUTEX (GstTfrcTraceMutex, gst_tfrc_trace_mutex)

typedef struct
{
  guint64 now_ns;
  const gchar *event;
  guint n_fields;
  GstTfrcTraceField fields[GST_TFRC_TRACE_MAX_FIELDS];
} Record;

struct _GstTfrcTrace
{
  gint fd;
  gchar *name;      /* escaped, for between quotes */
  guint64 start_ns; /* time 0 */

  /* Records from tail to head wait. They count without end; a record's place is the count modulo
   * the ring's length. The producer alone changes head, the thread alone changes tail. */
  Record *ring;
  guint head;    /* atomic */
  guint tail;    /* atomic */
  guint dropped; /* atomic */

  GThread *thread;
  guint told;         /* the thread's: dropped records that the file says */
  gboolean is_broken; /* the thread's: writing has failed */

  GstTfrcTraceMutex lock;
  GCond wake;
  gboolean ends GST_TFRC_GUARDED_BY (gst_tfrc_trace_mutex);
};

/* ---- JSON ---------------------------------------------------------------- */

static gchar *
escape (const gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  GString *escaped = g_string_new (NULL);

  for (const gchar *p = valid; *p; p++) {
    if ((guchar) *p < 0x20) {
      g_string_append_printf (escaped, "\\u%04x", (guint) (guchar) *p);
      continue;
    }
    if (*p == '"' || *p == '\\')
      g_string_append_c (escaped, '\\');
    g_string_append_c (escaped, *p);
  }
  g_free (valid);
  return g_string_free (escaped, FALSE);
}

static void
append_word (GString *text, const gchar *word)
{
  gchar *escaped = escape (word);

  g_string_append_printf (text, "\"%s\"", escaped);
  g_free (escaped);
}

static void
append_number (GString *text, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (number)) {
    g_string_append (text, "null");
    return;
  }
  /* Counters stand in full. The decimal point must not depend on the locale. */
  if (number == floor (number) && fabs (number) < EXACT_LIMIT)
    g_ascii_formatd (digits, sizeof digits, "%.0f", number);
  else
    g_ascii_formatd (digits, sizeof digits, "%.9g", number);
  g_string_append (text, digits);
}

static void
append_record (GString *text, const GstTfrcTrace *trace, const Record *record)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (digits, sizeof digits, "%.3f",
      (gdouble) ((gint64) (record->now_ns - trace->start_ns)) * 1e-6);
  g_string_append_printf (
      text, "{\"time\":%s,\"name\":\"tfrc:%s\",\"data\":{", digits, record->event);
  for (guint i = 0; i < record->n_fields; i++) {
    const GstTfrcTraceField *field = &record->fields[i];

    g_string_append_printf (text, "%s\"%s\":", i ? "," : "", field->name);
    if (field->word)
      append_word (text, field->word);
    else
      append_number (text, field->number);
  }
  g_string_append_printf (text, "},\"group_id\":\"%s\"}\n", trace->name);
}

static void
append_head (GString *text, const GstTfrcTrace *trace, const gchar *role, guint64 wall_ns)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (digits, sizeof digits, "%.3f", (gdouble) wall_ns * 1e-6);
  g_string_append_printf (text,
      "{\"qlog_version\":\"0.3\",\"qlog_format\":\"NDJSON\",\"title\":\"gst-tfrc\",\"trace\":{"
      "\"vantage_point\":{\"name\":\"%s\",\"type\":\"%s\"},\"common_fields\":{\"group_id\":\"%s\","
      "\"protocol_type\":[\"TFRC\"],\"time_format\":\"relative\",\"reference_time\":%s}}}\n",
      trace->name, role, trace->name, digits);
}

/* ---- the thread ---------------------------------------------------------- */

/* As write(), but without SIGPIPE: a pipe whose reader has left must not end the process. */
static gssize
write_without_signal (gint fd, const gchar *data, gsize size)
{
  const struct timespec at_once = { 0, 0 };
  sigset_t broken_pipe, before;
  gssize n;

  sigemptyset (&broken_pipe);
  sigaddset (&broken_pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &broken_pipe, &before);
  n = write (fd, data, size);
  if (n < 0 && errno == EPIPE) {
    sigtimedwait (&broken_pipe, NULL, &at_once);
    errno = EPIPE;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return n;
}

/* Returns how many bytes to write at once: as many whole lines as a pipe takes or refuses together. */
static gsize
whole_lines (const GString *text)
{
  gsize size = MIN (text->len, PIPE_BUF);

  while (size > 0 && text->str[size - 1] != '\n')
    size--;
  return size > 0 ? size : text->len;
}

/* Writes what the file takes now; only a pipe takes nothing for a while. Text that cannot be written
 * because of another error is discarded: a full disk must not fill the memory, too.
 * @return whether nothing is left */
static gboolean
write_text (GstTfrcTrace *trace, GString *text)
{
  while (text->len > 0 && !trace->is_broken) {
    gssize n = write_without_signal (trace->fd, text->str, whole_lines (text));

    if (n >= 0) {
      g_string_erase (text, 0, n);
    } else if (errno == EAGAIN) {
      return FALSE;
    } else if (errno != EINTR) {
      trace->is_broken = TRUE;
      g_warning ("The trace of %s cannot be written: %s", trace->name, g_strerror (errno));
    }
  }
  g_string_truncate (text, 0);
  return TRUE;
}

/* Writes how many events were dropped. @text: empty. If the line cannot be written now, a later
 * line has the number. */
static void
write_dropped (GstTfrcTrace *trace, GString *text)
{
  guint dropped = gst_tfrc_trace_get_dropped (trace);
  Record record = { gst_tfrc_clock_now_ns (), "events_dropped", 1,
    { { "events", NULL, dropped - trace->told } } };

  if (dropped == trace->told)
    return;
  append_record (text, trace, &record);
  if (write_text (trace, text))
    trace->told = dropped;
  else
    g_string_truncate (text, 0);
}

/* @text: begins with what could not be written last time. While the reader of a pipe stalls, the
 * ring fills. */
static void
write_waiting (GstTfrcTrace *trace, GString *text)
{
  guint head = (guint) g_atomic_int_get (&trace->head), tail = trace->tail;

  while (tail != head && (text->len < CHUNK_BYTES || write_text (trace, text))) {
    append_record (text, trace, &trace->ring[tail % GST_TFRC_TRACE_RING]);
    g_atomic_int_set (&trace->tail, ++tail);
  }
  if (write_text (trace, text))
    write_dropped (trace, text);
}

/* Warns of the events that the file lacks because its reader stalls at the end. */
static void
tell_lost (const GstTfrcTrace *trace, const GString *text)
{
  guint lost = trace->head - trace->tail + gst_tfrc_trace_get_dropped (trace) - trace->told;

  for (gsize i = 0; i < text->len; i++)
    lost += text->str[i] == '\n';
  if (lost > 0 && !trace->is_broken)
    g_warning ("The trace of %s lacks %u events at its end: the reader of the file is too slow",
        trace->name, lost);
}

/* Waits until it is time to write. Returns whether this is the last time. */
static gboolean
wait_a_while (GstTfrcTrace *trace)
{
  gint64 until_us = g_get_monotonic_time () + WRITE_INTERVAL_US;
  gboolean ends;

  gst_tfrc_trace_mutex_lock (&trace->lock);
  while (!trace->ends && gst_tfrc_trace_mutex_wait_until (&trace->lock, &trace->wake, until_us))
    ;
  ends = trace->ends;
  gst_tfrc_trace_mutex_unlock (&trace->lock);
  return ends;
}

static gpointer
run (gpointer data)
{
  GstTfrcTrace *trace = data;
  GString *text = g_string_sized_new (CHUNK_BYTES);
  gboolean ends;

  do {
    ends = wait_a_while (trace);
    write_waiting (trace, text);
  } while (!ends);
  tell_lost (trace, text);
  g_string_free (text, TRUE);
  return NULL;
}

/* ---- interface ----------------------------------------------------------- */

static void
destroy (GstTfrcTrace *trace)
{
  close (trace->fd);
  g_cond_clear (&trace->wake);
  gst_tfrc_trace_mutex_clear (&trace->lock);
  g_free (trace->ring);
  g_free (trace->name);
  g_free (trace);
}

static void
set_error (GError **error, const gchar *location, gint error_number)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (error_number), "%s: %s", location,
      g_strerror (error_number));
}

GstTfrcTrace *
gst_tfrc_trace_new (
    const gchar *location, const gchar *name, const gchar *role, guint64 now_ns, GError **error)
{
  gint fd = open (location, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  GstTfrcClockMap clocks;
  GstTfrcTrace *trace;
  GString *head;
  gboolean has_begun;

  if (fd < 0) {
    set_error (error, location, errno);
    return NULL;
  }
  trace = g_new0 (GstTfrcTrace, 1);
  trace->fd = fd;
  trace->name = escape (name);
  trace->start_ns = now_ns;
  trace->ring = g_new (Record, GST_TFRC_TRACE_RING);
  gst_tfrc_trace_mutex_init (&trace->lock);
  g_cond_init (&trace->wake);
  head = g_string_new (NULL);
  gst_tfrc_clock_map_init (&clocks);
  append_head (head, trace, role, clocks.wall_ns + now_ns - clocks.now_ns);
  has_begun = write_text (trace, head);
  g_string_free (head, TRUE);
  if (has_begun)
    trace->thread = g_thread_try_new ("tfrc-trace", run, trace, error);
  else
    set_error (error, location, EAGAIN);
  if (trace->thread == NULL) {
    destroy (trace);
    return NULL;
  }
  return trace;
}

void
gst_tfrc_trace_free (GstTfrcTrace *trace)
{
  if (trace == NULL)
    return;
  gst_tfrc_trace_mutex_lock (&trace->lock);
  trace->ends = TRUE;
  g_cond_signal (&trace->wake);
  gst_tfrc_trace_mutex_unlock (&trace->lock);
  g_thread_join (trace->thread);
  destroy (trace);
}

void
gst_tfrc_trace_close_inherited (GstTfrcTrace *trace)
{
  if (trace)
    close (trace->fd);
}

void
gst_tfrc_trace_add (GstTfrcTrace *trace, guint64 now_ns, const gchar *event,
    const GstTfrcTraceField *fields, guint n_fields)
{
  Record *record;
  guint head;

  if (trace == NULL)
    return;
  head = trace->head;
  if (head - (guint) g_atomic_int_get (&trace->tail) == GST_TFRC_TRACE_RING) {
    g_atomic_int_inc (&trace->dropped);
    return;
  }
  record = &trace->ring[head % GST_TFRC_TRACE_RING];
  record->now_ns = now_ns;
  record->event = event;
  record->n_fields = MIN (n_fields, GST_TFRC_TRACE_MAX_FIELDS);
  /* An event without fields has NULL, which memcpy() refuses. */
  if (record->n_fields > 0)
    memcpy (record->fields, fields, record->n_fields * sizeof *fields);
  g_atomic_int_set (&trace->head, head + 1);
}

guint
gst_tfrc_trace_get_dropped (const GstTfrcTrace *trace)
{
  return (guint) g_atomic_int_get (&trace->dropped);
}
