#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts what 'meson test' ran: test-totals.py TESTLOG.json... prints three numbers, passed, failed and skipped.

A gst-check program counts as its number of checks, any other test as one. A program that crashed or
ran out of time counts its passed checks, and at least one failure.
"""

import json
import re
import sys

CHECKS = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", re.MULTILINE)


def count(test):
    """(passed, failed, skipped) of one test."""
    if test["result"] == "SKIP":
        return 0, 0, 1
    ok = test["result"] in ("OK", "EXPECTEDFAIL")
    suites = [tuple(map(int, found)) for found in CHECKS.findall(test.get("stdout") or "")]
    if not suites:
        return (1, 0, 0) if ok else (0, 1, 0)
    failed = sum(failures + errors for _, failures, errors in suites)
    passed = sum(checks for checks, _, _ in suites) - failed
    return passed, failed if ok else max(failed, 1), 0


def main():
    totals = [0, 0, 0]
    for path in sys.argv[1:]:
        with open(path, errors="replace") as log:
            for line in log:
                totals = [total + more for total, more in zip(totals, count(json.loads(line)))]
    print(*totals)


if __name__ == "__main__":
    main()
