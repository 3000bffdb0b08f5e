# SPDX-License-Identifier: LGPL-2.1-or-later
"""Published numbers for the handover: from the text of the paper, and from ns-2.

Owns these numbers and their sources. The paper gives its Figs 1, 5 and 6 as pictures only.
"""

# Packets lost after the handover from the high to the low round-trip time, by adaptation
LOST = {"none": 114, "paper": 19}

# ns-2.35 with its own TFRC agent, handover at 30 s: packets dropped in 5 s (least, most) from high
# to low round-trip time, and Mbit/s over 5 s from low to high
NS2_LOST_5S = {"none": (90, 200)}
NS2_MBPS_5S = {"none": (3.4, 3.9)}
# An idealised emulation of the mechanism, with the echo's estimate of the new round-trip time and
# with the exact one
EMULATED_LOST_5S = {"paper": (8, 18), "direct": (0, 0)}
