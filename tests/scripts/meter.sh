#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tools/meter: vod-receive cuts the stream of a source into the packets that were sent; wire-meter
# sees these packets pass; both name a packet by the same hash.
set -euo pipefail
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "$0")/lib.sh"
have gst-launch-1.0 || skip "no gst-launch-1.0"
tools=$(build_directory)/tools/meter
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT
[ -x "$tools/vod-receive" ] || skip "the tools are not built"
export GST_REGISTRY_1_0="$SCRATCH/registry.bin"
cd "$SCRATCH"

# A movie of 40 packets; the same with garbage before its second packet and an end in the middle of one; the same cut
# off within its first packet. And the hashes, computed here as tools/meter/packethash.h describes them.
"$PYTHON" - <<'PYTHON'
import random

random.seed(1)
packets = [b"".join(b"\x47" + random.randbytes(187) for _ in range(7)) for _ in range(40)]


def packet_hash(packet):
    h = 0xcbf29ce484222325
    for at in range(0, 1316, 8):
        h = (h ^ int.from_bytes(packet[at:at + 8], "little")) * 0x100000001b3 % 2**64
        h ^= h >> 32
    return h


def write(name, *parts):
    with open(name, "wb") as file:
        file.write(b"".join(parts))


write("movie.ts", *packets)
write("garbage.ts", packets[0], b"\x47" * 100, b"\x00" * 900, *packets[1:], packets[0][:1000])
write("late.ts", packets[0][189:], *packets[1:])
with open("hashes", "w") as file:
    file.writelines(f"{packet_hash(packet):016x}\n" for packet in packets)
PYTHON

# same_hashes WHAT FILE COLUMN [FIRST]: the column of a log has the hashes of the packets, from
# number FIRST (1) on.
same_hashes() {
  tail -n +2 "$2" | cut -d, -f"$3" | cmp - <(tail -n "+${4:-1}" hashes) || fail "hashes of $1"
}

# received FRAGMENT: prints the last message of vod-receive, which writes log.csv and out.ts.
received() {
  "$tools/vod-receive" "$1" --log log.csv --output out.ts | tail -n 1
}

# Cuts are found whatever the size of buffers.
for size in 100 1000 1316 4096 100000; do
  equals "packets from buffers of $size bytes" "vod-receive: 40 packets of 52640 bytes, 0 bytes skipped, 0 left over" \
    "$(received "filesrc location=movie.ts blocksize=$size")"
  cmp movie.ts out.ts || fail "the stream from buffers of $size bytes"
  same_hashes "buffers of $size bytes" log.csv 2
done
equals "header" arrival_ns,hash "$(head -n 1 log.csv)"

for size in 100 1316 100000; do
  equals "garbage" "vod-receive: 40 packets of 54640 bytes, 1000 bytes skipped, 1000 left over" \
    "$(received "filesrc location=garbage.ts blocksize=$size")"
  cmp movie.ts out.ts || fail "the stream after garbage"
  same_hashes "a stream with garbage" log.csv 2
done

# If a stream begins within a packet, the true cuts are unknown. They are then counted from the
# first whole transport packet.
equals "late" "vod-receive: 39 packets of 52451 bytes, 187 bytes skipped, 940 left over" \
  "$(received "filesrc location=late.ts")"

# What a user may get wrong
refused() {
  local status=0
  "$tools/$1" "${@:4}" >/dev/null 2>errors || status=$?
  equals "exit status of $1 ${*:4}" "$2" "$status"
  contains errors "$3"
}
refused vod-receive 2 "one source is needed"
refused vod-receive 2 'no element "nosuchsrc"' "nosuchsrc ! queue"
refused vod-receive 2 "--stats-interval: -1 is not a time" --stats-interval=-1 fakesrc
refused vod-receive 1 "No such file" "filesrc location=nowhere.ts"
refused vod-receive 1 "cannot write nowhere/a: No such file or directory" "filesrc location=movie.ts" --log nowhere/a
refused vod-receive 1 "cannot write /dev/full: No space left on device" "filesrc location=movie.ts" --log /dev/full
refused wire-meter 2 "usage: wire-meter INTERFACE"
refused wire-meter 2 "usage: wire-meter INTERFACE" lo --nonsense

