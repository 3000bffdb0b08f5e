# SPDX-License-Identifier: LGPL-2.1-or-later
"""Addresses and routes, which specs need not give. Every node has one address; a route has the
fewest links."""

import collections


def addresses(topology):
    """Node -> its IPv4 address, in the order in which the nodes are declared."""
    return {node: f"10.77.{index >> 8}.{index & 255}" for index, node in enumerate(topology.nodes, 1)}


def mac(link_index, end):
    """The MAC address of an interface. It is fixed, so that neighbours need no protocol to find
    each other, and runs repeat."""
    return f"02:77:00:{link_index >> 8:02x}:{link_index & 255:02x}:{end:02x}"


def routes(topology):
    """(node, destination) -> the first link of the shortest route. Of links with equally short
    routes, the one that the spec declares first."""
    links_of = collections.defaultdict(list)
    for link in topology.links.values():
        for end in link.ends:
            links_of[end].append(link)
    result = {}
    for destination in topology.nodes:
        reached = {destination}
        border = collections.deque([destination])
        while border:
            near = border.popleft()
            for link in links_of[near]:
                far = link.other_end(near)
                if far not in reached:
                    reached.add(far)
                    result[far, destination] = link.name
                    border.append(far)
    return result
