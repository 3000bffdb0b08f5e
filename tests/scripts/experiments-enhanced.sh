#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/enhanced: delays, losses and their causes are those of the network; a receiver that
# tells link errors apart lets the sender use a lossy link; the report has every variant. About 40 s
# of CPU.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "Python's jinja2, matplotlib, numpy and pandas are not installed"
build=$(build_directory)
enhanced=$build/experiments/enhanced
[ -x "$enhanced" ] || skip "the experiments are not built (-Dexperiments=enabled)"

BUILD_DIR=$build "$PYTHON" -B "$ROOT/tests/scripts/experiments-enhanced.py" "$enhanced" "$SCRATCH"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$enhanced" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of enhanced $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
  [ ! -e "$SCRATCH/refused" ] || fail "enhanced $* left a result"
}
refused --rtt_method --rtt_method=mean
refused --loss_classifier --loss_classifier=guess
refused --rtt_samples --rtt_samples=1
refused "the TFRC sender's configuration" --rto_policy=adaptive
refused --link_loss --link_loss=0.6
refused "--warmup_s has to be below --duration_s" --warmup_s=20 --duration_s=20
