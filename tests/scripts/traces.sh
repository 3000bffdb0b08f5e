#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# traces/: the queue model and the transport stream model give the results of cases worked out by
# hand; bad files are refused with a message; the committed traces equal their generator's output
# and have the calibrated figures; the packets equal vod-replay's.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

export PYTHONDONTWRITEBYTECODE=1
cd "$ROOT/traces"
MOVIES=(cinderella-man v-for-vendetta action-movie)

for movie in "${MOVIES[@]}"; do
  for duration in 600 3600; do
    "$PYTHON" generate.py "$movie" --duration $duration --output "$SCRATCH/$movie-like-${duration}s.csv"
  done
  cmp "$movie-like-600s.csv" "$SCRATCH/$movie-like-600s.csv" || fail "$movie-like-600s.csv is not what generate.py makes"
done
equals "partial files" "" "$(find "$SCRATCH" -name '*.partial')"

PYTHONPATH=$ROOT/traces "$PYTHON" "$ROOT/tests/scripts/traces.py" "$SCRATCH"

"$PYTHON" generate.py cinderella-man --duration 10 --seed 1 >"$SCRATCH/one.csv"
"$PYTHON" generate.py cinderella-man --duration 10 --seed 2 >"$SCRATCH/two.csv"
equals "lines of ten seconds" 254 "$(wc -l <"$SCRATCH/one.csv")"
if diff <(grep -v '^#' "$SCRATCH/one.csv") <(grep -v '^#' "$SCRATCH/two.csv") >/dev/null; then
  fail "two seeds make the same sizes"
fi

# refuses STATUS MESSAGE COMMAND...
refuses() {
  local expected=$1 message=$2 status=0
  shift 2
  "$PYTHON" "$@" >/dev/null 2>"$SCRATCH/error" || status=$?
  equals "status of $*" "$expected" "$status"
  contains "$SCRATCH/error" "$message"
}

printf 'frame,type,time_ms,bytes\n0,I,0,100\n1,B,40,x\n' >"$SCRATCH/bad.csv"
refuses 1 "$SCRATCH/bad.csv:3: 'x' is no size in bytes" statistics.py "$SCRATCH/bad.csv"
refuses 1 "$SCRATCH/bad.csv:3: 'x' is no size in bytes" droptail.py "$SCRATCH/bad.csv"
refuses 1 "No such file" droptail.py "$SCRATCH/none.csv"
refuses 2 "invalid choice: 'casablanca'" generate.py casablanca
refuses 2 "'0' is no positive whole number" generate.py cinderella-man --duration 0
refuses 2 "--variant 21: cinderella-man has 1 to 20" generate.py cinderella-man --variant 21
refuses 2 "--variant says the duration and the seed" generate.py cinderella-man --variant 2 --seed 3
refuses 2 "--rate must be positive" droptail.py cinderella-man-like-600s.csv --rate 0

# The table in the README is what statistics.py prints.
"$PYTHON" statistics.py "$SCRATCH"/{cinderella-man,v-for-vendetta,action-movie}-like-{600,3600}s.csv >"$SCRATCH/table"
equals "lines of the table" 32 "$(wc -l <"$SCRATCH/table")"
while read -r line; do
  grep -qxF -- "$line" README.md || fail "traces/README.md has not the line $line"
done <"$SCRATCH/table"

# Compares the model of the stream, packet by packet, with the program that makes the stream.
replay=$(build_directory)/tools/vod-replay/vod-replay
if [ ! -x "$replay" ]; then
  say "vod-replay is not built: its packets are not compared"
  exit 0
fi
export GST_REGISTRY_1_0="$SCRATCH/registry.bin"
for movie in "${MOVIES[@]}"; do
  "$replay" "$movie-like-600s.csv" --output "$SCRATCH/movie.ts" --log "$SCRATCH/log.csv"
  PYTHONPATH=$ROOT/traces "$PYTHON" - "$movie-like-600s.csv" "$SCRATCH/log.csv" <<'PYTHON'
import sys

import tracefile
import transportstream

expected = transportstream.packets_of(tracefile.read(sys.argv[1]))
with open(sys.argv[2]) as log:
    assert next(log) == "due_ns,hash\n"
    found = [int(line.split(",")[0]) for line in log]
# The log is in real time: the intervals are the same, but the start differs.
assert len(found) == len(expected), f"{len(found)} packets instead of {len(expected)}"
for number, (due_ns, expected_ns) in enumerate(zip(found, expected)):
    assert due_ns - found[0] == expected_ns - expected[0], f"packet {number} is due {due_ns - found[0]} ns after the first"
PYTHON
done
