#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/vod-benchmark/analysis.py: logs made by hand give exactly the measures computed by hand,
# and wrong logs are refused with file and line.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
"$PYTHON" -c 'import numpy' 2>/dev/null || skip "no numpy"

export PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$ROOT/pipelines/vod-benchmark:$ROOT "$PYTHON" "$ROOT/tests/scripts/vod-analysis.py" "$SCRATCH"

# As a program
cat >"$SCRATCH/due.csv" <<'CSV'
due_ns,hash
1000000000,00000000000000aa
2000000000,00000000000000bb
CSV
cat >"$SCRATCH/arrivals.csv" <<'CSV'
arrival_ns,hash
1250000000,00000000000000aa
CSV
analysis() {
  "$PYTHON" "$ROOT/pipelines/vod-benchmark/analysis.py" --due "$SCRATCH/due.csv" --arrivals "$SCRATCH/arrivals.csv" "$@"
}
analysis >"$SCRATCH/json"
contains "$SCRATCH/json" '"iplr": 0.5,'
contains "$SCRATCH/json" '"iptd_mean": 0.25,'
! analysis --wire-a x 2>"$SCRATCH/errors" || fail "took one wire without the other"
contains "$SCRATCH/errors" "--wire-a and --wire-b go together"
echo "3000000000,cc" >>"$SCRATCH/arrivals.csv"
! analysis 2>"$SCRATCH/errors" || fail "took a bad log"
contains "$SCRATCH/errors" "analysis.py: $SCRATCH/arrivals.csv:3: 'cc' is not a hash"
