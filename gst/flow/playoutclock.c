/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets were due and are played, see playoutclock.h. */
#include "playoutclock.h"

#include <string.h>

#include "../common/log.h"
#include "../queue/ahead.h"
#include "rtpseq.h"

/* The sender's rule as well, in units of 1/90000 s */
#define BACK_TICKS ((gint32) (GST_TFRC_AHEAD_BACK_NS * TFRC_WIRE_CLOCK_RATE / GST_SECOND))

void
gst_tfrc_playout_clock_init (GstTfrcPlayoutClock *self)
{
  memset (self, 0, sizeof *self);
  gst_tfrc_delays_init (&self->delays);
}

void
gst_tfrc_playout_clock_set_delay (GstTfrcPlayoutClock *self, guint64 delay_ns, gboolean is_told)
{
  if (delay_ns != self->delay_ns || is_told != self->is_told)
    gst_tfrc_log (flow, DEBUG, "playout delay %" G_GUINT64_FORMAT " ms, %s", delay_ns / 1000000,
        is_told ? "told to the sender" : "not told");
  gst_tfrc_rtp_clock_set_slack_ns (&self->rtp_clock, delay_ns / 2);
  self->delay_ns = delay_ns;
  self->is_told = is_told;
}

void
gst_tfrc_playout_clock_set_ahead (GstTfrcPlayoutClock *self, guint64 time_ns, guint64 bytes)
{
  self->ahead_ns = time_ns;
  self->ahead_bytes = bytes;
}

static gboolean
tells_window (const GstTfrcPlayoutClock *self)
{
  return self->is_told && self->ahead_ns > 0 && self->ahead_bytes > 0
      && gst_tfrc_delays_know_sender (&self->delays);
}

void
gst_tfrc_playout_clock_on_sender_report (GstTfrcPlayoutClock *self, const TfrcWireRtcp *rtcp)
{
  gst_tfrc_delays_on_sender_report (
      &self->delays, rtcp->sr_ntp, rtcp->sr_timestamp, rtcp->clock_send_time_us);
}

/* ---- packets ------------------------------------------------------------- */

static void
follow_path (GstTfrcPlayoutClock *self, guint8 path_id)
{
  if (path_id == self->path_id)
    return;
  self->path_id = path_id;
  gst_tfrc_rtp_clock_change_path (&self->rtp_clock);
  gst_tfrc_queueing_forget (&self->queueing);
}

/* A packet that is faster than the clock of the movie has no queueing. */
static void
note_queueing (GstTfrcPlayoutClock *self, const TfrcWireData *header, guint64 arrival_ns)
{
  gint64 queueing_ns = gst_tfrc_rtp_clock_get_excess_ns (&self->rtp_clock);

  gst_tfrc_queueing_on_packet (&self->queueing, (guint64) MAX (queueing_ns, 0),
      header->rtt_us * G_GUINT64_CONSTANT (1000), arrival_ns);
}

/* Only time stamps of tfrcsink are due times, which go back when it has flushed. Those of plain RTP may be the times at
 * which pictures are shown, as FFmpeg has them: with B pictures they go back all the time. */
static void
follow_timestamp (GstTfrcPlayoutClock *self, guint32 timestamp)
{
  self->has_gone_back = self->has_timestamp && (gint32) (timestamp - self->timestamp) < -BACK_TICKS;
  self->has_timestamp = TRUE;
  self->timestamp = timestamp;
}

