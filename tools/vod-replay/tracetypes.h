/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A movie as a list of frames in memory, the options for reading it, and the error for a refused
 * trace */
#ifndef VOD_REPLAY_TRACETYPES_H
#define VOD_REPLAY_TRACETYPES_H

#include <glib.h>

/* A limit above the frames of any encoder */
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
  TRACE_UNIT_AUTO, /* from the comments, else the format's */
  TRACE_UNIT_BYTES,
  TRACE_UNIT_BITS /* rounded up to whole bytes */
} TraceUnit;

typedef enum
{
  TRACE_ORDER_AUTO, /* display order if the times always grow */
  TRACE_ORDER_DISPLAY,
  /* Coding order, as the lines stand.  Times that do not always grow are those of display;
   * others do not show the display order. */
  TRACE_ORDER_CODING
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
  guint64 time_ns; /* display time in the trace */
  guint32 bytes;   /* 0: the encoder skipped it */
  guint32 display; /* number of the frame in display order */
  guint32 line;    /* number of its line in the file */
  FrameType type;
} TraceFrame;

typedef struct
{
  gchar *name;        /* of the file, for messages */
  TraceFrame *frames; /* in coding order */
  guint n_frames;
  guint64 interval_num_ns; /* time between frames, as a fraction */
  guint64 interval_den;
  /* Intervals from decoding to display, so that every frame is decoded before its display */
  guint reorder_delay;
} Trace;

#define TRACE_ERROR (trace_error_quark ())
GQuark trace_error_quark (void);

/** Returns the start of interval number n. */
guint64 trace_interval_start_ns (const Trace *trace, guint64 n);

/** Sets an error that names file and line.  Returns FALSE. */
gboolean trace_fail (const gchar *name, guint32 line, GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (4, 5);
#endif
