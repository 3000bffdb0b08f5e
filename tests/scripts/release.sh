#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# meson.build, NEWS, debian/changelog and the spec file have the same version, and the files that a
# release needs are there. The spec file has the libraries that the build looks for, and all ask for the same GLib. The packages
# with the elements name all of them.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$ROOT"
version=$(sed -n "s/^  version : '\(.*\)',$/\1/p" meson.build)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' in meson.build is no version"
equals "first line of NEWS" "gst-tfrc $version" "$(head -n 1 NEWS)"
equals "debian/changelog" "gst-tfrc ($version) " "$(head -n 1 debian/changelog | grep -o '^.*) ')"
equals "gst-tfrc.spec" "$version" "$(sed -n 's/^Version: *//p' gst-tfrc.spec)"
equals "licence in gst-tfrc.spec" "$(sed -n "s/^  license : '\(.*\)',$/\1/p" meson.build)" "$(sed -n 's/^License: *//p' gst-tfrc.spec)"
contains COPYING "GNU LESSER GENERAL PUBLIC LICENSE"
contains AUTHORS "the gst-tfrc developers"
versions=$(sed -n 's/^gst-tfrc \([0-9.]*\)$/\1/p' NEWS)
equals "versions in NEWS, the newest first" "$(sort -rV <<<"$versions")" "$versions"

# What the installed part of the build looks for with pkg-config stands in the spec file.
while read -r name; do
  contains gst-tfrc.spec "pkgconfig($name)"
done < <(find gst tools -name meson.build -exec sed -n "s/.*dependency('\([^']*\)'.*/\1/p" {} + | sort -u)

# The build warns of functions that are newer than the GLib that it asks for, and everything asks for the same GLib.
glib=$(sed -n "s/^glib_version = '\(.*\)'$/\1/p" meson.build)
[ -n "$glib" ] || fail "meson.build does not say which functions of GLib may be used"
contains gst-tfrc.spec "pkgconfig(gio-2.0) >= $glib"
contains debian/control "libglib2.0-dev (>= $glib)"
contains docs/compatibility.md "GLib $glib, or later"

# Debian's description of the package, and the spec file's
sed -n '/^Package: gstreamer1.0-tfrc$/,/^$/p' debian/control >"$SCRATCH/debian"
sed -n '/^%description$/,/^$/p' gst-tfrc.spec >"$SCRATCH/rpm"
"$PYTHON" -c 'import json, sys; print(*json.load(sys.stdin)["tfrc"]["elements"], sep="\n")' \
  <docs/plugins/gst_plugins_cache.json >"$SCRATCH/elements"
contains "$SCRATCH/elements" tfrcsink
while read -r element; do
  contains "$SCRATCH/debian" "$element"
  contains "$SCRATCH/rpm" "$element"
done <"$SCRATCH/elements"
