# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Runs tests and adds up their results, for tests/run.sh, .ci/run and .ci/long. Source it after common.sh.

passed=0
failed=0
skipped=0

# Where .ci/run and .ci/long build
CI_BUILD=$ROOT/build-ci

# What this script and the commands that have ended have used: user and system time, theirs and their children's, in ticks of 10 ms
processor_minutes() {
  awk '{ printf "%.1f", ($14 + $15 + $16 + $17) / 6000 }' /proc/$$/stat
}

# With the processor's time, as a day when the machine is slow is told from tests that have become more.
heading() {
  say "
== $* (after $((SECONDS / 60)) min $((SECONDS % 60)) s, $(processor_minutes) min of processor time)"
}

# end_children PROCESS: ends what this process has started, but not the watch of limit_time.
end_children() {
  local child
  for child in $(pgrep -P "$1"); do
    [ "$child" != "$BASHPID" ] || continue
    end_children "$child"
    kill "$child" 2>/dev/null || true
  done
}

out_of_time() {
  failed=$((failed + 1))
  say "FAILED  out of time"
  conclude
  exit 1
}

# limit_time SECONDS: after this time the script ends what it runs, and itself, as failed and with its totals.
limit_time() {
  trap out_of_time USR1
  # The shell handles the signal when the command that it runs has ended.
  (
    trap - EXIT
    sleep "$1"
    kill -USR1 $$
    end_children $$
  ) >/dev/null 2>&1 &
  # shellcheck disable=SC2064 # the watch has a number now
  trap "end_children $!; kill $! 2>/dev/null || true" EXIT
}

