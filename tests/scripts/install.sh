#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# 'meson install' in a prefix of its own and in a clean root: the elements are found, the library is found, and bin/ has
# only the programs that users need.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have gst-inspect-1.0 || skip "no gst-inspect-1.0"
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 LD_LIBRARY_PATH PKG_CONFIG_PATH DESTDIR
export GST_REGISTRY_1_0=$SCRATCH/registry

# files DIRECTORY: what is in it, one path a line
files() {
  (cd "$1" && find . -type f -o -type l | sort)
}

# ---- a prefix of its own ----------------------------------------------------

build_project "$SCRATCH/build" --prefix "$SCRATCH/prefix" --buildtype plain -Dtests=disabled -Dtools=disabled
meson install -C "$SCRATCH/build" >"$SCRATCH/install.log"
line=$(grep -o 'export .*' "$SCRATCH/build/setup.log") || fail "nothing says how GStreamer finds the elements"
(
  eval "$line"
  gst-inspect-1.0 tfrcsink >"$SCRATCH/inspect"
  gst-inspect-1.0 tfrcsrc >/dev/null
  contains "$SCRATCH/inspect" "$SCRATCH/prefix"

  cat >"$SCRATCH/program.c" <<'PROGRAM'
#include <stdio.h>
#include <tfrc/tfrc.h>

int
main (void)
{
  printf ("%d\n", tfrc_equation_f (0.01) > 0);
  return 0;
}
PROGRAM
  # shellcheck disable=SC2046 # flags are words
  cc -o "$SCRATCH/program" "$SCRATCH/program.c" $(pkg-config --cflags --libs libtfrc)
  equals "a program with the installed library" 1 "$("$SCRATCH/program")"
)
# With that line typed, the project's scripts use what is built, and not what is installed.
(
  eval "$line"
  use_plugin "$SCRATCH/build"
  gst-inspect-1.0 tfrcsink >"$SCRATCH/inspect"
  contains "$SCRATCH/inspect" "$SCRATCH/build/gst/libgsttfrc.so"
  library=$(ldd "$SCRATCH/build/gst/libgsttfrc.so" | awk '$1 ~ /^libtfrc/ { print $3 }')
  equals "the plugin's library" "$(readlink -f "$SCRATCH/build/lib/tfrc/libtfrc.so.0")" "$(readlink -f "$library")"
)
# The elements find libtfrc beside them, without help.
(
  export GST_PLUGIN_PATH_1_0=${line#*GST_PLUGIN_PATH_1_0=}
  export GST_PLUGIN_PATH_1_0=${GST_PLUGIN_PATH_1_0%% *}
  gst-inspect-1.0 tfrcsink >/dev/null || fail "the elements do not find libtfrc"
)
[ ! -d "$SCRATCH/prefix/bin" ] || fail "programs of the tests are in bin/: $(ls "$SCRATCH/prefix/bin")"

# ---- a clean root -----------------------------------------------------------

plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
build_project "$SCRATCH/build" -Dprefix=/usr -Dlibdir="${plugins%/gstreamer-1.0}" -Dtools=auto
DESTDIR=$SCRATCH/root meson install -C "$SCRATCH/build" >"$SCRATCH/install.log"
files "$SCRATCH/root" >"$SCRATCH/files"
for file in ".$plugins/libgsttfrc.so" ".${plugins%/gstreamer-1.0}/libtfrc.so.0" ".${plugins%/gstreamer-1.0}/pkgconfig/libtfrc.pc" \
  ./usr/include/tfrc/tfrc.h; do
  contains "$SCRATCH/files" "$file"
done

# The meters and the other tools of the benchmark are not installed.
if pkg-config --exists libsoup-3.0 json-glib-1.0; then
  equals "programs" "tfrc-recv tfrc-send tfrc-server vod-replay" "$(cd "$SCRATCH/root/usr/bin" && echo *)"
  for file in ./usr/share/man/man1/{tfrc-{send,recv,server},vod-replay}.1 ./usr/share/bash-completion/completions/tfrc-{send,recv,server}; do
    contains "$SCRATCH/files" "$file"
  done
fi

# GStreamer finds the elements without any variable, in a root that has nothing but Debian's packages and these files.
[ "$(id -u)" = 0 ] || skip "only root can try the files in a root of their own; the prefix works"
mkdir -p "$SCRATCH/upper" "$SCRATCH/work"
if ! unshare --mount bash -c "mount -t tmpfs none '$SCRATCH/upper' && mkdir '$SCRATCH/upper/up' '$SCRATCH/upper/work' \
    && cp -a '$SCRATCH/root/usr/.' '$SCRATCH/upper/up/' \
    && mount -t overlay overlay -o lowerdir=/usr,upperdir='$SCRATCH/upper/up',workdir='$SCRATCH/upper/work' /usr \
    && ldconfig -C '$SCRATCH/ld.so.cache' && gst-inspect-1.0 tfrcsink \
    && { [ ! -e /usr/bin/tfrc-recv ] || tfrc-recv --timeout 0.1 tfrc://127.0.0.1:0 /dev/null || [ \$? = 3 ]; }" >"$SCRATCH/inspect" 2>&1; then
  cat "$SCRATCH/inspect" >&2
  fail "the elements are not found in /usr"
fi
grep -E "Filename +/(usr/)?${plugins#/usr/}/libgsttfrc.so" "$SCRATCH/inspect" || fail "found elsewhere: $(grep Filename "$SCRATCH/inspect")"
