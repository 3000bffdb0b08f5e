#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# examples/server-director.py by itself; many-servers.sh has it in front of servers.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
timeout 60 "$PYTHON" -B "$ROOT/tests/scripts/server-director.py" || fail "the director, see above"
