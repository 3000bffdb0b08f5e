#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/demo.sh plays a short movie over all transports: on a good path every picture is shown, and picture and table
# are there. Its judge calls pictures missed whose packets are late, and those that need them. An interrupted demo
# leaves no processes.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
BUILD_DIR=$(build_directory)
export BUILD_DIR
use_built_plugin
for element in x264enc mpegtsmux tsparse avdec_h264; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
"$PYTHON" -c 'import jinja2, matplotlib' 2>/dev/null || skip "no jinja2 and matplotlib"

movie="$SCRATCH/short movie.ts"
gst-launch-1.0 -q videotestsrc num-buffers=100 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
  x264enc key-int-max=25 speed-preset=ultrafast bitrate=400 ! mpegtsmux alignment=7 ! filesink "location=$movie"
demo=("$ROOT/pipelines/demo.sh" "$movie" --rate 10M --buffer 1500 --tcp none)

"${demo[@]}" --loss 0 --output "$SCRATCH/good" >"$SCRATCH/good.txt" 2>&1 || fail "$(cat "$SCRATCH/good.txt")"
titles=("plain UDP" TFRC)
! gst-inspect-1.0 --exists srtsink || titles+=(SRT)
for title in "${titles[@]}"; do
  grep -q "^$title  *shown in time and undamaged: 100.0 % of 49 pictures$" "$SCRATCH/good.txt" ||
    fail "not all pictures over $title: $(cat "$SCRATCH/good.txt")"
done
equals "picture" PNG "$(head -c 4 "$SCRATCH/good/demo.png" | tail -c 3)"
for text in "data:image/png;base64," "10 Mbit/s, queue of 25 packets, RTT 40 ms" "packets sent that the queue dropped"; do
  contains "$SCRATCH/good/demo.html" "$text"
done
[ -s "$SCRATCH/good/summary.json" ] || fail "no summary"

# A receiver that fails is no transport that loses pictures.
! "${demo[@]}" --loss 0 --source "! identity error-after=20" --output "$SCRATCH/failed" >"$SCRATCH/failed.txt" 2>&1 ||
  fail "pictures of a receiver that has failed: $(cat "$SCRATCH/failed.txt")"
contains "$SCRATCH/failed.txt" "the receiver of TFRC failed"
[ ! -e "$SCRATCH/failed/summary.json" ] || fail "a summary of a receiver that has failed"

# Packet 20 is late, which the picture of that packet shows, and all others until the next picture that needs no other.
PYTHONPATH=$ROOT/pipelines/demo PYTHONDONTWRITEBYTECODE=1 "$PYTHON" - "$movie" "$SCRATCH/seen.ts" <<'PYTHON'
import collections
import sys
import types

import sidebyside
import viewer

path, seen = sys.argv[1:]
movie = viewer.Movie(path)
assert len(movie.pictures) == 100 and movie.step == 3600, movie.step
came = dict.fromkeys(range(len(movie.packets)), 0)
first = next(number for number, picture in enumerate(movie.pictures) if 20 in picture.packets)
last = max(number for number, picture in enumerate(movie.pictures) if 20 in picture.packets)
came[20] = int((movie.time_s(last) + 0.5) * 1e9) + 1000
in_time, usable = viewer.judge(movie, came, 0, 0.5)
assert [number for number, good in enumerate(in_time) if not good] == list(range(first, last + 1)), in_time
assert usable == set(came) - {20}, usable
viewer.write_seen(movie, usable, seen)
(equal,), moment = viewer.look(movie, path, [seen])
key = (last // 25 + 1) * 25
assert all(equal[:first]) and not any(equal[last:key]) and all(equal[key:]), equal

# Packets count as pictures do: not those of the end, where a receiver that hangs up loses what it holds.
result = object.__new__(sidebyside.Result)
result.in_time, result.came, result.usable, result.path = in_time, came, usable, collections.defaultdict(int)
result.count(movie, equal, 1.5)
found = result.figures(movie, types.SimpleNamespace(tcp=(0, 0)))
within = 1 + max(packet for picture in movie.pictures[:49] for packet in picture.packets)
assert 20 < within < len(movie.packets), within
assert [found[f"packets of the movie{of}"] for of in ("", " that came", " that a player could use")] == [
    within, within, within - 1], found
PYTHON

# Processes of a run have its directory in their command lines. The brackets keep grep itself out.
gone() {
  ! grep -qs "$SCRATCH/[s]topped" /proc/[0-9]*/cmdline
}
# A shell starts background jobs with SIGINT ignored; a terminal does not.
env --default-signal=INT "${demo[@]}" --output "$SCRATCH/stopped" >"$SCRATCH/stopped.txt" 2>&1 &
player=$!
wait_until 120 test -s "$SCRATCH/stopped/tfrc-sender.log" || fail "did not start: $(cat "$SCRATCH/stopped.txt")"
kill -INT $player
status=0
wait "$player" || status=$?
[ $status -gt 128 ] || fail "exit status $status after SIGINT: $(cat "$SCRATCH/stopped.txt")"
wait_until 30 gone || fail "left after SIGINT"

# Mistakes are reported before anything is installed or built.
for mistake in "--rate fast" "--queue 0" "--tcp soon" "--buffer 100" "--no-such-option" "$SCRATCH/no-such-movie.ts" "--rate"; do
  # shellcheck disable=SC2086 # an option and its value
  ! "$ROOT/pipelines/demo.sh" $mistake >"$SCRATCH/mistake.txt" 2>&1 || fail "accepted: $mistake"
  ! grep -q Building "$SCRATCH/mistake.txt" || fail "built before it refused: $mistake"
done
