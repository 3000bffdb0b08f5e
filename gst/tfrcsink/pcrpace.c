/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times by clock references, see pcrpace.h. */
#include "pcrpace.h"

#include <string.h>

#include "../common/log.h"
#include "tsheader.h"

#define GST_CAT_DEFAULT gst_tfrc_sink_debug

typedef struct
{
  GstTfrcPacket *packet;
  guint64 end;     /* packets of the transport stream up to the end of this one, since the start */
  guint64 time_ns; /* if it is known */
} GstTfrcPcrHeld;

struct _GstTfrcPcrPace
{
  GstTfrcPcrHeld held[GST_TFRC_PCR_MAX_HELD]; /* a ring */
  guint first, n_held, n_timed;               /* the first n_timed have a time */
  guint64 position;                           /* packets of the transport stream so far */
  gboolean has_pcr;                           /* the rest is valid */
  guint pid;
  guint others; /* references of other PIDs since the last one */
  /* Of the PID with the first of these: the position of that one, the time since then, and the last one */
  guint other_pid;
  guint64 other_at, other_ns, other_pcr;
  guint64 pcr; /* the last one, in ticks of 27 MHz */
  guint64 at;  /* the position of the last reference, or of the packet that went last without one */
  guint64 pcr_at;   /* the position of the last reference */
  guint64 base_ns;  /* the time at this position */
  guint64 spent_ns; /* of the present interval, the time that went without a reference */
  /* The interval before, in time and packets of the transport stream; 0: unknown */
  guint64 interval_ns, interval_packets;
};

GstTfrcPcrPace *
gst_tfrc_pcr_pace_new (void)
{
  return g_new0 (GstTfrcPcrPace, 1);
}

void
gst_tfrc_pcr_pace_clear (GstTfrcPcrPace *self)
{
  for (; self->n_held > 0; self->n_held--) {
    gst_tfrc_packet_unref (self->held[self->first].packet);
    self->first = (self->first + 1) % GST_TFRC_PCR_MAX_HELD;
  }
  memset (self, 0, sizeof *self);
}

void
gst_tfrc_pcr_pace_free (GstTfrcPcrPace *self)
{
  if (self == NULL)
    return;
  gst_tfrc_pcr_pace_clear (self);
  g_free (self);
}

/* ---- references ------------------------------------------------------------ */

/* Gives the packets that wait, and end at @at or before, their times: @interval_ns after the last
 * position to @at. */
static void
spread (GstTfrcPcrPace *self, guint64 at, guint64 interval_ns)
{
  const guint64 packets = at - self->at;

  for (; self->n_timed < self->n_held; self->n_timed++) {
    GstTfrcPcrHeld *held = &self->held[(self->first + self->n_timed) % GST_TFRC_PCR_MAX_HELD];

    if (held->end > at)
      break;
    held->time_ns = self->base_ns
        + gst_util_uint64_scale (interval_ns, held->end - self->at, MAX (1, packets));
  }
  self->base_ns += interval_ns;
  self->at = at;
}

/* What this number of packets takes, if they go as those of the interval before
 * @most_ns: what it takes at most */
static guint64
guess_ns (const GstTfrcPcrPace *self, guint64 packets, guint64 most_ns)
{
  if (self->interval_packets == 0)
    return 0;
  return MIN (most_ns, gst_util_uint64_scale (self->interval_ns, packets, self->interval_packets));
}

static guint64
step_of (guint64 from, guint64 to)
{
  const guint64 ticks = (to + GST_TFRC_TS_PCR_WRAP - from) % GST_TFRC_TS_PCR_WRAP;

  return gst_util_uint64_scale (ticks, 1000, 27);
}

/* Another clock tells for how long that of the stream has been away. */
static void
watch_other (GstTfrcPcrPace *self, guint pid, guint64 pcr, gboolean is_jump)
{
  guint64 step_ns;

  if (self->others == 0) {
    self->other_pid = pid;
    self->other_at = self->position;
    self->other_ns = 0;
  } else if (pid == self->other_pid) {
    step_ns = step_of (self->other_pcr, pcr);
    self->other_ns += is_jump || step_ns > GST_TFRC_PCR_MAX_INTERVAL_NS ? 0 : step_ns;
  } else {
    return;
  }
  self->other_pcr = pcr;
}

