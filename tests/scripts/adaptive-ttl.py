# SPDX-License-Identifier: LGPL-2.1-or-later
"""A route that becomes longer than the TTL, and shorter again, on the testbed: adaptive-ttl.py OUTPUT [BACKEND]

Three senders are behind 3 routers. At GROWS_S the route gets 12 routers, at SHRINKS_S again 3. Each
sender has one stream over IPv4 and one over IPv6, and all streams begin with TTL 8:

    fixed        tfrcsink without adaptive-ttl
    unprotected  tfrcsink with adaptive-ttl: the TTL may not rise above 8
    protected    the same with a passphrase and protect=raised-ttl: the TTL may rise, and packets
                 are protected from then on

Captures at the senders and at the receiver tell which packets were lost, when they had left,
their TTL, and whether they were protected. Prints a table and checks it. Each kind of stream has a sender of its own, since Linux
limits the ICMP messages to one host: streams of one host would take them from each other.
"""

import csv
import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "pipelines")]

import testbed  # noqa: E402
from testbed import routing  # noqa: E402

ROUTERS = 12
SHORT = 3  # routers r1, r2 and r12
DELAY_S = 0.005  # of each link
TTL, TTL_MAX = 8, 64  # ttl-min is TTL, too
BITRATE = 600_000
START_S, GROWS_S, SHRINKS_S, END_S = 2, 5, 8, 11
PORTS = {4: 5004, 6: 5006}
STREAMS = ("fixed", "unprotected", "protected")
LONG_ALONE = [f"r{number}" for number in range(3, ROUTERS)]  # on the long route, not on the short one
# Over the long route to the receiver, and over the short one back
RTT_S = DELAY_S * (ROUTERS + 1 + SHORT + 1)
KEYS = "passphrase=a-route-that-grows protect=raised-ttl"
PAYLOAD_BYTES = 1316
NULL_PACKETS = (b"\x47\x1f\xff\x10" + bytes([255]) * 184) * 7000


# ---- the network -----------------------------------------------------------------------------------------------------


def nodes():
    return [*(f"s_{stream}" for stream in STREAMS), *(f"r{number}" for number in range(1, ROUTERS + 1)), "d"]


def links():
    delay = f"{DELAY_S * 1000:g}ms"
    found = {f"a{index}": {"ends": [f"s_{stream}", "r1"], "delay": delay} for index, stream in enumerate(STREAMS)}
    found |= {f"hop{number}": {"ends": [f"r{number}", f"r{number + 1}"], "delay": delay} for number in range(1, ROUTERS)}
    # The spec's routes have the fewest links, so that this link is in the first route.
    found["shortcut"] = {"ends": ["r2", f"r{ROUTERS}"], "delay": delay}
    found["last"] = {"ends": [f"r{ROUTERS}", "d"], "delay": delay}
    return found


def address6(node):
    return f"fd00:77::{nodes().index(node) + 1:x}"


def set_up_ipv6(topology, node):
    """The commands that give a node what the testbed gives it for IPv4."""
    own = [(index, link) for index, link in enumerate(topology.links.values()) if node in link.ends]
    first = routing.routes(topology)
    settings = ["net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.lo.disable_ipv6=0"]
    settings += [f"net.ipv6.conf.{link.name}.{name}" for _, link in own for name in ("addr_gen_mode=1", "disable_ipv6=0")]
    lines = [f"address add {address6(node)}/128 dev lo nodad"]
    for index, link in own:
        far = link.other_end(node)
        lines.append(f"neighbour add {address6(far)} dev {link.name} nud permanent lladdr "
                     f"{routing.mac(index, link.ends.index(far))}")
    for to in topology.nodes:
        if (node, to) in first:
            via = topology.links[first[node, to]]
            lines.append(f"route add {address6(to)} via {address6(via.other_end(node))} dev {via.name} onlink "
                         f"src {address6(node)}")
    return "\n".join([f"sysctl -qw {' '.join(settings)} && ip -6 -batch - <<END", *lines, "END"])


