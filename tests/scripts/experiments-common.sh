#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# experiments/common: the simulations' links, sources, meters and shells of libtfrc give known
# results; bad input is refused with a message; libtfrc is a small part of the work.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

build=$(build_directory)
smoke=$build/experiments/smoke
[ -x "$smoke" ] || skip "the simulations are not built (-Dexperiments=enabled)"

"$PYTHON" -B "$ROOT/tests/scripts/experiments-common.py" "$smoke" "$SCRATCH"

"$smoke" --help >"$SCRATCH/help"
contains "$SCRATCH/help" "--rate_bps=1000000"
contains "$SCRATCH/help" "of the bottleneck: a number from 1000 to 10000000000"

# refuses MESSAGE ARGUMENT...: smoke ends with status 2 and the message, and leaves no result
refuses() {
  local message=$1 status=0
  shift
  "$smoke" --output="$SCRATCH/refused" "$@" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of smoke $*" 2 "$status"
  contains "$SCRATCH/errors" "$message"
  [ ! -e "$SCRATCH/refused" ] || fail "smoke $* left a result"
}

refuses "unknown parameter '--bandwidth=3'" --bandwidth=3
refuses "unknown parameter 'tcp=1'" tcp=1
refuses "--tcp wants a value" --tcp
refuses "--tcp=many: not whole, a number up to 1000" --tcp=many
refuses "--tcp=1001: not whole, a number up to 1000" --tcp=1001
refuses "--tcp=1.5: not whole" --tcp=1.5
refuses "--delay_s=nan: not a number from 0 to 10" --delay_s=nan
refuses "--delay_s=-1: not a number from 0 to 10" --delay_s=-1
refuses "--queue=codel: not one of droptail, red" --queue=codel
refuses "--noise=perhaps: not true or false" --noise=perhaps
refuses "--warmup_s is not below --duration_s" --warmup_s=60
refuses "--source=schedule wants --schedule=FILE" --source=schedule
refuses "a greedy source over UDP" --transport=udp

# refuses_schedule MESSAGE OPTIONS LINE...
refuses_schedule() {
  local message=$1 options=$2
  shift 2
  printf '%s\n' "$@" >"$SCRATCH/schedule.csv"
  # shellcheck disable=SC2086 # none or more words
  refuses "$SCRATCH/schedule.csv$message" --source=schedule --schedule="$SCRATCH/schedule.csv" $options
}

refuses "$SCRATCH/nothing.csv: cannot be read" --source=schedule --schedule="$SCRATCH/nothing.csv"
refuses_schedule ":1: the first line is not 'due_us,bytes'" "" "due,bytes" "0,100" "1,100"
refuses_schedule ":3: not a time in us and 1 to 65000 bytes" "" "due_us,bytes" "0,100" "1,0"
refuses_schedule ":2: not a time in us and 1 to 65000 bytes" "" "due_us,bytes" "0;100"
refuses_schedule ":2: not a time in us and 1 to 65000 bytes" "" "due_us,bytes" "-1,100"
refuses_schedule ":3: not a time in us and 1 to 65000 bytes" "" "due_us,bytes" "0,100" "5,100,7"
refuses_schedule ":3: due before the packet above" "" "due_us,bytes" "7,100" "6,100"
refuses_schedule ": less than two packets" "" "due_us,bytes" "7,100"
refuses_schedule ": an offset of 1 s is not within the schedule" --offset_s=1 "due_us,bytes" "0,100" "7,100"

status=0
touch "$SCRATCH/file"
"$smoke" --duration_s=1 --output="$SCRATCH/file/results" 2>"$SCRATCH/errors" || status=$?
equals "exit status where nothing can be written" 2 "$status"
contains "$SCRATCH/errors" "$SCRATCH/file/results/measures.json: cannot be written"

# Counts instructions, so that it does not matter how fast or how busy the machine is.
if have valgrind; then
  BUILD_DIR=$build MAX_PERCENT=20 "$ROOT/experiments/profile.sh" smoke --rate_bps=10e6 --packets=50 --duration_s=1 \
    >"$SCRATCH/profile" || fail "TFRC's part of the work is too large: $(cat "$SCRATCH/profile")"
  contains "$SCRATCH/profile" "libtfrc "
  ! BUILD_DIR=$build MAX_PERCENT=0.1 "$ROOT/experiments/profile.sh" smoke --duration_s=1 >/dev/null ||
    fail "a part of 0.1 % was enough"
else
  say "valgrind is not installed: libtfrc's part of the work was not measured"
fi
