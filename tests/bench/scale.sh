#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What many streams in one process cost: tfrcsink beside udpsink and srtsink, tfrcsrc beside udpsrc.
# Installs and builds what is missing, and writes tables and a picture. See --help and docs/scale.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"

check_arguments "$here/scale" "$@"
needs_build=yes
dependencies=run
for word in "$@"; do
  case $word in
    # The gate is a test, whose programs are built. The others need no build.
    --gate | --report-only) needs_build=no ;;
    --profile) dependencies=profile ;;
  esac
done
export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
if [ $needs_build = yes ]; then
  "$ROOT/scripts/install-deps.sh" $dependencies
  build_project "$BUILD_DIR"
fi
use_plugin "$BUILD_DIR" || die "the plugin is not built in $BUILD_DIR"
exec "$PYTHON" "$here/scale" "$@"
