/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: TCP-Friendly Rate Control (RFC 5348), sender and receiver
 *
 * This header includes the control law: version, packets, sender, receiver, smoother, equation, trace.
 * <tfrc/wire.h> has the packets' format in RTP and RTCP, <tfrc/path.h> the validation of paths,
 * <tfrc/reports.h> receivers that know RTCP and not TFRC, <tfrc/ecn.h> the use of ECN.
 *
 * Input and output: the library has no clock, socket, thread or log of its own.  The caller
 * passes the time of every event, in nanoseconds of any monotonic clock, and asks for the next
 * deadline; at that time it calls the library again.  Memory is allocated by the _new()
 * functions alone.
 *
 * Threads: an object may be used from any thread, by one thread at a time.  Functions without
 * an object may be called from any thread.
 *
 * Units: a name that ends in _ns is in nanoseconds, _us in microseconds, _s in seconds, _bytes
 * in bytes, _Bps in bytes per second.  A segment is the part of a packet that follows the
 * transport headers (RFC 5348 section 3.1): for MPEG-TS over RTP the 1316 payload bytes.
 *
 * NULL: the _free() functions allow NULL.  Any other NULL is a mistake of the program, unless
 * the function's description allows it.  The function then changes nothing and returns
 * TFRC_ERROR_ARGUMENT, or TFRC_WIRE_ERROR_ARGUMENT; a function that returns no result returns
 * 0 or false, and TFRC_TIME_NEVER for a deadline.
 *
 * Sizes: configurations, statistics and some other structs grow at their end in later versions.
 * The function with the suffix _sized takes the size of the caller's struct, and the function
 * without the suffix is an inline that passes sizeof.  So a program may be older or newer than
 * the library:
 *
 * - The library reads and writes no byte beyond the caller's size.  A configuration that is
 *   shorter than the library's has the defaults in the fields it lacks.
 * - In a struct that is longer than the library's, the library writes 0 to the rest, and
 *   refuses a rest that is not 0.
 * - A size below that of the first version or above TFRC_MAX_STRUCT_BYTES gives
 *   TFRC_ERROR_SIZE, or TFRC_WIRE_ERROR_ARGUMENT, and nothing is changed.
 *
 * Structs with reserved words keep their size, see <tfrc/packets.h>. */
#ifndef TFRC_TFRC_H
#define TFRC_TFRC_H

#include <tfrc/equation.h>
#include <tfrc/handover.h>
#include <tfrc/packets.h>
#include <tfrc/receiver.h>
#include <tfrc/sender.h>
#include <tfrc/smoother.h>
#include <tfrc/trace.h>
#include <tfrc/types.h>
#include <tfrc/version.h>

#endif
