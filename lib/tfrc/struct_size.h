/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structs of the public interface that grow at their end in later versions: copies between the
 * caller's struct, which may be shorter or longer, and this version's.  <tfrc/tfrc.h> has the
 * rules.
 *
 * A struct has no padding at its end, so that a field which is added makes it larger;
 * tests/check/libs/structsize.c checks this. */
#ifndef TFRC_STRUCT_SIZE_H
#define TFRC_STRUCT_SIZE_H

#include <tfrc/types.h>

/* The size of a struct in its first version, of which `last' was the last field */
#define TFRC_FIRST_SIZE(type, last) (offsetof (type, last) + sizeof (((type *) 0)->last))

#define TFRC_SENDER_CONFIG_FIRST_SIZE TFRC_FIRST_SIZE (TfrcSenderConfig, feedback_wait_ns)
#define TFRC_SENDER_STATS_FIRST_SIZE TFRC_FIRST_SIZE (TfrcSenderStats, link_errors)
#define TFRC_RECEIVER_CONFIG_FIRST_SIZE TFRC_FIRST_SIZE (TfrcReceiverConfig, feedback_wait_ns)
#define TFRC_RECEIVER_STATS_FIRST_SIZE TFRC_FIRST_SIZE (TfrcReceiverStats, link_errors)
#define TFRC_LOSS_STATISTICS_FIRST_SIZE TFRC_FIRST_SIZE (TfrcLossStatistics, f_mean_interval)
#define TFRC_HANDOVER_FIRST_SIZE TFRC_FIRST_SIZE (TfrcHandover, bandwidth_Bps)
#define TFRC_ECN_STATS_FIRST_SIZE TFRC_FIRST_SIZE (TfrcEcnStats, report)
#define TFRC_PATH_CONFIG_FIRST_SIZE TFRC_FIRST_SIZE (TfrcPathConfig, rtt_ns)
#define TFRC_WIRE_RTCP_FIRST_SIZE TFRC_FIRST_SIZE (TfrcWireRtcp, reserved)

/* Can a caller's struct have this size? */
bool tfrc_struct_size_is_valid (size_t size, size_t first_size);

/* Copies the caller's struct over the first bytes of known, whose other bytes stay.
 * Returns TFRC_OK, TFRC_ERROR_ARGUMENT (NULL) or TFRC_ERROR_SIZE; then known is as it was. */
TfrcResult tfrc_struct_read (
    void *known, size_t known_size, const void *given, size_t size, size_t first_size);

/* Copies known to the caller's struct, and sets the rest of it to zero.
 * Returns TFRC_OK, TFRC_ERROR_ARGUMENT (NULL) or TFRC_ERROR_SIZE; then given is as it was. */
TfrcResult tfrc_struct_write (
    void *given, size_t size, const void *known, size_t known_size, size_t first_size);

#endif
