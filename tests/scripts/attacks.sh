#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures the effects of attacks on a movie: by a host off the path, by a host that sees the stream
# and adds a packet, and by a receiver that lies; and of clients of HTTP on a server. Sender, receiver and intruder are network
# namespaces behind a router; attacks/ has the attacks. Ends with a table. Fails if an effect is
# larger than docs/security.md says. With --table it runs all of them against each way of protection,
# and writes the table in docs/security.md. For the variables see attacks/__main__.py.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

needs_namespaces_and gst-launch-1.0
use_built_plugin

ATTACKS_BUILD=$(build_directory)
ATTACKS_FLOODER=$ATTACKS_BUILD/tests/key-flood
[ -x "$ATTACKS_FLOODER" ] || skip "the helper key-flood is not built"
export ATTACKS_BUILD ATTACKS_ID=$$ ATTACKS_SCRATCH=$SCRATCH ATTACKS_FLOODER
export PYTHONDONTWRITEBYTECODE=1
HOSTS=(router sender receiver intruder)

in_ns() { ip netns exec "attacks-$1-$$" "${@:2}"; }

attacks=
clean_up() {
  [ -z "$attacks" ] || { kill "$attacks" 2>/dev/null && wait "$attacks"; } || true
  for name in "${HOSTS[@]}"; do
    ip netns delete "attacks-$name-$$" 2>/dev/null || true
  done
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

# add_host NAME NUMBER: a host behind the router, at 10.98.NUMBER.2
add_host() {
  ip netns add "attacks-$1-$$"
  ip link add "to-$1" netns "attacks-router-$$" type veth peer name host netns "attacks-$1-$$" 2>/dev/null ||
    skip "no veth links here"
  in_ns router ip address add "10.98.$2.1/24" dev "to-$1"
  in_ns router ip link set "to-$1" up
  in_ns "$1" ip address add "10.98.$2.2/24" dev host
  in_ns "$1" ip link set lo up
  in_ns "$1" ip link set host up
  in_ns "$1" ip route add default via "10.98.$2.1"
}

ip netns add "attacks-router-$$" 2>/dev/null || skip "this system has no network namespaces for us"
in_ns router true 2>/dev/null || skip "nothing can be run in a network namespace here (in a chroot it cannot)"
# A router that forwards packets with the address of another host, as many on the Internet do
in_ns router sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
add_host sender 1
add_host receiver 2
add_host intruder 3

gst-inspect-1.0 tfrcsrc >"$SCRATCH/tfrcsrc.txt" || fail "the plugin cannot be loaded" # and fills the registry
"$PYTHON" "$ROOT/tests/scripts/attacks" "$@" &
attacks=$!
wait "$attacks"
