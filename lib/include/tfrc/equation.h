/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the throughput equation and its inverse (RFC 5348 sections 3.1 and 8.1), with b = 1.
 *
 * The functions keep no state.  Any thread may call them. */
#ifndef TFRC_EQUATION_H
#define TFRC_EQUATION_H

#include <tfrc/types.h>

TFRC_BEGIN_DECLS

/** Computes f(p) of section 8.1 with t_RTO = 4 R.
 *
 * @param p loss event rate; a value below 0 or NaN counts as 0, a value above 1 counts as 1
 * @return 0 .. 243.3 */
TFRC_API double tfrc_equation_f (double p);

/** Computes X_Bps of section 3.1.
 *
 * @param segment_size_bytes s > 0
 * @param rtt_s R > 0, in seconds
 * @param rto_s t_RTO >= 0, in seconds
 * @param p loss event rate, 0..1
 * @return bytes per second; INFINITY for p = 0; 0 if an argument is out of its range */
TFRC_API double tfrc_equation_rate_Bps (
    double segment_size_bytes, double rtt_s, double rto_s, double p);

/** Computes the loss event rate at which tfrc_equation_rate_Bps() returns @a rate_Bps.  The
 * relative error is at most 1e-9.  Takes at most 64 steps of Newton's method.
 *
 * @return 0..1; 1 also if @a rate_Bps is below the rate for p = 1, or if an argument is out of
 *   its range */
TFRC_API double tfrc_equation_p (
    double segment_size_bytes, double rtt_s, double rto_s, double rate_Bps);

TFRC_END_DECLS
#endif
