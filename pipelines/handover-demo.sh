#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Moves a stream to another link, with and without adaptation to the new link. With --roam the
# receiver's address changes, too. Installs and builds what is missing, plays on the testbed, and
# writes tables and pictures. See --help and docs/handover.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/handover" "$@"
needs_build=yes
for word in "$@"; do
  case $word in
    # --job must not build, as many such runs may start at the same time. The others need no build.
    --job | --job=* | --report-only) needs_build=no ;;
  esac
done
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
if [ $needs_build = yes ]; then
  # Standard output belongs to --list.
  {
    "$ROOT/scripts/install-deps.sh" testbed
    say "Building in $BUILD_DIR"
    build_project "$BUILD_DIR"
  } >&2
fi
exec "$PYTHON" "$here/handover" "$@"
