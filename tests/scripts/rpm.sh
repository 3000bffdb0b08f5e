#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The RPM packages can be built, and each has what it should. Skipped if rpmbuild is missing ('scripts/install-deps.sh packages').
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 LD_LIBRARY_PATH DESTDIR
status=0
"$ROOT/scripts/build-rpm.sh" "$SCRATCH/packages" || status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "the packages, see above"
cd "$SCRATCH/packages"

# files PACKAGE: the names of what it has, without their folders; not the licence and the numbers of builds, which each has
files() {
  rpm -qpl "$1"-[0-9]*".$(rpm --eval %_arch).rpm" | grep -v -e /.build-id -e /licenses/ | sed 's|.*/||; s/\.gz$//' | LC_ALL=C sort | tr '\n' ' '
}
version=$(sed -n 's/^Version: *//p' "$ROOT/gst-tfrc.spec")
equals "gst-tfrc" "NEWS README.md adaptive-encoder.c adaptive-encoder.py broadcaster.c broadcaster.py gst-tfrc-$version libgsttfrc.so \
minimal-receiver.c minimal-receiver.py minimal-sender.c minimal-sender.py " "$(files gst-tfrc)"
equals "gst-tfrc-tools" "grafana.json gst-tfrc-tools-$version prometheus.yml server-director.py server-director.service \
tfrc-recv tfrc-recv tfrc-recv.1 tfrc-send tfrc-send tfrc-send.1 tfrc-server tfrc-server tfrc-server.1 tfrc-server.service \
vod-replay vod-replay.1 " "$(files gst-tfrc-tools)"
equals "libtfrc" "libtfrc.so.0 libtfrc.so.$version " "$(files libtfrc)"
equals "libtfrc-devel" "$(cd "$ROOT/lib/include" && printf '%s\n' tfrc tfrc/* libtfrc.so libtfrc.pc udp-stream.c libtfrc-devel-"$version" |
  sed 's|.*/||' | LC_ALL=C sort | tr '\n' ' ')" \
  "$(files libtfrc-devel)"
for package in *.rpm; do
  rpm -qp --requires "$package" >>requires
done
contains requires "libtfrc.so.0(TFRC_0.1)(64bit)"