def change_route(topology, node, link):
    """The commands at a node that send packets for the receiver over this link."""
    far = topology.links[link].other_end(node)
    addresses = routing.addresses(topology)
    return (f"ip route replace {addresses['d']} via {addresses[far]} dev {link} onlink src {addresses[node]} && "
            f"ip -6 route replace {address6('d')} via {address6(far)} dev {link} onlink src {address6(node)}")


def set_up(topology, node):
    """The commands that a node runs at time 0. From the routers of the long route the shortcut is
    nearer, too: their packets for the receiver would go in a circle."""
    commands = [set_up_ipv6(topology, node)]
    if node in LONG_ALONE:
        commands.append(change_route(topology, node, f"hop{node[1:]}"))
    return "\n".join(["set -e", *commands])


# ---- the jobs --------------------------------------------------------------------------------------------------------


def port(stream, version):
    return PORTS[version] + 10 * STREAMS.index(stream)


def send(stream, version):
    """The job that sends a stream."""
    host = "$ADDRESS_d" if version == 4 else address6("d")
    adaptive = "" if stream == "fixed" else f"adaptive-ttl=true ttl-min={TTL} ttl-max={TTL_MAX}"
    keys = KEYS if stream == "protected" else ""
    return (f"while cat null.ts; do :; done | gst-launch-1.0 -m fdsrc blocksize=1316 ! "
            f"video/mpegts,systemstream=true,packetsize=188 ! tfrcsink host={host} port={port(stream, version)} ttl={TTL} "
            f"sync=false max-bitrate={BITRATE} stats-update-interval=1000 {adaptive} {keys}")


def build():
    spec = {"limit": f"{END_S + 10}s", "nodes": {node: {} for node in nodes()}, "links": links(), "jobs": {}}
    spec["jobs"]["end"] = {"node": "d", "run": f"sleep {END_S}"}
    topology = testbed.load(spec)
    jobs = {f"set-up-{node}": {"node": node, "run": set_up(topology, node)} for node in nodes()}
    for stream in STREAMS:
        for version in PORTS:
            name, keys = f"{stream}-{version}", KEYS if stream == "protected" else ""
            receive = f"exec gst-launch-1.0 -m tfrcsrc address=:: port={port(stream, version)} stats-update-interval=1000 {keys} ! fakesink sync=false"
            jobs[f"receive-{name}"] = {"node": "d", "run": receive, "background": True}
            jobs[f"send-{name}"] = {"node": f"s_{stream}", "run": send(stream, version), "background": True, "at": f"{START_S}s"}
    jobs["grow"] = {"node": "r2", "run": change_route(topology, "r2", "hop2"), "at": f"{GROWS_S}s"}
    jobs["shrink"] = {"node": "r2", "run": change_route(topology, "r2", "shortcut"), "at": f"{SHRINKS_S}s"}
    spec["jobs"] |= jobs
    return spec


# ---- the captures ----------------------------------------------------------------------------------------------------


def frames(path):
    """(time in s, Ethernet frame) of a capture."""
    data = path.read_bytes()
    per_second = {0xa1b2c3d4: 10**6, 0xa1b23c4d: 10**9}[struct.unpack("<I", data[:4])[0]]
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, size, _ = struct.unpack("<IIII", data[at:at + 16])
        yield seconds + fraction / per_second, data[at + 16:at + 16 + size]
        at += 16 + size


def udp(frame):
    """(IP version, TTL, UDP packet) or None."""
    kind = struct.unpack(">H", frame[12:14])[0]
    ip = frame[14:]
    if kind == 0x0800 and ip[9] == 17:
        return 4, ip[8], ip[4 * (ip[0] & 15):]
    if kind == 0x86dd and ip[6] == 17:
        return 6, ip[7], ip[40:]
    return None


