# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which frames of a movie a decoder can show, from the packets that came in time.

Owns the rules of the group of pictures that traces and vod-replay have (docs/vod-replay.md). In
coding order a P frame refers to the I or P frame before it, and a B frame to the two before it, which
are displayed around it; no frame refers to a B frame. A frame can be decoded if all of its packets
are there and the frames to which it refers can be decoded. A decoder that conceals shows something
of the others, and no error of it counts here.
"""

import numpy as np

TYPES = "IPB"


def names(buffer_s):
    """The columns of a player with this buffer: of all frames, and of those of each type."""
    return [f"frames_missed_{buffer_s:g}", *(f"{kind}_missed_{buffer_s:g}" for kind in TYPES)]


def complete(first, last, present):
    """For each frame, whether all packets from its first to its last are there; numbers beyond the
    end are of packets that never were."""
    missing = np.concatenate(([0], np.cumsum(~np.asarray(present, dtype=bool))))
    end = np.asarray(last) + 1
    inside = np.minimum(end, len(missing) - 1)
    return (missing[inside] == missing[np.minimum(first, len(missing) - 1)]) & (end == inside)


def decodable(types, whole):
    """For each frame in coding order, whether it can be decoded. whole: as complete() says."""
    found = []
    anchors = []  # whether the last two I or P frames can be decoded
    for kind, there in zip(types, whole):
        refers_to = {"I": [], "P": anchors[-1:], "B": anchors}[kind]
        found.append(bool(there) and all(refers_to))
        if kind != "B":
            anchors = [*anchors[-1:], found[-1]]
    return np.array(found, dtype=bool)


def missed_measures(frames, number, delivery_s, path_s, buffers_s, within, rounding_s=0.0):
    """The fraction of frames that players with these buffers cannot show, of all and by type.

    frames: logs.Frames. number: the packets' numbers, as frames have them; delivery_s: their delays,
    NaN for never. A packet that is not among them counts as there. within: the first and the last
    number of the packets that count; a frame counts if all of its packets do.
    """
    counted = (frames.first >= within[0]) & (frames.last <= within[1])
    kinds = np.array(list(frames.types))
    result = {}
    for buffer_s in buffers_s:
        present = np.ones(int(frames.last[-1]) + 1 if len(frames.last) else 0, dtype=bool)
        known = number < len(present)
        # NaN is never in time.
        present[number[known]] = delivery_s[known] <= buffer_s + path_s + rounding_s
        missed = ~decodable(frames.types, complete(frames.first, frames.last, present))
        for name, chosen in zip(names(buffer_s), (counted, *(counted & (kinds == kind) for kind in TYPES))):
            result[name] = float(np.mean(missed[chosen])) if chosen.any() else None
    return result
