#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Replays the experiments of the VoD paper on real pipelines and makes a report: see --help and docs/vod-benchmark.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

check_arguments "$here/vod-benchmark" "$@"
case ${1:-} in
  # These need neither build nor testbed.
  report | results | list) ;;
  *)
    "$ROOT/scripts/install-deps.sh" testbed
    build=${BUILD_DIR:-$ROOT/build}
    say "Building in $build"
    build_project "$build"
    ;;
esac
for word in "$@"; do
  case $word in --scheduler | --scheduler=*) "$ROOT/scripts/dask.sh" install ;; esac
done
exec "$PYTHON" "$here/vod-benchmark" "$@"
