#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# .ci/run and .ci/long with stand-ins for what they run: a part that fails does not end the run, which ends with its totals, and
# nothing that an earlier run has left passes for a result.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

project=$SCRATCH/project
mkdir -p "$project"/{.ci,scripts,tests,build-ci} "$SCRATCH/bin"
cp "$ROOT"/.ci/{run,long} "$project/.ci"
cp "$ROOT"/scripts/{common,testing}.sh "$project/scripts"

# stand_in FILE BODY
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
stand_in "$project/scripts/install-deps.sh" ""
for script in scripts/{format,check-headers,check-abi,check-musl}.sh tests/{run,soak}.sh; do
  stand_in "$project/$script" "echo '1 passed, 0 failed'"
done
stand_in "$project/scripts/coverage.sh" "exit 1"
stand_in "$SCRATCH/bin/gst-inspect-1.0" ""
# Configures any directory but that of the coverage; tests and installs nothing.
stand_in "$SCRATCH/bin/meson" "case \"\$1 \$2\" in
  'setup '*/coverage) exit 1 ;;
  'setup '*) mkdir -p \"\$2\" && touch \"\$2/build.ninja\" ;;
  'introspect '*) echo '[]' ;;
esac"
PATH=$SCRATCH/bin:$PATH

# ends_with LINE SCRIPT ARGUMENT...
ends_with() {
  local line=$1
  shift
  ! "$@" >"$SCRATCH/output" 2>&1 || fail "$*: status 0"
  tail -n 1 "$SCRATCH/output" >"$SCRATCH/last"
  contains "$SCRATCH/last" "$line" || fail "$*"
}

# A build that cannot be configured fails with its tests, and the next part runs.
ends_with "2 passed, 4 failed" "$project/.ci/long" coverage soak
contains "$SCRATCH/output" "FAILED  coverage: build"
contains "$SCRATCH/output" "ok      soak test"

# A package that cannot be installed fails its part, and the next one runs.
stand_in "$project/scripts/install-deps.sh" "[ \"\$1\" != musl ]"
ends_with "2 passed, 1 failed" "$project/.ci/long" musl soak
stand_in "$project/scripts/install-deps.sh" "exit 1"
ends_with "0 passed, 1 failed" "$project/.ci/long" soak
ends_with "0 passed, 1 failed" "$project/.ci/run"
stand_in "$project/scripts/install-deps.sh" ""

# What tests of a run before have counted is no coverage of this run.
mkdir -p "$project/build-ci/coverage/lib"
touch "$project/build-ci/coverage/build.ninja" "$project/build-ci/coverage/lib/equation.gcda"
ends_with "failed" "$project/.ci/long" coverage
[ ! -e "$project/build-ci/coverage/lib/equation.gcda" ] || fail "counts of an earlier run are in the coverage"

# What an earlier run has installed is not installed by this one.
for file in lib/gstreamer-1.0/libgsttfrc.so include/tfrc/tfrc.h lib/pkgconfig/libtfrc.pc; do
  mkdir -p "$(dirname "$project/build-ci/root/usr/$file")"
  touch "$project/build-ci/root/usr/$file"
done
ends_with "failed" "$project/.ci/run"
contains "$SCRATCH/output" "FAILED  installation into a root of its own"
