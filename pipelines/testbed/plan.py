# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands that make a topology: the bash functions that session.sh runs on a host or in a
guest.

The text depends on the topology alone. Every link is two pairs of interfaces, one pair for each
node. The far ends are in a namespace of their own ("wire"), where a packet that comes in at one end
is redirected to the other. The queue and the line are in that namespace, so that neither the nodes'
socket buffers nor TCP's small queues notice how long a packet waits in netem:

    node a        wire                                                                          node b
    link ------ w0a -> [w0fq: netem rate, limit = queue + 1] - w0fl -> [w0b: netem delay, loss] ------ link

netem limits the rate, and not tbf, whose bucket would let a packet pass at once. Only active queue
management needs tbf, see aqm.py. The hop with the queue exists if the link has a rate at some time.
Names of namespaces begin with $NS, so that runs on one host have different names.
"""

import shlex

from . import aqm, routing
from .topology import DIRECTIONS

# netem's limit counts the packet in service as well as the waiting packets.
_IN_SERVICE = 1
# netem's limit on the line, where no packet is to be dropped for lack of room.
_UNLIMITED_PACKETS = 1000000
# With a rate, netem does not let packets overtake each other. At this rate a packet takes 12 ns.
_ORDERING_RATE_BPS = 10**12
# netem counts these bytes of a packet besides the IP packet.
ETHERNET_BYTES = 14
_TCP = {"net.ipv4.tcp_congestion_control": "reno"}
_NODE = {"net.ipv4.ip_forward": "1", "net.ipv4.conf.all.rp_filter": "0", "net.ipv4.conf.default.rp_filter": "0"}


class _Wires:
    """The names of a link's interfaces in the namespace of the wires."""

    def __init__(self, index):
        self.ends = (f"w{index}a", f"w{index}b")
        self.queues = {direction: f"w{index}{direction[0]}q" for direction in DIRECTIONS}
        self.queue_ends = {direction: f"w{index}{direction[0]}l" for direction in DIRECTIONS}

    def entry(self, direction):
        return self.ends[DIRECTIONS.index(direction)]

    def line(self, direction):
        return self.ends[1 - DIRECTIONS.index(direction)]


def wires(topology):
    return {name: _Wires(index) for index, name in enumerate(topology.links)}


def queued(topology):
    """The (link, direction) that have a queue at some time."""
    shaped = [(link.name, link.shapes) for link in topology.links.values()]
    shaped += [(event.link, event.shapes) for event in topology.events if event.kind == "change"]
    return {(name, direction) for name, shapes in shaped for direction in shapes if shapes[direction].rate_bps}


def render(topology):
    """The text of plan.sh."""
    parts = ["# What session.sh runs: made from the spec, see plan.py.", _schedule(topology), _network(topology)]
    parts += [_function(f"event_{index}", lines) for index, lines in enumerate(_events(topology))]
    return "\n\n".join(parts) + "\n"


def render_job(topology, job):
    """The script of one job: the variables of its node, then its command."""
    node = topology.jobs[job].node
    lines = [f"export TESTBED_NODE={node}"]
    lines += [f"export ADDRESS_{name}={address}" for name, address in routing.addresses(topology).items()]
    lines += [f"export INTERFACE_{link.name}={link.name}" for link in topology.links.values() if node in link.ends]
    return "\n".join([*lines, topology.jobs[job].run, ""])


def _namespaces(topology):
    return ["_wire", *topology.nodes]


def _function(name, lines):
    return "\n".join([f"{name}() {{", *lines, "}"])


def _batch(command, lines):
    return [f"{command} -batch - <<END", *lines, "END"] if lines else []


def _schedule(topology):
    timed = [(job.at_ns, f"job {job.name}") for job in topology.jobs.values()]
    timed += [(event.at_ns, f"event {index}") for index, event in enumerate(topology.events)]
    timed.sort(key=lambda item: item[0])
    lines = [f"limit_us={topology.limit_ns // 1000 if topology.limit_ns else ''}", "schedule=("]
    lines += [f"  '{at_ns // 1000} {what}'" for at_ns, what in timed]
    lines += [")", "declare -A node_of=("]
    lines += [f"  [{job.name}]={job.node}" for job in topology.jobs.values()]
    lines += [")", "declare -A background=("]
    lines += [f"  [{job.name}]=yes" for job in topology.jobs.values() if job.background]
    return "\n".join([*lines, ")", f"namespaces=({' '.join(_namespaces(topology))})"])


def _network(topology):
    lines = _batch("ip", [f"netns add ${{NS}}{name}" for name in _namespaces(topology)])
    for node in _namespaces(topology):
        lines += _settings(topology, node)
    lines += _batch("ip", _interfaces(topology))
    lines += _batch('ip -n "$NS"_wire', _wires_up(topology))
    lines += _batch('tc -n "$NS"_wire', _shaping(topology))
    for node in topology.nodes:
        for link in topology.links.values():
            if node in link.ends:
                lines.append(f'ip netns exec "$NS"{node} ethtool -K {link.name} tso off gso off gro off')
        lines += _batch(f'ip -n "$NS"{node}', _node_up(topology, node))
    return _function("network_up", lines)


