#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The table of docs/statistics.md names every statistic of both elements, and none that does not exist.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
have gst-inspect-1.0 || skip "no gst-inspect-1.0"
"$PYTHON" "$ROOT/tests/scripts/statistics-table.py" "$ROOT/docs/statistics.md"
