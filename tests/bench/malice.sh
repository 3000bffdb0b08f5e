#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# One malicious peer beside 99 others: what its flood does to the other streams of the process, and what the stream
# that it attacks sends. Builds what is missing. See --help and docs/scale.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"

check_arguments "$here/malice.py" "$@"
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
"$ROOT/scripts/install-deps.sh" run
build_project "$BUILD_DIR"
use_plugin "$BUILD_DIR" || die "the plugin is not built in $BUILD_DIR"
exec "$PYTHON" "$here/malice.py" "$@"
