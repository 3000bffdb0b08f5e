#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs jobs on nodes that emulated links connect: pipelines/testbed.sh run SPEC.yaml (docs/testbed.md; --help).
# Installs what is missing, and builds the project, whose elements and tools the jobs may use.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/testbed" "$@"
"$ROOT/scripts/install-deps.sh" testbed
BUILD_DIR=${BUILD_DIR:-$ROOT/build}
export BUILD_DIR
build_project "$BUILD_DIR"
exec "$PYTHON" "$here/testbed" "$@"
