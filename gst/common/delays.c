/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IPTD at the receiver, see delays.h. */
#include "delays.h"

#include <string.h>

/* Clocks whose difference is smaller agree, as far as the measurement shows. */
#define TOLERANCE_NS (1000 * G_GINT64_CONSTANT (1000))

#define NTP_UNIX_OFFSET_S G_GUINT64_CONSTANT (2208988800)

static const GstTfrcDelayMinima no_minima = { G_MAXINT64, 0 };

/* One of the clocks was set: the minima of before do not hold any more. */
static void
forget_clocks (GstTfrcDelays *delays)
{
  delays->minima[0] = delays->minima[1] = no_minima;
}

void
gst_tfrc_delays_init (GstTfrcDelays *delays)
{
  memset (delays, 0, sizeof *delays);
  forget_clocks (delays);
}

static guint64
ntp_to_wall_ns (guint64 ntp)
{
  /* The seconds wrap in 2036; times of before 1970 do not occur. */
  guint64 s = (guint32) ((ntp >> 32) - NTP_UNIX_OFFSET_S);

  return s * G_GUINT64_CONSTANT (1000000000)
      + (((ntp & 0xffffffff) * G_GUINT64_CONSTANT (1000000000)) >> 32);
}

static gboolean
has_moved (gint64 difference_ns)
{
  return difference_ns > TOLERANCE_NS || difference_ns < -TOLERANCE_NS;
}

/* The difference is signed, modulo 2^32, in units of 1 us. */
static gint64
since_report_ns (const GstTfrcDelays *delays, guint32 send_time_us)
{
  return (gint64) (gint32) (send_time_us - delays->sr_send_time_us) * 1000;
}

void
gst_tfrc_delays_on_sender_report (
    GstTfrcDelays *delays, guint64 ntp, guint32 timestamp, guint32 send_time_us)
{
  guint64 wall_ns = ntp_to_wall_ns (ntp);

  /* Send times are of the sender's monotonic clock. */
  if (delays->mapped
      && has_moved (
          (gint64) (wall_ns - delays->sr_wall_ns) - since_report_ns (delays, send_time_us)))
    forget_clocks (delays);
  delays->mapped = TRUE;
  delays->sr_wall_ns = wall_ns;
  delays->sr_timestamp = timestamp;
  delays->sr_send_time_us = send_time_us;
}

/* Notices that the wall clock of this host has been set since the last packet. */
static void
watch_own_clock (GstTfrcDelays *delays, guint64 arrival_ns, guint64 arrival_wall_ns)
{
  guint64 offset_ns = arrival_wall_ns - arrival_ns;

  if (delays->has_wall_offset && has_moved ((gint64) (offset_ns - delays->wall_offset_ns)))
    forget_clocks (delays);
  delays->has_wall_offset = TRUE;
  delays->wall_offset_ns = offset_ns;
}

static void
move_window (GstTfrcDelays *delays, guint64 now_ns)
{
  if (now_ns < delays->window_ns + GST_TFRC_DELAYS_WINDOW_NS)
    return;
  delays->minima[1] = delays->minima[0];
  delays->minima[0] = no_minima;
  if (now_ns >= delays->window_ns + 2 * GST_TFRC_DELAYS_WINDOW_NS)
    delays->minima[1] = no_minima;
  delays->window_ns = now_ns;
}

/* Returns the smaller of two round-trip times; 0 is unknown. */
static guint64
min_rtt_ns (guint64 a_ns, guint64 b_ns)
{
  return a_ns == 0 || b_ns == 0 ? MAX (a_ns, b_ns) : MIN (a_ns, b_ns);
}

static void
update_minima (GstTfrcDelays *delays, gint64 network_ns, guint32 rtt_us)
{
  GstTfrcDelayMinima *minima = &delays->minima[0];

  minima->network_ns = MIN (minima->network_ns, network_ns);
  minima->rtt_ns = min_rtt_ns (minima->rtt_ns, rtt_us * G_GUINT64_CONSTANT (1000));
}

gboolean
gst_tfrc_delays_get_held_ns (
    const GstTfrcDelays *delays, guint32 timestamp, guint32 send_time_us, gint64 *held_ns)
{
  /* Time stamps are in units of 1/90000 s. */
  gint64 since_due_ns = (gint64) (gint32) (timestamp - delays->sr_timestamp) * 100000 / 9;

  if (delays->mapped)
    *held_ns = since_report_ns (delays, send_time_us) - since_due_ns;
  return delays->mapped;
}

void
gst_tfrc_delays_on_data (GstTfrcDelays *delays, guint32 timestamp, guint32 send_time_us,
    guint32 rtt_us, guint64 arrival_ns, guint64 arrival_wall_ns)
{
  gint64 since_sent_ns, network_ns, held_ns;
  guint64 sender_ns;

  watch_own_clock (delays, arrival_ns, arrival_wall_ns);
  if (!gst_tfrc_delays_get_held_ns (delays, timestamp, send_time_us, &held_ns))
    return;
  since_sent_ns = since_report_ns (delays, send_time_us);
  sender_ns = (guint64) MAX (held_ns, 0);
  network_ns = (gint64) (arrival_wall_ns - delays->sr_wall_ns - (guint64) since_sent_ns);

  gst_tfrc_histogram_add (&delays->sender, sender_ns);
  if (network_ns > GST_TFRC_DELAYS_MAX_NETWORK_NS)
    forget_clocks (delays);
  move_window (delays, arrival_ns);
  update_minima (delays, network_ns, rtt_us);
  if (!gst_tfrc_delays_clocks_agree (delays))
    return;
  gst_tfrc_histogram_add (&delays->network, MAX (network_ns, 0));
  gst_tfrc_histogram_add (&delays->iptd, (guint64) MAX (MAX (network_ns, 0) + held_ns, 0));
}

gboolean
gst_tfrc_delays_know_sender (const GstTfrcDelays *delays)
{
  return delays->mapped;
}

gboolean
gst_tfrc_delays_clocks_agree (const GstTfrcDelays *delays)
{
  const GstTfrcDelayMinima *minima = delays->minima;
  gint64 network_ns = MIN (minima[0].network_ns, minima[1].network_ns);
  guint64 rtt_ns = min_rtt_ns (minima[0].rtt_ns, minima[1].rtt_ns);

  return rtt_ns > 0 && network_ns >= -TOLERANCE_NS && network_ns <= (gint64) rtt_ns + TOLERANCE_NS;
}