# Over the network: a receiver, and a meter on lo, which sees every packet leave and arrive. It needs a privilege.
"$tools/wire-meter" lo --log wire.csv --flows flows.csv >meter.out 2>meter.errors &
meter=$!
"$tools/vod-receive" "udpsrc port=0" --log log.csv --stats stats.json >receiver.out &
receiver=$!
listening() {
  grep -q "listening" meter.out || ! kill -0 $meter 2>/dev/null
}
wait_until 30 listening || fail "wire-meter did not come up"

# wait_for_port FILE: sets 'port' to the port of the vod-receive that prints into FILE.
wait_for_port() {
  wait_until 30 grep -q "receiving port" "$1" || fail "vod-receive did not come up"
  port=$(sed -n 's/^vod-receive: receiving port //p' "$1")
}
wait_for_port receiver.out

gst-launch-1.0 -q filesrc location=movie.ts blocksize=1316 ! udpsink host=127.0.0.1 port="$port" sync=false
# Short datagrams count in their flow, but are not packets of the stream. Zeroes have no byte that begins a
# transport packet. Memory that was not set may have one.
gst-launch-1.0 -q fakesrc num-buffers=3 sizetype=fixed sizemax=1315 filltype=zero ! udpsink host=127.0.0.1 port="$port" sync=false

# A process that is told to end does not read the data that its socket still holds.
nothing_waits() {
  grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$port") [0-9A-F:]+ [0-9A-F]+ [0-9A-F]+:00000000 " /proc/net/udp{,6}
}
wait_until 30 nothing_waits || fail "vod-receive does not read"
kill -INT $receiver
wait $receiver || fail "vod-receive failed when told to end"
contains receiver.out "vod-receive: 40 packets"
same_hashes "what arrived" log.csv 2
"$PYTHON" - <<'PYTHON'
import json
with open("stats.json") as lines:
    stats = {line["factory"]: line["stats"] for line in map(json.loads, lines)}
assert stats["appsink"]["rendered"] == 43, stats
PYTHON

# TCP keeps no cuts; its end is that of the stream.
udp_port=$port
"$tools/vod-receive" "tcpserversrc host=127.0.0.1 port=0" --log tcp.csv >tcp.out &
receiver=$!
wait_for_port tcp.out
gst-launch-1.0 -q filesrc location=movie.ts blocksize=1316 ! tcpclientsink host=127.0.0.1 port="$port" sync=false
wait $receiver || fail "vod-receive failed when TCP ended"
contains tcp.out "vod-receive: 40 packets of 52640 bytes, 0 bytes skipped, 0 left over"
same_hashes "what arrived over TCP" tcp.csv 2

if ! kill -0 $meter 2>/dev/null; then
  contains meter.errors "(it needs CAP_NET_RAW)"
  skip "wire-meter may not listen here: $(cat meter.errors)"
fi
kill -INT $meter
wait $meter || fail "wire-meter failed: $(cat meter.errors)"
contains meter.out "wire-meter: "
equals "header" time_ns,direction,hash,proto,sport,dport "$(head -n 1 wire.csv)"
for direction in in out; do
  grep -E "^(time|[0-9]+,$direction,.*,udp,[0-9]+,$udp_port\$)" wire.csv >"$direction.csv"
  same_hashes "what passed $direction" "$direction.csv" 3
done

# Its times lie between those of sender and receiver, and the flows' log counts the same packets.
"$PYTHON" - "$udp_port" "$port" <<'PYTHON'
import csv
import sys


def rows(name):
    with open(name) as file:
        return list(csv.DictReader(file))


udp_port, tcp_port = sys.argv[1:]
for out, into, log in zip(rows("out.csv"), rows("in.csv"), rows("log.csv")):
    assert int(out["time_ns"]) <= int(into["time_ns"]) <= int(log["arrival_ns"]), (out, into, log)


def total(direction, proto, port, *keys):
    flow = [row for row in rows("flows.csv")
            if (row["direction"], row["proto"], row["dport"]) == (direction, proto, port)]
    for row in flow:
        assert (row["source"], row["destination"]) == ("127.0.0.1", "127.0.0.1"), row
        assert int(row["time_ns"]) % 100_000_000 == 0, row
    return [sum(int(row[key]) for row in flow) for key in keys]


for direction in ("out", "in"):
    found = total(direction, "udp", udp_port, "packets", "ip_bytes", "payload_bytes")
    assert found == [43, 40 * 1344 + 3 * 1343, 40 * 1316 + 3 * 1315], (direction, found)
    found = total(direction, "tcp", tcp_port, "payload_bytes")
    assert found == [40 * 1316], (direction, found)
PYTHON
