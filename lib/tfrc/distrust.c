/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender's distrust of its receiver, see distrust.h. */
#include "distrust.h"

#include <math.h>
#include <string.h>

#include "units.h"

/* A sample of R that is longer than R by this factor, and than this time, is used only if the
 * sample before it was as long.  While a queue fills, its delay grows by less from sample to
 * sample. */
#define DOUBTED_RTT_FACTOR 10
#define MIN_DOUBTED_RTT_NS (100 * 1000 * TFRC_NS_PER_US)

/* If feedback cuts X by more than this factor, the sender checks it with a further packet. */
#define DOUBTED_CUT_FACTOR 2

void
tfrc_distrust_init (TfrcDistrust *distrust, bool off)
{
  memset (distrust, 0, sizeof *distrust);
  distrust->off = off;
  distrust->probe_ns = TFRC_TIME_NEVER;
  tfrc_sent_record_init (&distrust->sent);
}

/* ---- X_recv ------------------------------------------------------------- */

void
tfrc_distrust_cancel (TfrcDistrust *distrust, uint32_t bytes)
{
  tfrc_sent_record_cancel (&distrust->sent, bytes);
}

/* The delays of packets may differ by R, and their rate differs by one packet with the edges of the
 * interval. */
uint32_t
tfrc_distrust_x_recv_Bps (
    TfrcDistrust *distrust, uint32_t x_recv_Bps, const TfrcDistrustContext *context)
{
  uint64_t interval_ns = tfrc_max_ns (1, context->interval_ns);
  uint64_t shorter_ns = distrust->sent_interval_ns == 0
      ? interval_ns
      : tfrc_min_ns (interval_ns, distrust->sent_interval_ns);
  double peak_Bps = tfrc_sent_record_peak_Bps (&distrust->sent, shorter_ns,
      tfrc_sub_ns (context->t_new_ns, context->longest_interval_ns), context->now_ns);

  distrust->sent_interval_ns = context->rtt_is_known ? interval_ns : 0;
  distrust->most_Bps = 2 * (peak_Bps + context->segment_bytes / tfrc_ns_to_s (shorter_ns));
  return distrust->off ? x_recv_Bps : (uint32_t) fmin (x_recv_Bps, distrust->most_Bps / 2);
}

double
tfrc_distrust_recv_limit_Bps (
    const TfrcDistrust *distrust, double recv_limit_Bps, double initial_rate_Bps)
{
  return isinf (recv_limit_Bps) && !distrust->off ? fmax (distrust->most_Bps, initial_rate_Bps)
                                                  : recv_limit_Bps;
}

/* ---- p -------------------------------------------------------------------- */

double
tfrc_distrust_p (const TfrcDistrust *distrust, double reported, double p_before,
    const TfrcFeedback *feedback, uint64_t hold_end_ns, uint64_t now_ns)
{
  bool stands = feedback->has_state && feedback->loss_events != 0;
  bool rebuilds = feedback->new_link && now_ns < hold_end_ns;

  return reported == 0 && stands && !rebuilds && !feedback->handover && !distrust->off ? p_before
                                                                                       : reported;
}

/* ---- R -------------------------------------------------------------------- */

bool
tfrc_distrust_takes_sample (TfrcDistrust *distrust, uint64_t rtt_ns, uint64_t sample_ns)
{
  bool is_long = sample_ns > tfrc_max_ns (DOUBTED_RTT_FACTOR * rtt_ns, MIN_DOUBTED_RTT_NS);
  bool taken = !is_long || distrust->doubts_rtt || distrust->off;

  distrust->doubts_rtt = is_long;
  return taken;
}

bool
tfrc_distrust_refutes_first_sample (
    const TfrcDistrust *distrust, uint64_t rtt_ns, uint64_t sample_ns)
{
  return sample_ns < rtt_ns / DOUBTED_RTT_FACTOR && !distrust->off;
}

/* ---- a cut of X ------------------------------------------------------------ */

void
tfrc_distrust_on_rate (TfrcDistrust *distrust, double x_before_Bps, double x_Bps, uint64_t ipi_ns,
    uint64_t interval_ns, uint64_t now_ns)
{
  interval_ns += TFRC_RTT_ROUNDING_NS;
  if (!distrust->off && DOUBTED_CUT_FACTOR * x_Bps < x_before_Bps && ipi_ns > interval_ns)
    distrust->probe_ns = tfrc_add_ns (now_ns, interval_ns);
}
