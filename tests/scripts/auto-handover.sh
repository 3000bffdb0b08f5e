#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tfrcsrc with auto-handover=true follows the kernel's routes. Two hosts in network namespaces have
# two links between them. First the receiver's route changes, then the sender's. The receiver keeps
# its address.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

needs_namespaces_and gst-launch-1.0
use_built_plugin

FAR=handover-far-$$ NEAR=handover-near-$$ # the sender, the receiver
FAR_ADDRESS=10.98.8.1 NEAR_ADDRESS=10.98.9.1
pids=()

clean_up() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait
  ip netns delete "$FAR" 2>/dev/null || true
  ip netns delete "$NEAR" 2>/dev/null || true
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

ip netns add "$FAR" 2>/dev/null || skip "this system has no network namespaces for us"
ip netns add "$NEAR"
ip netns exec "$NEAR" true 2>/dev/null || skip "nothing can be run in a network namespace here (in a chroot it cannot)"

far() { ip netns exec "$FAR" "$@"; }
near() { ip netns exec "$NEAR" "$@"; }

# set_up_host COMMAND ADDRESS: sets up a host that accepts packets over another link than the one
# over which their answers leave
set_up_host() {
  "$1" ip link set lo up
  "$1" ip address add "$2/32" dev lo
  "$1" sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
}

set_up_link() {
  ip link add "far$1" netns "$FAR" type veth peer name "near$1" netns "$NEAR" 2>/dev/null || skip "no veth links here"
  far ip address add "10.98.$1.1/24" dev "far$1"
  near ip address add "10.98.$1.2/24" dev "near$1"
  far ip link set "far$1" up
  near ip link set "near$1" up
}

route_receiver_over() {
  near ip route replace "$FAR_ADDRESS" via "10.98.$1.1" dev "near$1" src "$NEAR_ADDRESS"
}

route_sender_over() {
  far ip route replace "$NEAR_ADDRESS" via "10.98.$1.2" dev "far$1" src "$FAR_ADDRESS"
}

set_up_host far $FAR_ADDRESS
set_up_host near $NEAR_ADDRESS
set_up_link 1
set_up_link 2
route_receiver_over 1
route_sender_over 1

# A transport stream of null packets is enough, as it is not played.
"$PYTHON" -c 'import sys; sys.stdout.buffer.write((b"\x47\x1f\xff\x10" + bytes(184)) * 60000)' >"$SCRATCH/movie.ts"

# Not with the functions near and far, as $! must be the program itself.
ip netns exec "$NEAR" gst-launch-1.0 -m tfrcsrc address=0.0.0.0 port=5004 auto-handover=true stats-update-interval=50 ! fakesink \
  >"$SCRATCH/receiver.log" 2>&1 &
pids+=($!)
wait_until 20 grep -q PLAYING "$SCRATCH/receiver.log" || fail "the receiver does not start"
ip netns exec "$FAR" gst-launch-1.0 filesrc location="$SCRATCH/movie.ts" ! tfrcsink host=$NEAR_ADDRESS bind-address=$FAR_ADDRESS port=5004 \
  max-bitrate=2000000 sync=false >"$SCRATCH/sender.log" 2>&1 &
pids+=($!)

# told TEXT: whether the receiver's log has the text
told() { grep -q -- "$1" "$SCRATCH/receiver.log"; }

completed() { [ "$(grep -c 'tfrc-handover-completed.*completed=(boolean)true' "$SCRATCH/receiver.log")" -ge "$1" ]; }

give_up() {
  tail -n 5 "$SCRATCH/receiver.log" "$SCRATCH/sender.log" >&2
  fail "$1"
}

wait_until 20 told 'receive-rate=(double)[1-9]' || give_up "no stream"
told 'interface=(string)near1' || give_up "the stream does not come over the first link"
! told tfrc-handover || give_up "a handover without reason"

# A route that does not concern the stream
near ip route add 10.97.0.0/24 via 10.98.2.1

route_receiver_over 2
route_sender_over 2
wait_until 20 told tfrc-handover-started || give_up "the receiver does not follow its route"
wait_until 20 completed 1 || give_up "the handover does not come to its end"
wait_until 20 told 'interface=(string)near2' || give_up "the stream does not come over the second link"

# ... and back
route_receiver_over 1
route_sender_over 1
wait_until 20 completed 2 || give_up "the handover back does not come to its end"
equals "handovers" 2 "$(grep -c tfrc-handover-started "$SCRATCH/receiver.log")"
if grep -q 'packets-lost=(guint64)[1-9]' "$SCRATCH/receiver.log"; then
  give_up "packets were lost"
fi
echo "followed two changes of the route"
