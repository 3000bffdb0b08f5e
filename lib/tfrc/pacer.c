/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pacing, see pacer.h. */
#include "pacer.h"

#include <string.h>

#include "units.h"

/* Who paces the packets elsewhere may send more than X.  The nominal time is ahead of now by no more than this, which is
 * longer than X takes for a key picture.  Without a bound an encoder that sends on while an outage halves X again and again
 * would be minutes ahead after some seconds: for so long the library would allow no packet, and take the program for one
 * that X limits.  Where the library paces, the nominal time is ahead by t_delta at most. */
#define MOST_AHEAD_NS TFRC_NS_PER_S

void
tfrc_pacer_init (TfrcPacer *pacer, const TfrcPacerConfig *config)
{
  memset (pacer, 0, sizeof *pacer);
  pacer->config = *config;
}

/* t_delta = min (t_ipi, t_gran, rtt) / 2 (section 8.3): at most one packet leaves before its
 * nominal time. */
static uint64_t
delta_ns (const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns)
{
  return tfrc_min_ns (tfrc_min_ns (ipi_ns, pacer->config.granularity_ns), rtt_ns) / 2;
}

/* Returns the time from one packet to the next. One that spends credit comes after half of t_ipi, and uses up as much
 * credit. */
static uint64_t
step_ns (const TfrcPacer *pacer, uint64_t ipi_ns)
{
  bool spends = pacer->spends && tfrc_sub_ns (pacer->nominal_ns, pacer->used_until_ns) >= ipi_ns;

  return spends ? ipi_ns / 2 : ipi_ns;
}

static uint64_t
next_after (const TfrcPacer *pacer, uint64_t nominal_ns, uint64_t ipi_ns, uint64_t rtt_ns)
{
  if (!pacer->started)
    return 0;
  return tfrc_sub_ns (tfrc_add_ns (nominal_ns, ipi_ns), delta_ns (pacer, ipi_ns, rtt_ns));
}

/* Returns the nominal time of the packet that leaves now.  The credit is limited, so that at
 * most credit_ns worth of packets can leave at one time, this packet and one packet before its
 * time included (section 4.6). */
static uint64_t
nominal_of_packet (const TfrcPacer *pacer, uint64_t last_ns, uint64_t ipi_ns, uint64_t rtt_ns,
    uint64_t credit_ns, uint64_t now_ns)
{
  uint64_t counted_ns = ipi_ns + delta_ns (pacer, ipi_ns, rtt_ns);
  uint64_t oldest_ns = tfrc_sub_ns (now_ns, tfrc_sub_ns (credit_ns, counted_ns));
  uint64_t latest_ns = tfrc_add_ns (now_ns, MOST_AHEAD_NS);

  if (!pacer->started)
    return now_ns;
  return tfrc_min_ns (tfrc_max_ns (tfrc_add_ns (last_ns, ipi_ns), oldest_ns), latest_ns);
}

/* Returns the time for which credit is kept: R, or the floor.  No credit is kept while R is not
 * known. */
static uint64_t
most_credit_ns (const TfrcPacer *pacer, uint64_t rtt_ns)
{
  return rtt_ns == 0 ? 0 : tfrc_max_ns (rtt_ns, pacer->config.credit_floor_ns);
}

uint64_t
tfrc_pacer_next_ns (const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns)
{
  return next_after (pacer, pacer->nominal_ns, step_ns (pacer, ipi_ns), rtt_ns);
}

void
tfrc_pacer_on_packet (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns)
{
  const TfrcPacerConfig *config = &pacer->config;
  uint64_t most_ns = most_credit_ns (pacer, rtt_ns);
  uint64_t at_once_ns = tfrc_min_ns (most_ns, config->burst_limit_ns);
  uint64_t step = step_ns (pacer, ipi_ns);
  bool spends = step < ipi_ns;
  bool waited = pacer->started
      && now_ns <= next_after (pacer, pacer->nominal_ns, step, rtt_ns) + config->granularity_ns;

  /* At twice X the same number of packets at one time is half of the time. */
  pacer->nominal_ns = nominal_of_packet (
      pacer, pacer->nominal_ns, step, rtt_ns, spends ? at_once_ns / 2 : at_once_ns, now_ns);
  pacer->unlimited_nominal_ns = nominal_of_packet (
      pacer, pacer->unlimited_nominal_ns, ipi_ns, rtt_ns, most_ns, now_ns);
  pacer->used_until_ns = nominal_of_packet (
      pacer, pacer->used_until_ns, ipi_ns, rtt_ns, most_ns, now_ns);
  /* Who waits for longer than the credit is not data-limited, although the burst limit withholds the credit. */
  if (waited)
    pacer->unlimited_nominal_ns = tfrc_max_ns (pacer->unlimited_nominal_ns,
        tfrc_min_ns (pacer->unlimited_nominal_ns + ipi_ns, pacer->nominal_ns));
  pacer->started = true;
}

/* Before the first feedback X is a packet a second.  The wait for that feedback would count as credit for all the packets
 * that the new X has in the time. */
void
tfrc_pacer_on_new_rate (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t now_ns)
{
  if (tfrc_add_ns (pacer->used_until_ns, ipi_ns) > now_ns)
    pacer->used_until_ns = tfrc_max_ns (pacer->used_until_ns, now_ns);
}

bool
tfrc_pacer_is_exhausted (const TfrcPacer *pacer, uint64_t ipi_ns, uint64_t rtt_ns, uint64_t now_ns)
{
  return next_after (pacer, pacer->unlimited_nominal_ns, ipi_ns, rtt_ns) > now_ns;
}

void
tfrc_pacer_spend_credit (TfrcPacer *pacer, bool spend)
{
  pacer->spends = spend;
}

uint64_t
tfrc_pacer_used_until_ns (const TfrcPacer *pacer)
{
  return pacer->started ? pacer->used_until_ns : UINT64_MAX;
}

void
tfrc_pacer_release (TfrcPacer *pacer, uint64_t ipi_ns, uint64_t now_ns)
{
  /* As before the first packet: the next packet starts the nominal times anew. */
  if (tfrc_add_ns (pacer->nominal_ns, ipi_ns) > now_ns)
    pacer->started = false;
}
