#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and runs every test; ends with the line 'N passed, N failed'.
#   --quick              leaves out what takes long: two minutes on two cores
#   --changed-since REV  runs what the files that differ from REV need, by tests/folders.txt
# Further arguments go to 'meson test', such as --suite lib. BUILD_DIR names another build directory than build/, PACKAGES another set
# of scripts/install-deps.sh than 'test', for suites that need less.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../scripts/common.sh"
# shellcheck source=scripts/testing.sh
. "$ROOT/scripts/testing.sh"

options=()
since=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) options+=(--no-suite slow --no-suite long) ;;
    --changed-since)
      [ $# -gt 1 ] || { say "--changed-since needs a revision" >&2 && exit 2; }
      since=$2
      git -C "$ROOT" rev-parse --quiet --verify "$since^{commit}" >/dev/null || { say "there is no revision $since" >&2 && exit 2; }
      shift
      ;;
    *) options+=("$1") ;;
  esac
  shift
done
check_test_options "${options[@]}"

build=${BUILD_DIR:-$ROOT/build}
if ! "$ROOT/scripts/install-deps.sh" "${PACKAGES:-test}"; then
  add_totals 0 1 0
elif say "Building in $build" && ! build_project "$build" -Dexperiments=auto ${CI:+-Dwerror=true}; then
  add_totals 0 1 0
else
  if [ -n "$since" ]; then
    mapfile -t names < <("$PYTHON" "$ROOT/scripts/changed-tests.py" "$build" "$since")
    [ ${#names[@]} -gt 0 ] || die "scripts/changed-tests.py named no test"
    # The tests that build packages are among them where these have changed.
    case " ${names[*]} " in *' packages '* | *' rpm '*) install_set packages || true ;; esac
    options+=(--setup everything "${names[@]}")
  fi
  run_tests "$build" "${options[@]}"
fi
conclude
