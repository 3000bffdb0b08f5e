#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the binary interface of libtfrc with that of the last release, and before the first release with the commit before
# the last change of the interface. Fails if a program that was compiled for the older one would not run with this library:
#   check-abi.sh [OLD_LIBRARY OLD_HEADERS NEW_LIBRARY NEW_HEADERS]
#   check-abi.sh --base    prints the revision with which it compares, and builds nothing
#
# Without arguments the release is the newest tag v* that this commit contains, and of a commit that is a release itself the one
# before; both are built. Libraries need debugging information. An incompatible change that is meant has an entry in
# lib/tfrc/abi.suppr. Exit status: 0 compatible; 1 incompatible; 77 abidiff is missing, or this is no clone with git.
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

# build_library SOURCES DIRECTORY: builds the library alone, with debugging information. Its interface is the same without
# optimisation, which would take most of the time.
build_library() {
  quietly "$2/setup.log" meson setup "$2/build" "$1" --buildtype debug -Dplugin=disabled -Dtests=disabled \
    -Dtools=disabled -Dexamples=disabled -Dexperiments=disabled &&
    quietly "$2/compile.log" meson compile -C "$2/build"
}

# The newest release, or else the parent of the last commit that changed the interface. A clone may have no more than its last
# commits; then it is the oldest one.
base() {
  local change tags=()
  ! git -C "$ROOT" diff --quiet HEAD -- lib || mapfile -t tags < <(git -C "$ROOT" tag --points-at HEAD)
  git -C "$ROOT" describe --tags --abbrev=0 --match 'v*' "${tags[@]/#/--exclude=}" 2>/dev/null && return
  change=$(git -C "$ROOT" log -1 --format=%H -- lib/include lib/tfrc/libtfrc.map)
  git -C "$ROOT" rev-parse --quiet --verify "$change^" || git -C "$ROOT" rev-list --max-count=1 --max-parents=0 HEAD
}

skip() {
  echo "$*: skipped"
  exit 77
}

if [ $# = 4 ]; then
  have abidiff || skip "no abidiff (package abigail-tools)"
  compare "$@"
  exit
fi
[ $# = 0 ] || [ "$*" = --base ] || die "four arguments, --base, or none"
release=$(base 2>/dev/null) || skip "no revision to compare with"
if [ $# = 1 ]; then
  say "$release"
  exit
fi
have abidiff || skip "no abidiff (package abigail-tools)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/release" "$scratch/old" "$scratch/new"
git -C "$ROOT" archive "$release" | tar -x -C "$scratch/release"
build_library "$scratch/release" "$scratch/old"
build_library "$ROOT" "$scratch/new"
say "libtfrc since $release"
compare "$scratch/old/build/lib/tfrc/libtfrc.so" "$scratch/release/lib/include" \
  "$scratch/new/build/lib/tfrc/libtfrc.so" "$ROOT/lib/include"
