#!/usr/bin/env bash
# A stream goes on over another link, with and without adaptation to it; with --roam the receiver's address changes too.
# Installs and builds what is missing, plays on the testbed, ends with tables and pictures: --help, docs/handover.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../scripts/common.sh"

case " $* " in
  *" -h "* | *" --help "*) ;; # needs no build
  *)
    "$ROOT/scripts/install-deps.sh" testbed
    export BUILD_DIR=${BUILD_DIR:-$ROOT/build}
    say "Building in $BUILD_DIR"
    build_project "$BUILD_DIR"
    ;;
esac
exec "$PYTHON" "$here/handover" "$@"
