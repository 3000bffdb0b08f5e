#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Two tfrc-servers behind examples/server-director.py, as in docs/many-servers.md.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
program=$(build_directory)/tools/server/tfrc-server
[ -x "$program" ] || skip "tfrc-server is not built"
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
mkdir "$SCRATCH/movies"
gst-launch-1.0 -q videotestsrc num-buffers=800 ! video/x-raw,width=160,height=120,framerate=2/1 ! \
  x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location="$SCRATCH/movies/long.ts"
timeout 300 "$PYTHON" -B "$ROOT/tests/scripts/many-servers.py" "$program" "$ROOT/examples/server-director.py" "$SCRATCH/movies" \
  "$ROOT/examples/prometheus.yml" || fail "the servers, see above"
