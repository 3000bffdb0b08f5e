#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/check-abi.sh distinguishes compatible from incompatible changes of libtfrc; the test changes
# copies of the library. Exit status: 0 passed, 1 failed, 77 abidiff, cc, git, meson or ninja is missing.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/scripts/abi-revisions.sh
. "$(dirname "$0")/abi-revisions.sh"

revision same
compatible same

revision function
echo 'TFRC_API int tfrc_added (void); int tfrc_added (void) { return 1; }' >>"$SCRATCH/function/lib/tfrc/version.c"
edit function lib/tfrc/libtfrc.map 's/tfrc_version;/&\n    tfrc_added;/'
compatible function

revision removed
edit removed lib/tfrc/libtfrc.map '/tfrc_sender_cancel;/d'
incompatible removed tfrc_sender_cancel

revision parameter
edit parameter $include/smoother.h 's/tfrc_smoother_take (TfrcSmoother \*smoother, uint32_t/tfrc_smoother_take (TfrcSmoother *smoother, uint64_t/'
edit parameter lib/tfrc/smoother.c 's/tfrc_smoother_take (TfrcSmoother \*smoother, uint32_t/tfrc_smoother_take (TfrcSmoother *smoother, uint64_t/'
incompatible parameter tfrc_smoother_take

revision inserted
edit inserted $include/sender.h 's/^  double x_recv_Bps;.*/  double inserted;\n&/'
incompatible inserted TfrcSenderStats

revision packet
edit packet $include/packets.h 's/reserved\[3\]/reserved[5]/'
incompatible packet TfrcFeedback
