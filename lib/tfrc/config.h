/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defaults and validation of configurations. */
#ifndef TFRC_CONFIG_H
#define TFRC_CONFIG_H

#include <tfrc/tfrc.h>

/* The upper limit of all rates: 1 Tbit/s */
#define TFRC_RATE_CEILING_BPS 125e9

/* Takes the caller's configuration of this size, or the defaults if given is NULL, and validates
 * it.  Returns TFRC_OK, TFRC_ERROR_ARGUMENT or TFRC_ERROR_SIZE. */
TfrcResult tfrc_sender_config_read (
    TfrcSenderConfig *config, const TfrcSenderConfig *given, size_t size);
TfrcResult tfrc_receiver_config_read (
    TfrcReceiverConfig *config, const TfrcReceiverConfig *given, size_t size);

bool tfrc_sender_config_is_valid (const TfrcSenderConfig *config);
bool tfrc_receiver_config_is_valid (const TfrcReceiverConfig *config);

/* Are these limits possible for segments of this size? 0 stands for the default. */
bool tfrc_rate_limits_are_valid (
    double min_rate_Bps, double max_rate_Bps, double segment_size_bytes);

#endif
