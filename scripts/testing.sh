# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Runs tests and adds up their results, for tests/run.sh and .ci/run. Source it after common.sh.

passed=0
failed=0
skipped=0

# add_totals PASSED FAILED SKIPPED
add_totals() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# step NAME COMMAND...: one check that passes or fails as a whole. Its output is shown only if it
# fails. An exit status of 77 means that it was skipped.
step() {
  local name=$1 log status=0
  shift
  log=$LOGS/$(tr -cs '[:alnum:]\n' - <<<"$name").log
  mkdir -p "$LOGS"
  "$@" >"$log" 2>&1 || status=$?
  case $status in
    0) add_totals 1 0 0 && say "ok      $name" ;;
    77) add_totals 0 0 1 && say "skipped $name: $(tail -n 1 "$log")" ;;
    *)
      add_totals 0 1 0
      tail -n 60 "$log"
      say "FAILED  $name (all of its output: $log)"
      ;;
  esac
}

# check_test_options [MESON TEST OPTION...]: ends the script if meson does not know an option, so that a mistake costs no
# build. Without a build directory meson reads the options, and then fails with another status.
check_test_options() {
  local errors status=0
  have meson || return 0
  errors=$(meson test --list -C "${TMPDIR:-/tmp}" "$@" 2>&1 >/dev/null) || status=$?
  [ $status != 2 ] || { printf '%s\n' "$errors" >&2 && exit 2; }
}

# run_tests DIRECTORY [MESON TEST OPTION...]: runs tests that are built in DIRECTORY and counts every check in them.
run_tests() {
  local directory=$1 status=0 log totals
  shift
  log=$directory/meson-logs/testlog.json
  rm -f "$directory"/meson-logs/testlog*.json
  # A run with --wrapper or --setup puts its name into that of the log.
  meson test -C "$directory" --no-rebuild --print-errorlogs "$@" || status=$?
  log=$(find "$directory/meson-logs" -name 'testlog*.json' -print -quit)
  if [ -z "$log" ]; then
    say "FAILED  no test ran in $directory"
    add_totals 0 1 0
    return
  fi
  totals=$("$PYTHON" "$ROOT/scripts/test-totals.py" "$log")
  # shellcheck disable=SC2086 # three words
  add_totals $totals
  # Meson may fail although no result of a test is a failure.
  if [ $status != 0 ] && [[ $totals == *" 0 "* ]]; then
    add_totals 0 1 0
  fi
}

# The last line of a run, and its exit status.
conclude() {
  local line="$passed passed, $failed failed"
  [ $skipped = 0 ] || line+=", $skipped skipped"
  say "$line"
  [ $failed = 0 ] && [ $passed != 0 ]
}
