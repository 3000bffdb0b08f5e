#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/fairness: the reaction of Reno and CUBIC to loss, the effect of queues and flows, the
# losses of a movie; the whole experiment with --quick; messages about bad input.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

build=$(build_directory)
fairness=$build/experiments/fairness
[ -x "$fairness" ] || skip "the experiments are not built (-Dexperiments=enabled)"

# refused MESSAGE ARGUMENT...
refused() {
  local status=0 message=$1
  shift
  "$fairness" "$@" --output="$SCRATCH/refused" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of fairness $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
}
refused "--queue=pie" --queue=pie
refused "--tcp=bbr" --tcp=bbr
refused "--tfrc_flows=0" --tfrc_flows=0
printf 'due_us,bytes\n0,1316\n1000,1316\n' >"$SCRATCH/schedule.csv"
printf 'start_s,schedule\n0,schedule.csv\n0,schedule.csv\n' >"$SCRATCH/playlist.csv"
refused "has not as many movies as there are TFRC flows" --playlist="$SCRATCH/playlist.csv"

"$PYTHON" -B "$ROOT/tests/scripts/experiments-fairness.py" "$fairness" "$SCRATCH"

if [ -x "$build/tools/vod-replay/vod-replay" ]; then
  BUILD_DIR=$build quietly "$SCRATCH/log" "$PYTHON" -B "$ROOT/experiments" fairness --quick --output "$SCRATCH/quick"
  report=$SCRATCH/quick/fairness/report.md
  for heading in "## One flow of each kind, t_RTO balanced" "## More flows, and every t_RTO" "## Movies" "## The long path, for long"; do
    contains "$report" "$heading"
  done
  ! grep -q "have no result" "$report" || fail "jobs have no result"
fi
