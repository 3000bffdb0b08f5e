#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The addresses of a network of IPv6 (/64) are one host for tfrc-server --max-per-host: server-network.sh
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
needs_namespaces_and gst-launch-1.0
use_built_plugin
server=$(build_directory)/tools/server/tfrc-server receive=$(build_directory)/tools/stream/tfrc-recv
[ -x "$server" ] && [ -x "$receive" ] || skip "tfrc-server or tfrc-recv is not built"
for element in x264enc h264parse mpegtsmux tsparse; do
  gst-inspect-1.0 --exists "$element" || skip "no $element"
done
here=tfrc-server-$$ there=tfrc-viewers-$$
ip netns add $here 2>/dev/null || skip "this system has no network namespaces for us"
end() {
  local pids
  pids=$(jobs -p)
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill $pids 2>/dev/null || true
  ip netns delete $here || true
  ip netns delete $there || true
  rm -rf "$SCRATCH"
}
trap end EXIT
ip netns add $there
cd "$SCRATCH"
mkdir movies
gst-launch-1.0 -q videotestsrc num-buffers=800 ! video/x-raw,width=160,height=120,framerate=2/1 ! \
  x264enc key-int-max=10 speed-preset=ultrafast bitrate=32 ! h264parse ! mpegtsmux ! filesink location=movies/long.ts

# The viewers have addresses of two networks behind the link.
viewers=(2001:db8:5::1 2001:db8:5::2 2001:db8:5::3 2001:db8:6::1)
ip -n $here link set lo up
ip -n $there link set lo up
ip -n $here link add inside type veth peer name outside netns $there
ip -n $here address add 2001:db8:1::1/64 dev inside nodad
ip -n $there address add 2001:db8:1::2/64 dev outside nodad
ip -n $here link set inside up
ip -n $there link set outside up
for address in "${viewers[@]}"; do
  ip -n $there address add "$address/128" dev lo
done
ip -n $here route add default via 2001:db8:1::2
ip netns exec $here "$server" --port 0 --max-per-host 2 movies >server.out 2>&1 &
wait_until 60 grep -q "receivers call" server.out || fail "the server does not start: $(cat server.out)"

# call ADDRESS: calls the server from this address
call() {
  ip -n $there route replace 2001:db8:1::1/128 dev outside src "$1"
  ip netns exec $there "$receive" -q 'tfrc://[2001:db8:1::1]:5004/long.ts' "$1.ts" >"$1.out" 2>&1 &
  wait_until 60 grep -qE "the sender is|refuses" "$1.out" || fail "nothing becomes of the call of $1: $(cat "$1.out")"
}

for address in "${viewers[@]}"; do
  call "$address"
done
for address in "${viewers[@]:0:2}" "${viewers[3]}"; do
  contains "$address.out" "the sender is [2001:db8:1::1]:5004"
done
contains "${viewers[2]}.out" "2 streams play to this host"
