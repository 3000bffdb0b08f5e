#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The messages that docs/troubleshooting.md quotes are those of the elements.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

check() {
  "$PYTHON" "$ROOT/tests/scripts/troubleshooting.py" "$1" "$ROOT"
}
check "$ROOT/docs/troubleshooting.md"

# The check finds a message that nothing prints.
sed 's/Nobody answers at/Nobody speaks at/' "$ROOT/docs/troubleshooting.md" >"$SCRATCH/wrong.md"
! check "$SCRATCH/wrong.md" >"$SCRATCH/said" || fail "another message was not found"
contains "$SCRATCH/said" "no element prints: Nobody speaks at"
