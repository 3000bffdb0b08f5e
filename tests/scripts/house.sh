#!/usr/bin/env bash
# Includes and imports go in the directions that CONTRIBUTING.md draws, nothing depends on itself, and no file is longer
# than 400 lines. First that the check finds what it is there for.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python is older than 3.10"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/house-selftest.py"
"$PYTHON" "$ROOT/tests/scripts/house.py"
