#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays a movie through a queue that marks packets instead of dropping them, once with ECN and once
# without, and prints what was lost. Installs and builds what is missing, plays on the testbed. See
# --help and docs/testbed.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/ecn" "$@"
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
{
  "$ROOT/scripts/install-deps.sh" testbed
  say "Building in $BUILD_DIR"
  build_project "$BUILD_DIR"
} >&2
exec "$PYTHON" "$here/ecn" "$@"
