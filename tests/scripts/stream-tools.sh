#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tfrc-send and tfrc-recv: a movie arrives as it was, through files and pipes; statistics, metrics and
# exit statuses are what the man pages say; options, man pages and completions agree.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
programs=$(build_directory)/tools/stream
[ -x "$programs/tfrc-send" ] || skip "tfrc-send is not built"
for element in x264enc mpegtsmux tsparse tsdemux h264parse mp4mux qtdemux matroskamux matroskademux; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/stream-options.py" "$programs" "$ROOT" tfrc-send tfrc-recv || fail "the options, see above"
for name in tfrc-send tfrc-recv; do
  bash -n "$ROOT/completions/$name"
  ! have man || [ -z "$(man --warnings=w -l "$ROOT/man/$name.1" 2>&1 >/dev/null)" ] || fail "man/$name.1 has mistakes"
done

cd "$SCRATCH"
# encode FRAMES FILE: two frames a second
encode() {
  gst-launch-1.0 -q videotestsrc num-buffers="$1" ! video/x-raw,width=160,height=120,framerate=2/1 ! \
    x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location="$2"
}
encode 4 short.ts
gst-launch-1.0 -q filesrc location=short.ts ! tsdemux ! h264parse ! mp4mux ! filesink location=short.mp4
gst-launch-1.0 -q filesrc location=short.ts ! tsdemux ! h264parse ! matroskamux ! filesink location=short.mkv
# Longer than the test takes on a slow machine: streams end when they are told to.
encode 800 long.ts
"$PYTHON" "$ROOT/tests/scripts/stream-tools.py" "$programs" || fail "the programs, see above"
