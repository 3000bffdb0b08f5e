#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tfrc-server --keys: a movie with a passphrase is played protected alone, to callers and on requests; SIGHUP reads the
# file again.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
program=$(build_directory)/tools/server/tfrc-server
[ -x "$program" ] || skip "tfrc-server is not built"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
cd "$SCRATCH"
mkdir movies

# Longer than the test takes on a slow machine
gst-launch-1.0 -q videotestsrc num-buffers=800 ! video/x-raw,width=160,height=120,framerate=2/1 ! \
  x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location=movies/secret.ts
ln movies/secret.ts movies/free.ts
timeout 300 "$PYTHON" "$ROOT/tests/scripts/server-keys.py" "$program" movies keys || fail "the passphrases, see above"
