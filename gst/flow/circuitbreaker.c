/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The congestion circuit breaker, see circuitbreaker.h. */
#include "circuitbreaker.h"

#define S_NS 1e9

static gboolean
is_too_fast (const GstTfrcCircuitBreaker *breaker, const GstTfrcCircuitBreakerReport *report)
{
  gdouble interval_s = (report->now_ns - breaker->since_ns) / S_NS;
  gdouble rate_Bps = (report->bytes_sent - breaker->bytes_sent) / interval_s;

  return report->equation_rate_Bps > 0
      && rate_Bps > GST_TFRC_CIRCUIT_BREAKER_FACTOR * report->equation_rate_Bps;
}

GstTfrcCircuitBreakerReport
gst_tfrc_circuit_breaker_make_report (const TfrcSenderStats *stats, guint64 now_ns)
{
  GstTfrcCircuitBreakerReport report = { now_ns, stats->bytes_sent, stats->feedbacks_received, 0 };

  if (stats->p > 0)
    report.equation_rate_Bps = tfrc_equation_rate_Bps (
        stats->segment_size_bytes, stats->rtt_ns / S_NS, stats->equation_rto_ns / S_NS, stats->p);
  return report;
}

gboolean
gst_tfrc_circuit_breaker_on_report (
    GstTfrcCircuitBreaker *breaker, const GstTfrcCircuitBreakerReport *report)
{
  if (breaker->is_open)
    return FALSE;
  if (breaker->since_ns > 0 && report->now_ns > breaker->since_ns
      && report->feedbacks > breaker->feedbacks) {
    if (is_too_fast (breaker, report))
      breaker->intervals++;
    else
      breaker->intervals = 0;
  }
  breaker->since_ns = report->now_ns;
  breaker->bytes_sent = report->bytes_sent;
  breaker->feedbacks = report->feedbacks;
  breaker->is_open = breaker->intervals >= GST_TFRC_CIRCUIT_BREAKER_INTERVALS;
  return breaker->is_open;
}
