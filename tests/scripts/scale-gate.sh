#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The gate of the scale benchmark: switches, threads and allocations with 100 streams (docs/scale.md). An impossible
# limit makes it fail.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
BUILD_DIR=$(build_directory)
export BUILD_DIR
[ -x "$BUILD_DIR/tests/bench/bench-scale-pipelines" ] || skip "the benchmark is not built"

gate() {
  "$ROOT/tests/bench/scale.sh" --gate --warm-up 2 --seconds 3 --out "$SCRATCH" "$@" >"$SCRATCH/output" 2>&1
}

status=0
gate || status=$?
cat "$SCRATCH/output"
[ $status = 0 ] || fail "see the line with MISSED"
contains "$SCRATCH/output" "voluntary switches a packet"
contains "$SCRATCH/output" "allocations a packet"
