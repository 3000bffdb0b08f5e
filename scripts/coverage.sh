#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tells how much of the library and of the elements a build directory's tests have run, and fails if
# it is less than these percentages: scripts/coverage.sh DIRECTORY. The directory is built by gcc with
# -Db_coverage=true -Dc_args=-fprofile-update=atomic, and its tests have been run.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

LIBRARY_LINES=95
LIBRARY_BRANCHES=90
ELEMENTS_LINES=88

[ $# = 1 ] && [ -d "$1" ] || die "usage: scripts/coverage.sh DIRECTORY"
cd "$ROOT"

# covered DIRECTORY OF SOURCES, LIMITS...: prints the totals; status 0 if none is below its limit
covered() {
  local sources=$1
  shift
  say "$sources:"
  gcovr --root . --object-directory "$objects" --filter "$sources/" --print-summary "$@" \
    --output "$objects/coverage-${sources%%/*}.txt"
}

objects=$1
status=0
covered lib/tfrc --fail-under-line $LIBRARY_LINES --fail-under-branch $LIBRARY_BRANCHES || status=1
covered gst --fail-under-line $ELEMENTS_LINES || status=1
exit $status
