/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which forward error correction a flow sends, see fecchoice.h. */
#include "fecchoice.h"

#include <math.h>
#include <string.h>

#include "../common/log.h"
#include "../queue/packet.h"

/* With fewer packets nothing is chosen yet: one loss among them would look like a bad path. */
#define LEAST_PACKETS 100

/* A loss is reported when three later packets have come, so a report may have more losses than new packets, but
 * never by as much as this: its counts are another receiver's. */
#define MAX_STRAY_LOSSES 1024

gboolean
gst_tfrc_fec_setting_parse (const gchar *text, GstTfrcFecSetting *setting)
{
  GstTfrcFecSetting parsed = { .is_auto = g_strcmp0 (text, "auto") == 0 };

  if (text && !parsed.is_auto && !gst_tfrc_fec_layout_parse (text, &parsed.layout))
    return FALSE;
  *setting = parsed;
  return TRUE;
}

void
gst_tfrc_fec_choice_set (GstTfrcFecChoice *self, const GstTfrcFecSetting *setting)
{
  if (setting->is_auto == self->setting.is_auto
      && gst_tfrc_fec_layout_equal (&setting->layout, &self->setting.layout))
    return;
  self->setting = *setting;
  self->layout = setting->layout;
  self->chosen_ns = 0;
}

void
gst_tfrc_fec_choice_restart (GstTfrcFecChoice *self)
{
  self->has_begun = FALSE;
  self->n = 0;
  self->packets = self->packets_lost = 0;
}

const GstTfrcFecLayout *
gst_tfrc_fec_choice_get (const GstTfrcFecChoice *self)
{
  return &self->layout;
}

guint64
gst_tfrc_fec_choice_get_max_wait_ns (const GstTfrcFecChoice *self)
{
  return self->setting.is_auto ? self->max_wait_ns : G_MAXUINT64;
}

/* ---- the losses of the last packets -------------------------------------------- */

static GstTfrcFecReport *
nth_report (GstTfrcFecChoice *self, guint i)
{
  return &self->reports[(self->first + i) % GST_TFRC_FEC_CHOICE_REPORTS];
}

static void
forget_oldest (GstTfrcFecChoice *self)
{
  const GstTfrcFecReport *oldest = nth_report (self, 0);

  self->packets -= oldest->packets;
  self->packets_lost -= oldest->lost;
  self->first = (self->first + 1) % GST_TFRC_FEC_CHOICE_REPORTS;
  self->n--;
}

static gboolean
has_enough_without_oldest (GstTfrcFecChoice *self)
{
  return self->n > 1
      && self->packets - nth_report (self, 0)->packets >= GST_TFRC_FEC_CHOICE_PACKETS;
}

/* Counts wrap, and a packet that was late is not lost any more. */
static void
note_report (GstTfrcFecChoice *self, const GstTfrcFecInput *input)
{
  guint32 packets = input->highest_seq - self->highest_seq;
  gint32 more = (gint32) (input->packets_lost - self->lost);
  guint32 lost = (guint32) MAX (more, 0);
  gboolean begins = !self->has_begun || packets > G_MAXINT32 || more < -MAX_STRAY_LOSSES
      || lost > packets + MAX_STRAY_LOSSES;

  self->highest_seq = input->highest_seq;
  self->lost = input->packets_lost;
  if (begins) {
    gst_tfrc_fec_choice_restart (self);
    self->has_begun = TRUE;
    return;
  }
  if (packets == 0 && lost == 0)
    return;
  if (self->n == GST_TFRC_FEC_CHOICE_REPORTS)
    forget_oldest (self);
  *nth_report (self, self->n++) = (GstTfrcFecReport){ packets, lost, input->now_ns };
  self->packets += packets;
  self->packets_lost += lost;
  while (has_enough_without_oldest (self))
    forget_oldest (self);
}

/* The packets that are lost together: how many more a report has that has any, than it would have if each were
 * lost by itself. A burst that two reports share counts as two. */
