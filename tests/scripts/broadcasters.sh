#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The broadcasters in examples/: each streams to 20 receivers, prints the statistics of all, and ends with its movie.
# Without an argument those in C and in Python; with "rust" the one in Rust, which needs cargo and its crates.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
programs=$(build_directory)/examples
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
RECEIVERS=20

broadcasters=()
if [ "${1:-}" = rust ]; then
  have cargo || skip "no cargo: the broadcaster in Rust is not built"
  export CARGO_TARGET_DIR=$SCRATCH/rust
  cargo build --quiet --locked --manifest-path "$ROOT/examples/broadcaster-rust/Cargo.toml" || fail "examples/broadcaster-rust does not build"
  broadcasters+=("$CARGO_TARGET_DIR/debug/broadcaster")
else
  [ -x "$programs/broadcaster" ] || skip "the examples are not built"
  broadcasters+=("$programs/broadcaster")
  if "$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null; then
    broadcasters+=("$PYTHON $ROOT/examples/broadcaster.py")
  else
    say "PyGObject with GStreamer is not installed: the broadcaster in Python is left out"
  fi
fi
cd "$SCRATCH"

clean_up() {
  # shellcheck disable=SC2046 # numbers of processes
  kill $(jobs -p) 2>/dev/null || true
  wait
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

# encode FRAMES FILE: two frames a second
encode() {
  gst-launch-1.0 -q videotestsrc num-buffers="$1" ! video/x-raw,width=160,height=120,framerate=2/1 ! \
    x264enc key-int-max=4 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location="$2"
}
encode 4 short.ts
# Longer than the test takes on a slow machine
encode 800 long.ts

has_port() {
  sed -n '/^port [1-9]/p' broadcaster.log | grep -q .
}

# What was printed last says of each receiver that packets have left, and that none was lost.
all_are_served() {
  local last
  last=$(tac broadcaster.log | sed '/^port/q')
  [ "$(grep -c "^  127.0.0.1:[0-9]*: [1-9][0-9]* packets, 0 lost, R [0-9.]* ms$" <<<"$last")" = $RECEIVERS ] &&
    grep -q "has $RECEIVERS receivers" <<<"$last"
}

# serves BROADCASTER
serves() {
  local broadcaster port line=() i sender receivers
  read -r -a broadcaster <<<"$1"
  rm -f broadcaster.log
  timeout 120 "${broadcaster[@]}" long.ts "$(free_port)" >broadcaster.log 2>&1 &
  sender=$!
  wait_until 30 has_port || fail "$1: $(cat broadcaster.log)"
  port=$(sed -n 's/^port \([0-9]*\).*/\1/p;T;q' broadcaster.log)
  for ((i = 0; i < RECEIVERS; i++)); do
    line+=(tfrcsrc "uri=tfrc://127.0.0.1:$port/movie" ! fakesink sync=false async=false)
  done
  timeout 120 gst-launch-1.0 -q "${line[@]}" >receivers.log 2>&1 &
  receivers=$!
  wait_until 60 all_are_served || fail "$1: $(tail -n 30 broadcaster.log receivers.log)"
  kill $sender $receivers
  wait $sender $receivers || true
}

# ends BROADCASTER: at the end of the movie, and with the reason if there is none
ends() {
  local broadcaster
  read -r -a broadcaster <<<"$1"
  timeout 60 "${broadcaster[@]}" short.ts "$(free_port)" >broadcaster.log 2>&1 || fail "$1: $(cat broadcaster.log)"
  ! timeout 60 "${broadcaster[@]}" none.ts "$(free_port)" >broadcaster.log 2>&1 || fail "$1: a movie that is not there is played"
  contains broadcaster.log "Resource not found"
  ! timeout 60 "${broadcaster[@]}" >broadcaster.log 2>&1 || fail "$1: no movie is played"
  contains broadcaster.log "usage: broadcaster"
}

for broadcaster in "${broadcasters[@]}"; do
  serves "$broadcaster"
  ends "$broadcaster"
done
