#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/handover: for every start tried, plain TFRC fails as the paper says, and libtfrc's
# adaptation does not. The adaptation does not fail either with another bandwidth, without its
# signalling, to and fro, or with a movie. About 20 s of CPU.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

handover=$(build_directory)/experiments/handover
[ -x "$handover" ] || skip "the experiments are not built (-Dexperiments=enabled)"

"$PYTHON" -B "$ROOT/tests/scripts/experiments-handover.py" "$handover" "$SCRATCH"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$handover" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of handover $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused adaptation --adaptation=fast
refused rate2_bps --rate2_bps=0
refused "--start_s has to be before --handover_s" --start_s=30
refused "--start_s has to be before --handover_s" --duration_s=30
refused "$SCRATCH/nothing.csv: cannot be read" --schedule="$SCRATCH/nothing.csv"
