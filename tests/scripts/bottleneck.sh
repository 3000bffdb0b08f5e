#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# pipelines/bottleneck.sh makes the network that its comment describes: the rate, the length of the
# queue, no offloads, a way there and back. It leaves nothing behind. Needs root.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=pipelines/bottleneck.sh
. "$ROOT/pipelines/bottleneck.sh"

[ "$(id -u)" = 0 ] || skip "not root"
trap 'bottleneck_down; rm -rf "$SCRATCH"' EXIT
bottleneck_up 2000000 20 5 2>"$SCRATCH/why" || skip "no network namespaces: $(tail -n 1 "$SCRATCH/why")"

bottleneck_status >"$SCRATCH/status"
contains "$SCRATCH/status" '"rate":250000'
contains "$SCRATCH/status" '"limit":20'
case $BOTTLENECK_DELAY in
  5) ip netns exec "$BOTTLENECK_A" tc qdisc show dev to-r | grep -q "netem.*delay 5" || fail "no delay" ;;
  unavailable) ;;
  *) fail "delay: $BOTTLENECK_DELAY" ;;
esac
offloads=$(ip netns exec "$BOTTLENECK_A" ethtool -k to-r | grep -c \
  -e '^tcp-segmentation-offload: off' -e '^generic-segmentation-offload: off' -e '^generic-receive-offload: off')
equals "offloads that are off" 3 "$offloads"

# A burst of 100 datagrams. The queue holds 20, so at least 50 are dropped. The others are answered
# over the way back.
cat >"$SCRATCH/echo.py" <<'PYTHON'
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("0.0.0.0", 5004))
print("ready", flush=True)
while True:
    data, peer = server.recvfrom(2048)
    server.sendto(data[:4], peer)
PYTHON
ip netns exec "$BOTTLENECK_B" "$PYTHON" "$SCRATCH/echo.py" >"$SCRATCH/echo.log" 2>&1 &
echo=$!
trap 'kill $echo; bottleneck_down; rm -rf "$SCRATCH"' EXIT
wait_until 30 grep -q ready "$SCRATCH/echo.log" || fail "no echo server: $(cat "$SCRATCH/echo.log")"
ip netns exec "$BOTTLENECK_A" "$PYTHON" - "$BOTTLENECK_ADDRESS" >"$SCRATCH/answers" <<'PYTHON'
import socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 5004))
client.settimeout(30)
client.send(b"0")  # resolves the addresses of the link
client.recv(100)
for number in range(100):
    client.send(b"x" * 1340)
client.settimeout(2)
answers = 0
try:
    while client.recv(100):
        answers += 1
except TimeoutError:
    print(answers)
PYTHON
answers=$(cat "$SCRATCH/answers")
dropped=$(bottleneck_status | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)[0]["drops"])')
equals "datagrams answered or dropped" 100 $((answers + dropped))
if [ "$answers" -lt 20 ] || [ "$dropped" -lt 50 ]; then
  fail "$answers answered and $dropped dropped, from a burst of 100 into a queue of 20"
fi

bottleneck_down
bottleneck_down
! ip netns list | grep -q "tfrc-$$-" || fail "namespaces are left"
