#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The programs in examples/: the minimal senders and receivers play a movie to its end and until
# they are interrupted, and the adaptive encoders follow the rate.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
programs=$(build_directory)/examples
[ -x "$programs/minimal-sender" ] || skip "the examples are not built"
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
cd "$SCRATCH"

# encode FRAMES FILE: two frames a second
encode() {
  gst-launch-1.0 -q videotestsrc num-buffers="$1" ! video/x-raw,width=160,height=120,framerate=2/1 ! \
    x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location="$2"
}
encode 4 short.ts
# Longer than the test takes on a slow machine: streams end when they are told to.
encode 800 long.ts

clean_up() {
  # shellcheck disable=SC2046 # numbers of processes
  kill $(jobs -p) 2>/dev/null || true
  wait
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

# has_line FILE PATTERN
has_line() {
  grep -qs "$2" "$1"
}

# plays MOVIE SENDER RECEIVER: with SENDER interrupted as soon as data comes, if the movie is long
plays() {
  local movie=$1 port sender receiver
  read -r -a sender <<<"$2"
  read -r -a receiver <<<"$3"
  # Also the logs: the processes make new ones only when they start.
  rm -f received.ts receiver.log sender.log
  timeout 60 "${receiver[@]}" 0 received.ts >receiver.log 2>&1 &
  local receiver_process=$!
  wait_until 30 has_line receiver.log "receiving on port" || fail "$3: $(cat receiver.log)"
  port=$(sed -n 's/receiving on port //p' receiver.log)
  timeout --foreground 60 "${sender[@]}" "$movie" 127.0.0.1 "$port" >sender.log 2>&1 &
  local sender_process=$!
  if [ "$movie" != short.ts ]; then
    wait_until 30 has_line receiver.log "the sender is" || fail "$3: $(cat sender.log receiver.log)"
    wait_until 30 has_line sender.log "the receiver is connected" || fail "$2: $(cat sender.log)"
    kill -INT $sender_process
  fi
  wait $sender_process || fail "$2: $(cat sender.log)"
  wait $receiver_process || fail "$3: $(cat receiver.log)"
  has_line sender.log "^[1-9][0-9]* packets sent, 0 lost, 0 dropped" || fail "$2: $(cat sender.log)"
  has_line receiver.log "^[1-9][0-9]* packets received, 0 lost" || fail "$3: $(cat receiver.log)"
  [ -s received.ts ] || fail "$3: nothing was recorded"
}

# refuses COMMAND ARGUMENT...: with a message about the port, and without a stream
refuses() {
  ! timeout 30 "$@" >refused.log 2>&1 || fail "$*: status 0"
  has_line refused.log "^error: .*port" || fail "$*: $(cat refused.log)"
}

for port in x 70000 -1; do
  for line in "minimal-sender short.ts 127.0.0.1 $port" "minimal-receiver $port never.ts" "broadcaster short.ts $port" \
    "adaptive-encoder 127.0.0.1 $port"; do
    read -r -a words <<<"$line"
    refuses "$programs/${words[0]}" "${words[@]:1}"
    refuses "$PYTHON" "$ROOT/examples/${words[0]}.py" "${words[@]:1}"
  done
done

for movie in short.ts long.ts; do
  plays $movie "$programs/minimal-sender" "$PYTHON $ROOT/examples/minimal-receiver.py"
  plays $movie "$PYTHON $ROOT/examples/minimal-sender.py" "$programs/minimal-receiver"
done

# adapts SENDER RECEIVER: until SENDER has changed the bitrate of its encoder
adapts() {
  local port sender receiver
  read -r -a sender <<<"$1"
  read -r -a receiver <<<"$2"
  rm -f received.ts receiver.log sender.log
  timeout 120 "${receiver[@]}" 0 received.ts >receiver.log 2>&1 &
  local receiver_process=$!
  wait_until 30 has_line receiver.log "receiving on port" || fail "$2: $(cat receiver.log)"
  port=$(sed -n 's/receiving on port //p' receiver.log)
  timeout --foreground 120 "${sender[@]}" 127.0.0.1 "$port" >sender.log 2>&1 &
  local sender_process=$!
  wait_until 60 has_line sender.log "the network allows [0-9]* kbit/s, the encoder gets [0-9]*" || fail "$1: $(cat sender.log)"
  kill -INT $sender_process
  wait $sender_process || fail "$1: $(cat sender.log)"
  wait $receiver_process || fail "$2: $(cat receiver.log)"
  has_line sender.log "^[1-9][0-9]* packets sent, [0-9]* lost, [0-9]* dropped" || fail "$1: $(cat sender.log)"
  [ -s received.ts ] || fail "$2: nothing was recorded"
}

adapts "$programs/adaptive-encoder" "$programs/minimal-receiver"
adapts "$PYTHON $ROOT/examples/adaptive-encoder.py" "$PYTHON $ROOT/examples/minimal-receiver.py"
