/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of a movie at the receiver, see rtpclock.h. */
#include "rtpclock.h"

/* Between two packets that come in, at most this time counts for the slope. */
#define MAX_ELAPSED_NS G_GINT64_CONSTANT (1000000000)

/* Beyond any playout delay and any window; sums of it and of any transit do not overflow. */
#define MAX_SLACK_NS (G_MAXINT64 / 4)

static gint64
ticks_to_ns (gint64 ticks)
{
  return ticks * 100000 / 9;
}

/* The RTP time of the last packet; its zero is arbitrary. */
static gint64
rtp_time_ns (const GstTfrcRtpClock *clock)
{
  return ticks_to_ns (clock->ticks);
}

/* Time stamps of packets that overtake each other go back a little; so the difference is signed. */
static gint64
ticks_at (const GstTfrcRtpClock *clock, guint32 timestamp)
{
  return clock->has_begun ? clock->ticks + (gint32) (timestamp - clock->timestamp) : 0;
}

static void
restart (GstTfrcRtpClock *clock, gint64 transit_ns, guint64 arrival_ns)
{
  if (clock->has_begun)
    clock->restarts++;
  clock->has_begun = TRUE;
  clock->ticks = 0;
  clock->arrival_ns = clock->window_ns = arrival_ns;
  clock->offset_ns = clock->least_ns[0] = transit_ns;
  clock->least_ns[1] = clock->level_ns = G_MAXINT64;
}

static gboolean
is_jump (const GstTfrcRtpClock *clock, gint64 transit_ns, guint64 arrival_ns)
{
  return transit_ns < clock->offset_ns - GST_TFRC_RTP_CLOCK_MAX_EARLY_NS
      || transit_ns > clock->offset_ns + GST_TFRC_RTP_CLOCK_MAX_LATE_NS
      || arrival_ns > clock->arrival_ns + GST_TFRC_RTP_CLOCK_MAX_SILENCE_NS;
}

/* A window has ended.  The level falls to what two windows have seen: one packet with a false time stamp
 * makes the least transit of one window too short. */
static void
lower_level (GstTfrcRtpClock *clock)
{
  gint64 seen_ns = clock->least_ns[1] == G_MAXINT64 ? clock->least_ns[0]
                                                    : MAX (clock->least_ns[0], clock->least_ns[1]);

  clock->level_ns = MIN (clock->level_ns, seen_ns);
}

static void
move_window (GstTfrcRtpClock *clock, guint64 arrival_ns)
{
  if (arrival_ns < clock->window_ns + GST_TFRC_RTP_CLOCK_WINDOW_NS)
    return;
  lower_level (clock);
  clock->least_ns[1] = clock->least_ns[0];
  clock->least_ns[0] = G_MAXINT64;
  clock->window_ns = arrival_ns;
}

static void
raise_level (GstTfrcRtpClock *clock, gint64 least_ns, gint64 elapsed_ns)
{
  if (clock->level_ns != G_MAXINT64)
    clock->level_ns = MAX (
        clock->level_ns + elapsed_ns / GST_TFRC_RTP_CLOCK_DRIFT, least_ns - clock->slack_ns);
}

/* Moves the offset towards the least transit, as far as the level allows. */
static void
follow_least (GstTfrcRtpClock *clock, guint64 arrival_ns)
{
  gint64 least_ns = MIN (clock->least_ns[0], clock->least_ns[1]);
  gint64 elapsed_ns = 0, most_ns;

  if (arrival_ns > clock->arrival_ns) {
    elapsed_ns = MIN ((gint64) (arrival_ns - clock->arrival_ns), MAX_ELAPSED_NS);
    clock->arrival_ns = arrival_ns;
  }
  raise_level (clock, least_ns, elapsed_ns);
  if (least_ns - clock->offset_ns > MAX (GST_TFRC_RTP_CLOCK_MAX_EARLY_NS, clock->slack_ns)) {
    clock->offset_ns = least_ns;
    clock->level_ns = G_MAXINT64;
    clock->restarts++;
    return;
  }
  most_ns = elapsed_ns / GST_TFRC_RTP_CLOCK_SLOPE;
  clock->offset_ns += CLAMP (MIN (least_ns, clock->level_ns) - clock->offset_ns, -most_ns, most_ns);
}

/* When a packet with this RTP time was due */
static guint64
due_at (const GstTfrcRtpClock *clock, gint64 rtp_time_ns, guint64 arrival_ns)
{
  gint64 due_ns = rtp_time_ns + clock->offset_ns;
  guint64 latest_ns = arrival_ns;

  if (clock->early_ns > 0)
    latest_ns += (guint64) (clock->early_ns + GST_TFRC_RTP_CLOCK_MAX_EARLY_NS);
  return MIN ((guint64) MAX (due_ns, 0), latest_ns);
}

guint64
gst_tfrc_rtp_clock_on_packet (
    GstTfrcRtpClock *clock, guint32 timestamp, gint64 held_ns, guint64 arrival_ns)
{
  gint64 transit_ns;

  clock->ticks = ticks_at (clock, timestamp);
  clock->timestamp = timestamp;
  transit_ns = (gint64) arrival_ns - held_ns - rtp_time_ns (clock);
  if (!clock->has_begun || is_jump (clock, transit_ns, arrival_ns)) {
    /* The RTP time of this packet is the new zero. */
    transit_ns += rtp_time_ns (clock);
    restart (clock, transit_ns, arrival_ns);
  } else {
    move_window (clock, arrival_ns);
    clock->least_ns[0] = MIN (clock->least_ns[0], transit_ns);
    follow_least (clock, arrival_ns);
  }
  clock->excess_ns = transit_ns - clock->offset_ns;
  return due_at (clock, rtp_time_ns (clock), arrival_ns);
}

guint64
gst_tfrc_rtp_clock_get_due_ns (const GstTfrcRtpClock *clock, guint32 timestamp, guint64 arrival_ns)
{
  return due_at (clock, ticks_to_ns (ticks_at (clock, timestamp)), arrival_ns);
}

void
gst_tfrc_rtp_clock_allow_early (GstTfrcRtpClock *clock, guint64 early_ns)
{
  clock->early_ns = MAX (clock->early_ns, (gint64) MIN (early_ns, MAX_SLACK_NS));
}

gint64
gst_tfrc_rtp_clock_get_excess_ns (const GstTfrcRtpClock *clock)
{
  return clock->excess_ns;
}

void
gst_tfrc_rtp_clock_change_path (GstTfrcRtpClock *clock)
{
  clock->least_ns[0] = clock->least_ns[1] = clock->level_ns = G_MAXINT64;
}

void
gst_tfrc_rtp_clock_set_slack_ns (GstTfrcRtpClock *clock, guint64 slack_ns)
{
  clock->slack_ns = (gint64) MIN (slack_ns, MAX_SLACK_NS);
}

guint64
gst_tfrc_rtp_clock_get_restarts (const GstTfrcRtpClock *clock)
{
  return clock->restarts;
}
