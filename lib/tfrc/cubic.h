/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput of TCP CUBIC (RFC 9438) as an equation of the kind that TFRC needs. */
#ifndef TFRC_CUBIC_H
#define TFRC_CUBIC_H

#include <tfrc/tfrc.h>

/* X of CUBIC for p = 0..1 in byte/s, with s > 0 in bytes, R > 0 and t_RTO >= 0 in seconds; INFINITY for p = 0; 0 if an
 * argument is out of its range. */
double tfrc_cubic_rate_Bps (double segment_size_bytes, double rtt_s, double rto_s, double p);

/* The p at which that is rate_Bps, 0..1; 1 also if no p gives so little, or if an argument is out of its range. The
 * relative error is at most 1e-9. */
double tfrc_cubic_p (double segment_size_bytes, double rtt_s, double rto_s, double rate_Bps);

#endif
