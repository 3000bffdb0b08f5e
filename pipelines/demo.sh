#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows what a viewer sees of a movie over plain UDP, SRT and TFRC on the same path. Installs and builds what is missing.
# See --help.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/demo/sidebyside.py" "$@"
"$ROOT/scripts/install-deps.sh" run
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
say "Building in $BUILD_DIR"
build_project "$BUILD_DIR"
use_plugin "$BUILD_DIR" || die "the build made no plugin"
exec "$PYTHON" "$here/demo/sidebyside.py" "$@"
