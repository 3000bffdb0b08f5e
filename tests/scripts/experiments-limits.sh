#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/limits: the losses of flows of different rates, and the effects of t_RTO and of the
# history's length on TFRC beside TCP, have the right direction and order for every seed tried; the
# analytic results; messages about bad input.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

build=$(build_directory)
limits=$build/experiments/limits
[ -x "$limits" ] || skip "the experiments are not built (-Dexperiments=enabled)"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$limits" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of limits $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused "--rto_policy=5r" --rto_policy=5r
refused "--history_length=33" --history_length=33
refused "--rate_scales=1,x: wanted are numbers from 0.01 to 100" --rate_scales=1,x
refused "--rate_scales=1,,2: wanted are numbers from 0.01 to 100" --rate_scales=1,,2
refused "--rate_scales=nan: wanted are numbers from 0.01 to 100" --rate_scales=nan

BUILD_DIR=$build "$PYTHON" -B "$ROOT/tests/scripts/experiments-limits.py" "$limits" "$SCRATCH"
