#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Links, anchors and names of files in the documentation lead somewhere, as do names of files in
# comments; no line of prose is longer than 100 columns. The self-test comes first.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python is older than 3.10"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/doc-links-selftest.py"
"$PYTHON" "$ROOT/tests/scripts/doc-links.py"
