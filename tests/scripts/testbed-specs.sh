#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The testbed's specs: their meaning, and that wrong specs are refused with a message that names
# file and key.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import yaml' 2>/dev/null || skip "Python has no yaml"
export PYTHONDONTWRITEBYTECODE=1
testbed() {
  "$PYTHON" "$ROOT/pipelines/testbed" "$@"
}

"$PYTHON" "$ROOT/tests/scripts/testbed-specs.py" "$ROOT/pipelines"
"$PYTHON" "$ROOT/tests/fuzz/fuzz_specs.py" "$ROOT/pipelines" 1 1000

for example in "$ROOT"/pipelines/testbed/examples/*.yaml; do
  testbed check "$example" || fail "$example is refused"
  testbed plan "$example" >"$SCRATCH/plan.sh"
  bash -n "$SCRATCH/plan.sh" || fail "the plan of $example is no bash"
done

# A wrong spec causes a message on standard error and status 2, and leaves nothing behind.
echo 'nodes: {a: {}}' >"$SCRATCH/bad.yaml"
status=0
testbed run "$SCRATCH/bad.yaml" --output "$SCRATCH/results" 2>"$SCRATCH/error" || status=$?
equals "status" 2 $status
equals "message" "testbed: bad.yaml: 'jobs' is missing" "$(cat "$SCRATCH/error")"
[ ! -e "$SCRATCH/results" ] || fail "a refused spec has left results"

# A directory that does not hold results of a run is not overwritten.
mkdir "$SCRATCH/mine"
echo precious >"$SCRATCH/mine/thesis"
echo '{"nodes": {"a": {}}, "jobs": {"one": {"node": "a", "run": "true"}}}' >"$SCRATCH/good.json"
status=0
testbed run "$SCRATCH/good.json" --backend guest --output "$SCRATCH/mine" 2>"$SCRATCH/error" || status=$?
equals "status" 2 $status
contains "$SCRATCH/mine/thesis" precious

# Without QEMU its package is named.
status=0
PATH=$SCRATCH testbed available guest 2>"$SCRATCH/error" || status=$?
equals "status without QEMU" 2 $status
contains "$SCRATCH/error" "qemu-system-x86_64"
contains "$SCRATCH/error" "apt-get install qemu-system-x86"
