/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtfrc: the smoother spreads packets over a window of time. */
#ifndef TFRC_SMOOTHER_H
#define TFRC_SMOOTHER_H

#include <tfrc/types.h>

TFRC_BEGIN_DECLS

/** Spreads packets over a window of time: the rate at which packets may leave is the mean rate at
 * which they were offered in the last window.  Where nothing but the smoother holds packets
 * back, no packet waits longer than a window, and packets of a constant rate wait for half a
 * window.  Use it beside a TFRC sender with max (tfrc_sender_next_send_ns (),
 * tfrc_smoother_next_ns ()): packets that TFRC delays then leave when TFRC allows it.  Opaque. */
typedef struct TfrcSmoother TfrcSmoother;

/** Creates a smoother.
 *
 * @param smoother where to store the smoother; set to NULL on failure
 * @param window_ns 1000 (1 us) .. 86400e9 (a day)
 * @return TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_NO_MEMORY
 *
 * The caller owns *smoother and frees it with tfrc_smoother_free(). */
TFRC_API TfrcResult tfrc_smoother_new (TfrcSmoother **smoother, uint64_t window_ns);

/** Frees @a smoother.  NULL is allowed. */
TFRC_API void tfrc_smoother_free (TfrcSmoother *smoother);

/** Offers a packet, which waits from now on.  A time before the newest time seen counts as that
 * time. */
TFRC_API void tfrc_smoother_offer (TfrcSmoother *smoother, uint32_t size_bytes, uint64_t now_ns);

/** Returns the time from which the oldest waiting packet may leave.  The time may lie in the
 * past.  tfrc_smoother_offer() and tfrc_smoother_cancel() make it earlier. */
TFRC_API uint64_t tfrc_smoother_next_ns (const TfrcSmoother *smoother);

/** Takes the oldest packet: it leaves or is dropped. */
TFRC_API void tfrc_smoother_take (TfrcSmoother *smoother, uint32_t size_bytes);

/** Takes back tfrc_smoother_take(): the packet waits again. */
TFRC_API void tfrc_smoother_cancel (TfrcSmoother *smoother, uint32_t size_bytes);

/** Forgets every packet. */
TFRC_API void tfrc_smoother_reset (TfrcSmoother *smoother);

/** Returns the rate at @a now_ns in bytes per second.  Packets that were held back by other
 * means leave faster than at this rate. */
TFRC_API double tfrc_smoother_get_rate_Bps (const TfrcSmoother *smoother, uint64_t now_ns);

TFRC_END_DECLS
#endif
