#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/test-totals.py: gst-check programs count as their checks, others as one, crashes as failures.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

# totals EXPECTED, with the log on standard input
totals() {
  cat >"$SCRATCH/log.json"
  equals "passed, failed, skipped" "$1" "$("$PYTHON" "$ROOT/scripts/test-totals.py" "$SCRATCH/log.json")"
}

totals "12 0 0" <<'LOG'
{"name": "a", "result": "OK", "stdout": "Running suite(s): a\n100%: Checks: 12, Failures: 0, Errors: 0\n"}
LOG
totals "9 3 0" <<'LOG'
{"name": "a", "result": "FAIL", "stdout": "75%: Checks: 12, Failures: 1, Errors: 2\n"}
LOG
totals "5 0 0" <<'LOG'
{"name": "two suites", "result": "OK", "stdout": "100%: Checks: 2, Failures: 0, Errors: 0\n100%: Checks: 3, Failures: 0, Errors: 0\n"}
LOG
# A leak that is reported at exit, a time-out and a crash count as failures although no check
# failed.
totals "4 3 0" <<'LOG'
{"name": "leak", "result": "FAIL", "stdout": "100%: Checks: 4, Failures: 0, Errors: 0\n"}
{"name": "slow", "result": "TIMEOUT", "stdout": "Running suite(s): a\n"}
{"name": "crash", "result": "FAIL", "stdout": null}
LOG
totals "1 0 2" <<'LOG'
{"name": "script", "result": "OK", "stdout": ""}
{"name": "skipped", "result": "SKIP", "stdout": ""}
{"name": "skipped program", "result": "SKIP", "stdout": "100%: Checks: 4, Failures: 0, Errors: 0\n"}
LOG
totals "0 0 0" </dev/null
