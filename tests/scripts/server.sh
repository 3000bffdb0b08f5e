#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tfrc-server plays the movies of a folder to 51 receivers. Options, man page and completion agree.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
program=$(build_directory)/tools/server/tfrc-server
[ -x "$program" ] || skip "tfrc-server is not built"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/stream-options.py" "$(dirname "$program")" "$ROOT" tfrc-server || fail "the options, see above"
bash -n "$ROOT/completions/tfrc-server"
! have man || [ -z "$(man --warnings=w -l "$ROOT/man/tfrc-server.1" 2>&1 >/dev/null)" ] || fail "man/tfrc-server.1 has mistakes"
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
for element in x264enc h264parse mpegtsmux tsparse mp4mux qtdemux matroskamux matroskademux; do
  gst-inspect-1.0 --exists "$element" || skip "no $element; the options agree"
done
cd "$SCRATCH"
mkdir movies

# Longer than the test takes on a slow machine: streams end when they are told to.
gst-launch-1.0 -q videotestsrc num-buffers=800 ! video/x-raw,width=160,height=120,framerate=2/1 ! \
  x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! tee name=encoded \
  ! queue ! h264parse ! mpegtsmux ! filesink location=movies/long.ts \
  encoded. ! queue ! h264parse ! mp4mux ! filesink location=movies/long.mp4 \
  encoded. ! queue ! h264parse ! matroskamux ! filesink location=movies/long.mkv
head -c 100000 /dev/zero >movies/zeros.ts
timeout 300 "$PYTHON" "$ROOT/tests/scripts/server.py" "$program" movies "$ROOT/examples/grafana.json" || fail "the server, see above"
