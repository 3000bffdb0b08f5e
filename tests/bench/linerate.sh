#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# One stream between two network namespaces, limited by max-bitrate alone.
#
#   tests/bench/linerate.sh [MBIT_PER_SECOND...]
#
# Prints for each rate what bench-linerate measures at both ends. SECONDS_EACH (default 10) is the
# length of a measurement, BUFFER_SIZE (default 0, the system's) the receive buffer of the receiver
# in bytes, BUFFER_BYTES (default 21056) the size of the sender's buffers, and DELAY the delay of the
# path as tc writes it, one way (default none). The programs are those of the build directory, build/
# or BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/../scripts/lib.sh"
needs_namespaces_and tc

build=$(build_directory)
bench=$build/tests/bench/bench-linerate
[ -x "$bench" ] || fail "$bench does not exist"
rates=("$@")
[ ${#rates[@]} -gt 0 ] || rates=(100 500 1000)
seconds=${SECONDS_EACH:-10}
near=linerate-near-$$ far=linerate-far-$$
receiver=

clean_up() {
  [ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true
  ip netns delete "$near" 2>/dev/null || true
  ip netns delete "$far" 2>/dev/null || true
  rm -rf "$SCRATCH"
}
trap clean_up EXIT

ip netns add "$near" 2>/dev/null || skip "this system has no network namespaces for us"
ip netns add "$far"
ip link add near netns "$near" type veth peer name far netns "$far" 2>/dev/null || skip "no veth links here"
for end in "near $near 10.97.0.1" "far $far 10.97.0.2"; do
  read -r link namespace address <<<"$end"
  ip -n "$namespace" address add "$address/24" dev "$link"
  ip -n "$namespace" link set lo up
  ip -n "$namespace" link set "$link" up
  [ -z "${DELAY:-}" ] || ip netns exec "$namespace" tc qdisc add dev "$link" root netem delay "$DELAY" limit 100000
done

export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY_1_0=$SCRATCH/registry
# Plugins are looked for once, before anything is measured.
"$bench" --look-for-plugins
for rate in "${rates[@]}"; do
  echo "max-bitrate $rate Mbit/s"
  timeout $((seconds + 30)) ip netns exec "$far" "$bench" 3 "$seconds" receiver \
    "tfrcsrc name=tfrc address=10.97.0.2 port=5004 buffer-size=${BUFFER_SIZE:-0} ! fakesink sync=false" &
  receiver=$!
  sleep 0.5
  timeout $((seconds + 30)) ip netns exec "$near" "$bench" 2.5 "$seconds" sender \
    "nullsource buffer-bytes=${BUFFER_BYTES:-21056} ! tfrcsink name=tfrc host=10.97.0.2 port=5004 sync=false \
      max-bitrate=$((rate * 1000000))"
  wait "$receiver"
  receiver=
done
