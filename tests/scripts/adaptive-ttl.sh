#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A route that becomes longer than the TTL, and shorter again, over IPv4 and IPv6: without
# adaptive-ttl and without protection the stream dies, with both it goes on after one round-trip
# time. In the testbed, see docs/testbed.md.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import yaml' 2>/dev/null || skip "Python has no yaml"
BUILD_DIR=$(build_directory)
export BUILD_DIR PYTHONDONTWRITEBYTECODE=1
[ -e "$BUILD_DIR/gst/libgsttfrc.so" ] || skip "gst/libgsttfrc.so is not built"
"$PYTHON" "$ROOT/pipelines/testbed" available guest 2>"$SCRATCH/available" || skip "$(sed 's/^testbed: //' "$SCRATCH/available")"

"$PYTHON" "$ROOT/tests/scripts/adaptive-ttl.py" "$SCRATCH/out" guest || {
  tail -n 5 "$SCRATCH"/out/run/jobs/*.err "$SCRATCH"/out/run/console.log >&2 2>/dev/null || true
  fail "see above"
}
