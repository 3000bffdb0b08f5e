#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The committed reference numbers equal the output of tests/vectors/generate.py, byte by byte.
# Exit status: 0 they are equal, 1 they differ, 77 there is no python3.
set -euo pipefail
cd "$(dirname "$0")/../vectors"

if ! python3 -c '' 2>/dev/null; then
  echo "no python3: skipped"
  exit 77
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
python3 -B generate.py "$fresh"

status=0
for name in $({ ls ./*.csv; cd "$fresh" && ls ./*.csv; } | sort -u); do
  diff -u "$name" "$fresh/$name" >"$fresh/diff" 2>&1 && continue
  head -20 "$fresh/diff"
  echo "tests/vectors/${name#./} is not what generate.py computes; run it and look at the difference"
  status=1
done
exit $status
