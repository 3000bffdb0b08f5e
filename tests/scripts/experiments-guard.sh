#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/guard: link, jitter, losses and TCP are as its options say; tfrcsink's defaults lose
# less than RFC 5348 in a short queue, for every seed tried; the report has every row. About 3 s of
# CPU.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "Python's jinja2, matplotlib, numpy and pandas are not installed"
build=$(build_directory)
guard=$build/experiments/guard
[ -x "$guard" ] || skip "the experiments are not built (-Dexperiments=enabled)"

BUILD_DIR=$build "$PYTHON" -B "$ROOT/tests/scripts/experiments-guard.py" "$guard" "$SCRATCH"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$guard" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of guard $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
  [ ! -e "$SCRATCH/refused" ] || fail "guard $* left a result"
}

printf 'due_us,bytes\n0,1316\n5000000,1316\n' >"$SCRATCH/movie.csv"
printf 'due_us,bytes\n0,1316\n5,1000\n' >"$SCRATCH/small.csv"
movie=--schedule=$SCRATCH/movie.csv
refused "--schedule=FILE is missing"
refused "$SCRATCH/nothing.csv: cannot be read" --schedule="$SCRATCH/nothing.csv"
refused "$SCRATCH/small.csv: has packets of other than 1316 bytes" --schedule="$SCRATCH/small.csv"
refused "an offset of 6 s is not within the schedule" "$movie" --offset_s=6
refused "$SCRATCH/movie.csv: nothing is due within --duration_s" "$movie" --offset_s=1 --duration_s=2 --settled_s=1
refused "--step_s has to be before --duration_s" "$movie" --step_s=20 --step_rtt_ms=10 --duration_s=20
refused "--step_s has to be before --duration_s, and wants --step_rtt_ms" "$movie" --step_s=10 --duration_s=20
refused "--settled_s has to be before --duration_s" "$movie" --duration_s=5
refused "--tcp=5: not whole, a number up to 4" "$movie" --tcp=5
refused queue "$movie" --queue=0
