#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the binary interface of libtfrc with that of the last release. Fails if a program that
# was compiled for the release would not run with this library:   check-abi.sh [OLD_LIBRARY
# OLD_HEADERS NEW_LIBRARY NEW_HEADERS]
#
# Without arguments the release is the newest tag v* that this commit contains; both are built. Libraries need debugging
# information. Exit status: 0 compatible, or there is no release; 1 incompatible; 77 abidiff is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

# New fields at the end of a struct that may grow are compatible, as a program passes the size of
# its struct.
compare() {
  local status=0
  abidiff --no-added-syms --headers-dir1 "$2" --headers-dir2 "$4" --suppressions "$ROOT/lib/tfrc/abi.suppr" "$1" "$3" ||
    status=$?
  # Bits of abidiff's status: 1 and 2 an error, 4 a change, 8 an incompatible change. Any of them fails the check.
  [ $status = 0 ] && return 0
  say "The binary interface of libtfrc is not compatible (abidiff: $status)"
  return 1
}

# build_library SOURCES DIRECTORY: builds the library alone, with debugging information.
build_library() {
  quietly "$2/setup.log" meson setup "$2/build" "$1" --buildtype debugoptimized -Dplugin=disabled -Dtests=disabled \
    -Dtools=disabled -Dexperiments=disabled &&
    quietly "$2/compile.log" meson compile -C "$2/build"
}

have abidiff || {
  echo "no abidiff (package abigail-tools): skipped"
  exit 77
}
if [ $# = 4 ]; then
  compare "$@"
  exit
fi
[ $# = 0 ] || die "four arguments or none"

tag=$(git -C "$ROOT" describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || {
  say "no tag yet: nothing to compare with"
  exit 0
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/release" "$scratch/old" "$scratch/new"
git -C "$ROOT" archive "$tag" | tar -x -C "$scratch/release"
build_library "$scratch/release" "$scratch/old"
build_library "$ROOT" "$scratch/new"
say "libtfrc since $tag"
compare "$scratch/old/build/lib/tfrc/libtfrc.so" "$scratch/release/lib/include" \
  "$scratch/new/build/lib/tfrc/libtfrc.so" "$ROOT/lib/include"
