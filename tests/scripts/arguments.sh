#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Scripts refuse bad arguments before they install or build anything, and show their help without a
# build. Programs that were built refuse negative numbers where none can be.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

built=$(build_directory)
export BUILD_DIR=$SCRATCH/build
# An installation would be tried with these programs.
mkdir "$SCRATCH/bin"
for program in apt-get pip pip3; do
  printf '#!/bin/sh\necho "$0 was started" >>%s\nexit 1\n' "$SCRATCH/installs" >"$SCRATCH/bin/$program"
  chmod +x "$SCRATCH/bin/$program"
done
PATH=$SCRATCH/bin:$PATH

leaves_nothing() {
  [ ! -e "$BUILD_DIR" ] || fail "$*: a build directory was made"
  [ ! -e "$SCRATCH/installs" ] || fail "$*: $(cat "$SCRATCH/installs")"
}

# refuses TEXT SCRIPT ARGUMENT...: the script's errors have TEXT
refuses() {
  local text=$1
  shift
  ! "$ROOT/$1" "${@:2}" >"$SCRATCH/output" 2>"$SCRATCH/errors" || fail "$*: status 0"
  contains "$SCRATCH/errors" "$text"
  leaves_nothing "$@"
}

helps() {
  "$ROOT/$1" --help >"$SCRATCH/output" 2>&1 || fail "$1 --help: status $?"
  [ -s "$SCRATCH/output" ] || fail "$1 --help: says nothing"
  leaves_nothing "$1"
}

# accepts PROGRAM ARGUMENT...: a script that starts the program goes on after the check of its arguments
accepts() {
  local status=0
  CHECK_ARGUMENTS=yes "$PYTHON" "$ROOT/$1" "${@:2}" >"$SCRATCH/output" 2>&1 || status=$?
  [ $status = 3 ] || fail "$*: status $status of the check, and the script ends: $(cat "$SCRATCH/output")"
}

accepts experiments guard
accepts pipelines/testbed plan "$ROOT/pipelines/testbed/examples/stream.yaml"
accepts pipelines/vod-benchmark table1
accepts pipelines/demo/sidebyside.py
for program in pipelines/{ecn,handover,webrtc} tests/soak/soak tests/bench/{scale,malice.py}; do
  accepts "$program"
done
touch "$SCRATCH"/movie.{360,720}p.ts
accepts tests/bench/renditions.py "$SCRATCH" movie

refuses "no experiment 'nothing'" experiments/run nothing
refuses "not a positive whole number: many" experiments/run limits --jobs many
refuses "invalid choice: 'nothing'" pipelines/vod-benchmark.sh nothing
refuses "no such transport: pigeon" pipelines/vod-benchmark.sh table1 --transports pigeon
refuses "invalid choice: 'nothing'" pipelines/testbed.sh nothing
refuses "is not a list of movie, greedy" pipelines/handover-demo.sh --content opera
refuses "invalid choice: 'pie'" pipelines/ecn-demo.sh --queue pie
refuses "not a positive whole number: 0" pipelines/ecn-demo.sh --runs 0
refuses "unrecognized arguments: --nothing" pipelines/demo.sh --nothing
refuses "not a rate in bit/s" pipelines/demo.sh --rate fast
refuses "unknown option --nothing" pipelines/stream-demo.sh --nothing
refuses "not a rate in bit/s" pipelines/stream-demo.sh --rate fast
echo movie >"$SCRATCH/received.ts"
refuses "is in the folder of the output" pipelines/stream-demo.sh "$SCRATCH/received.ts" --output "$SCRATCH/."
equals "the movie" movie "$(cat "$SCRATCH/received.ts")"
rm "$SCRATCH/received.ts"
refuses "unknown option --nothing" pipelines/rtp-receiver.sh --nothing
refuses "--feedback: from 1 to 9999 ms" pipelines/rtp-receiver.sh --feedback 0
refuses "--reports: from 1 to 9999 ms" pipelines/rtp-receiver.sh --reports 0
refuses "unrecognized arguments: --nothing" pipelines/webrtc-rate.sh --nothing
refuses "--seeds: at least 1" pipelines/webrtc-rate.sh --seeds 0
refuses "not a rate from 1k to 1000M" tests/bench/scale.sh --rate fast
refuses "not a positive whole number: 0" tests/bench/malice.sh --rounds 0
refuses "--floods has numbers from 0 on" tests/bench/malice.sh --floods fast
refuses "has no renditions film" tests/bench/renditions.sh "$SCRATCH" film
refuses "there is no fault 'nothing'" tests/soak.sh --kinds nothing
refuses "unrecognized arguments: --nothing" tests/run.sh --nothing
refuses "a folder of movies is wanted" examples/run-server.sh "$SCRATCH/nothing"
refuses "unknown option --nothing" scripts/make-renditions.sh --nothing
refuses "a movie and a folder are wanted" scripts/make-renditions.sh movie.mp4
refuses "'720' is not LINES:KBITS" scripts/make-renditions.sh --renditions "360:700 720" movie.mp4 "$SCRATCH"
refuses "--group is a whole number of seconds" scripts/make-renditions.sh --group 0.5 movie.mp4 "$SCRATCH"
for lines in 720 1080; do
  echo movie >"$SCRATCH/film.${lines}p.ts"
