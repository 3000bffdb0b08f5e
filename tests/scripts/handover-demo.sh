#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/handover: its measures on logs made by hand. Then, in the testbed's guest, a movie that
# moves to another link and to another address: no packet is lost if the old link goes on, and no
# frame is late.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib, numpy, yaml' 2>/dev/null || skip "Python's jinja2, matplotlib, numpy and yaml are not installed"
export PYTHONDONTWRITEBYTECODE=1
pipelines=$ROOT/pipelines
PYTHONPATH=$pipelines/handover:$pipelines:$pipelines/vod-benchmark:$ROOT \
  "$PYTHON" "$ROOT/tests/scripts/handover-demo.py" "$SCRATCH/by-hand"

BUILD_DIR=$(build_directory)
export BUILD_DIR
out=$SCRATCH/out

# demo STATUS ARGUMENT...
demo() {
  local status=0 expected=$1
  shift
  "$PYTHON" "$pipelines/handover" "$@" --output "$out" >"$SCRATCH/said" 2>&1 || status=$?
  [ $status = "$expected" ] || cat "$SCRATCH/said" "$out"/failed/*/{reason.txt,raw/jobs/*.err} >&2 || true
  equals "exit status of $*" "$expected" $status
}

demo 2 --adaptation none,nothing
contains "$SCRATCH/said" "'none,nothing' is not a list of none, paper, direct"
demo 1 --trace "$SCRATCH/nowhere.csv"
contains "$SCRATCH/said" "handover-demo: $SCRATCH/nowhere.csv: No such file or directory"

for program in gst/libgsttfrc.so tools/vod-replay/vod-replay tools/meter/vod-receive tools/meter/wire-meter; do
  [ -e "$BUILD_DIR/$program" ] || skip "$program is not built"
done
"$PYTHON" "$pipelines/testbed" available guest 2>"$SCRATCH/available" || skip "$(sed 's/^testbed: //' "$SCRATCH/available")"

demo 0 --quick --adaptation direct
"$PYTHON" - "$out" <<'CHECK'
import csv
import sys

rows = list(csv.DictReader(open(f"{sys.argv[1]}/runs.csv")))
assert [(row["before_ms"], row["after_ms"]) for row in rows] == [("25", "70"), ("70", "25")], rows
for row in rows:
    assert (row["missing"], row["late"], row["handovers"], row["handovers_completed"]) == ("0", "0", "1", "1"), row
    assert int(row["packets"]) > 300, row
# Packets on the shorter new link overtake those on the longer old link.
assert int(rows[0]["overtaken_5s"]) == 0 < int(rows[1]["overtaken_5s"]), rows
CHECK
[ -s "$out/movie.png" ] || fail "no picture"
contains "$out/report.md" "adaptation (direct)"

demo 0 --quick --adaptation direct
equals "runs played the second time" 0 "$(grep -c '^\[' "$SCRATCH/said" || true)"

demo 0 --quick --roam
"$PYTHON" - "$out" <<'CHECK'
import csv
import sys

fails, stays = csv.DictReader(open(f"{sys.argv[1]}/runs.csv"))
for row in (fails, stays):
    assert (row["migrations"], row["handovers_completed"]) == ("1", "1"), row
    # Challenge and response take two round-trip times. Then the movie may have nothing to send for
    # a while.
    rtt_s = float(row["playing_s"]) / float(row["playing_rtts"])
    assert 1.9 * rtt_s < float(row["playing_s"]) < 2.01 * rtt_s + float(row["movie_gap_s"]), row
assert (fails["leaving"], stays["leaving"]) == ("fails", "stays")
# WiFi has been silent for 300 ms when the system notices.
assert 0.3 < float(fails["spoke_s"]) < 0.31 and 0.5 < float(fails["silence_s"]) < 0.6, fails
assert int(fails["missing"]) > 0 and (stays["missing"], stays["late"]) == ("0", "0"), (fails, stays)
# What was lost with the old link is asked for over the new one, and some of it comes late.
assert int(fails["late"]) < int(fails["missing"]), fails
CHECK
echo "moved to another link and to another address"
