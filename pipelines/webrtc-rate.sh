#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plays calls between two webrtcbin through a path of 4, 1 and 4 Mbit/s, whose encoder follows rtptfrcbwe or
# rtpgccbwe, and prints what it got. Builds what is missing. See --help and docs/results.md. Needs root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/webrtc" "$@"
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
{
  "$ROOT/scripts/install-deps.sh" webrtc
  say "Building in $BUILD_DIR"
  build_project "$BUILD_DIR"
} >&2
use_plugin "$BUILD_DIR" || die "the build made no plugin"
exec "$PYTHON" "$here/webrtc" "$@"
