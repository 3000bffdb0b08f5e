#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds all fuzz targets with clang and sanitizers, and runs them one after the other, MINUTES (10)
# each.  Prints the number of executions and the result of each.  Findings are kept in
# build-fuzz/findings; the status is 1 if there are any.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../scripts/common.sh"
at_most 1 "$@"
cd "$ROOT"

minutes=${1:-10}
build=${BUILD_DIR:-build-fuzz}
[ -d "$build" ] || CC=clang meson setup "$build" -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
  -Dexperiments=disabled >/dev/null
ninja -C "$build" $(cd "$build" && ninja -t targets all | sed -n 's|^\(tests/fuzz/fuzz-[a-z]*\): .*|\1|p') >/dev/null
mkdir -p "$build/findings"

status=0
printf '%-12s %12s  %s\n' target executions result
for program in "$build"/tests/fuzz/fuzz-*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  name=${program##*/fuzz-}
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  log=$build/findings/$name.log
  result=clean
  ASAN_OPTIONS=detect_leaks=1 G_SLICE=always-malloc "$program" -max_total_time="$(awk "BEGIN { print int($minutes * 60) }")" \
    -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$build/findings/$name-" -print_final_stats=1 \
    "$corpus" "tests/fuzz/corpus/$name" >"$log" 2>&1 || result="a finding, see $log"
  [ "$result" = clean ] || status=1
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-12s %12s  %s\n' "$name" "${executions:-?}" "$result"
done

result=clean
executions=$("$PYTHON" tests/fuzz/fuzz_specs.py pipelines "${SEED:-$RANDOM}" "${minutes}m" 2>"$build/findings/specs.log" |
  sed -n 's/^specs: \([0-9]*\) .*/\1/p') || { result="a finding, see $build/findings/specs.log"; status=1; }
printf '%-12s %12s  %s\n' specs "${executions:-?}" "$result"
exit $status
