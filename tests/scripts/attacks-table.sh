#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The table of "The bounds in one place" in docs/security.md has the attackers, bounds and modes that
# attacks.sh measures, no other ones, and no effect above its bound. attacks.sh --table writes it.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

ATTACKS_BUILD=. PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/attacks" --check ||
  fail "docs/security.md and the attacks differ: tests/scripts/attacks.sh --table"
