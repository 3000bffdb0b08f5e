#!/usr/bin/env bash
# Somebody off the path of a stream, in a network namespace of its own, can neither move nor stop it, though the sender
# lets its receiver move: forged feedback, BYE, responses, data and ICMP errors, from its own address and from spoofed
# ones, and true packets replayed. Who sees the stream can; that shows that what is sent does get there.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

needs_namespaces_and gst-launch-1.0
use_built_plugin

ROUTER=attacks-router-$$
SENDER=10.98.1.2 RECEIVER=10.98.2.2 INTRUDER=10.98.3.2
PORT=5004
ROUNDS=100
ATTACKS=$ROOT/tests/scripts/attacks.py
pids=()

in_ns() { ip netns exec "attacks-$1-$$" "${@:2}"; }

clean_up() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait
  for name in router sender receiver intruder; do
    ip netns delete "attacks-$name-$$" 2>/dev/null || true
  done
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

# add_host NAME NUMBER: a host behind the router, at 10.98.NUMBER.2
add_host() {
  ip netns add "attacks-$1-$$"
  ip link add "to-$1" netns "$ROUTER" type veth peer name host netns "attacks-$1-$$" 2>/dev/null || skip "no veth links here"
  in_ns router ip address add "10.98.$2.1/24" dev "to-$1"
  in_ns router ip link set "to-$1" up
  in_ns "$1" ip address add "10.98.$2.2/24" dev host
  in_ns "$1" ip link set lo up
  in_ns "$1" ip link set host up
  in_ns "$1" ip route add default via "10.98.$2.1"
}

ip netns add "$ROUTER" 2>/dev/null || skip "this system has no network namespaces for us"
in_ns router true 2>/dev/null || skip "nothing can be run in a network namespace here (in a chroot it cannot)"
# A router that forwards what has somebody else's address, as many on the Internet do
in_ns router sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
add_host sender 1
add_host receiver 2
add_host intruder 3

"$PYTHON" -c 'import sys; sys.stdout.buffer.write((b"\x47\x1f\xff\x10" + bytes(184)) * 200000)' >"$SCRATCH/movie.ts"
# Not by in_ns: $! is to be the program itself.
ip netns exec "attacks-receiver-$$" gst-launch-1.0 -m tfrcsrc address=0.0.0.0 port=$PORT stats-update-interval=50 ! fakesink \
  >"$SCRATCH/receiver.log" 2>&1 &
pids+=($!)
wait_until 20 grep -q PLAYING "$SCRATCH/receiver.log" || fail "the receiver does not start"
ip netns exec "attacks-sender-$$" gst-launch-1.0 -m filesrc location="$SCRATCH/movie.ts" ! tfrcsink host=$RECEIVER port=$PORT \
  bind-address=$SENDER bind-port=$PORT allow-migration=always max-bitrate=2000000 stats-update-interval=50 sync=false \
  >"$SCRATCH/sender.log" 2>&1 &
pids+=($!)

# last WHO FIELD: of the newest statistics
last() {
  sed -n "s/.*-stats.* $2=([a-z0-9]*)\([^,;]*\).*/\1/p" "$SCRATCH/$1.log" | tail -n 1
}

# has WHO FIELD LEAST: is it as much?
has() { [ "$(last "$1" "$2")" -ge "$3" ]; } 2>/dev/null

give_up() {
  tail -n 3 "$SCRATCH/receiver.log" "$SCRATCH/sender.log" >&2
  fail "$1"
}

wait_until 20 has receiver packets-received 300 || give_up "no stream"
timeout 20 ip netns exec "$ROUTER" "$PYTHON" "$ATTACKS" tap to-receiver "$SCRATCH/tap" 50 || give_up "nothing to be seen"
before=$(last receiver packets-received)
wait_until 20 has receiver packets-received $((before + 200)) || give_up "no stream"

in_ns intruder "$PYTHON" "$ATTACKS" off-path "$SCRATCH/tap" $SENDER:$PORT $RECEIVER:$PORT $INTRUDER $ROUNDS >"$SCRATCH/sent"
sent() { awk -v kind="$1" -v target="$2" '$1 ~ kind && $2 == target { n += $3 } END { print n + 0 }' "$SCRATCH/sent"; }

# All of it has come, and been seen for what it is.
noticed() {
  local total=0
  for field in foreign-packets malformed-packets feedback-refused; do
    total=$((total + $(last "$1" $field || echo 0)))
  done
  [ $total -ge "$2" ]
}
wait_until 20 noticed sender "$(sent 'forged|replayed' sender)" || give_up "the sender has not had all, or has believed some"
noticed_by_receiver() {
  [ $(($(last receiver foreign-packets) + $(last receiver malformed-packets))) -ge "$1" ]
}
# but for one forged packet at most, which may be the beginning of another stream
wait_until 20 noticed_by_receiver $(($(sent 'forged|replayed' receiver) - 1)) ||
  give_up "the receiver has not had all, or has believed some"
wait_until 20 has receiver packets-duplicate "$(sent duplicate receiver)" || give_up "replayed data is not known as such"
wait_until 20 has sender icmp-errors 1 || give_up "no ICMP error has come to the sender"

# The stream goes on as before.
before=$(last receiver packets-received)
wait_until 20 has receiver packets-received $((before + 400)) || give_up "the stream has stopped"
equals "where the sender sends" "$RECEIVER:$PORT" "$(last sender peer-address)"
equals "migrations" 0 "$(last sender migrations)"
equals "state of the receiver" connected "$(last sender peer-state)"
equals "losses that the sender believes" 0 "$(last sender packets-lost)"
equals "from whom the receiver takes data" "$SENDER:$PORT" "$(last receiver sender)"
awk "BEGIN { exit !($(last sender allowed-rate) >= 1.9e6) }" || give_up "the sender has slowed down"

# One packet of one who has seen the receiver's SSRC
in_ns intruder "$PYTHON" "$ATTACKS" on-path "$SCRATCH/tap" $SENDER:$PORT $RECEIVER:$PORT
wait_until 20 grep -q 'tfrc-peer-state, state=(string)gone' "$SCRATCH/sender.log" || give_up "what is spoofed does not get there"
echo "$(awk '{ n += $3 } END { print n }' "$SCRATCH/sent") packets of an intruder changed nothing"
