/* A movie as a list of frame sizes, read from a file and checked.
 *
 * Formats:
 *   csv  the project's: comments (#), the header "frame,type,time_ms,bytes",
 *        then a line for each frame as displayed, unless the user says that
 *        the lines are in coding order;
 *   asu  of the library at trace.eas.asu.edu: verbose, "number type time_ms
 *        size" and possibly more (PSNR), or "time_ms type size"; or terse,
 *        nothing but the size;
 *   st   a size in bits on each line after the comments, or EvalVid's sender
 *        trace "number type bytes packets time_s", in which H is a header and
 *        belongs to the frame behind it.
 * All but csv are separated by white space and may start with lines that do not
 * begin with a number.  A trace of sizes only becomes one I and then P frames.
 */
#ifndef VOD_REPLAY_TRACE_H
#define VOD_REPLAY_TRACE_H

#include <glib.h>

/* No encoder makes a frame of more. */
#define TRACE_MAX_FRAME_BYTES (16u * 1024 * 1024)

typedef enum
{
  TRACE_FORMAT_AUTO,
  TRACE_FORMAT_CSV,
  TRACE_FORMAT_ASU,
  TRACE_FORMAT_ST
} TraceFormat;

typedef enum
{
  TRACE_UNIT_AUTO, /* what the comments say, else the format's */
  TRACE_UNIT_BYTES,
  TRACE_UNIT_BITS /* rounded up to whole bytes */
} TraceUnit;

typedef enum
{
  TRACE_ORDER_AUTO, /* as displayed if the times always grow */
  TRACE_ORDER_DISPLAY,
  TRACE_ORDER_CODING /* as the lines stand; times that do not always
                                 * grow are those of display, others tell nothing */
} TraceOrder;

typedef enum
{
  FRAME_TYPE_I,
  FRAME_TYPE_P,
  FRAME_TYPE_B,
  N_FRAME_TYPES
} FrameType;

typedef struct
{
  TraceFormat format;
  TraceUnit unit;
  TraceOrder order;
  guint fps_num, fps_den; /* 0: from the times in the trace */
} TraceOptions;

typedef struct
{
  guint64 time_ns; /* of its display, as the trace says */
  guint32 bytes;   /* 0: the encoder skipped it */
  guint32 display; /* its place among the frames as displayed */
  guint32 line;    /* where it stands in the file */
  FrameType type;
} TraceFrame;

typedef struct
{
  gchar *name;        /* of the file, for messages */
  TraceFrame *frames; /* in coding order */
  guint n_frames;
  guint64 interval_num_ns; /* from frame to frame, a fraction */
  guint64 interval_den;
  guint reorder_delay; /* intervals from decoding to display, that */
} Trace;               /* every frame is decoded before its display */

#define TRACE_ERROR (trace_error_quark ())
GQuark trace_error_quark (void);

/** Errors name the file and the line. */
Trace *trace_load (const gchar *path, const TraceOptions *options, GError **error);

/** The same from text in memory; `name' is for messages. */
Trace *trace_parse (const gchar *name, const gchar *text, gsize length, const TraceOptions *options,
    GError **error);

void trace_free (Trace *trace);

/** When interval number n starts. */
guint64 trace_interval_start_ns (const Trace *trace, guint64 n);

/** Sets an error that names file and line; returns FALSE. */
gboolean trace_fail (const gchar *name, guint32 line, GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (4, 5);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trace, trace_free)
#endif
