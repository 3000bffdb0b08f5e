#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages can be built; installed in a view of this system, they have what they should.
# Skipped if debhelper is missing ('scripts/install-deps.sh packages').
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
unset GST_PLUGIN_PATH GST_PLUGIN_PATH_1_0 LD_LIBRARY_PATH DESTDIR
status=0
DEB_BUILD_OPTIONS="nocheck parallel=1" "$ROOT/scripts/build-packages.sh" "$SCRATCH/packages" || status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "the packages, see above"
equals "packages" "gst-tfrc-tools gstreamer1.0-tfrc libtfrc-dev libtfrc0" \
  "$(cd "$SCRATCH/packages" && printf '%s\n' *.deb | sed 's/_.*//' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