/* A send time that is not believed does not tell how long the packet has waited, or was early. */
static void
follow_due_time (GstTfrcPlayoutClock *self, const TfrcWireData *header, guint64 arrival_ns,
    gboolean is_believed, gboolean is_active)
{
  guint64 restarts = gst_tfrc_rtp_clock_get_restarts (&self->rtp_clock);
  gint64 held_ns = 0;
  gboolean is_known = is_believed
      && gst_tfrc_delays_get_held_ns (
          &self->delays, header->timestamp, header->send_time_us, &held_ns);

  if (tells_window (self))
    gst_tfrc_rtp_clock_allow_early (&self->rtp_clock, self->ahead_ns);
  self->due_ns = !is_known && tells_window (self)
      ? gst_tfrc_rtp_clock_get_due_ns (&self->rtp_clock, header->timestamp, arrival_ns)
      : gst_tfrc_rtp_clock_on_packet (&self->rtp_clock, header->timestamp, held_ns, arrival_ns);
  if (gst_tfrc_rtp_clock_get_restarts (&self->rtp_clock) != restarts)
    gst_tfrc_queueing_forget (&self->queueing);
  if (is_known && is_active)
    note_queueing (self, header, arrival_ns);
}

/* Packets are sent in order: none was due before those in front of it. Where the time stamps of plain RTP are those of
 * pictures and sound, most would count as late by as much as one of them was stamped ahead. */
static void
follow_plain (GstTfrcPlayoutClock *self, guint64 arrival_ns)
{
  self->due_ns = MAX (self->due_ns, MIN (self->plain_due_ns, arrival_ns));
  self->plain_due_ns = self->due_ns;
}

void
gst_tfrc_playout_clock_on_data (GstTfrcPlayoutClock *self, const TfrcWireData *header,
    const GstTfrcReceivedPacket *packet, const TfrcArrival *arrival, guint8 path_id,
    gboolean is_active)
{
  gboolean is_believed = arrival->believed && header->has_rtt_sendts;

  if (is_active)
    follow_path (self, path_id);
  self->has_gone_back = FALSE;
  if (arrival->kind == TFRC_ARRIVAL_NEXT && header->has_rtt_sendts
      && gst_tfrc_rtp_is_movie (header))
    follow_timestamp (self, header->timestamp);
  if (arrival->kind != TFRC_ARRIVAL_DUPLICATE)
    follow_due_time (self, header, packet->arrival_ns, is_believed, is_active);
  if (arrival->kind == TFRC_ARRIVAL_NEXT && !header->has_rtt_sendts)
    follow_plain (self, packet->arrival_ns);
  if (arrival->believed)
    gst_tfrc_delays_on_data (&self->delays, header->timestamp, header->send_time_us, header->rtt_us,
        packet->arrival_ns, packet->arrival_wall_ns);
}

/* ---- queries ------------------------------------------------------------- */

gboolean
gst_tfrc_playout_clock_has_gone_back (const GstTfrcPlayoutClock *self)
{
  return self->has_gone_back;
}

guint64
gst_tfrc_playout_clock_get_due_ns (const GstTfrcPlayoutClock *self)
{
  return self->due_ns;
}

guint64
gst_tfrc_playout_clock_get_due_of (
    const GstTfrcPlayoutClock *self, guint32 timestamp, guint64 arrival_ns)
{
  return gst_tfrc_rtp_clock_get_due_ns (&self->rtp_clock, timestamp, arrival_ns);
}

GstTfrcPlayout
gst_tfrc_playout_clock_get_playout (const GstTfrcPlayoutClock *self)
{
  GstTfrcPlayout playout = GST_TFRC_PLAYOUT_INIT;

  playout.delay_ns = self->is_told ? self->delay_ns : 0;
  playout.queueing_ns = gst_tfrc_queueing_get_ns (&self->queueing);
  playout.ahead_ns = tells_window (self) ? self->ahead_ns : 0;
  playout.ahead_bytes = tells_window (self) ? self->ahead_bytes : 0;
  return playout;
}

void
gst_tfrc_playout_clock_on_told (GstTfrcPlayoutClock *self, guint64 now_ns)
{
  gst_tfrc_queueing_on_told (&self->queueing, now_ns);
}

const GstTfrcDelays *
gst_tfrc_playout_clock_get_delays (const GstTfrcPlayoutClock *self)
{
  return &self->delays;
}

guint64
gst_tfrc_playout_clock_get_restarts (const GstTfrcPlayoutClock *self)
{
  return gst_tfrc_rtp_clock_get_restarts (&self->rtp_clock);
}
