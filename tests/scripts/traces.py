# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of the modules in traces/, which traces.sh puts on the path: cases worked out by hand, and
the calibrated figures of the traces in the directory that is the argument."""

import os
import random
import sys
import tempfile

import droptail
import measures
import model
import movies
import tracefile
import transportstream
from tracefile import Trace


def check(what, expected, found):
    assert found == expected, f"{what}: {found} instead of {expected}"


def within(what, low, high, found):
    assert low <= found <= high, f"{what}: {found} is not from {low} to {high}"


def test_queue_by_hand():
    def run(due_ns, waiting):
        result = droptail.simulate(due_ns, 10, waiting, 5)
        return result.delays_ns, result.lost

    check("one at a time", ([15, 15, 15], []), run([0, 10, 100], 1))
    check("the third of three at once finds no room", ([15, 25], [2]), run([0, 0, 0], 1))
    check("a departure makes room for what comes with it", ([15, 25, 25, 25, 15], [2]), run([0, 0, 0, 10, 20, 100], 1))
    check("an instant earlier there is none", ([15, 25], [2]), run([0, 0, 9], 1))
    check("nothing may wait", ([15, 15], [1]), run([0, 5, 10], 0))
    check("the rest of a service is waited for", ([15, 22], []), run([0, 3], 1))
    check("nothing", ([], []), run([], 1))


def test_queue_of_the_paper():
    result = droptail.udp([0] * 100)
    check("passed: 20 waiting and 1 in service", 21, len(result.delays_ns))
    check("shortest", 20_000_000 + 5_264_000, min(result.delays_ns))
    check("longest", 20_000_000 + 21 * 5_264_000, max(result.delays_ns))
    check("loss ratio", 0.79, result.loss_ratio)
    check("lost with 100 packets", [101], droptail.udp([0] * 102, waiting=100).lost)


def test_bursts_of_losses():
    second = 1_000_000_000
    due_ns = [0, 1, 2, second + 1, 2 * second + 1, 2 * second + 2]
    check("a second apart", [2, 1, 2], droptail.Result(6, [], [0, 1, 3, 4, 5], due_ns).bursts())
    check("less than a second apart", [2], droptail.Result(6, [], [2, 3], due_ns).bursts())


def test_coding_order():
    check("IBBPBBI", [0, 3, 1, 2, 6, 4, 5], Trace("IBBPBBI", (1,) * 7, 40).coding_order())
    check("B frames at the end", [0, 1, 2], Trace("IBB", (1,) * 3, 40).coding_order())


def test_ts_packets_by_hand():
    def count(types, *sizes):
        trace = Trace(types, sizes, 40)
        return transportstream.ts_packets(trace, trace.coding_order())

    # 14 bytes of PES header; 8 with a PCR, in the first and third frame; two tables with the first, and after 100 ms.
    check("one TS packet each", [3, 1, 1, 3], count("IPPP", 184 - 22, 184 - 14, 184 - 22, 184 - 14))
    check("a byte more", [4, 2, 2, 4], count("IPPP", 185 - 22, 185 - 14, 185 - 22, 185 - 14))
    check("an I frame without PCR has a flag", [3, 1], count("II", 100, 184 - 16))
    check("and a byte more", [3, 2], count("II", 100, 185 - 16))
    check("one byte is stuffed into a field only", [3, 2], count("IP", 183 - 22, 183 - 14))
    check("which the first TS packet of two has, not the last", [5, 3], count("IP", 367 - 22, 367 - 14))
    check("two bytes can be stuffed", [3, 1], count("IP", 182 - 22, 182 - 14))
    # Sent as I, P, B, B: 5 bytes of DTS for the anchors, PCRs with I and the first B.
    check("DTS where there are B frames", [3, 1, 1, 3], count("IBBP", 184 - 27, 184 - 22, 184 - 14, 184 - 19))
    check("and a byte more", [4, 2, 2, 4], count("IBBP", 185 - 27, 185 - 22, 185 - 14, 185 - 19))


def test_spreading_by_hand():
    check("whole packets", [34_285_714, 57_142_857, 77_142_857], transportstream.due_times_ns([7, 14], 40))
    check("packets of two frames", [50_000_000, 112_000_000], transportstream.due_times_ns([5, 4, 5], 40))
    check("a rest at the end", [30_000_000], transportstream.due_times_ns([4], 40))
    check("rate", 14 * 188 * 8 / 0.08, transportstream.bitrate_bps([7, 7], 40))


def test_files():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace")

        def read(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return tracefile.read(path)

        trace = Trace("IBP", (10, 20, 30), 40)
        with open(path, "w", encoding="ascii") as file:
            tracefile.write(trace, ["first", "second"], file)
        with open(path, encoding="ascii") as file:
            check("written", "# first\n# second\nframe,type,time_ms,bytes\n0,I,0,10\n1,B,40,20\n2,P,80,30\n", file.read())
        check("read back", trace, tracefile.read(path))
        check("columns with spaces", trace, read("# n type t_ms bytes\n0 I 0 10\n1 B 40 20\n2 P 80 30\n"))

        for text, message in (
            ("", ": 0 frames; a trace has at least two"),
            ("0,I,0,1\n", ": 1 frames; a trace has at least two"),
            ("0,I,0,1\n1,B,40\n", ":2: 3 columns instead of 4 (frame,type,time_ms,bytes)"),
            ("# x\n\n0,I,0,1\n1,X,40,1\n", ":4: 'X' is not a frame type; one of I, P, B"),
            ("0,I,0,0\n", ":1: size in bytes 0 is below 1"),
            ("0,I,0,-1\n", ":1: '-1' is no size in bytes"),
            ("0,I,0,\u0663\n", ":1: "),
            ("0,I,0,1\n2,P,40,1\n", ":2: frame 2 where frame 1 should be"),
            ("0,I,0,1\n1,P,0,1\n", ":2: its time, 0 ms, is not after that of the frame before"),
            ("0,I,0,1\n1,P,40,1\n2,P,81,1\n", ":3: 41 ms after the frame before, not 40"),
        ):
            try:
                read(text)
            except tracefile.TraceError as error:
                assert str(error).startswith(path + message), f"{text!r}: {error}"
            else:
                raise AssertionError(f"accepted: {text!r}")


def test_measures():
    check("variation", 0.5, measures.variation([1, 3]))
    check("peak", 3 * 1316 * 8 / 0.1, measures.peak_bps([0, 50_000_000, 99_999_999, 100_000_000 + 50_000_000], 100_000_000))
    check("a window is half open", 1316 * 8 / 0.1, measures.peak_bps([0, 100_000_000], 100_000_000))
    check("alternating", -0.75, measures.autocorrelation([1, 3, 1, 3], 1))
    check("no correlation of equals", None, measures.autocorrelation([1, 1, 1], 1))
    check("groups", [6, 9], measures.gop_sizes(Trace("IBPIPI", (1, 2, 3, 4, 5, 6), 40)))
    noise = random.Random(1)
    white = [noise.random() for _ in range(4096)]
    within("H of white noise", 0.4, 0.6, measures.hurst(white))
    walk = [sum(white[:count]) - count / 2 for count in range(1, 2048)]
    within("H of a random walk", 0.9, 1.05, measures.hurst(walk))
    check("H of too few", None, measures.hurst(white[:39]))


def test_limits_of_rate_control():
    sizes = [1000.0] * 100
    sizes[50] = 1e6
    result = model.limited(sizes, 1.0, 5, 10**9)
    within("largest to mean", 4.99, 5.01, max(result) / (sum(result) / 100))
    second = model.limited([1000.0] * 100, 1.0, 5, 8 * 20_000)
    check("a full second leaves a quarter of a frame", [1000, 1000, 250], [second[0], second[19], second[20]])


# By movie: largest to mean frame, the peak second, how many bursts of losses an hour may have, and the longest delay.
PEAK_TO_MEAN = {"cinderella-man": 12.1, "v-for-vendetta": 18.2, "action-movie": 10}
PEAK_SECOND_BPS = {"cinderella-man": (1_600_000, 1_999_999), "v-for-vendetta": (1_600_000, 1_999_999),
                   "action-movie": (3_430_000, 3_570_000)}
LOSS_BURSTS = {"cinderella-man": (4, 20), "v-for-vendetta": (100, 400), "action-movie": (20, 200)}
LONGEST_DELAY_S = 0.13  # 20 ms and 21 packets of 5.264 ms


def check_columns(movie, trace):
    """Checks the conditions of calibrate.py for a trace, from the movie's goal, and further ones."""
    sizes, udp, large = measures.of_sizes(trace), measures.of_udp(trace, 20), measures.of_udp(trace, 100)
    far = measures.of_udp(trace, 20, delay_ms=60)
    goal = movie.goal
    within("mean rate", 639_900, 640_100, sizes["mean_ts_bps"])
    check("largest to mean frame", PEAK_TO_MEAN[movie.name], round(sizes["peak_to_mean"], 1))
    within("peak of a second", *PEAK_SECOND_BPS[movie.name], sizes["peak_1s_bps"])
    tolerance = 0.02 if "iptd_mean_s" in goal else 0.1
    within("IPLR", goal["iplr"] * (1 - tolerance), goal["iplr"] * (1 + tolerance), udp["iplr"])
    if "iptd_mean_s" in goal:
        check("mean delay [ms]", round(goal["iptd_mean_s"] * 1000), round(udp["iptd_mean_s"] * 1000))
    check("longest delay [10 ms]", round(LONGEST_DELAY_S * 100), round(udp["iptd_max_s"] * 100))
    within("40 ms farther", 0.0399, 0.0401, far["iptd_mean_s"] - udp["iptd_mean_s"])
    if "iplr_100" in goal:
        check("IPLR with 100 packets", goal["iplr_100"], large["iplr"])
    within("Hurst parameter", 0.6, 1.0, sizes["gop_hurst"])
    within("loss bursts an hour", *LOSS_BURSTS[movie.name], udp["loss_bursts_per_hour"])


