#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/vod: plain UDP loses exactly the packets that the ideal queue loses; TFRC loses less
# in every movie tried; both agree with the testbed's results for the same packets. About 20 s of
# CPU.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "Python's jinja2, matplotlib, numpy and pandas are not installed"
build=$(build_directory)
vod=$build/experiments/vod
[ -x "$vod" ] || skip "the simulations are not built"
[ -x "$build/tools/vod-replay/vod-replay" ] || skip "vod-replay is not built"
export GST_REGISTRY_1_0="$SCRATCH/registry.bin" PYTHONDONTWRITEBYTECODE=1
BUILD_DIR=$build "$PYTHON" "$ROOT/tests/scripts/experiments-vod.py" "$vod" "$SCRATCH"

# refuses TEXT ARGUMENT...: the program ends with status 2, and its message has the text
refuses() {
  local text=$1 status=0
  shift
  "$vod" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of $*" 2 "$status"
  contains "$SCRATCH/errors" "$text"
}

printf 'start_s,schedule\n0,movie.csv\n' >"$SCRATCH/playlist.csv"
printf 'due_us,bytes\n0,1316\n' >"$SCRATCH/movie.csv"
refuses "$SCRATCH/nothing.csv cannot be read" --playlist="$SCRATCH/nothing.csv"
refuses "--transport" --playlist="$SCRATCH/playlist.csv" --transport=quic
refuses "needs --peak_bps" --playlist="$SCRATCH/playlist.csv" --transport=tfrc-peak
refuses "needs --classes" --playlist="$SCRATCH/playlist.csv" --transport=tfrc-live
refuses "does not smooth" --playlist="$SCRATCH/playlist.csv" --transport=tfrc --smoothing_ms=300
refuses "$SCRATCH/movie.csv" --playlist="$SCRATCH/playlist.csv"
printf 'start_s,schedule\n0,movie.csv\nsoon,movie.csv\n' >"$SCRATCH/playlist.csv"
refuses "$SCRATCH/playlist.csv:3: not a start in seconds and a schedule: soon,movie.csv" --playlist="$SCRATCH/playlist.csv"
printf 'start,schedule\n' >"$SCRATCH/playlist.csv"
refuses "$SCRATCH/playlist.csv:1: not 'start_s,schedule'" --playlist="$SCRATCH/playlist.csv"
printf 'start_s,schedule\n' >"$SCRATCH/playlist.csv"
refuses "$SCRATCH/playlist.csv: no movie" --playlist="$SCRATCH/playlist.csv"
