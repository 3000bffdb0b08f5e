#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers in the documents are those of the committed tables.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/claims.py" "$ROOT"
