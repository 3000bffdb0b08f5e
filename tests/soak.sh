#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Streams for a long time over links on which all goes wrong that can; see --help. Installs and builds what is missing.
# Needs root, for network namespaces.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/soak/soak" "$@"
# A test sets SOAK_BUILT, as its programs are built.
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
if [ -z "${SOAK_BUILT:-}" ]; then
  "$ROOT/scripts/install-deps.sh" test
  build_project "$BUILD_DIR"
fi
use_plugin "$BUILD_DIR" || die "the plugin is not built in $BUILD_DIR"
exec "$PYTHON" "$here/soak/soak" "$@"