done
refuses "film.720p.ts would be replaced" scripts/make-renditions.sh --name film --renditions "360:700 720:2500" "$SCRATCH/film.720p.ts" "$SCRATCH"
refuses "film.1080p.ts would be replaced" scripts/make-renditions.sh --name film "$SCRATCH/film.1080p.ts" "$SCRATCH"
rm "$SCRATCH"/film.*
refuses "$SCRATCH/nothing cannot be read" scripts/make-renditions.sh "$SCRATCH/nothing" "$SCRATCH"
refuses "a release of Debian is wanted" scripts/chroot-build.sh
refuses "'../trixie' is neither a release" scripts/chroot-build.sh ../trixie
refuses "unknown option --chekc" scripts/format.sh --chekc
refuses "unknown option --nothing" scripts/build-docs.sh --nothing
refuses "unknown option --nothing" scripts/build-packages.sh --nothing
refuses "unknown option --nothing" scripts/build-rpm.sh --nothing
refuses "too many arguments: build" scripts/build-images.sh build
refuses "too many arguments: try" scripts/build-images.sh try
refuses "unknown option --nothing" scripts/check-musl.sh --nothing
refuses "unknown option --nothing" tests/fuzz/run.sh --nothing
refuses "unknown option --nothing" .ci/run --nothing
refuses "there is no part 'nothing'" .ci/long nothing
# What stands in a folder with these names, and is not the script's, stays.
for name in pages site; do
  mkdir -p "$SCRATCH/web/$name"
  refuses "web/$name is not from this script" scripts/build-docs.sh "$SCRATCH/web"
  rmdir "$SCRATCH/web/$name" || fail "build-docs.sh has removed $name"
done
for script in experiments/run pipelines/{vod-benchmark,testbed,handover-demo,ecn-demo,demo,stream-demo,rtp-receiver,webrtc-rate}.sh \
  tests/bench/{scale,malice,renditions}.sh tests/soak.sh scripts/make-renditions.sh scripts/chroot-build.sh \
  scripts/{format,build-docs,build-packages,build-rpm,build-images,check-musl}.sh tests/fuzz/run.sh .ci/{run,long}; do
  helps "$script"
done

# refuses_negative PROGRAM ARGUMENT...: a program of the build has an error for one of the arguments
refuses_negative() {
  [ -x "$built/$1" ] || return 0
  local status=0
  timeout 10 "$built/$1" "${@:2}" >"$SCRATCH/output" 2>"$SCRATCH/errors" || status=$?
  equals "status of $*" 2 $status
  [ -s "$SCRATCH/errors" ] || fail "$*: says nothing"
}

cd "$SCRATCH"
touch movie.ts trace.csv
for option in --duration --timeout --stats-interval --metrics-port; do
  refuses_negative tools/stream/tfrc-send movie.ts tfrc://127.0.0.1:9 $option=-5
  refuses_negative tools/stream/tfrc-recv tfrc://127.0.0.1:0 received.ts $option=-5
done
for option in --bitrate --offset --duration --seed --stats-interval --fps; do
  refuses_negative tools/vod-replay/vod-replay trace.csv --output replayed.ts $option=-5
done
for option in --port --max-streams --absent-time --keep-time --keep-number; do
  refuses_negative tools/server/tfrc-server . $option=-5
done
for option in --listen --packet-size --duration; do
  refuses_negative tools/dccp-flow/dccp-flow 127.0.0.1 9 $option=-5
done
refuses_negative tools/meter/vod-receive "fakesrc" --stats-interval=-5
refuses_negative examples/minimal-sender movie.ts 127.0.0.1 -5
refuses_negative examples/minimal-receiver -5 received.ts
refuses_negative examples/adaptive-encoder 127.0.0.1 -5
refuses_negative examples/adaptive-encoder 127.0.0.1 9 -5
[ ! -e received.ts ] && [ ! -e replayed.ts ] || fail "an output was written"
