#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/vod-benchmark/ccid3.py and tools/dccp-flow: logs made by hand give exactly the measures
# computed by hand, and messages name missing programs and wrong arguments.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
"$PYTHON" -c 'import numpy, yaml' 2>/dev/null || skip "no numpy and yaml"

export PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$ROOT/pipelines/vod-benchmark:$ROOT "$PYTHON" "$ROOT/tests/scripts/vod-judge.py" "$SCRATCH"
! BUILD_DIR=$SCRATCH/nowhere "$PYTHON" "$ROOT/pipelines/vod-benchmark/ccid3.py" --quick 2>"$SCRATCH/errors" ||
  fail "judged without programs"
contains "$SCRATCH/errors" "ccid3: $SCRATCH/nowhere/tools/dccp-flow/dccp-flow is missing: build the project first"

flow=$(build_directory)/tools/dccp-flow/dccp-flow
[ -x "$flow" ] || skip "dccp-flow is not built"

# refused STATUS MESSAGE ARGUMENT...
refused() {
  local status=0 expected=$1 message=$2
  shift 2
  "$flow" "$@" >/dev/null 2>"$SCRATCH/errors" || status=$?
  equals "exit status of dccp-flow $*" "$expected" "$status"
  contains "$SCRATCH/errors" "$message"
}
refused 2 "Usage: dccp-flow"
refused 2 "Usage: dccp-flow" --listen 5004 localhost 5004
refused 2 "port: '65536' is not a number from 1 to 65535" --listen 65536
refused 2 "port: '5.5' is not a whole number" localhost 5.5
refused 2 "--packet-size: '7' is not a number from 8 to" localhost 5004 --packet-size 7
refused 2 "--duration: 'nan' is not a number from 0.1 to" localhost 5004 --duration nan
refused 1 "no-such-host.invalid: " no-such-host.invalid 5004

# With DCCP in the kernel no program listens on the port. Without DCCP the message has to name the
# module.
refused 1 "dccp-flow: " 127.0.0.1 1 --duration 0.1
grep -qx -e "dccp-flow: connect: Connection refused" -e "dccp-flow: this kernel has no DCCP.*: as root, modprobe dccp_ipv4" \
  "$SCRATCH/errors" || fail "does not tell what is wrong: $(cat "$SCRATCH/errors")"
