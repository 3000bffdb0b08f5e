#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/ecn-demo.sh: in the testbed's guest, CoDel marks packets of a stream with ECN and drops
# hardly any. Without ECN it drops more.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import yaml' 2>/dev/null || skip "Python's yaml is not installed"
BUILD_DIR=$(build_directory)
export BUILD_DIR
for program in gst/libgsttfrc.so tools/vod-replay/vod-replay tools/meter/vod-receive; do
  [ -e "$BUILD_DIR/$program" ] || skip "$program is not built"
done
"$PYTHON" "$ROOT/pipelines/testbed" available guest 2>"$SCRATCH/available" || skip "$(sed 's/^testbed: //' "$SCRATCH/available")"

"$PYTHON" "$ROOT/pipelines/ecn" --queue codel --runs 1 --seconds 5 --output "$SCRATCH/out" >"$SCRATCH/said"
"$PYTHON" - "$SCRATCH/out/runs.csv" <<'CHECK'
import csv
import sys

on, off = csv.DictReader(open(sys.argv[1]))
assert (on["ecn"], on["ecn_state"]) == ("on", "capable"), on
# Slow start may fill the queue before the path is known to be capable, while three of four packets are
# not-ECT: CoDel drops one of them, and at most one more in each of the round-trip times until then.
assert int(on["lost"]) <= 3 and int(on["lost"]) < int(off["lost"]), (on, off)
assert (off["ecn"], off["ecn_state"], off["marked"]) == ("off", "off", "0"), off
assert int(on["marked"]) > 0 and int(off["lost"]) > 0, (on, off)
assert int(on["packets"]) > 500 and int(off["packets"]) > 500, (on, off)
CHECK
contains "$SCRATCH/said" "codel"
echo "less loss with ECN than without"
