/* IPTD at the receiver, see tfrcdelays.h. */
#include "tfrcdelays.h"

#include <string.h>

/* Clocks that agree to this are as good as the measurement. */
#define TOLERANCE_NS (1000 * G_GINT64_CONSTANT (1000))

#define NTP_UNIX_OFFSET_S G_GUINT64_CONSTANT (2208988800)

void
tfrc_delays_init (TfrcDelays * delays)
{
  memset (delays, 0, sizeof *delays);
  delays->min_network_ns = G_MAXINT64;
}

static guint64
ntp_to_wall_ns (guint64 ntp)
{
  /* seconds wrap in 2036; 1900 itself is long gone */
  guint64 s = (guint32) ((ntp >> 32) - NTP_UNIX_OFFSET_S);

  return s * G_GUINT64_CONSTANT (1000000000) +
      (((ntp & 0xffffffff) * G_GUINT64_CONSTANT (1000000000)) >> 32);
}

void
tfrc_delays_on_sender_report (TfrcDelays * delays, guint64 ntp,
    guint32 timestamp, guint32 send_time_us)
{
  delays->mapped = TRUE;
  delays->sr_wall_ns = ntp_to_wall_ns (ntp);
  delays->sr_timestamp = timestamp;
  delays->sr_send_time_us = send_time_us;
}

void
tfrc_delays_on_data (TfrcDelays * delays, guint32 timestamp,
    guint32 send_time_us, guint32 rtt_us, guint64 arrival_wall_ns)
{
  gint64 due_ns, sent_ns, network_ns, sender_ns;

  if (!delays->mapped)
    return;
  /* signed differences modulo 2^32, in units of 1/90000 s and of 1 us */
  due_ns = (gint64) delays->sr_wall_ns +
      (gint64) (gint32) (timestamp - delays->sr_timestamp) * 100000 / 9;
  sent_ns = (gint64) delays->sr_wall_ns +
      (gint64) (gint32) (send_time_us - delays->sr_send_time_us) * 1000;
  sender_ns = MAX (sent_ns - due_ns, 0);
  network_ns = (gint64) arrival_wall_ns - sent_ns;

  if (rtt_us > 0 && (delays->min_rtt_ns == 0
          || rtt_us * G_GUINT64_CONSTANT (1000) < delays->min_rtt_ns))
    delays->min_rtt_ns = rtt_us * G_GUINT64_CONSTANT (1000);
  delays->min_network_ns = MIN (delays->min_network_ns, network_ns);
  tfrc_histogram_add (&delays->sender, sender_ns);
  tfrc_histogram_add (&delays->network, MAX (network_ns, 0));
  tfrc_histogram_add (&delays->iptd, MAX (network_ns, 0) + sender_ns);
}

gboolean
tfrc_delays_clocks_agree (const TfrcDelays * delays)
{
  return delays->min_rtt_ns > 0 && delays->min_network_ns >= -TOLERANCE_NS
      && delays->min_network_ns <= (gint64) delays->min_rtt_ns + TOLERANCE_NS;
}
