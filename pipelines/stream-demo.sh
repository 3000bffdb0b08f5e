#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Streams a movie through tfrcsink and tfrcsrc and reports the result: see usage below.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"
# shellcheck source=pipelines/bottleneck.sh
. "$here/bottleneck.sh"

usage() {
  cat <<'USAGE'
Usage: pipelines/stream-demo.sh [MOVIE.ts] [OPTION...]
Streams MOVIE, an MPEG transport stream, in real time through a bottleneck that drops packets when its queue is full,
and ends with a table and a picture. Without MOVIE it makes a clip of 60 s. As root the bottleneck is real, made of
network namespaces; otherwise the stream goes over plain loopback.

  --rate RATE       of the bottleneck, in bit/s; k and M are understood (2M)
  --buffer PACKETS  that the bottleneck's queue holds (20)
  --delay MS        added in each direction where the kernel can do that (sch_netem) (0)
  --duration S      stop after this number of seconds (play to the end)
  --output DIR      for logs, statistics, picture and page (build/demo/NAME OF THE MOVIE)
  --streams N       number of streams side by side through the same bottleneck (1)
  --tcp             one TCP Reno flow beside them (as root only)
  --greedy          send as fast as TFRC allows instead of in the movie's own time
  --sink PROPERTIES, --source PROPERTIES
                    more properties of the elements, such as --sink 'leaky=downstream max-queue-time=500'
  --secure          protect each stream with a passphrase that is made for this run
  --host-loopback   plain loopback even as root
USAGE
}

# Bits per second of a number with k or M behind it.
bits_per_second() {
  local rate=$1
  case $rate in
    *[kK]) rate=${rate%?}000 ;;
    *[mM]) rate=${rate%?}000000 ;;
  esac
  [[ $rate =~ ^[1-9][0-9]*$ ]] || die "not a rate in bit/s: $1"
  echo "$rate"
}

movie=""
rate=2M
buffer=20
delay=0
output=""
loopback=no
tcp=no
streams=1
play=()
while [ $# -gt 0 ]; do
  case $1 in
    --rate | --buffer | --delay | --duration | --output | --streams | --sink | --source)
      [ $# -ge 2 ] || die "$1 needs a value"
      ;;&
    --rate) rate=$2 && shift 2 ;;
    --buffer) buffer=$2 && shift 2 ;;
    --delay) delay=${2%ms} && shift 2 ;;
    --output) output=$2 && shift 2 ;;
    --streams) streams=$2 && shift 2 ;;
    --duration | --sink | --source) play+=("$1=$2") && shift 2 ;;
    --greedy | --secure) play+=("$1") && shift ;;
    --tcp) tcp=yes && shift ;;
    --host-loopback) loopback=yes && shift ;;
    -h | --help) usage && exit ;;
    -*) die "unknown option $1 (--help shows them)" ;;
    *) movie=$1 && shift ;;
  esac
done
rate=$(bits_per_second "$rate")
for number in "$buffer" "$streams"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || die "not a positive whole number: $number"
done
[[ $delay =~ ^[0-9]+$ ]] || die "not a delay in whole milliseconds: $delay"
[ -z "$movie" ] || [ -r "$movie" ] || die "cannot read $movie"
# The run removes what an earlier one has left there, such as received.ts, and writes files with these names.
[ -z "$movie" ] || [ -z "$output" ] || [ "$(realpath -m "$output")" != "$(dirname "$(realpath "$movie")")" ] ||
  die "$movie is in the folder of the output, whose files are replaced: take another folder"
[ "$tcp" = no ] || [ "$(id -u)" = 0 ] || die "--tcp needs a bottleneck, and so root"

player=""
clean_up() {
  trap '' INT TERM
  if [ -n "$player" ] && kill "$player" 2>/dev/null; then
    wait "$player" || true
  fi
  bottleneck_down
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ "$tcp" = yes ]; then
  "$ROOT/scripts/install-deps.sh" tcp
  play+=(--tcp)
else
  "$ROOT/scripts/install-deps.sh" run
fi
build=${BUILD_DIR:-$ROOT/build}
say "Building in $build"
build_project "$build"
use_plugin "$build" || die "the build made no plugin"

if [ -z "$movie" ]; then
  movie=$build/demo/clip.ts
  if [ ! -f "$movie" ]; then
    say "Making a clip of 60 s: $movie"
    mkdir -p "$build/demo"
    quietly "$build/demo/clip.log" "$here/demo/clip.sh" "$movie"
  fi
fi
name=$(basename "$movie")
output=${output:-$build/demo/${name%.*}}
mkdir -p "$output"
# A picture or statistics of an earlier run must not pass for this one's.
rm -f "$output"/{sender,receiver,received,sent}*.{log,csv,trace,ts} "$output"/{run,summary}.json "$output"/demo.{png,html} \
  "$output"/{bottleneck.csv,tcp.log,tcp-client.log}

network="plain loopback"
if [ "$loopback" = yes ]; then
  say "Network: plain loopback, as asked for"
elif [ "$(id -u)" != 0 ]; then
  say "Network: plain loopback; run as root for a bottleneck of $((rate / 1000)) kbit/s and $buffer packets"
elif ! bottleneck_up "$rate" "$buffer" "$delay" >"$output/bottleneck.log" 2>&1; then
  say "Network: plain loopback; network namespaces do not work here ($(tail -n 1 "$output/bottleneck.log"))"
else
  network="a bottleneck of $((rate / 1000)) kbit/s with a queue of $buffer packets"
  case $BOTTLENECK_DELAY in
    0) ;;
    unavailable) network+=", no delay added since the kernel lacks sch_netem" ;;
    *) network+=", $BOTTLENECK_DELAY ms added in each direction" ;;
  esac
  say "Network: $network (namespaces, tbf and pfifo)"
  play+=(--capacity "$rate" --sender "$BOTTLENECK_A" --receiver "$BOTTLENECK_B" --address "$BOTTLENECK_ADDRESS"
    --router "$BOTTLENECK_R" --device "$BOTTLENECK_DEVICE")
fi
if [[ $network == "plain loopback" && $tcp == yes ]]; then
  die "--tcp needs a bottleneck"
fi

say "Playing $movie"
# In the background, so that a signal ends it through the trap.
"$PYTHON" "$here/demo/play.py" --movie "$movie" --output "$output" --streams "$streams" --network "$network" \
  ${play[@]+"${play[@]}"} &
player=$!
wait "$player" || {
  status=$?
  player=""
  exit $status
}
player=""
"$PYTHON" "$here/demo/report.py" "$output"
say ""
say "Picture and table: $output/demo.html (picture alone: demo.png; figures: summary.json, *.csv; decisions: *.trace)"
