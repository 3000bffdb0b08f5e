#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/webrtc: the figures of a call that is made by hand, without a network.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/scripts/webrtc-figures.py" "$ROOT/pipelines/webrtc/__main__.py"
