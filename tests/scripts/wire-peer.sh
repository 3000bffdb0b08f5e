#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A peer in Python, written from docs/wire-format.md, sends a movie with a passphrase to tfrcsrc and
# receives one from tfrcsink; also so that either end has to return a cookie. Each byte of the movies arrives.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
use_built_plugin
"$PYTHON" -c 'import cryptography' 2>/dev/null || skip "no module cryptography of Python (python3-cryptography)"

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/wire-peer.py" "$SCRATCH" || fail "the peer and the elements differ"
