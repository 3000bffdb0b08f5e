#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# 'meson dist' gives the same tarball twice, with another umask and time zone, and the project can be built from this tarball alone.
# The tarball has the last commit. Skipped without git.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
{ [ -e "$ROOT/.git" ] && have git; } || skip "this is no clone of the project, or git is not installed"

(umask 022 && TZ=UTC quietly "$SCRATCH/first.log" make_tarball "$SCRATCH/first")
(umask 077 && TZ=Asia/Kathmandu quietly "$SCRATCH/second.log" make_tarball "$SCRATCH/second")
tarball=$(basename "$SCRATCH"/first/meson-dist/*.tar.xz)
cmp "$SCRATCH/first/meson-dist/$tarball" "$SCRATCH/second/meson-dist/$tarball" || fail "two tarballs differ"

tar -x -C "$SCRATCH" -f "$SCRATCH/first/meson-dist/$tarball"
ROOT=$SCRATCH/${tarball%.tar.xz}
build_project "$SCRATCH/build" -Dtests=disabled
use_plugin "$SCRATCH/build" || fail "there is no plugin"
GST_REGISTRY_1_0=$SCRATCH/registry gst-inspect-1.0 tfrcsink >/dev/null
