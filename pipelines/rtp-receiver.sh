#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sends a movie to a receiver that knows RTP and not TFRC, through a bottleneck: see usage below.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"
# shellcheck source=pipelines/bottleneck.sh
. "$here/bottleneck.sh"

usage() {
  cat <<'USAGE'
Usage: pipelines/rtp-receiver.sh [MOVIE.ts] [OPTION...]
Sends MOVIE, an MPEG transport stream, in real time to GStreamer's rtpbin through a bottleneck of 2 Mbit/s that drops
packets when its queue of 20 packets is full: with tfrcsink, which follows the receiver's RTCP reports, with tfrcsink,
which follows the receiver's transport-wide feedback, and with udpsink, which follows nothing. Prints the loss ratio of
each (IPLR). Without MOVIE it makes a clip of 60 s. Needs root.

  --reports MS   the receiver's least interval of receiver reports; RFC 3550 has 5000, and varies it by a half (5000)
  --feedback MS  the time between two packets of transport-wide feedback (100)
  --delay MS     added in each direction where the kernel can do that (sch_netem) (0)
  --duration S   stop after this number of seconds (play to the end)
  --sink PROPERTIES
                 more properties of tfrcsink
USAGE
}

movie=""
feedback=100
reports=5000
delay=0
duration=""
sink=()
while [ $# -gt 0 ]; do
  case $1 in
    --feedback | --reports | --delay | --duration | --sink) [ $# -ge 2 ] || die "$1 needs a value" ;;&
    --feedback) feedback=$2 && shift 2 ;;
    --reports) reports=$2 && shift 2 ;;
    --delay) delay=$2 && shift 2 ;;
    --duration) duration=$2 && shift 2 ;;
    --sink) read -ra sink <<<"$2" && shift 2 ;;
    -h | --help) usage && exit 0 ;;
    -*) die "unknown option $1; see --help" ;;
    *) movie=$1 && shift ;;
  esac
done
[ -z "$movie" ] || [ -r "$movie" ] || die "no such file: $movie"
[[ $feedback =~ ^[1-9][0-9]{0,3}$ ]] || die "--feedback: from 1 to 9999 ms"
[[ $reports =~ ^[1-9][0-9]{0,3}$ ]] || die "--reports: from 1 to 9999 ms"
[ "$(id -u)" = 0 ] || die "network namespaces need root"
build=${BUILD_DIR:-$ROOT/build}
build_project "$build"
use_plugin "$build" || die "the build made no plugin"

scratch=$(mktemp -d)
receiver=""
clean_up() {
  [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
  bottleneck_down
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ -z "$movie" ]; then
  movie=$scratch/clip.ts
  "$here/demo/clip.sh" "$movie"
fi

port=5004
report_port=6004 # where rtpbin sends its reports: the port of the sender's data

# receive [MS]
receive() {
  ip netns exec "$BOTTLENECK_B" "$PYTHON" "$here/rtp-receiver/receiver.py" "$port" 10.0.1.2 "$report_port" \
    "$scratch/received.ts" "$reports" "$@" >"$scratch/receiver.log" 2>&1 &
  receiver=$!
  # The first packet would be lost while its port is closed.
  for _ in $(seq 100); do
    ! ip netns exec "$BOTTLENECK_B" ss -Hlun "sport = :$port" | grep -q . || return 0
    sleep 0.1
  done
  die "no receiver: $(cat "$scratch/receiver.log")"
}

# Prints packets and drops of the bottleneck's queue, and whether the movie has arrived byte for byte.
report() {
  bottleneck_status | "$PYTHON" -c '
import json, sys
name, movie, received = sys.argv[1:]
status = json.load(sys.stdin)[0]
passed, drops = status["packets"], status["drops"]
size, got = len(open(movie, "rb").read()), len(open(received, "rb").read())
print(f"{name}: {passed + drops} packets, {drops} dropped, IPLR {drops / max(1, passed + drops):.4f}, "
      f"{got} of {size} bytes have arrived", flush=True)' "$1" "$movie" "$scratch/received.ts"
}

# play NAME MS ELEMENT... : MS between two packets of transport-wide feedback; empty: none
play() {
  local name=$1 feedback=$2 limit=() status=0
  shift 2
  bottleneck_up 2000000 20 "$delay" || die "no bottleneck"
  receive ${feedback:+"$feedback"}
  [ -z "$duration" ] || limit=(timeout --signal=INT "$duration")
  ip netns exec "$BOTTLENECK_A" "${limit[@]}" gst-launch-1.0 -q -e filesrc "location=$movie" ! \
    tsparse alignment=7 set-timestamps=true ! "$@" || status=$?
  # What was not sent is not lost: without a sender the queue drops nothing. 124: it has played for --duration.
  case $status in
    0 | 124) ;;
    *) die "$name: the sender has failed" ;;
  esac
  sleep 1 # what is in the queue arrives
  kill -INT "$receiver"
  wait "$receiver" || die "$name: the receiver has failed: $(cat "$scratch/receiver.log")"
  receiver=""
  report "$name"
  bottleneck_down
}

sender=(tfrcsink "host=$BOTTLENECK_ADDRESS" "port=$port" "bind-port=$report_port" "${sink[@]}")
play "tfrcsink, receiver reports" "" "${sender[@]}"
play "tfrcsink, transport-wide feedback" "$feedback" "${sender[@]}" transport-cc=true
play udpsink "" rtpmp2tpay ! udpsink "host=$BOTTLENECK_ADDRESS" "port=$port"
