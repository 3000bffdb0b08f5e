/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reader of traces (tools/vod-replay/trace.h).  Whatever the bytes, the result is an
 * error that names the file, or a consistent trace: every frame has a place in coding order and
 * in display order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define CHECK(condition) \
  do { \
    if (!(condition)) \
      abort (); \
  } while (0)
/* limits the duration of a run */
#define MAX_BYTES 65536

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static void
check_trace (const Trace *trace)
{
  gboolean *displayed = g_new0 (gboolean, trace->n_frames);
  guint i;

  CHECK (trace->n_frames > 0 && trace->interval_num_ns > 0);
  CHECK (trace->frames[0].type == FRAME_TYPE_I);
  CHECK (trace->frames[0].display == 0 && trace->frames[0].bytes > 0);
  for (i = 0; i < trace->n_frames; i++) {
    const TraceFrame *frame = &trace->frames[i];

    CHECK (frame->type < N_FRAME_TYPES && frame->line > 0);
    CHECK (frame->bytes <= TRACE_MAX_FRAME_BYTES);
    CHECK (frame->display < trace->n_frames && !displayed[frame->display]);
    displayed[frame->display] = TRUE;
    CHECK (frame->display + trace->reorder_delay >= i);
    CHECK (trace_interval_start_ns (trace, i + 1) >= trace_interval_start_ns (trace, i));
  }
  g_free (displayed);
}

static void
fuzz_with (const TraceOptions *options, const uint8_t *bytes, size_t size)
{
  GError *error = NULL;
  Trace *trace = trace_parse ("fuzz", (const gchar *) bytes, size, options, &error);

  CHECK ((trace == NULL) == (error != NULL));
  if (trace != NULL) {
    check_trace (trace);
    trace_free (trace);
  } else {
    CHECK (strncmp (error->message, "fuzz:", 5) == 0);
    g_error_free (error);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  TraceOptions options = { 0 };

  if (size > MAX_BYTES)
    return 0;
  fuzz_with (&options, bytes, size);
  options.fps_num = 30000;
  options.fps_den = 1001;
  options.order = TRACE_ORDER_CODING;
  fuzz_with (&options, bytes, size);
  options.format = TRACE_FORMAT_ST;
  options.order = TRACE_ORDER_DISPLAY;
  fuzz_with (&options, bytes, size);
  return 0;
}
