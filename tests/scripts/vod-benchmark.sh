#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/vod-benchmark without a network: the runs of each experiment, resuming, the report; and its command line.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, pandas' 2>/dev/null || skip "Python's jinja2, matplotlib, numpy and pandas are not installed"
BUILD_DIR=$SCRATCH "$PYTHON" "$ROOT/tests/scripts/vod-benchmark.py"

benchmark() {
  "$PYTHON" "$ROOT/pipelines/vod-benchmark" "$@"
}

# refuses STATUS TEXT ARGUMENT...: the program ends with this status, and its message has the text
refuses() {
  local expected=$1 text=$2 status=0
  shift 2
  benchmark "$@" >"$SCRATCH/refused" 2>&1 || status=$?
  equals "exit status of $*" "$expected" "$status"
  contains "$SCRATCH/refused" "$text"
}

benchmark report --from "$ROOT/tests/scripts/vod-benchmark-sample" --output "$SCRATCH/report" >"$SCRATCH/said"
contains "$SCRATCH/said" "Report: $SCRATCH/report/report.html"
contains "$SCRATCH/report/report.html" "Table 1: one movie alone on 2 Mbit/s"

# The committed results make a report, which is one file with all numbers.
benchmark report --from "$ROOT/results/vod" --output "$SCRATCH/results" >/dev/null
[ "$(grep -o '<td' "$SCRATCH/results/report.html" | wc -l)" -gt 1000 ] || fail "the report has hardly any numbers"
for name in table1 fig3 fig4 fig5 fig6 levers conditions; do
  contains "$SCRATCH/results/report.html" "Figures: <a href=\"$name.csv\">"
done
! grep -q '<img[^>]* src="[^d]' "$SCRATCH/results/report.html" || fail "the report needs other files"

benchmark list table1 --point movie=v-for-vendetta --point d2_ms=60 --point queue=20 --transports srt,tcp \
  --seeds 2,4 >"$SCRATCH/list"
equals "the runs left" "v-for-vendetta d2=60 q=20 srt seed 2-4
v-for-vendetta d2=60 q=20 tcp seed 2-4" "$(cat "$SCRATCH/list")"

benchmark list fig4 --point movies=12 --point queue=37 --point movie=v-for-vendetta --transports udp >"$SCRATCH/list"
equals "Fig. 4 has a network for each of five seeds" 5 "$(wc -l <"$SCRATCH/list")"

benchmark list conditions --point condition=reno-deep --transports tfrc,tcp --seeds 2 >"$SCRATCH/list"
equals "the runs of a condition" "v-for-vendetta d2=25 q=465 reno-deep 1 TCP with SACK tfrc seed 1
v-for-vendetta d2=25 q=465 reno-deep 1 TCP with SACK tfrc seed 2
v-for-vendetta d2=25 q=465 reno-deep 1 TCP with SACK tcp seed 1
v-for-vendetta d2=25 q=465 reno-deep 1 TCP with SACK tcp seed 2" "$(cat "$SCRATCH/list")"

refuses 1 "no results in $SCRATCH/nothing" report --from "$SCRATCH/nothing" --output "$SCRATCH/page"
refuses 1 "no results in $SCRATCH/nothing" results --from "$SCRATCH/nothing"
refuses 2 "no such condition: storm; one of alone, " conditions --point condition=storm
refuses 2 "no such transport: quic; one of tfrc, " table1 --transports tfrc,quic
refuses 2 "not KEY=VALUE with KEY one of movie, transport, " table1 --point colour=red
refuses 2 "not a number of seeds, list (3,7) or range (4-6): 0" table1 --seeds 0
refuses 2 "not a positive whole number: -3" table1 --duration=-3
refuses 2 "--movies seed makes its own movies: it cannot be used with --traces" fig4 --movies seed --traces "$SCRATCH"
refuses 2 "the command 'list', and no other command, needs an experiment" list
refuses 2 "--job needs one experiment: table1, " report --job 1
