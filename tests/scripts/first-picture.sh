#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/bench/firstpicture.py: viewers join a listening sink, with and without a passphrase, and see a picture. No time is judged.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
for element in x264enc h264parse mpegtsmux tsparse tsdemux avdec_h264; do
  gst-inspect-1.0 --exists $element || skip "the GStreamer element $element is not installed"
done

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/bench/firstpicture.py" --joins 2 --rtt 20 --gop 1 --bitrate 300 \
  --only "tfrcsink, listener" "tfrcsink, listener, passphrase" >"$SCRATCH/output"
contains "$SCRATCH/output" ", a GOP of 1 s, 2 joins"
contains "$SCRATCH/output" "| 20 | tfrcsink, listener | "
contains "$SCRATCH/output" "| 20 | tfrcsink, listener, passphrase | "
