#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tfrc-server plays one movie in each form that it takes (.ts, .mp4, .mkv, segments of HLS): all pictures and the sound
# come, in their times. A movie that no transport stream can carry is an error that says what to do.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
program=$(build_directory)/tools/server/tfrc-server
[ -x "$program" ] || skip "tfrc-server is not built"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
for element in x264enc h264parse avenc_aac aacparse mpegtsmux tsparse tsdemux mp4mux qtdemux matroskamux matroskademux \
  vp8enc vorbisenc webmmux; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
cd "$SCRATCH"
mkdir -p movies/segments

# 75 pictures and 3 s of sound. With B pictures, so that the order in the stream is not that of the times. The queues hold
# all, so that no muxer waits for a branch that another one holds up.
queue="queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
gst-launch-1.0 -q videotestsrc num-buffers=75 ! video/x-raw,width=160,height=120,framerate=25/1 ! \
  x264enc key-int-max=25 bframes=3 b-adapt=false bitrate=100 ! tee name=picture \
  audiotestsrc num-buffers=129 ! audio/x-raw,rate=44100 ! avenc_aac ! aacparse ! tee name=sound \
  picture. ! $queue ! h264parse ! mpegtsmux name=ts ! filesink location=movies/movie.ts sound. ! $queue ! ts. \
  picture. ! $queue ! h264parse ! mp4mux name=mp4 ! filesink location=movies/movie.mp4 sound. ! $queue ! mp4. \
  picture. ! $queue ! h264parse ! matroskamux name=mkv ! filesink location=movies/movie.mkv sound. ! $queue ! mkv.
"$PYTHON" "$ROOT/tests/scripts/hls-segments.py" movies/movie.ts movies/segments
[ "$(ls movies/segments/*.ts | wc -l)" -gt 1 ] || fail "there is one segment alone"
gst-launch-1.0 -q videotestsrc num-buffers=5 ! video/x-raw,width=160,height=120 ! vp8enc ! webmmux ! filesink location=movies/picture.webm
gst-launch-1.0 -q audiotestsrc num-buffers=9 ! audioconvert ! vorbisenc ! matroskamux name=mux ! filesink location=movies/sound.mkv \
  videotestsrc num-buffers=5 ! x264enc ! h264parse ! mux.
timeout 120 "$PYTHON" "$ROOT/tests/scripts/server-forms.py" "$program" movies || fail "the forms, see above"
