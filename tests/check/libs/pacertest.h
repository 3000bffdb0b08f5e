/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pacer in virtual time */
#ifndef PACERTEST_H
#define PACERTEST_H

#include <gst/check/gstcheck.h>
#include <tfrc/pacer.h>
#include <tfrc/units.h>

#define MS GST_MSECOND
#define US GST_USECOND
#define IPI (10 * MS)
#define RTT (100 * MS)
#define START GST_SECOND
#define CREDIT_FLOOR (2 * MS)

/* Sends all packets that may leave now. Returns their number. */
static inline guint
burst (TfrcPacer *pacer, guint64 ipi_ns, guint64 rtt_ns, guint64 now_ns)
{
  guint packets = 0;

  while (tfrc_pacer_next_ns (pacer, ipi_ns, rtt_ns) <= now_ns) {
    tfrc_pacer_on_packet (pacer, ipi_ns, rtt_ns, now_ns);
    packets++;
    fail_unless (packets < 1000000);
  }
  return packets;
}

static inline void
init (TfrcPacer *pacer, guint64 burst_limit_ns, guint64 credit_floor_ns, guint64 granularity_ns)
{
  TfrcPacerConfig config = { burst_limit_ns, credit_floor_ns, granularity_ns };

  tfrc_pacer_init (pacer, &config);
}

/* A pacer that has sent one packet at START */
static inline void
start (TfrcPacer *pacer, guint64 burst_limit_ns, guint64 granularity_ns)
{
  init (pacer, burst_limit_ns, CREDIT_FLOOR, granularity_ns);
  tfrc_pacer_on_packet (pacer, IPI, RTT, START);
}

#endif
