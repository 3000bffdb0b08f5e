# SPDX-License-Identifier: LGPL-2.1-or-later
"""Published numbers for the chain of congested links: from the text of the paper, and from ns-2.

Owns these numbers and their sources. The paper gives its Figs 2-4 as pictures only. So only those
points of the curves are known that its text names.
"""

FAIR_KBPS = 500  # the line in the paper's Fig. 2

# Scenario -> {hops: value}, from the paper's text. "Full" utilisation is 1. For scenario 3 the text
# says that utilisation is that of all TFRC.
UTILISATION = {
    "all TFRC": {1: 1.0, 10: 1.0},
    "all Reno": {1: 0.80, 10: 0.68},
    "C1 TFRC in Reno": {1: 0.96, 10: 0.72},
    "C1 Reno in TFRC": {1: 1.0, 10: 1.0},
}
C1_KBPS = {"all TFRC": {1: FAIR_KBPS}}
# All Reno over all TFRC: "more than one order of magnitude" from five hops on
LEAST_RATIO = {"hops": 5, "ratio": 10}

# ns-2.35 with its own TFRC and TCP agents, buffer of 12 packets, in place of the paper's curves.
NS2_BUFFER_PACKETS = 12
NS2_C1_KBPS = {
    "all Reno": {1: 385, 5: 64},
    "all TFRC": {1: 487, 5: 13.8},
    "C1 TFRC in Reno": {1: 813, 5: 141},
    "C1 Reno in TFRC": {1: 123, 5: 1.7},
}
NS2_UTILISATION = {
    "all Reno": {1: 0.812, 5: 0.676},
    "all TFRC": {1: 0.988, 5: 0.956},
    "C1 TFRC in Reno": {1: 0.964, 5: 0.724},
    "C1 Reno in TFRC": {1: 0.959, 5: 0.956},
}
