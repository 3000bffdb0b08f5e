#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Serves the movies of a folder: examples/run-server.sh FOLDER [OPTION...] (docs/howto/run-a-server.md;
# --help lists the options). Installs and builds what is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

has_folder() {
  local word
  for word in "$@"; do
    case $word in -h | --help) return ;; esac
    [ ! -d "$word" ] || return 0
  done
  return 1
}

has_folder "$@" || die "a folder of movies is wanted: run-server.sh FOLDER [OPTION...] (--help shows the options)"
build=${BUILD_DIR:-$ROOT/build}
server=$build/tools/server/tfrc-server
"$ROOT/scripts/install-deps.sh" examples
say "Building in $build"
build_project "$build"
# A build directory from before libsoup was installed has no server.
[ -x "$server" ] || quietly "$build/setup.log" meson setup --reconfigure -Dtools=enabled "$build" "$ROOT"
build_project "$build"
use_plugin "$build" || die "the elements are not built in $build"
exec "$server" "$@"
