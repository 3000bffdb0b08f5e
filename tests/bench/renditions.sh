#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a player sees of a movie with renditions, over emulated links. Builds what is missing. See --help and
# docs/howto/renditions.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"

check_arguments "$here/renditions.py" "$@"
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
"$ROOT/scripts/install-deps.sh" testbed
build_project "$BUILD_DIR"
exec "$PYTHON" "$here/renditions.py" "$@"