static gdouble
mean_burst (GstTfrcFecChoice *self, gdouble loss)
{
  gdouble per_report = (gdouble) self->packets / self->n;
  gdouble independent = per_report * loss / (1 - pow (1 - loss, per_report));
  guint with_loss = 0;

  for (guint i = 0; i < self->n; i++)
    with_loss += nth_report (self, i)->lost > 0;
  return MAX (1, self->packets_lost / (gdouble) with_loss / independent);
}

/* Returns packets in a second; 0: unknown. The oldest report's packets left before the time begins. */
static gdouble
packet_rate (GstTfrcFecChoice *self)
{
  const GstTfrcFecReport *oldest = nth_report (self, 0), *newest = nth_report (self, self->n - 1);

  return newest->time_ns > oldest->time_ns
      ? (self->packets - oldest->packets) * 1e9 / (newest->time_ns - oldest->time_ns)
      : 0;
}

/* ---- the choice ---------------------------------------------------------------------- */

static gdouble
queueing_ns (const GstTfrcPlayout *playout)
{
  return playout->queueing_ns == GST_TFRC_QUEUEING_UNKNOWN ? 0 : (gdouble) playout->queueing_ns;
}

/* A gap shows when the next packet comes. */
static gboolean
is_repair_in_time (const GstTfrcFecInput *input, gdouble packets_per_s)
{
  return !input->repairs_nothing
      && input->playout.delay_ns
      >= queueing_ns (&input->playout) + input->rtt_ns + 1e9 / packets_per_s;
}

/* What the movie leaves of the rate, as a part of the movie */
static gdouble
room (const GstTfrcFecChoice *self, const GstTfrcFecInput *input, gdouble packets_per_s)
{
  gdouble movie = packets_per_s / (1 + gst_tfrc_fec_layout_overhead (&self->layout));

  return input->rate_Bps / (movie * GST_TFRC_PACKET_MAX_PAYLOAD_BYTES) - 1;
}

static void
choose (GstTfrcFecChoice *self, const GstTfrcFecInput *input, GstTfrcFecLayout *layout)
{
  gdouble packets_per_s = packet_rate (self);
  gdouble time_ns = input->playout.delay_ns - queueing_ns (&input->playout);
  GstTfrcFecPath path;

  memset (layout, 0, sizeof *layout);
  if (input->playout.delay_ns == 0 || self->packets < LEAST_PACKETS || self->packets_lost == 0
      || packets_per_s <= 0 || time_ns <= 0 || is_repair_in_time (input, packets_per_s))
    return;
  path.loss = MIN (1, (gdouble) self->packets_lost / self->packets);
  path.mean_burst = path.loss < 1 ? mean_burst (self, path.loss) : 1;
  path.max_span_packets = (guint) MIN (time_ns * packets_per_s / 1e9, 2 * GST_TFRC_FEC_MAX_PACKETS);
  path.max_overhead = MIN (GST_TFRC_FEC_MAX_OVERHEAD, room (self, input, packets_per_s));
  if (path.max_overhead <= 0)
    return;
  gst_tfrc_fec_layout_choose (&path, layout);
  gst_tfrc_log (flow, LOG,
      "FEC: %.2f %% are lost, %.1f together, a packet can wait for %u others, and %.0f %% of the movie "
      "may be added",
      path.loss * 100, path.mean_burst, path.max_span_packets, path.max_overhead * 100);
}

void
gst_tfrc_fec_choice_on_report (GstTfrcFecChoice *self, const GstTfrcFecInput *input)
{
  GstTfrcFecLayout chosen;
  gchar *text;

  if (!self->setting.is_auto)
    return;
  note_report (self, input);
  self->max_wait_ns = input->playout.delay_ns / GST_TFRC_FEC_CHOICE_WAIT;
  if (self->n < 2
      || (self->chosen_ns > 0 && input->now_ns < self->chosen_ns + GST_TFRC_FEC_CHOICE_INTERVAL_NS))
    return;
  choose (self, input, &chosen);
  self->chosen_ns = input->now_ns;
  if (gst_tfrc_fec_layout_equal (&chosen, &self->layout))
    return;
  text = gst_tfrc_fec_layout_to_string (&chosen);
  gst_tfrc_log (flow, DEBUG, "FEC is %s from now on", text);
  g_free (text);
  self->layout = chosen;
}