def _settings(topology, node):
    sysctl = f'ip netns exec "$NS"{node} sysctl -qw'
    # This comes before any interface exists. Each interface would announce itself over IPv6, and
    # its packets would disturb the runs.
    lines = [f"[ ! -e /proc/sys/net/ipv6 ] || {sysctl} net.ipv6.conf.default.disable_ipv6=1"]
    if node in topology.nodes:
        values = {**_NODE, **_TCP, **topology.nodes[node]}
        lines.append(" ".join([sysctl, *(shlex.quote(f"{name}={value}") for name, value in values.items())]))
    return lines


def _interfaces(topology):
    lines = []
    wanted = queued(topology)
    for index, (link, wire) in enumerate(zip(topology.links.values(), wires(topology).values())):
        for end, node in enumerate(link.ends):
            lines.append(
                f"link add {link.name} netns ${{NS}}{node} address {routing.mac(index, end)} "
                f"type veth peer name {wire.ends[end]} netns ${{NS}}_wire")
        lines += [
            f"link add {wire.queues[direction]} netns ${{NS}}_wire "
            f"type veth peer name {wire.queue_ends[direction]} netns ${{NS}}_wire"
            for direction in DIRECTIONS
            if (link.name, direction) in wanted
        ]
    return lines


def _wires_up(topology):
    wanted = queued(topology)
    names = []
    for link, wire in wires(topology).items():
        names += wire.ends
        for direction in DIRECTIONS:
            if (link, direction) in wanted:
                names += [wire.queues[direction], wire.queue_ends[direction]]
    return [f"link set {name} up" for name in names]


def _shaping(topology):
    wanted = queued(topology)
    lines = []
    for name, wire in wires(topology).items():
        for direction in DIRECTIONS:
            shape = topology.links[name].shapes[direction]
            entry, line = wire.entry(direction), wire.line(direction)
            if (name, direction) in wanted:
                lines += _redirect(entry, wire.queues[direction])
                lines += _queue("add", wire.queues[direction], shape)
                entry = wire.queue_ends[direction]
            lines += _redirect(entry, line)
            lines.append(f"qdisc add dev {line} root {_line(shape)}")
    return lines


def _redirect(entry, to):
    return [
        f"qdisc add dev {entry} ingress",
        f"filter add dev {entry} ingress matchall action mirred egress redirect dev {to}",
    ]


def _queue(verb, device, shape):
    if shape.aqm:
        return aqm.queue(verb, device, shape, -ETHERNET_BYTES)
    limit = shape.queue_packets + _IN_SERVICE if shape.rate_bps else _UNLIMITED_PACKETS
    return [f"qdisc {verb} dev {device} root netem rate {shape.rate_bps or 0}bit -{ETHERNET_BYTES} limit {limit}"]


def _line(shape, failed=False):
    """The arguments of netem for the line. All are given, so that a change keeps no old value."""
    words = [f"netem delay {_microseconds(shape.delay_ns)}"]
    if shape.jitter_ns:
        words.append(_microseconds(shape.jitter_ns))
    words.append(f"rate {_ORDERING_RATE_BPS if shape.ordered else 0}bit")
    words.append(f"limit {_UNLIMITED_PACKETS} loss {_percent(1.0 if failed else shape.loss)}")
    words.append(f"duplicate {_percent(shape.duplicate)}")
    if shape.reorder:
        words.append(f"reorder {_percent(shape.reorder)}")
    return " ".join(words)


def _microseconds(time_ns):
    return f"{time_ns / 1000:.3f}us"


def _percent(value):
    return f"{100 * value:.9g}%"


def _node_up(topology, node):
    addresses = routing.addresses(topology)
    first = routing.routes(topology)
    lines = [f"address add {addresses[node]}/32 dev lo", "link set lo up"]
    for index, link in enumerate(topology.links.values()):
        if node in link.ends:
            far = link.other_end(node)
            lines.append(f"link set {link.name} up")
            lines.append(
                f"neighbour add {addresses[far]} dev {link.name} nud permanent "
                f"lladdr {routing.mac(index, link.ends.index(far))}")
    for to in topology.nodes:
        if (node, to) in first:
            lines.append(_route(topology, "add", node, to, first[node, to]))
    return lines


def _route(topology, verb, node, to, via):
    addresses = routing.addresses(topology)
    gateway = addresses[topology.links[via].other_end(node)]
    return f"route {verb} {addresses[to]} via {gateway} dev {via} onlink src {addresses[node]}"


def _events(topology):
    """The commands of each event."""
    all_wires = wires(topology)
    wanted = queued(topology)
    failed = set()
    for event in topology.events:
        if event.kind == "route":
            yield [f'ip -n "$NS"{event.node} ' + _route(topology, "replace", event.node, event.to, event.link)]
            continue
        if event.kind == "fail":
            failed.add(event.link)
        elif event.kind == "restore":
            failed.discard(event.link)
        wire = all_wires[event.link]
        lines = []
        for direction in DIRECTIONS:
            shape = event.shapes[direction]
            if (event.link, direction) in wanted:
                lines += _queue("change", wire.queues[direction], shape)
            lines.append(f"qdisc change dev {wire.line(direction)} root {_line(shape, event.link in failed)}")
        yield _batch('tc -n "$NS"_wire', lines)