# add_totals PASSED FAILED SKIPPED
add_totals() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# install_set SET: installs a set of packages. Returns 1 if that fails, which counts.
install_set() {
  "$ROOT/scripts/install-deps.sh" "$1" && return
  add_totals 0 1 0
  say "FAILED  scripts/install-deps.sh $1"
  return 1
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
  # Many tests wait most of the time, for timers and other processes.
  MESON_TESTTHREADS=${MESON_TESTTHREADS:-$((3 * $(nproc)))} meson test -C "$directory" --no-rebuild --print-errorlogs "$@" || status=$?
  # A run with --wrapper or --setup puts its name into that of the log.
  # A directory that could not be configured has none.
  log=$(find "$directory/meson-logs" -name 'testlog*.json' -print -quit 2>/dev/null) || true
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

# add_totals_of NAME COMMAND...: runs a command that ends with the line that conclude() prints, and adds its totals.
add_totals_of() {
  local name=$1 log totals
  shift
  mkdir -p "$LOGS"
  log=$LOGS/$(tr -cs '[:alnum:]\n' - <<<"$name").log
  "$@" 2>&1 | tee "$log" || true
  read -r -a totals <<<"$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\?$/\1 \2 \4/p')"
  add_totals "${totals[0]:-0}" "${totals[1]:-1}" "${totals[2]:-0}"
}

# beside NAME COMMAND...: runs a function, whose checks count by themselves, beside what follows. finish_beside shows what it said.
beside() {
  local log
  mkdir -p "$LOGS"
  log=$LOGS/$(tr -cs '[:alnum:]\n' - <<<"$1").log
  (
    trap - EXIT USR1
    passed=0 failed=0 skipped=0
    "${@:2}" || failed=$((failed + 1))
    conclude
  ) >"$log" 2>&1 &
  side_names+=("$1") side_logs+=("$log") side_processes+=($!)
}

# finish_beside: waits for each command that runs beside, in the order of their starts, shows its output and adds its totals.
finish_beside() {
  local number
  for number in "${!side_processes[@]}"; do
    wait "${side_processes[number]}" || true
    heading "${side_names[number]}"
    add_totals_of "${side_names[number]} all" cat "${side_logs[number]}"
  done
  side_names=() side_logs=() side_processes=()
}
side_names=()
side_logs=()
side_processes=()

# ---- sanitizers, with clang --------------------------------------------------------------------------------------------------------------

# make_registry DIRECTORY: lets GStreamer scan all plugins before the tests. Otherwise the first
# test scans them in its own process, because no other process can load the instrumented plugin.
# Errors of other plugins would then count as errors of that test.
make_registry() {
  GST_PLUGIN_PATH_1_0="$1/gst" GST_REGISTRY_1_0="$1/tests/elements.registry" GST_REGISTRY_FORK=no CK_RUN_SUITE=none \
    ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS="${TSAN_OPTIONS:-}:report_bugs=0" "$1/tests/test-elements" states
}

# The options of each build with a sanitizer. Programs that are optimised less take less time to compile, and not much more to run.
declare -A sanitizer_options=(
  [asan]="-Db_sanitize=address,undefined -Doptimization=1 -Dfuzz=true"
  [tsan]="-Db_sanitize=thread -Doptimization=1 -Dtools=disabled -Dexamples=disabled"
  # Without optimisation, because the compiler gives a local variable that is never set some value before MemorySanitizer looks.
  [msan]="-Db_sanitize=memory -Doptimization=0 -Dplugin=disabled -Dtools=disabled -Dexamples=disabled"
)

# The only suites that run with a sanitizer, so that nothing else is compiled for it
declare -A sanitizer_suites=([tsan]="elements threads")

# targets_of_suites DIRECTORY [SUITE...]: prints what the tests of these suites need, for 'meson compile'. Without a suite it prints
# nothing, and 'meson compile' compiles all.
targets_of_suites() {
  meson introspect --tests "$1" | "$PYTHON" -c 'import json, sys
print(*{target.split("@")[2] for test in json.load(sys.stdin) for target in test["depends"]
        if {suite.split(":")[1] for suite in test["suite"]} & set(sys.argv[1:])})' "${@:2}"
}

compile_sanitized() {
  local directory=$CI_BUILD/$1 options suites targets
  read -r -a options <<<"${sanitizer_options[$1]}"
  read -r -a suites <<<"${sanitizer_suites[$1]:-}"
  CC=clang configure_project "$directory" --werror -Db_lundef=false "${options[@]}" || return
  read -r -a targets < <(targets_of_suites "$directory" "${suites[@]}")
  quietly "$directory/compile.log" meson compile -C "$directory" "${targets[@]}"
}

# build_sanitized NAME...: compiles for these sanitizers, in the background of other work. It says nothing: sanitized_build
# reports errors.
build_sanitized() {
  local name
  trap - EXIT USR1
  renice -n 19 -p $BASHPID >/dev/null
  for name in "$@"; do
    compile_sanitized "$name" >/dev/null 2>&1 || true
  done
}

# sanitized_build NAME: builds in a directory of its own. Returns 1 if that fails.
sanitized_build() {
  local before=$failed
  step "$1: build" compile_sanitized "$1"
  [ "$failed" = "$before" ]
}

# Tests of the elements wait most of their time: alone, they take a tenth of a core each.
ELEMENTS_THREADS=$((8 * $(nproc)))

# run_sanitized DIRECTORY OPTION...: the slice allocator of GLib would hide uses of freed memory, and leaks. Checks take
# longer under these tools, most of all on a busy machine.
run_sanitized() {
  G_SLICE=always-malloc GST_REGISTRY_FORK=no CK_TIMEOUT_MULTIPLIER=5 run_tests "$1" --timeout-multiplier 5 "${@:2}"
}

# sanitize_address MESON_TEST_OPTION...
sanitize_address() {
  local directory=$CI_BUILD/asan
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$ROOT/tests/asan.supp:print_suppressions=0
  sanitized_build asan || return 0
  step "asan: registry of plugins" make_registry "$directory"
  # AddressSanitizer's strstr() measures its first argument to the end each time, so that g_strsplit() of a long text takes
  # quadratic time.
  export ASAN_OPTIONS=detect_leaks=1:intercept_strstr=0
  # A process of its own for each check takes three times as long. The elements' checks need one:
  # threads of GStreamer's may still run at their end.
  CK_FORK=no run_sanitized "$directory" --no-suite elements --no-suite scripts "$@"
  # No test of the elements is a long one.
  [[ "$*" != --suite* ]] || return 0
  # GLib has no frame pointers, so that a leak is reported without the function that called GLib. ASAN_OPTIONS with
  # fast_unwind_on_malloc=0 names it, and makes these tests four times as slow.
  MESON_TESTTHREADS=$ELEMENTS_THREADS run_sanitized "$directory" --suite elements "$@"
}

# sanitize_threads MESON_TEST_OPTION...: GLib and GStreamer are not instrumented, so ThreadSanitizer does not see their
# synchronisation. tests/check/tsanglib.c tells it about their locks.
sanitize_threads() {
  export TSAN_OPTIONS=suppressions=$ROOT/tests/tsan.supp:ignore_noninstrumented_modules=1:halt_on_error=1:second_deadlock_stack=1
  sanitized_build tsan || return 0
  step "tsan: registry of plugins" make_registry "$CI_BUILD/tsan"
  MESON_TESTTHREADS=$ELEMENTS_THREADS run_sanitized "$CI_BUILD/tsan" --no-suite scripts --no-suite lib --no-suite fuzz "$@"
}

# The library's tests alone, see tests/check/msanglib.c.
sanitize_memory() {
  sanitized_build msan || return 0
  CK_FORK=no run_sanitized "$CI_BUILD/msan" --no-suite scripts --no-suite fuzz
}

# The last line of a run, and its exit status.
conclude() {
  local line="$passed passed, $failed failed"
  [ $skipped = 0 ] || line+=", $skipped skipped"
  say "$line"
  [ $failed = 0 ] && [ $passed != 0 ]
}