/* The clock has been another for some time: its first reference ends an interval as a jump does. */
static void
take_over (GstTfrcPcrPace *self, guint pid, guint64 pcr)
{
  const guint64 away_ns = self->other_ns
      + guess_ns (self, self->other_at - self->pcr_at, self->interval_ns);

  GST_DEBUG ("PID %u has the clock now", pid);
  spread (self, self->position, away_ns - MIN (away_ns, self->spent_ns));
  self->pid = pid;
  self->pcr = pcr;
  self->pcr_at = self->position;
  self->others = 0;
  self->spent_ns = 0;
}

/* @position: of the packet with the reference */
static void
take_pcr (GstTfrcPcrPace *self, guint64 position, guint64 pcr, gboolean is_jump)
{
  const guint64 step_ns = step_of (self->pcr, pcr);
  const gboolean had_pcr = self->has_pcr;

  self->pcr = pcr;
  self->has_pcr = TRUE;
  if (!had_pcr) {
    self->at = self->pcr_at = position;
    return;
  }
  if (is_jump || step_ns > GST_TFRC_PCR_MAX_INTERVAL_NS) {
    GST_DEBUG ("PCR jumps by %" G_GUINT64_FORMAT " ns", step_ns);
    spread (self, position, guess_ns (self, position - self->at, self->interval_ns));
  } else {
    /* What went without a reference may have been too slow; then the rest of the interval has no time. */
    const guint64 left_ns = step_ns - MIN (step_ns, self->spent_ns);

    if (position > self->pcr_at) {
      self->interval_ns = step_ns;
      self->interval_packets = position - self->pcr_at;
    }
    spread (self, position, left_ns);
  }
  self->pcr_at = position;
  self->spent_ns = 0;
}

static void
read_packet (GstTfrcPcrPace *self, const guint8 *ts_packet)
{
  guint64 pcr;
  gboolean is_jump;
  guint pid;

  if (!gst_tfrc_ts_read_pcr (ts_packet, &pcr, &is_jump))
    return;
  pid = gst_tfrc_ts_get_pid (ts_packet);
  if (!self->has_pcr || pid == self->pid) {
    self->pid = pid;
    self->others = 0;
    take_pcr (self, self->position, pcr, is_jump);
    return;
  }
  watch_other (self, pid, pcr, is_jump);
  if (++self->others > GST_TFRC_PCR_MAX_OTHERS)
    take_over (self, pid, pcr);
}

/* The packets that wait go without a reference behind them, in @most_ns at most. */
static void
give_up (GstTfrcPcrPace *self, guint64 most_ns)
{
  const guint64 at = self->held[(self->first + self->n_held - 1) % GST_TFRC_PCR_MAX_HELD].end;
  guint64 interval_ns;

  if (at <= self->at)
    return;
  interval_ns = guess_ns (self, at - self->at, most_ns);
  spread (self, at, interval_ns);
  self->spent_ns += interval_ns;
}

/* ---- packets ----------------------------------------------------------------- */

void
gst_tfrc_pcr_pace_add (GstTfrcPcrPace *self, GstTfrcPacket *packet)
{
  const guint8 *payload = gst_tfrc_packet_get_payload (packet);
  const gsize bytes = gst_tfrc_packet_get_payload_bytes (packet);
  GstTfrcPcrHeld *held;
  gsize done;

  g_assert (self->n_held < GST_TFRC_PCR_MAX_HELD);
  for (done = 0; done < bytes; done += GST_TFRC_TS_PACKET_BYTES) {
    self->position++;
    read_packet (self, payload + done);
  }
  held = &self->held[(self->first + self->n_held) % GST_TFRC_PCR_MAX_HELD];
  *held = (GstTfrcPcrHeld){ packet, self->position, G_MAXUINT64 };
  self->n_held++;
  if (!self->has_pcr)
    self->n_timed = self->n_held;
  else if (held->end == self->at)
    spread (self, held->end, 0); /* it ends with the reference */
  if (self->n_held == GST_TFRC_PCR_MAX_HELD)
    give_up (self, GST_TFRC_PCR_MAX_INTERVAL_NS);
}

void
gst_tfrc_pcr_pace_finish (GstTfrcPcrPace *self)
{
  if (self->n_held > 0 && self->has_pcr)
    give_up (self, self->interval_ns); /* after more, a reference would have come */
}

GstTfrcPacket *
gst_tfrc_pcr_pace_take (GstTfrcPcrPace *self, guint64 *time_ns)
{
  const GstTfrcPcrHeld *held = &self->held[self->first];

  if (self->n_timed == 0)
    return NULL;
  *time_ns = held->time_ns;
  self->first = (self->first + 1) % GST_TFRC_PCR_MAX_HELD;
  self->n_held--;
  self->n_timed--;
  return held->packet;
}
