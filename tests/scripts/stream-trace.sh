#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Traces of a stream: the file is JSON lines with the events of docs/trace.md, and trace-plot draws it.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
have gst-launch-1.0 || skip "no gst-launch-1.0"
"$PYTHON" -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
"$PYTHON" "$ROOT/tests/scripts/stream-trace.py" "$ROOT" "$SCRATCH"
