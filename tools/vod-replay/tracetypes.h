/* A movie as a list of frames in memory, the options of reading it, and the error of a trace that is refused. */
#ifndef VOD_REPLAY_TRACETYPES_H
#define VOD_REPLAY_TRACETYPES_H

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

/** When interval number n starts. */
guint64 trace_interval_start_ns (const Trace *trace, guint64 n);

/** Sets an error that names file and line; returns FALSE. */
gboolean trace_fail (const gchar *name, guint32 line, GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (4, 5);
#endif
