#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/run.sh --changed-since runs what the changed files need, by the table tests/folders.txt.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

BUILD=$(build_directory) "$PYTHON" -B "$ROOT/tests/scripts/changed-tests.py"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$ROOT/tests/run.sh" "$@" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of run.sh $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused "--changed-since needs a revision" --changed-since
refused "there is no revision nothing" --changed-since nothing
