#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What meson configures on a system that has no libraries, and as a part of another project: a feature that is 'auto' is left out
# where something is missing, and one that is 'enabled' is an error that names it.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have meson || skip "no meson"

# configured DIRECTORY SOURCES OPTION...
configured() {
  meson setup "$SCRATCH/$1" "$2" "${@:3}" >"$SCRATCH/log" 2>&1
}

mkdir "$SCRATCH/empty"
(
  export PKG_CONFIG_LIBDIR=$SCRATCH/empty CMAKE_PREFIX_PATH=$SCRATCH/empty
  unset PKG_CONFIG_PATH
  configured auto "$ROOT" -Dplugin=auto -Dtools=auto -Dexamples=auto -Dtests=auto -Dqrcode=auto -Dexperiments=auto ||
    { cat "$SCRATCH/log" >&2 && fail "the library alone cannot be built"; }
  ! configured enabled "$ROOT" -Dplugin=enabled -Dtests=disabled || fail "there are elements without GStreamer"
  contains "$SCRATCH/log" 'Dependency "gstreamer-1.0" not found'
)
meson introspect --targets "$SCRATCH/auto" | "$PYTHON" -c 'import json, sys; print(*[target["name"] for target in json.load(sys.stdin)])' \
  >"$SCRATCH/targets"
contains "$SCRATCH/targets" "tfrc"
! grep -w gsttfrc "$SCRATCH/targets" || fail "the elements are built without GStreamer"

# A project that has the library as a subproject
have git || skip "no git; the options are right"
mkdir -p "$SCRATCH/parent/subprojects/gst-tfrc"
(cd "$ROOT" && tar -c meson.build meson_options.txt COPYING lib gst/queue experiments/meson.build experiments/simlink) |
  tar -x -C "$SCRATCH/parent/subprojects/gst-tfrc"
cat >"$SCRATCH/parent/meson.build" <<'PARENT'
project('parent', 'c', version : '1')
tfrc = dependency('libtfrc', version : '>= 0.1', fallback : ['gst-tfrc', 'tfrc_dep'],
  default_options : ['plugin=disabled', 'tools=disabled', 'examples=disabled', 'tests=disabled'])
executable('program', 'program.c', dependencies : tfrc)
PARENT
printf '#include <tfrc/tfrc.h>\nint main (void) { return tfrc_version () != TFRC_VERSION; }\n' >"$SCRATCH/parent/program.c"
cd "$SCRATCH/parent"
git init -q
git add -A
git -c user.name=test -c user.email=test@localhost commit -qm "A parent"
configured parent-build "$SCRATCH/parent" || { cat "$SCRATCH/log" >&2 && fail "not as a subproject"; }
meson dist -C "$SCRATCH/parent-build" --no-tests --include-subprojects >"$SCRATCH/log" 2>&1 ||
  { cat "$SCRATCH/log" >&2 && fail "the parent has no tarball"; }
tar -t -f "$SCRATCH"/parent-build/meson-dist/parent-1.tar.xz >"$SCRATCH/files"
contains "$SCRATCH/files" "parent-1/subprojects/gst-tfrc/lib/tfrc/libtfrc.map"
