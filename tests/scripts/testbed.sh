#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The testbed in a guest: round-trip time, rate, length of the queue, loss, events, limits,
# captures, statuses, and that a run repeats. Time is virtual, so that the bounds depend on the
# emulated network and not on the machine.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"

"$PYTHON" -c 'import yaml' 2>/dev/null || skip "Python has no yaml"
BUILD_DIR=$(build_directory)
export BUILD_DIR
[ -e "$BUILD_DIR/gst/libgsttfrc.so" ] || skip "the plugin is not built"
"$PYTHON" "$ROOT/pipelines/testbed" available guest 2>"$SCRATCH/available" || skip "$(sed 's/^testbed: //' "$SCRATCH/available")"

# run_spec NAME EXPECTED_STATUS [OPTION...]: runs $SCRATCH/NAME.yaml, with results in $SCRATCH/NAME
run_spec() {
  local name=$1 expected=$2 status=0
  shift 2
  "$PYTHON" "$ROOT/pipelines/testbed" run "$SCRATCH/${name%-again}.yaml" --backend guest --output "$SCRATCH/$name" "$@" \
    >"$SCRATCH/$name.log" 2>&1 || status=$?
  [ $status = "$expected" ] || cat "$SCRATCH/$name.log" "$SCRATCH/$name"/{console.log,jobs/*} >&2 || true
  equals "status of $name" "$expected" $status
}

# within WHAT LOW HIGH VALUE
within() {
  awk "BEGIN { exit !($4 >= $2 && $4 <= $3) }" || fail "$1 is $4, not between $2 and $3"
}

# rtt_ms NAME JOB: the mean round-trip time of its pings
rtt_ms() {
  sed -n 's|^rtt .* = [0-9.]*/\([0-9.]*\)/.*|\1|p' "$SCRATCH/$1/jobs/$2.out"
}

# answers NAME JOB: how many of the job's pings were answered
answers() {
  sed -n 's/.* transmitted, \([0-9]*\) received.*/\1/p' "$SCRATCH/$1/jobs/$2.out"
}

# counter NAME LINK DIRECTION COLUMN
counter() {
  awk -F , -v key="$2,$3" -v column="$4" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
    $1 "," $2 == key { print $at }' "$SCRATCH/$1/links.csv"
}

cat >"$SCRATCH/links.yaml" <<'SPEC'
limit: 60s
nodes: {a: {}, r: {}, b: {sysctl: {net.ipv4.tcp_sack: 0}}, c: {}, d: {}, e: {}, f: {}, g: {}}
links:
  access: {ends: [a, r], delay: 1ms}
  bottleneck: {ends: [r, b], delay: 20ms, forward: {rate: 2mbit, queue: 20}}
  other: {ends: [r, b], delay: 50ms}
  lossy: {ends: [c, r], delay: 5ms, forward: {loss: 0.1}}
  ordered: {ends: [c, d], delay: 25ms, forward: {jitter: 20ms, ordered: true}}
  fq_codel: {ends: [r, e], delay: 10ms, forward: {rate: 2mbit, queue: 1000, aqm: fq_codel}}
  codel: {ends: [r, f], delay: 10ms, forward: {rate: 2mbit, queue: 1000, aqm: codel}}
  red: {ends: [r, g], delay: 10ms, forward: {rate: 2mbit, queue: 20, aqm: red}}
files: [hello]
jobs:
  sink: {node: b, background: true, run: gst-launch-1.0 -q udpsrc port=6000 ! filesink location=$TESTBED_OUT/burst}
  server: {node: b, background: true, run: iperf3 --server}
  facts: {node: b, run: "cat hello && sysctl -n net.ipv4.tcp_congestion_control net.ipv4.tcp_sack && echo $TESTBED_NODE $TESTBED_SEED $INTERFACE_bottleneck && gst-inspect-1.0 tfrcsink > /dev/null"}
  rtt: {node: a, run: "ping -q -c 10 -i 0.1 $ADDRESS_b"}
  burst: {node: a, at: 2s, run: "gst-launch-1.0 -q fakesrc num-buffers=100 sizetype=fixed sizemax=1000 ! udpsink host=$ADDRESS_b port=6000 sync=false"}
  tcp: {node: a, at: 3s, run: "iperf3 --client $ADDRESS_b --time 1"}
  loss: {node: c, run: "ping -q -c 1000 -i 0.002 $ADDRESS_r"}
  in-order: {node: c, run: "ping -c 200 -i 0.002 $ADDRESS_d"}
  server-e: {node: e, background: true, run: iperf3 --server}
  server-f: {node: f, background: true, run: iperf3 --server}
  server-g: {node: g, background: true, run: iperf3 --server}
  tcp-e: {node: a, at: 5s, run: "iperf3 --client $ADDRESS_e --time 4"}
  tcp-f: {node: a, at: 5s, run: "iperf3 --client $ADDRESS_f --time 4"}
  tcp-g: {node: a, at: 5s, run: "iperf3 --client $ADDRESS_g --time 4"}
  rtt-fq_codel: {node: a, at: 6s, run: "ping -q -c 30 -i 0.1 $ADDRESS_e"}
  rtt-codel: {node: a, at: 6s, run: "ping -q -c 30 -i 0.1 $ADDRESS_f"}
  rtt-red: {node: a, at: 6s, run: "ping -q -c 30 -i 0.1 $ADDRESS_g || true"}
  changed: {node: a, at: 11s, run: "ping -q -c 3 -i 0.1 $ADDRESS_b"}
  failed: {node: a, at: 12.1s, run: "! ping -q -c 3 -i 0.1 -W 0.3 $ADDRESS_b"}
  restored: {node: a, at: 13.1s, run: "ping -q -c 3 -i 0.1 $ADDRESS_b"}
  routed: {node: a, at: 14.1s, run: "ping -q -c 3 -i 0.1 $ADDRESS_b"}
  slower: {node: a, at: 16s, run: "ping -q -c 3 -i 0.1 -s 972 -I $INTERFACE_access $ADDRESS_b"}
  fails: {node: c, at: 100ms, run: "exit 3"}
  fails-later: {node: c, at: 200ms, run: "exit 4"}
events:
  - {at: 10s, change: bottleneck, delay: 40ms}
  - {at: 12s, fail: bottleneck}
  - {at: 13s, restore: bottleneck}
  - {at: 14s, route: {node: r, to: b, via: other}}
  - {at: 15s, route: {node: r, to: b, via: bottleneck}}
  - {at: 15s, change: bottleneck, direction: forward, rate: 100kbit}
SPEC
echo hello >"$SCRATCH/hello"
# Its status is that of the first job that fails; the others go on.
run_spec links 3 --pcap b:bottleneck

equals "facts of a node" "hello reno 0 b 1 bottleneck" "$(tr '\n' ' ' <"$SCRATCH/links/jobs/facts.out" | sed 's/ $//')"
# 84 bytes take 0.336 ms at 2 Mbit/s.
within "round-trip time (ms)" 42.336 42.836 "$(rtt_ms links rtt)"
# The whole burst arrives before its first packet has left. So the packets that may wait pass, and
# the packet in service.
equals "packets that pass a queue of 20" 21 $(($(stat -c %s "$SCRATCH/links/burst") / 1000))
# From b's capture of the burst: the number of packets, bit/s of IP between the first and the last
# of them, and the longest packet of all.
read -r captured rate longest < <("$PYTHON" - "$SCRATCH/links/pcap/b-bottleneck.pcap" <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()
at, longest, times = 24, 0, []
while at < len(data):
    seconds, microseconds, length, _ = struct.unpack_from("<4I", data, at)
    packet = data[at + 16 : at + 16 + length]
    longest = max(longest, length - 14)
    if packet[23] == 17 and packet[36:38] == (6000).to_bytes(2, "big"):
        times.append(seconds + microseconds / 1e6)
    at += 16 + length
print(len(times), (len(times) - 1) * 1028 * 8 / (times[-1] - times[0]), longest)
PYTHON
)
equals "packets of the burst that were captured" 21 "$captured"
within "rate (bit/s)" 1.999e6 2.001e6 "$rate"
equals "longest packet of a TCP flow" 1500 "$longest"
# Jitter that keeps the order: the answers come in order, and their delays differ as much as without
# order.
sed -n 's/.*icmp_seq=\([0-9]*\) .*/\1/p' "$SCRATCH/links/jobs/in-order.out" >"$SCRATCH/in-order"
equals "answers over a line with jitter" 200 "$(wc -l <"$SCRATCH/in-order")"
sort -nc "$SCRATCH/in-order" || fail "an ordered line let packets overtake"
read -r shortest longest < <(sed -n 's|^rtt .* = \([0-9.]*\)/[0-9.]*/\([0-9.]*\)/.*|\1 \2|p' "$SCRATCH/links/jobs/in-order.out")
within "shortest round-trip time with jitter (ms)" 30 50 "$shortest"
within "longest round-trip time with jitter (ms)" 65 71 "$longest"
# Active queue management keeps a queue short that TCP would fill. The delay is 20 ms, and a packet
# takes 6 ms at 2 Mbit/s.
# CoDel holds the wait near 5 ms whatever TCP does. RED drops at random and drops everything above
# three quarters of the queue, 15 packets, so that the answers wait for 90 ms at most: how long below
# that is different with every guest.
declare -A longest_ms=([fq_codel]=70 [codel]=70 [red]=110)
for discipline in fq_codel codel red; do
  within "round-trip time beside TCP with $discipline (ms)" 20 "${longest_ms[$discipline]}" "$(rtt_ms links "rtt-$discipline")"
  within "packets dropped by $discipline" 1 100 "$(counter links $discipline forward dropped)"
  # In 4 s
  within "bytes of TCP with $discipline" 900000 1100000 "$(counter links $discipline forward bytes)"
done
# Binomial: within four standard deviations of 9.5 each. netem's count equals the number of missing
# packets.
received=$(answers links loss)
within "answers through a loss ratio of 0.1" 862 938 "$received"
equals "packets lost" $((1000 - received)) "$(counter links lossy forward lost)"
equals "packets that came through" "$received" "$(counter links lossy forward packets)"
equals "packets dropped where there is no queue" 0 "$(counter links access forward dropped)"
within "round-trip time after the change (ms)" 82.336 82.836 "$(rtt_ms links changed)"
equals "answers over a failed link" 0 "$(answers links failed)"
within "round-trip time after the repair (ms)" 82.336 82.836 "$(rtt_ms links restored)"
within "round-trip time with one way over the other link (ms)" 92 92.5 "$(rtt_ms links routed)"
# 1000 bytes take 80 ms at 100 kbit/s.
within "round-trip time at a lower rate (ms)" 162 162.5 "$(rtt_ms links slower)"

# At the limit all jobs end, even those that ignore signals. The seed determines the random events
# of the line.
cat >"$SCRATCH/limit.yaml" <<'SPEC'
limit: 2s
nodes: {a: {}, b: {}}
links:
  line: {ends: [a, b], delay: 10ms, jitter: 5ms, loss: 5%, duplicate: 5%, reorder: 5%}
jobs:
  told: {node: b, background: true, run: "trap 'echo told; exit 0' TERM; while :; do sleep 0.1; done"}
  pings: {node: a, run: "ping -c 100 -i 0.01 $ADDRESS_b"}
  stubborn: {node: a, run: "trap '' INT TERM; echo begun; sleep 1000"}
SPEC
run_spec limit 124 --seed 7
contains "$SCRATCH/limit/run.json" '"seed": 7'
contains "$SCRATCH/limit/jobs/told.out" told
contains "$SCRATCH/limit/jobs/stubborn.out" begun
within "end of a job that ignores signals (s)" 4 4.2 "$(awk -F , '$1 == "stubborn" { print $4 }' "$SCRATCH/limit/jobs.csv")"
contains "$SCRATCH/limit/jobs/pings.out" "duplicates"
# With jitter alone no round-trip time is below 10 ms. Packets that overtake do not wait at all.
within "shortest round-trip time with reordering (ms)" 0 9.999 "$(sed -n 's|^rtt .* = \([0-9.]*\)/.*|\1|p' "$SCRATCH/limit/jobs/pings.out")"

# The same seed gives the same results, byte for byte.
run_spec limit-again 124 --seed 7
for name in jobs.csv links.csv jobs; do
  diff -r "$SCRATCH/limit/$name" "$SCRATCH/limit-again/$name" || fail "$name differs from run to run"
done
