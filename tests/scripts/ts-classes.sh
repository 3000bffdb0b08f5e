#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The classes of pictures (gst/tfrcsink/tsclassifier.h) are those that GStreamer's codecparsers find, in
# streams of three encoders: H.264 with and without a pyramid and open groups, H.265 and MPEG-2; and in
# ../shared/media/*.ts if these clips are there.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

helper=$(build_directory)/tests/ts-classes
[ -x "$helper" ] || skip "the helper is not built"
have gst-launch-1.0 || skip "there is no gst-launch-1.0"
export GST_REGISTRY_1_0="$SCRATCH/registry.bin"

# compare CODEC FILE
compare() {
  local status=0
  "$helper" "$2" >"$SCRATCH/classes"
  "$PYTHON" "$(dirname "$0")/ts-classes.py" "$1" "$2" "$SCRATCH/classes" >"$SCRATCH/result" 2>&1 || status=$?
  cat "$SCRATCH/result"
  [ $status != 77 ] || skip "$(tail -1 "$SCRATCH/result")"
  [ $status = 0 ] || fail "classes of $2"
}

# encoded CODEC ELEMENT...: a stream of 60 pictures with sound, if there is this encoder
encoded() {
  local codec=$1
  shift
  gst-inspect-1.0 "${1%% *}" >/dev/null 2>&1 || return 0
  gst-launch-1.0 -q mpegtsmux name=mux ! filesink location="$SCRATCH/$codec.ts" \
    videotestsrc pattern=ball num-buffers=60 ! video/x-raw,width=160,height=96,framerate=25/1,format=I420 ! $* ! queue ! mux. \
    audiotestsrc num-buffers=100 ! audioconvert ! avenc_ac3 ! queue ! mux. >"$SCRATCH/log" 2>&1 ||
    { cat "$SCRATCH/log"; fail "no $codec by $*"; }
  compared=$((compared + 1))
  compare "$codec" "$SCRATCH/$codec.ts"
}

compared=0
gst-inspect-1.0 mpegtsmux >/dev/null 2>&1 && gst-inspect-1.0 avenc_ac3 >/dev/null 2>&1 ||
  skip "there is no mpegtsmux or avenc_ac3 (gstreamer1.0-plugins-bad, gstreamer1.0-libav)"
encoded h264 x264enc key-int-max=20 bframes=3 b-pyramid=true bitrate=300 ! h264parse
encoded h264 x264enc key-int-max=20 bframes=2 bitrate=300 option-string=open-gop=1 ! h264parse
encoded h265 x265enc key-int-max=20 bitrate=300 option-string=bframes=3:b-pyramid=1 ! h265parse
encoded mpeg2 mpeg2enc format=3 b-per-refframe=2 max-gop-size=12 ! mpegvideoparse
[ $compared -gt 0 ] || skip "there is no encoder of H.264, H.265 or MPEG-2"

for clip in "$ROOT"/../shared/media/*.ts; do
  [ ! -f "$clip" ] || compare h264 "$clip"
done
