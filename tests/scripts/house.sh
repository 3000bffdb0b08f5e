#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Includes, imports and calls go in the directions that CONTRIBUTING.md draws and make no circle, and
# no unit is too long. The self-test comes first.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python is older than 3.10"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/house-selftest.py"
"$PYTHON" "$ROOT/tests/scripts/house.py" --build "$(build_directory)"
