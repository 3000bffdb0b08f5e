/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A record of what a stream decides: lines of JSON in a file (docs/trace.md).
 *
 * Whoever decides only copies numbers into a ring, without lock and system call; a thread of the
 * trace writes the file. An event for which the ring has no room is dropped, and the file says
 * how many were. The thread does not wait for a pipe whose reader stalls: events stay in the ring
 * then. */
#ifndef GST_TFRC_TRACE_H
#define GST_TFRC_TRACE_H

#include <glib.h>

G_BEGIN_DECLS

/** Events that may wait for the thread, which writes twenty times a second: more than a stream has
 * in that time (a few for each feedback packet, at most one each millisecond), so that only a
 * processor that is busy for long drops one. */
#define GST_TFRC_TRACE_RING 1024

/** The most fields of an event */
#define GST_TFRC_TRACE_MAX_FIELDS 16

typedef struct _GstTfrcTrace GstTfrcTrace;

/** A number, or a word if there is one. Name and word live as long as the process. */
typedef struct
{
  const gchar *name;
  const gchar *word; /**< NULL: the field is the number */
  gdouble number;    /**< infinity and NaN become null */
} GstTfrcTraceField;

/** Opens @a location, behind what is there, and writes the line that begins a trace.
 *
 * @param name of the element; several elements and processes may write to one file
 * @param role "sender" or "receiver": static
 * @param now_ns time 0 of the trace
 * @return the trace, for gst_tfrc_trace_free(); NULL with @a error: G_FILE_ERROR if the file cannot be
 *   opened, or is a pipe that nobody reads or that is full; G_THREAD_ERROR. Any thread that may
 *   wait. */
GstTfrcTrace *gst_tfrc_trace_new (
    const gchar *location, const gchar *name, const gchar *role, guint64 now_ns, GError **error);

/** Writes what waits, and closes the file. If the reader of a pipe stalls, a warning says how many
 * events the file lacks. NULL is allowed. Not from the I/O loop's thread, because the function waits
 * for the disk. */
void gst_tfrc_trace_free (GstTfrcTrace *trace);

/** In a child of fork(2): closes the child's descriptor of a trace of the parent (fork.h). NULL is
 * allowed. */
void gst_tfrc_trace_close_inherited (GstTfrcTrace *trace);

/** Adds an event. Never waits. One call at a time, from any thread: the streams call with their
 * lock held. NULL is allowed, and does nothing.
 *
 * @param now_ns monotonic
 * @param event static text
 * @param n_fields at most GST_TFRC_TRACE_MAX_FIELDS; further fields are left out */
void gst_tfrc_trace_add (GstTfrcTrace *trace, guint64 now_ns, const gchar *event,
    const GstTfrcTraceField *fields, guint n_fields);

/** Returns how many events were dropped. Any thread. */
guint gst_tfrc_trace_get_dropped (const GstTfrcTrace *trace);

G_END_DECLS
#endif
