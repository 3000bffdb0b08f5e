#!/usr/bin/env bash
# A stream goes on over another link, with and without adaptation to it; with --roam the receiver's address changes too.
# Installs and builds what is missing, plays on the testbed, ends with tables and pictures: --help, docs/handover.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

needs_build=yes
for word in "$@"; do
  case $word in
    # A run may be one of many at the same time, and a report is of what has been played.
    --job | --job=* | --report-only | -h | --help) needs_build=no ;;
  esac
done
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
if [ $needs_build = yes ]; then
  # Standard output is for --list.
  {
    "$ROOT/scripts/install-deps.sh" testbed
    say "Building in $BUILD_DIR"
    build_project "$BUILD_DIR"
  } >&2
fi
exec "$PYTHON" "$here/handover" "$@"
