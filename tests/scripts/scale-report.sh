#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The scale benchmark's ratios, medians, limits and command line.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import jinja2, matplotlib' 2>/dev/null || skip "Python has no jinja2 or matplotlib"
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/scale-report.py" "$ROOT" "$SCRATCH"