def data_packets(path):
    """(time in s, IP version, port, RTP sequence number, TTL, header's TTL or None, is it protected)
    of packets of data, in their order."""
    for time_s, frame in frames(path):
        found = udp(frame)
        if found is None:
            continue
        version, ttl, packet = found
        rtp = packet[8:]
        if len(rtp) > 28 and rtp[0] == 0x90 and rtp[1] & 0x7f == 33:
            told = rtp[26] if rtp[24] == 0x21 else None
            is_protected = struct.unpack(">H", packet[4:6])[0] - 8 > 16 + 4 * struct.unpack(">H", rtp[14:16])[0] + PAYLOAD_BYTES
            yield time_s, version, struct.unpack(">H", packet[2:4])[0], struct.unpack(">H", rtp[2:4])[0], ttl, told, is_protected


class Stream:
    """What the captures show of one stream. Times are in s after the testbed's time 0."""

    def __init__(self, name, version, output, zero_s):
        def own(capture):
            return [(time_s - zero_s, *rest) for time_s, found, to, *rest in data_packets(output / "pcap" / capture)
                    if (found, to) == (version, port(name, version))]
        self.name, self.version = name, version
        self.sent = own(f"s_{name}-a{STREAMS.index(name)}.pcap")
        arrived = {number for _, number, *_ in own("d-last.pcap")}
        # Fewer than 65536 packets leave, so that numbers are unique.
        assert 0 < len(self.sent) < 60000, f"{name} over IPv{version}: {len(self.sent)} packets were sent"
        self.lost = [packet for packet in self.sent if packet[1] not in arrived]

    def count(self, packets, from_s, to_s):
        return sum(from_s <= packet[0] < to_s for packet in packets)

    def ttls(self, from_s, to_s):
        return sorted({packet[2] for packet in self.sent if from_s <= packet[0] < to_s})


# ---- the table -------------------------------------------------------------------------------------------------------

COLUMNS = ("stream", "IP", "before", "in 1 R", "after 1 R", "shrunk", "sent before", "sent long", "sent shrunk", "TTL before", "TTL long",
           "TTL shrunk")


def row(stream, grown_s, shrunk_s):
    """One row: packets lost before the route grew; lost of those that left within one R after that,
    and later; lost of those that left after the route had shrunk; packets sent in the three times;
    the least and largest TTL in the last second of each."""
    parts = ((0, grown_s[0]), (grown_s[0], grown_s[1] + RTT_S), (grown_s[1] + RTT_S, shrunk_s[0]), (shrunk_s[0], END_S - 0.5))
    spans = (parts[0], (grown_s[1], shrunk_s[0]), parts[3])
    ttls = (stream.ttls(to_s - 1, to_s) for _, to_s in spans)
    return dict(zip(COLUMNS, (stream.name, f"v{stream.version}", *(stream.count(stream.lost, *part) for part in parts),
                              *(stream.count(stream.sent, *span) for span in spans),
                              *(f"{found[0]}-{found[-1]}" if found else "none" for found in ttls))))


def print_table(rows):
    widths = [max(len(name), *(len(str(found[name])) for found in rows)) for name in COLUMNS]
    for cells in (COLUMNS, *(found.values() for found in rows)):
        print("  ".join(str(cell).rjust(width) for cell, width in zip(cells, widths)))


