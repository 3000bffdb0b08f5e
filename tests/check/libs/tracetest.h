/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions that a sender or a receiver tells */
#ifndef TRACETEST_H
#define TRACETEST_H

#include <gst/check/gstcheck.h>
#include <tfrc/tfrc.h>

static TfrcTraceRecord told[1000]; /* since the last forget() */
static guint n_told;

static inline void
note (void *user, const TfrcTraceRecord *record)
{
  fail_unless (user == told);
  fail_unless (n_told < G_N_ELEMENTS (told));
  told[n_told++] = *record;
}

static const TfrcTrace trace = { note, told };

static inline void
forget (void)
{
  n_told = 0;
}

/* Checks that these events were told, in this order, and nothing else; "feedback:slow-start" also
 * checks the reason. */
static inline void
assert_told (const gchar *expected)
{
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < n_told; i++) {
    g_string_append_printf (
        all, "%s%s", i == 0 ? "" : " ", tfrc_trace_event_to_string (told[i].event));
    if (told[i].reason != TFRC_TRACE_BY_NOTHING)
      g_string_append_printf (all, ":%s", tfrc_trace_reason_to_string (told[i].reason));
  }
  fail_unless_equals_string (all->str, expected);
  g_string_free (all, TRUE);
}

/* The last record with this event */
static inline const TfrcTraceRecord *
last (TfrcTraceEvent event)
{
  for (guint i = n_told; i-- > 0;) {
    if (told[i].event == event)
      return &told[i];
  }
  fail ("%s was not told", tfrc_trace_event_to_string (event));
  return NULL;
}

#endif