def test_peaks_fit_the_link_in_the_papers_movies_alone():
    for name, low, high in (("cinderella-man", 0, 0), ("v-for-vendetta", 0, 0), ("action-movie", 0.02, 0.1)):
        trace = tracefile.read(os.path.join(sys.argv[1], f"{name}-like-600s.csv"))
        within(f"{name} later than 1 s without loss", low, high, measures.of_shaped(trace)["late_1s"])


def test_movies():
    for movie in movies.load().values():
        check("durations", [600, 3600], sorted(movie.seeds))
        for duration_s in movie.seeds:
            trace = tracefile.read(os.path.join(sys.argv[1], f"{movie.name}-like-{duration_s}s.csv"))
            check("frames", duration_s * 25, len(trace))
            check_columns(movie, trace)


def test_variants():
    """Movies for other seeds have the statistics of the trace. Their losses in a queue are not
    checked."""
    for movie in movies.load().values():
        seeds = [movie.seeds[600], *movie.variants]
        check("different seeds", 20, len(set(seeds)))
        found = [measures.of_sizes(model.movie(movie.parameters, 15000, seed)) for seed in seeds[:5]]
        for sizes in found[1:]:
            within("mean rate", 639_900, 640_100, sizes["mean_ts_bps"])
            check("largest to mean frame", PEAK_TO_MEAN[movie.name], round(sizes["peak_to_mean"], 1))
            within("peak of a second", *PEAK_SECOND_BPS[movie.name], sizes["peak_1s_bps"])
            for name in ("I_to_mean", "P_to_mean", "B_to_mean"):
                within(f"{name} to the trace's", 0.9, 1.1, sizes[name] / found[0][name])


for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
