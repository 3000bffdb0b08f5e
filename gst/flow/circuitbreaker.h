/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The congestion circuit breaker of RFC 8083 section 4.3: ends a stream that sends far more than the
 * path carries, for long.
 *
 * TFRC never does so by itself. A configured minimum rate can make a stream do so. The media timeout of
 * section 4.2 is in mediatimeout.h.
 *
 * The breaker has no lock: the session that owns the breaker locks. */
#ifndef GST_TFRC_CIRCUITBREAKER_H
#define GST_TFRC_CIRCUITBREAKER_H

#include <glib.h>
#include <tfrc/tfrc.h>

G_BEGIN_DECLS

/** The stream may send this many times the rate of the throughput equation. */
#define GST_TFRC_CIRCUIT_BREAKER_FACTOR 10

/** Consecutive report intervals with more end the stream: CB_INTERVAL of RFC 8083 section 4.3 at
 * report intervals of about 3 s. */
#define GST_TFRC_CIRCUIT_BREAKER_INTERVALS 3

/** Zero-initialise. */
typedef struct
{
  guint64 since_ns; /* the interval began; 0: there was no report yet */
  guint64 bytes_sent;
  guint64 feedbacks;
  guint intervals; /* with too high a rate, up to now */
  gboolean is_open;
} GstTfrcCircuitBreaker;

/** The sender's numbers at the end of a report interval; all counted from the start of the stream */
typedef struct
{
  guint64 now_ns;
  guint64 bytes_sent;
  guint64 feedbacks;
  gdouble equation_rate_Bps; /**< 0: no loss */
} GstTfrcCircuitBreakerReport;

/** The report of a sender. Its equation is Reno's with all losses, as RFC 8083 has it, whatever TCP the
 * stream is as fast as and whichever losses it answers. */
GstTfrcCircuitBreakerReport gst_tfrc_circuit_breaker_make_report (
    const TfrcSenderStats *stats, guint64 now_ns);

/** A report interval has ended. An interval without feedback says nothing: the nofeedback timer cares
 * for a receiver that is silent.
 * @return TRUE if the stream has to end now; the breaker stays open then */
gboolean gst_tfrc_circuit_breaker_on_report (
    GstTfrcCircuitBreaker *breaker, const GstTfrcCircuitBreakerReport *report);

G_END_DECLS
#endif
