#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# GStreamer's tracers see elements that follow its conventions: nothing is alive after NULL -> PLAYING -> EOS -> NULL, of a
# sender with one receiver, of a protected pair and of a sink that listens; and latencies are measured up to tfrcsink and
# from tfrcsrc on.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
cd "$SCRATCH"
# Longer than the test takes on a slow machine: streams end when they are told to.
gst-launch-1.0 -q videotestsrc num-buffers=800 ! video/x-raw,width=160,height=120,framerate=2/1 ! \
  x264enc key-int-max=4 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location=movie.ts
export GST_DEBUG=GST_TRACER:7 GST_DEBUG_NO_COLOR=1

clean_up() {
  # shellcheck disable=SC2046 # numbers of processes
  kill $(jobs -p) 2>/dev/null || true
  wait
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

# pipeline LOG ELEMENT...: ends with EOS when it is interrupted
pipeline() {
  exec timeout --foreground 120 gst-launch-1.0 -m -e "${@:2}" >"$1" 2>&1
}

port_in_use() {
  sed -n 's/.*tfrc-stats.*local-port=(int)\([1-9][0-9]*\).*/\1/p;T;q' "$1"
}

# has_line FILE PATTERN
has_line() {
  grep -qs -- "$2" "$1"
}

declare -A processes

# begins NAME ELEMENT...: waits until its port is known
begins() {
  # Also the log: the process makes a new one only when it starts.
  rm -f "$1.log"
  pipeline "$1.log" "${@:2}" &
  processes[$1]=$!
  wait_until 60 has_line "$1.log" "tfrc-stats.*local-port=(int)[1-9]" || fail "$*: $(tail -n 20 "$1.log")"
}

# plays TRACERS NAME LINE NAME LINE: sender and receiver, until data has come. Then the sender ends, and the receiver with
# it. PORT in the second line stands for the port of the first.
plays() {
  local first second name
  export GST_TRACERS=$1
  read -r -a first <<<"$3"
  begins "$2" "${first[@]}"
  read -r -a second <<<"${5//PORT/$(port_in_use "$2.log")}"
  begins "$4" "${second[@]}"
  wait_until 60 has_line receiver.log "tfrc-stats.*packets-received=(guint64)[1-9]" || fail "$*: $(tail -n 20 receiver.log)"
  kill -INT "${processes[sender]}"
  for name in sender receiver; do
    wait "${processes[$name]}" || fail "$*: $(tail -n 20 $name.log)"
  done
}

# are_released: the tracer was there, and has named no object at the end
are_released() {
  local log
  for log in sender.log receiver.log; do
    contains $log "new format string: object-alive"
    contains $log "Got EOS"
    ! grep -F ":0:: object-alive" $log || fail "the above of $log are alive at the end"
  done
}

movie="filesrc location=movie.ts ! tsparse alignment=7 set-timestamps=true ! tfrcsink stats-update-interval=100"
receiver="tfrcsrc address=127.0.0.1 port=0 stats-update-interval=100"
key="passphrase=correct-horse"

plays leaks receiver "$receiver ! fakesink" sender "$movie port=PORT"
are_released
plays leaks receiver "$receiver $key ! fakesink" sender "$movie port=PORT $key"
are_released
plays leaks sender "$movie mode=listener port=$(free_port) bind-address=127.0.0.1" \
  receiver "tfrcsrc uri=tfrc://127.0.0.1:PORT/movie stats-update-interval=100 ! fakesink"
are_released

# The tracer measures from one source pad to the next, so that something has to be between source and sink.
plays "latency(flags=pipeline+element)" receiver "$receiver ! identity ! fakesink" sender "$movie port=PORT"
grep -q ":0:: latency, .*src-element=(string)tfrcsrc0.*sink-element=(string)fakesink0" receiver.log || fail "no latency behind tfrcsrc"
grep -q ":0:: latency, .*src-element=(string)filesrc0.*sink-element=(string)tfrcsink0" sender.log || fail "no latency up to tfrcsink"
