/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queueing that packets will meet, see queueing.h. */
#include "queueing.h"

#include <string.h>

/* A window has R, but at least this time: the longest feedback interval of a LAN is 40 ms (docs/rules.md),
 * and one packet alone shows no jitter. */
#define LEAST_WINDOW_NS G_GUINT64_CONSTANT (100000000)

/* In which the error falls to 1/e.  In simulation 5 s let twice as many packets be late, and 20 s are
 * hardly better (docs/decisions/playout.md). */
#define ERROR_TIME_NS 10e9

void
gst_tfrc_queueing_forget (GstTfrcQueueing *self)
{
  memset (self, 0, sizeof *self);
}

static guint64
most (const GstTfrcQueueing *self)
{
  return MAX (self->most_ns[0], self->most_ns[1]);
}

static void
move_window (GstTfrcQueueing *self, guint64 length_ns, guint64 arrival_ns)
{
  if (arrival_ns < self->window_ns + length_ns)
    return;
  self->most_ns[1] = arrival_ns < self->window_ns + 2 * length_ns ? self->most_ns[0] : 0;
  self->most_ns[0] = 0;
  self->window_ns = arrival_ns;
}

/* Finds the newest forecast that was told at this time or before.
 * Returns FALSE if there is none. */
static gboolean
find_forecast (const GstTfrcQueueing *self, guint64 time_ns, guint64 *most_ns)
{
  guint n = MIN (self->n_told, GST_TFRC_QUEUEING_FORECASTS);

  for (guint i = 1; i <= n; i++) {
    guint place = (self->n_told - i) % GST_TFRC_QUEUEING_FORECASTS;

    if (self->told[place].time_ns <= time_ns) {
      *most_ns = self->told[place].most_ns;
      return TRUE;
    }
  }
  return FALSE;
}

static void
judge (GstTfrcQueueing *self, guint64 queueing_ns, guint64 rtt_ns, guint64 arrival_ns)
{
  gdouble elapsed_ns = arrival_ns - MIN (arrival_ns, self->arrival_ns);
  guint64 forecast_ns;

  self->error_ns = (guint64) (self->error_ns * MAX (1 - elapsed_ns / ERROR_TIME_NS, 0));
  self->arrival_ns = MAX (self->arrival_ns, arrival_ns);
  if (rtt_ns > 0 && find_forecast (self, arrival_ns - MIN (rtt_ns, arrival_ns), &forecast_ns))
    self->error_ns = MAX (self->error_ns, queueing_ns - MIN (forecast_ns, queueing_ns));
}

void
gst_tfrc_queueing_on_packet (
    GstTfrcQueueing *self, guint64 queueing_ns, guint64 rtt_ns, guint64 arrival_ns)
{
  judge (self, queueing_ns, rtt_ns, arrival_ns);
  move_window (self, MAX (rtt_ns, LEAST_WINDOW_NS), arrival_ns);
  self->most_ns[0] = MAX (self->most_ns[0], queueing_ns);
  self->is_known = TRUE;
}

void
gst_tfrc_queueing_on_told (GstTfrcQueueing *self, guint64 now_ns)
{
  guint place = self->n_told % GST_TFRC_QUEUEING_FORECASTS;

  if (!self->is_known)
    return;
  self->told[place].time_ns = now_ns;
  self->told[place].most_ns = most (self);
  self->n_told++;
}

guint64
gst_tfrc_queueing_get_ns (const GstTfrcQueueing *self)
{
  return self->is_known ? most (self) + self->error_ns : GST_TFRC_QUEUEING_UNKNOWN;
}
