#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/multihop: the shares of TFRC and Reno on several congested links have the right
# direction and order for every seed tried. With a wrong equation they do not, so libtfrc's equation
# decides.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$(build_directory)/experiments
[ -x "$programs/multihop" ] || skip "the experiments are not built (-Dexperiments=enabled)"

"$PYTHON" -B "$ROOT/tests/scripts/experiments-multihop.py" "$programs" "$SCRATCH"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$programs/multihop" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of multihop $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused hops --hops=0
refused c1 --c1=udp
refused duration_s --duration_s=10