class Wrong(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Wrong(text)


def check_row(found, stream, grown_s, shrunk_s, output):
    name = f"{found['stream']} over IP{found['IP']}"
    warned = "not protected" in (output / "jobs" / f"send-{stream.name}-{stream.version}.out").read_text()
    check(found["before"] == 0, f"{name}: packets were lost before the route changed")
    check(found["in 1 R"] > 0, f"{name}: the longer route has cost no packet")
    check(warned == (stream.name == "unprotected"), f"{name}: {'a' if warned else 'no'} warning that the stream is not protected")
    if stream.name == "fixed":
        check(stream.ttls(0, END_S) == [TTL], f"{name}: the TTL was not always {TTL}")
        check({told for _, _, _, told, _ in stream.sent} == {None}, f"{name}: a header tells a TTL")
    else:
        check(all(ttl == told for _, _, ttl, told, _ in stream.sent), f"{name}: a header tells another TTL than its packet's")
    if stream.name == "protected":
        check(found["after 1 R"] == 0, f"{name}: packets were lost later than one R after the change")
        check(found["shrunk"] == 0, f"{name}: the shorter route has cost packets")
        check(found["TTL long"] == f"{ROUTERS + 1}-{ROUTERS + 1}", f"{name}: the TTL is not that of the long route")
        check(found["TTL shrunk"] == f"{TTL}-{TTL}", f"{name}: the TTL was not lowered again")
        check(all(ttl < ROUTERS + 1 for _, _, ttl, *_ in stream.lost), f"{name}: a packet with a raised TTL was lost")
        check_protection(name, stream, (output / "jobs" / f"receive-{stream.name}-{stream.version}.out").read_text())
    else:
        check(max(stream.ttls(0, END_S)) == TTL, f"{name}: the TTL was raised above {TTL}")
        lost, sent = stream.count(stream.lost, grown_s[1], shrunk_s[0]), found["sent long"]
        check(lost == sent, f"{name}: {sent - lost} packets have come over the route that is too long")


def check_protection(name, stream, receiver):
    """Packets are protected from the first one on that has a raised TTL, and the receiver refuses
    none."""
    raised = next((at for at, packet in enumerate(stream.sent) if packet[2] > TTL), None)
    check(raised is not None, f"{name}: no packet has a raised TTL")
    check(not any(is_protected for *_, is_protected in stream.sent[:raised]), f"{name}: packets were protected before the TTL was raised")
    check(all(is_protected for *_, is_protected in stream.sent[raised:]), f"{name}: packets were not protected after the TTL was raised")
    last = receiver[receiver.rindex("tfrc-stats"):]
    check("protected=(boolean)true" in last, f"{name}: the receiver does not know of the protection")
    refused = re.findall(r"packets-refused-[a-z-]+=\(guint64\)([0-9]+)", last)
    check(refused and set(refused) == {"0"}, f"{name}: the receiver has refused packets: {refused}")


def times(output):
    """When packets leave that meet the change of the route for the first time, and when all do: of
    both changes."""
    with open(output / "jobs.csv", newline="") as file:
        jobs = {job["job"]: (float(job["start_s"]), float(job["end_s"])) for job in csv.DictReader(file)}
    # What reaches r2 after the change has left two links earlier.
    return tuple((start_s - 2 * DELAY_S, end_s) for start_s, end_s in (jobs["grow"], jobs["shrink"]))


def main(output, backend="auto"):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    stream = output / "null.ts"
    stream.write_bytes(NULL_PACKETS)
    captures = [*(f"s_{name}:a{index}" for index, name in enumerate(STREAMS)), "d:last"]
    result = testbed.run(build(), output / "run", backend=backend, limit_s=500,
                         files=[stream], pcap=captures)
    run = output / "run"
    if result.exit_status != 0:
        sys.exit(f"adaptive-ttl: the testbed's exit status is {result.exit_status}, see {run}")
    zero_s = json.loads((run / "run.json").read_text())["started_realtime_ns"] / 1e9
    grown_s, shrunk_s = times(run)
    streams = [Stream(name, version, run, zero_s) for name in STREAMS for version in PORTS]
    rows = [row(found, grown_s, shrunk_s) for found in streams]
    print(f"routers: {SHORT}, then {ROUTERS}, then {SHORT}; R on the long route {RTT_S * 1000:g} ms; packets lost, sent, and their TTL")
    print_table(rows)
    try:
        for found, of in zip(rows, streams):
            check_row(found, of, grown_s, shrunk_s, run)
    except Wrong as error:
        sys.exit(f"adaptive-ttl: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
