#!/usr/bin/env bash
# The tables of docs/properties.md and docs/statistics.md name every property and every statistic of both elements, and
# none that does not exist.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
have gst-inspect-1.0 || skip "no gst-inspect-1.0"
"$PYTHON" "$ROOT/tests/scripts/readme-tables.py" "$ROOT/docs/properties.md" \
  "$ROOT/docs/statistics.md"
