#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and runs every test; ends with the line 'N passed, N failed'.
# BUILD_DIR names another build directory than build/; further arguments go to 'meson test', such as --suite lib.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../scripts/common.sh"
# shellcheck source=scripts/testing.sh
. "$ROOT/scripts/testing.sh"

check_test_options "$@"
build=${BUILD_DIR:-$ROOT/build}
if ! "$ROOT/scripts/install-deps.sh" test; then
  add_totals 0 1 0
elif say "Building in $build" && ! build_project "$build" -Dexperiments=auto ${CI:+-Dwerror=true}; then
  add_totals 0 1 0
else
  run_tests "$build" "$@"
fi
conclude
