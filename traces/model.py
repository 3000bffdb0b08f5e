# SPDX-License-Identifier: LGPL-2.1-or-later
"""A movie's frame sizes: groups of pictures, scenes, and bursts. README.md describes the model and its parameters.

Owns the random process. The process uses Python's random() alone, because the documentation of
Python promises the same sequence for a seed in every version. Each part of the process has a stream
of its own, so that a parameter of one part does not change the draws of the others.
"""

import math
import random
from dataclasses import dataclass

from tracefile import Trace
from transportstream import bitrate_bps, ts_packets

FRAMES_PER_S = 25
INTERVAL_MS = 1000 // FRAMES_PER_S
GOP = "IBBPBBPBBPBB"  # in display order
SMALLEST_FRAME_BYTES = 100
SMALLEST_SHARE = 0.25  # rate control leaves at least this part of a frame
MEAN_TOLERANCE = 1e-4
MOST_ROUNDS = 50


class ModelError(Exception):
    """No movie can have these parameters."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of a movie. Sizes of frames are relative; at the end all are scaled to
    mean_bps.

    A spread is the standard deviation of a natural logarithm. A memory is the correlation of
    neighbours.
    """

    mean_bps: int  # of the transport stream
    peak_to_mean: float  # largest frame, which is the encoder's limit, to mean frame
    peak_second_bps: int  # the encoder's limit on any second of frames
    p_to_i: float  # median P to median I frame
    b_to_i: float
    scene_median_s: float
    scene_spread: float
    scene_memory: float  # of a scene's detail and motion, from scene to scene
    detail_spread: float  # of the size of I frames, between scenes
    motion_spread: float  # of the size of P and B frames to that of I frames, between scenes
    frame_spread: float  # of P and B frames within a scene
    frame_memory: float
    gop_spread: float  # of I frames within a scene
    bursts_per_hour: float
    burst_frames: tuple  # fewest and most
    burst_to_i: float  # median of a burst's frames to the scene's I frames
    burst_spread: float  # between bursts


class Normal:
    """Independent standard normal variates, by Box and Muller's method, and a process made of
    them."""

    def __init__(self, seed, part):
        self.uniform = random.Random(f"{seed}/{part}").random

    def __call__(self):
        return math.sqrt(-2 * math.log(1 - self.uniform())) * math.cos(2 * math.pi * self.uniform())

    def correlated(self, memory):
        """An endless stationary process of first order; memory is the correlation of neighbours."""
        value = self()
        while True:
            yield value
            value = memory * value + math.sqrt(1 - memory * memory) * self()


def scenes(parameters, frames, seed):
    """Scenes as (first frame, number of frames, detail, motion), until they cover this number of
    frames."""
    lengths, details, motions = (Normal(seed, part) for part in ("length", "detail", "motion"))
    detail, motion = details.correlated(parameters.scene_memory), motions.correlated(parameters.scene_memory)
    first = 0
    while first < frames:
        length_s = parameters.scene_median_s * math.exp(parameters.scene_spread * lengths())
        length = min(max(round(length_s * FRAMES_PER_S), FRAMES_PER_S // 2), frames - first)
        yield (
            first,
            length,
            math.exp(parameters.detail_spread * next(detail)),
            math.exp(parameters.motion_spread * next(motion)),
        )
        first += length


def bursts(parameters, frames, seed):
    """The size that a burst gives to each frame, relative to its scene's I frames; 0 for a frame
    without a burst."""
    draws = Normal(seed, "bursts")
    strengths = [0.0] * frames
    fewest, most = parameters.burst_frames
    mean_gap = 3600 * FRAMES_PER_S / parameters.bursts_per_hour
    first = 0
    while True:
        first += round(-mean_gap * math.log(1 - draws.uniform()))
        length = fewest + int(draws.uniform() * (most - fewest + 1))
        strength = parameters.burst_to_i * math.exp(parameters.burst_spread * draws())
        if first >= frames:
            return strengths
        end = min(first + length, frames)
        strengths[first:end] = [strength] * (end - first)
        first = end


def relative_sizes(parameters, frames, seed):
    """The sizes before they are scaled and limited."""
    of_frames = Normal(seed, "frames").correlated(parameters.frame_memory)
    of_gops = Normal(seed, "gops")
    strengths = bursts(parameters, frames, seed)
    weights = {"P": parameters.p_to_i, "B": parameters.b_to_i}
    sizes = []
    for first, length, detail, motion in scenes(parameters, frames, seed):
        new_scene = first > 0
        for number in range(first, first + length):
            kind = GOP[number % len(GOP)]
            noise = math.exp(parameters.frame_spread * next(of_frames))
            if kind == "I":
                size = detail * math.exp(parameters.gop_spread * of_gops())
            else:
                size = detail * min(1.0, weights[kind] * motion * noise)
            if kind != "B":
                # The first anchor of a scene has no frame from which it could be predicted.
                size = max(size, detail) if new_scene else size
                new_scene = False
            sizes.append(max(size, strengths[number] * detail * noise**0.5))
    return sizes


def limited(sizes, scale, peak_to_mean, peak_second_bps):
    """The sizes after the encoder's rate control, in whole bytes. No frame is larger than
    peak_to_mean times the mean, where each cut lowers the mean. No second of frames exceeds its
    peak, unless SMALLEST_SHARE of a frame is too much."""
    second_bytes = peak_second_bps // 8
    limit = math.inf
    for _ in range(MOST_ROUNDS):
        result = []
        recent = 0  # bytes in the FRAMES_PER_S - 1 frames before
        for number, size in enumerate(sizes):
            size *= scale
            size = round(max(min(size, limit, max(second_bytes - recent, SMALLEST_SHARE * size)), SMALLEST_FRAME_BYTES))
            result.append(size)
            recent += size - (result[number - FRAMES_PER_S + 1] if number >= FRAMES_PER_S - 1 else 0)
        lower = peak_to_mean * sum(result) / len(result)
        if max(result) <= lower + 1:
            return result
        limit = lower
    raise ModelError(f"no limit makes the largest frame {peak_to_mean} times the mean")


def movie(parameters, frames, seed):
    """The trace that these parameters and this seed stand for."""
    kinds = (GOP * (frames // len(GOP) + 1))[:frames]
    order = Trace(kinds, (1,) * frames, INTERVAL_MS).coding_order()
    sizes = relative_sizes(parameters, frames, seed)
    scale = parameters.mean_bps / 8 / FRAMES_PER_S * frames / sum(sizes)
    for _ in range(MOST_ROUNDS):
        result = limited(sizes, scale, parameters.peak_to_mean, parameters.peak_second_bps)
        trace = Trace(kinds, tuple(result), INTERVAL_MS)
        rate_bps = bitrate_bps(ts_packets(trace, order), INTERVAL_MS)
        if abs(rate_bps / parameters.mean_bps - 1) < MEAN_TOLERANCE:
            return trace
        scale *= parameters.mean_bps / rate_bps
    raise ModelError(f"within the limits the mean is {rate_bps:.0f} bit/s, not {parameters.mean_bps}")
