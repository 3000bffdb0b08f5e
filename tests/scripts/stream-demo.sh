#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/stream-demo.sh plays a short movie over loopback and, as root, over the bottleneck. An
# interrupted demo leaves neither processes nor namespaces.
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

gst-launch-1.0 -q videotestsrc num-buffers=100 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
  x264enc key-int-max=25 speed-preset=ultrafast bitrate=400 ! mpegtsmux alignment=7 ! \
  filesink "location=$SCRATCH/short movie.ts"
demo=("$ROOT/pipelines/stream-demo.sh" "$SCRATCH/short movie.ts")

# played DIRECTORY: the run has all its files. If nothing was lost, the received stream equals the
# sent stream.
played() {
  for file in received.ts demo.png demo.html summary.json sender.csv receiver.csv; do
    [ -s "$1/$file" ] || fail "no $file: $(cat "$1.txt")"
  done
  contains "$1.txt" "IPTD, ms (mean / p99 / max)"
  contains "$1.txt" "video frames sent"
  "$PYTHON" - "$1/summary.json" <<'PYTHON' || fail "$(cat "$1.txt")"
import json, sys
stream = json.load(open(sys.argv[1]))["streams"][0]
lost = stream["packets lost in the network"] + stream["packets dropped by the sink's queue"]
comparison = stream["comparison"]
assert comparison["foreign"] == 0 and comparison["sent"] > 0, comparison
assert comparison["identical"] == (lost == 0), (lost, comparison)
frames = stream["video frames sent"], stream["video frames decoded at the receiver"]
assert frames[0] == 100 and (lost or frames[1] == 100), frames
PYTHON
}

"${demo[@]}" --host-loopback --output "$SCRATCH/loopback" >"$SCRATCH/loopback.txt" 2>&1 ||
  fail "$(cat "$SCRATCH/loopback.txt")"
contains "$SCRATCH/loopback.txt" "Network: plain loopback"
played "$SCRATCH/loopback"

# protected DIRECTORY: the stream had keys, no packet was refused, and the passphrase is in no file
protected() {
  tr -s ' ' <"$1.txt" >"$1.narrow"
  contains "$1.narrow" "cipher aes-128-gcm"
  contains "$1.narrow" "packets refused by the sender 0"
  contains "$1.narrow" "packets refused by the receiver 0"
  contains "$1/receiver.log" "tfrc-security"
  ! grep -rqI 'passphrase=' "$1" "$1.txt" || fail "a file has the passphrase"
}
"${demo[@]}" --host-loopback --secure --output "$SCRATCH/secure" >"$SCRATCH/secure.txt" 2>&1 ||
  fail "$(cat "$SCRATCH/secure.txt")"
played "$SCRATCH/secure"
protected "$SCRATCH/secure"

if [ "$(id -u)" = 0 ]; then
  "${demo[@]}" --rate 1M --output "$SCRATCH/bottleneck" >"$SCRATCH/bottleneck.txt" 2>&1 ||
    fail "$(cat "$SCRATCH/bottleneck.txt")"
  grep -q -e "queue of 20 packets" -e "namespaces do not work here" "$SCRATCH/bottleneck.txt" ||
    fail "did not say which network: $(cat "$SCRATCH/bottleneck.txt")"
  played "$SCRATCH/bottleneck"
fi

# Processes of a run have its directory in their command lines. The brackets keep grep itself out.
processes_of() {
  grep -ls "$SCRATCH/[s]topped" /proc/[0-9]*/cmdline || true
}
gone() {
  [ -z "$(processes_of)" ] && ! { have ip && ip netns list | grep -q "tfrc-$player-"; }
}
for signal in INT TERM; do
  # A shell starts background jobs with SIGINT ignored; a terminal does not.
  env --default-signal=INT "${demo[@]}" --output "$SCRATCH/stopped" >"$SCRATCH/stopped.txt" 2>&1 &
  player=$!
  wait_until 120 test -s "$SCRATCH/stopped/sender.log" || fail "did not start: $(cat "$SCRATCH/stopped.txt")"
  kill "-$signal" "$player"
  status=0
  wait "$player" || status=$?
  [ $status -gt 128 ] || fail "exit status $status after SIG$signal: $(cat "$SCRATCH/stopped.txt")"
  wait_until 30 gone || fail "left after SIG$signal: $(processes_of)"
  rm -rf "$SCRATCH/stopped"
done

# Mistakes are reported before anything is installed or built.
for mistake in "--rate fast" "--buffer 0" "--delay soon" "--no-such-option" "$SCRATCH/no-such-movie.ts" "--rate"; do
  # shellcheck disable=SC2086 # an option and its value
  ! "$ROOT/pipelines/stream-demo.sh" $mistake >"$SCRATCH/mistake.txt" 2>&1 || fail "accepted: $mistake"
  ! grep -q Building "$SCRATCH/mistake.txt" || fail "built before it refused: $mistake"
done
