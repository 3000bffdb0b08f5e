#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/rtp-receiver.sh tells no losses of a run whose sender or receiver has failed, in which nothing was sent. Needs
# root.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
BUILD_DIR=$(build_directory)
export BUILD_DIR
use_built_plugin
needs_namespaces_and tc ss
"$PYTHON" -c 'import gi' 2>/dev/null || skip "PyGObject is not installed"

# As in the demo, where a movie's duration is given; null packets are a transport stream.
"$PYTHON" -c 'import sys; sys.stdout.buffer.write((bytes([0x47, 0x1f, 0xff, 0x10]) + bytes([0xff]) * 184) * 7000)' >"$SCRATCH/movie.ts"

refuses() {
  local text=$1 status=0
  shift
  "$ROOT/pipelines/rtp-receiver.sh" "$SCRATCH/movie.ts" "$@" >"$SCRATCH/said" 2>&1 || status=$?
  ! grep -q 'no bottleneck\|Operation not permitted' "$SCRATCH/said" || skip "no bottleneck: $(tail -n 1 "$SCRATCH/said")"
  ! grep -q IPLR "$SCRATCH/said" || fail "losses of a run that has failed: $(grep IPLR "$SCRATCH/said")"
  [ $status != 0 ] || fail "no failure of $*: $(cat "$SCRATCH/said")"
  contains "$SCRATCH/said" "$text"
}
refuses "tfrcsink, receiver reports: the sender has failed" --duration 5 --sink no-such-property=1
