# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# A bottleneck between two hosts, made of network namespaces: a - r - b. Source this file, then
#
#   bottleneck_up 2mbit 20 [DELAY_MS]   a sends to b through router r, whose interface towards b passes RATE and holds
#                                       20 packets, drop-tail; the way back from b to a is not limited
#   ip netns exec "$BOTTLENECK_A" ...   commands on the hosts; b is reached at $BOTTLENECK_ADDRESS
#   bottleneck_status                   counters of the queue, as JSON
#   bottleneck_down                     removes everything, if there is anything
#
# If the kernel has sch_netem, DELAY_MS is added in each direction, on other hops than the queue.
# BOTTLENECK_DELAY says whether the delay is there. The names contain the process id, so that any
# number of runs can go side by side. Needs root.

BOTTLENECK_A=tfrc-$$-a
BOTTLENECK_R=tfrc-$$-r
BOTTLENECK_B=tfrc-$$-b
# shellcheck disable=SC2034 # for the script that sources this file
BOTTLENECK_ADDRESS=10.0.2.2
BOTTLENECK_DEVICE=to-b
BOTTLENECK_DELAY=0

bottleneck_up() {
  bottleneck__make "$@" && return 0
  bottleneck_down
  return 1
}

bottleneck_down() {
  local namespace
  for namespace in "$BOTTLENECK_A" "$BOTTLENECK_R" "$BOTTLENECK_B"; do
    [ ! -e "/run/netns/$namespace" ] || ip netns delete "$namespace"
  done
}

bottleneck_status() {
  ip netns exec "$BOTTLENECK_R" tc -s -j qdisc show dev "$BOTTLENECK_DEVICE"
}

# The commands are joined by '&&', since 'set -e' has no effect in a function whose status is
# tested.
bottleneck__make() {
  local rate=$1 packets=$2 delay=${3:-0} namespace
  for namespace in "$BOTTLENECK_A" "$BOTTLENECK_R" "$BOTTLENECK_B"; do
    ip netns add "$namespace" && ip -n "$namespace" link set lo up && bottleneck__no_ipv6 "$namespace" || return
  done
  bottleneck__link "$BOTTLENECK_A" to-r 10.0.1.2 "$BOTTLENECK_R" to-a 10.0.1.1 &&
    bottleneck__link "$BOTTLENECK_B" to-r 10.0.2.2 "$BOTTLENECK_R" "$BOTTLENECK_DEVICE" 10.0.2.1 &&
    ip -n "$BOTTLENECK_A" route add default via 10.0.1.1 &&
    ip -n "$BOTTLENECK_B" route add default via 10.0.2.1 &&
    ip netns exec "$BOTTLENECK_R" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward' &&
    bottleneck__queue "$rate" "$packets" || return
  BOTTLENECK_DELAY=0
  if [ "$delay" != 0 ]; then
    if bottleneck__delay "$BOTTLENECK_A" "$delay" 2>/dev/null; then
      bottleneck__delay "$BOTTLENECK_B" "$delay" || return
      BOTTLENECK_DELAY=$delay
    else
      # shellcheck disable=SC2034
      BOTTLENECK_DELAY=unavailable
    fi
  fi
}

# Interfaces with IPv6 announce themselves. These packets would be in the queue and among its drops.
bottleneck__no_ipv6() {
  ip netns exec "$1" sh -c 'setting=/proc/sys/net/ipv6/conf/default/disable_ipv6
    [ ! -e $setting ] || echo 1 >$setting'
}

# bottleneck__link NAMESPACE DEVICE ADDRESS NAMESPACE DEVICE ADDRESS
bottleneck__link() {
  ip link add "$2" netns "$1" type veth peer name "$5" netns "$4" &&
    bottleneck__interface "$1" "$2" "$3" && bottleneck__interface "$4" "$5" "$6"
}

# With offloads, one "packet" in the queue could be many packets.
bottleneck__interface() {
  ip -n "$1" address add "$3/24" dev "$2" &&
    ip -n "$1" link set "$2" up &&
    ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx-udp-segmentation off >/dev/null
}

# The token bucket holds two packets, so that a late timer does not lower the rate. The queue counts
# packets, not bytes.
bottleneck__queue() {
  local tc=(ip netns exec "$BOTTLENECK_R" tc qdisc add dev "$BOTTLENECK_DEVICE")
  "${tc[@]}" root handle 1: tbf rate "$1" burst 3000 limit 10000000 &&
    "${tc[@]}" parent 1:1 handle 10: pfifo limit "$2"
}

bottleneck__delay() {
  ip netns exec "$1" tc qdisc add dev to-r root netem delay "${2}ms" limit 10000
}
