#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/run without a simulation: jobs that a script plays, resuming, failures, lists for a cluster, reports.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "no jinja2, matplotlib, numpy and pandas"
"$PYTHON" "$ROOT/tests/scripts/experiments-runner.py"

# Neither needs a build.
"$ROOT/experiments/run" --help >"$SCRATCH/help"
contains "$SCRATCH/help" "--report-only"
status=0
BUILD_DIR=$SCRATCH "$ROOT/experiments/run" no-such-experiment --report-only 2>"$SCRATCH/errors" || status=$?
equals "exit status for an unknown experiment" 2 $status
contains "$SCRATCH/errors" "no experiment 'no-such-experiment'; one of "
