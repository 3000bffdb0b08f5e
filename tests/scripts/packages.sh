#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages can be built; installed in a view of this system, they have what they should. A second build gives the same
# bytes, in another directory, with another umask, time zone and locale, by more jobs, and without the compiler's cache. Lintian
# has no tag for them but those of lintian-allowed.txt.
# Skipped if debhelper is missing ('scripts/install-deps.sh packages').
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 LD_LIBRARY_PATH DESTDIR SOURCE_DATE_EPOCH

# build DIRECTORY JOBS
build() {
  local status=0
  DEB_BUILD_OPTIONS="nocheck parallel=$2" "$ROOT/scripts/build-packages.sh" "$1" || status=$?
  [ $status != 77 ] || exit 77
  [ $status = 0 ] || fail "the packages, see above"
}

(umask 022 && TZ=UTC LC_ALL=C.UTF-8 build "$SCRATCH/packages" 1)
equals "packages" "gst-tfrc-tools gstreamer1.0-tfrc libtfrc-dev libtfrc0" \
  "$(cd "$SCRATCH/packages" && printf '%s\n' *.deb | sed 's/_.*//' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"

# examples PACKAGE: the names of its examples
examples() {
  dpkg-deb --contents "$SCRATCH/packages/$1"_*.deb | sed -n 's|.*/examples/\([^/]*[^/.]\)$|\1|p' | LC_ALL=C sort | tr '\n' ' '
}
equals "examples of gstreamer1.0-tfrc" "adaptive-encoder.c adaptive-encoder.py broadcaster.c broadcaster.py minimal-receiver.c \
minimal-receiver.py minimal-sender.c minimal-sender.py " "$(examples gstreamer1.0-tfrc)"
equals "examples of gst-tfrc-tools" "grafana.json prometheus.yml server-director.py server-director.service " "$(examples gst-tfrc-tools)"
equals "examples of libtfrc-dev" "udp-stream.c " "$(examples libtfrc-dev)"

if have lintian; then
  lintian --no-cfg --display-info --tag-display-limit 0 --fail-on error,warning,info \
    --suppress-tags-from-file "$ROOT/tests/scripts/lintian-allowed.txt" "$SCRATCH"/packages/*.deb || fail "lintian, see above"
else
  say "lintian is not installed"
fi

mkdir "$SCRATCH/elsewhere"
(umask 027 && CCACHE_DISABLE=1 TMPDIR=$SCRATCH/elsewhere TZ=Asia/Kathmandu LC_ALL=C build "$SCRATCH/again" 2)
for package in "$SCRATCH"/packages/*.deb; do
  cmp "$package" "$SCRATCH/again/${package##*/}" || fail "two builds of ${package##*/} differ"
done
