#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A short soak test: every kind of fault begins at least once, and all checks hold. Wrong arguments are refused before
# anything starts.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
needs_namespaces_and
BUILD_DIR=$(build_directory)
export BUILD_DIR SOAK_BUILT=yes
[ -x "$BUILD_DIR/tests/bench/soak-endpoints" ] || skip "the soak test is not built"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$ROOT/tests/soak.sh" "$@" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of soak.sh $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused "there is no fault 'flood'" --kinds rate,flood
refused "--streams is at least 8" --streams 7

status=0
"$ROOT/tests/soak.sh" --seconds 45 --streams 20 --log "$SCRATCH/log" >"$SCRATCH/output" 2>&1 || status=$?
cat "$SCRATCH/output"
[ $status = 0 ] || { cat "$SCRATCH/log" >&2; fail "see the lines with FAILED"; }
for kind in rate delay loss reordering duplicates damage forgeries outage rebind killed stopped interface clock-step descriptors; do
  grep -q "^$kind " "$SCRATCH/output" || fail "no fault '$kind' began"
done
