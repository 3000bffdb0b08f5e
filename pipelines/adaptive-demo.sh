#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows how an encoder follows the rate of the network (examples/adaptive-encoder.py):
#
#   adaptive-demo.sh own|router [RUNS]
#
# The bottleneck of 4 Mbit/s holds 50 packets. It has 1 Mbit/s from second 15 to second 30.
#   own     the bottleneck is the sender's own interface: the kernel refuses packets (ENOBUFS)
#   router  the bottleneck is a router behind the sender
# Each run prints how long after each change the encoder has followed, the sender delay, and the
# packets that the sender has dropped. Samples go to adaptive/RUN.csv in the build directory. Needs
# root, and network namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh
# shellcheck source=pipelines/bottleneck.sh
. pipelines/bottleneck.sh

where=${1:-}
[ "$where" = own ] || [ "$where" = router ] || die "usage: adaptive-demo.sh own|router [RUNS]"
[ "$(id -u)" = 0 ] || die "root is needed for network namespaces"
build=${BUILD:-build}
mkdir -p "$build/adaptive"
export GST_PLUGIN_PATH_1_0=$build/gst${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
export GST_REGISTRY_1_0=$build/adaptive/registry.bin
receiver=
clean_up() {
  [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
  receiver=
  bottleneck_down
}
trap clean_up EXIT

# Moves the bottleneck from the router to the sender's own interface.
own_bottleneck() {
  local tc=(ip netns exec "$BOTTLENECK_A" tc qdisc add dev to-r)
  ip netns exec "$BOTTLENECK_R" tc qdisc delete dev "$BOTTLENECK_DEVICE" root
  "${tc[@]}" root handle 1: tbf rate 4000000 burst 3000 limit 10000000
  "${tc[@]}" parent 1:1 handle 10: pfifo limit 50
}

for run in $(seq "${2:-1}"); do
  bottleneck_up 4000000 50
  namespace=$BOTTLENECK_R device=$BOTTLENECK_DEVICE
  if [ "$where" = own ]; then
    own_bottleneck
    namespace=$BOTTLENECK_A device=to-r
  fi
  ip netns exec "$BOTTLENECK_B" gst-launch-1.0 -q tfrcsrc port=5004 ! fakesink sync=false >"$build/adaptive/$where-$run.receiver" 2>&1 &
  receiver=$!
  sleep 1
  echo -n "$where, run $run: "
  ip netns exec "$BOTTLENECK_A" /usr/bin/python3 pipelines/adaptive/measure.py "$BOTTLENECK_ADDRESS" 5004 \
    "$namespace" "$device" "$build/adaptive/$where-$run.csv" | tail -n 1
  clean_up
done
