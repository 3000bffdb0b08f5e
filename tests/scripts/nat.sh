#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A viewer behind a NAT that forgets silent mappings calls a sender that listens, or probes one that sends to the NAT, and
# plays through a silence of the sender's that is longer than the NAT remembers: nat.sh [SECONDS [TIMEOUT]]
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
needs_namespaces_and nft
use_built_plugin
"$PYTHON" -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null || skip "PyGObject with GStreamer is not installed"
ip netns add "tfrc-probe-$$" 2>/dev/null || skip "this system has no network namespaces for us"
works=yes
ip netns exec "tfrc-probe-$$" nft add table ip tfrc-probe 2>/dev/null || works=""
ip netns delete "tfrc-probe-$$"
[ -n "$works" ] || skip "this kernel has no nftables for us"
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/scripts/nat.py" "$SCRATCH" call "$@" &
calling=$!
"$PYTHON" "$ROOT/tests/scripts/nat.py" "$SCRATCH" probe "$@" || { wait $calling || true; fail "a viewer that probes, see above"; }
wait $calling || fail "a viewer that calls, see above"
