# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares simulated movies with the exact queue, with each other, and with the testbed's committed
results."""

import importlib
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, SCRATCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT)]

import numpy  # noqa: E402
import pandas  # noqa: E402
from batch.jobs import Result  # noqa: E402
from vod import benchmark, definition, report  # noqa: E402

conditions = importlib.import_module("vod-conditions.definition")

import droptail  # noqa: E402 (in traces/, which vod.schedules makes reachable)

UDP_PACKET_BYTES = 1316 + 28
SEEDS = range(1, 11)


def play(job, *more):
    """The result of a job."""
    play.number += 1
    directory = SCRATCH / f"run{play.number}"
    subprocess.run([PROGRAM, *job.arguments(), *more, f"--output={directory}"], check=True)
    return Result(job.program, job.parameters, json.loads((directory / "measures.json").read_text()), directory)


play.number = 0


def job(transport, seed=1, d2_ms=20, queue=20, duration_s=40, movie="v-for-vendetta", **more):
    """The job of a part of a movie alone, from the place that the testbed has for the seed."""
    trace = benchmark.played(movie, seed)
    return definition.job("test", movie, trace.path, seed,
                          definition.together(movie, trace, seed, 1, duration_s), transport=transport, d2_ms=d2_ms,
                          queue=queue, rate_bps=2_000_000, duration_s=duration_s, **more)


def due_ns(played):
    return (1000 * pandas.read_csv(played.depends[0])["due_us"]).tolist()


class Udp(unittest.TestCase):
    def check_exact(self, udp, waiting):
        """Each packet of the simulation is lost, or delayed, as in Lindley's recursion: to the nanosecond."""
        ideal = droptail.simulate(due_ns(udp), UDP_PACKET_BYTES * 8 * 500, waiting, 20_000_000)
        packets = play(udp, "--packets=true").table("packets")
        self.assertEqual(ideal.lost, numpy.flatnonzero(packets["arrived_ns"].isna()).tolist())
        arrived = packets.dropna()
        self.assertEqual(ideal.delays_ns, (arrived["arrived_ns"] - arrived["due_ns"]).astype(int).tolist())
        self.assertTrue((packets["sent_ns"] == packets["due_ns"]).all())
        return ideal

    def test_is_that_of_the_ideal_queue(self):
        for seed in (1, 2):
            for queue in (20, 7):
                with self.subTest(seed=seed, queue=queue):
                    self.assertGreater(len(self.check_exact(job("udp", seed=seed, queue=queue), queue).lost), 5)

    def test_loses_nothing_in_a_queue_that_is_long_enough(self):
        self.assertEqual([], self.check_exact(job("udp", queue=100), 100).lost)

    def test_measures_are_those_of_the_packets_that_count(self):
        udp = job("udp")
        packets = play(udp, "--packets=true").table("packets")
        counted = packets[packets["due_ns"] <= packets["due_ns"].iloc[-1] - 2e9]
        delays_s = ((counted["arrived_ns"] - counted["due_ns"]) / 1e9).dropna()
        measures = play(udp).measures
        self.assertEqual(len(counted), measures["packets"])
        self.assertEqual(len(counted) - len(delays_s), measures["lost"])
        self.assertAlmostEqual(delays_s.mean(), measures["iptd_mean_s"], 12)
        self.assertEqual(delays_s.max(), measures["iptd_max_s"])

    def test_shaped_keeps_its_rate_and_loses_nothing_below_the_links(self):
        shaped = job("udp-shaped-peak")
        packets = play(shaped, "--packets=true").table("packets")
        gap_ns = round(1316 * 8e9 / shaped.parameters["peak_bps"])
        self.assertEqual(gap_ns, packets["sent_ns"].diff().min())
        self.assertEqual(0, packets["arrived_ns"].isna().sum())
        # A packet leaves when it is due, or a gap after the one before, if that is later.
        expected = numpy.fmax(packets["due_ns"], packets["sent_ns"].shift() + gap_ns)
        self.assertTrue((packets["sent_ns"] == expected).all())


class Tfrc(unittest.TestCase):
    def test_loses_less_than_udp_and_delays_more_with_every_seed(self):
        unguarded_loses_as_much = False
        for seed in SEEDS:
            for d2_ms in (20, 60):
                with self.subTest(seed=seed, d2_ms=d2_ms):
                    udp, tfrc, unguarded = (play(job(name, seed=seed, d2_ms=d2_ms)).measures
                                            for name in ("udp", "tfrc", "tfrc-rfc"))
                    self.assertLess(tfrc["lost"], udp["lost"])
                    self.assertLessEqual(tfrc["lost"], unguarded["lost"])
                    self.assertGreater(tfrc["iptd_mean_s"], udp["iptd_mean_s"])
                    unguarded_loses_as_much |= unguarded["lost"] >= udp["lost"]
        # Without queue guard and burst limit TFRC can lose as much as UDP, so these are the reason.
        self.assertTrue(unguarded_loses_as_much)

    def test_the_same_seed_is_the_same_run(self):
        first, second = play(job("tfrc")), play(job("tfrc"))
        for name in ("flows.csv", "measures.json"):
            texts = [[line for line in (result.directory / name).read_text().splitlines() if "cpu_s" not in line]
                     for result in (first, second)]
            self.assertEqual(*texts)


class Smoothed(unittest.TestCase):
    def test_packets_wait_half_of_the_window_whatever_the_name_says(self):
        for transport, smoothing_ms, window_s in (("tfrc-smooth-300", None, 0.3), ("tfrc-smooth", None, 1.5),
                                                  ("tfrc-smooth", 600, 0.6)):
            with self.subTest(transport=transport, smoothing_ms=smoothing_ms):
                measures = play(job(transport, smoothing_ms=smoothing_ms)).measures
                self.assertAlmostEqual(window_s / 2, measures["sender_mean_s"], delta=window_s / 20)
                self.assertLess(measures["sender_max_s"], window_s * 1.1)


class BesideTcp(unittest.TestCase):
    def test_tcp_takes_what_the_movie_leaves_and_loses_what_the_queue_drops(self):
        alone = play(job("udp", queue=100)).measures
        self.assertEqual([], [name for name in alone if name.startswith("tcp_")])
        beside = play(job("udp", queue=100, tcp=3, tcp_start_s=1)).measures
        movie_bps = 8 * UDP_PACKET_BYTES * beside["packets"] / 40
        tcp_bps = beside["tcp_all_throughput_bps"] * 1500 / 1448
        self.assertAlmostEqual(2_000_000, movie_bps + tcp_bps, delta=50_000)
        self.assertLess(beside["tcp_throughput_bps"], beside["tcp_all_throughput_bps"])
        self.assertGreater(beside["tcp_all_iplr"], 0)
        self.assertGreater(beside["iptd_mean_s"], 2 * alone["iptd_mean_s"])


class Conditions(unittest.TestCase):
    def rows(self, name):
        return {job.parameters["transport"]: conditions.row_of(play(job)) for job in conditions._jobs_of(name, 20, 2)}

    def test_a_player_over_udp_misses_what_is_lost_and_the_frames_that_need_it(self):
        row = self.rows("alone-1.2")["udp"]
        lost = row["lost"] / row["packets"]
        self.assertGreater(lost, 0.01)
        self.assertEqual(4 * [lost], [row[f"missed_{buffer}"] for buffer in (0.2, 0.5, 1, 2)])
        self.assertEqual(row["frames_missed_0.5"], row["frames_missed_2"])
        # More frames than packets, as some are missed for others; a B frame needs the most others.
        self.assertGreater(row["frames_missed_1"], lost)
        self.assertGreaterEqual(row["B_missed_1"], row["I_missed_1"])

    def packets(self, name, transport, seed=2):
        job, = (job for job in conditions._jobs_of(name, 20, seed) if job.parameters["transport"] == transport)
        return play(job).table("packets"), job

    def test_with_a_deadline_what_leaves_is_in_time_and_the_least_important_stays(self):
        packets, job = self.packets("alone-2.2", "tfrc-live")
        delay_s = (packets["arrived_ns"] - packets["due_ns"]) / 1e9
        path_s = 0.02 + benchmark.PACKET_BITS / 2e6
        self.assertLess((delay_s > 1 + path_s).mean(), 0.001)
        kinds = pandas.read_csv(job.parameters["classes"])["class"]
        self.assertEqual(len(kinds), len(packets))
        stayed = packets["sent_ns"].isna()
        part = {name: stayed[kinds == kind].mean() for name, kind in (("tables", 0), ("I", 2), ("P", 3), ("B", 5))}
        self.assertGreater(part["B"], 0.2)
        self.assertGreater(part["B"], part["P"])
        self.assertGreater(part["P"], part["I"])
        self.assertEqual(0, part["tables"])

    def test_a_deadline_changes_nothing_where_all_is_in_time(self):
        plain, live = (self.packets("alone", transport)[0] for transport in ("tfrc", "tfrc-live"))
        self.assertTrue(plain.equals(live))

    def test_a_stored_movie_leaves_up_to_ten_seconds_before_it_is_due(self):
        packets, _ = self.packets("alone", "tfrc-stored")
        ahead_s = (packets["due_ns"] - packets["sent_ns"]) / 1e9
        self.assertGreater(ahead_s.max(), 5)
        self.assertLess(ahead_s.max(), 10.001)
        self.assertEqual(0, packets["sent_ns"].isna().sum())

    def test_a_flow_beside_the_movie_has_the_conditions_congestion_control(self):
        tcp = {name: self.rows(name)["udp"]["tcp_throughput_bps"] for name in ("reno", "cubic")}
        self.assertNotEqual(*tcp.values())
        self.assertGreater(min(tcp.values()), 1_000_000)


class Seeds(unittest.TestCase):
    def test_each_plays_a_movie_of_its_own(self):
        size = definition.QUICK | {"fig4_n": (2,), "fig4_s": 5, "fig4": {20: ("udp",)}}
        schedules = [played.depends for played in definition._fig4(size, (1, 2, 3))]
        self.assertEqual(3, len({path.read_text() for path, *_ in schedules}))

    def test_the_testbeds_rows_say_which(self):
        names = [benchmark.played("v-for-vendetta", 2, name).path.name
                 for name in ("v-for-vendetta-like-600s-2", "v-for-vendetta-like-600s", float("nan"), None)]
        self.assertEqual(["v-for-vendetta-like-600s-2.csv"] + 3 * ["v-for-vendetta-like-600s.csv"], names)


class Report(unittest.TestCase):
    def test_has_a_section_for_each_part_with_figure_and_table(self):
        size = definition.QUICK | {"fig4_n": (12, 13), "fig4_s": 4, "fig4": {20: ("tfrc", "udp"), 60: ("udp",)}, "fig5_s": 4}
        jobs = [*definition._fig4(size, (1, 2)), *definition._smoothing(size, (1, 2)), *definition._fig5(size, (1, 2))]
        out = SCRATCH / "report"
        out.mkdir()
        report.report([play(known) for known in jobs], out, False)
        text = (out / "report.md").read_text()
        for name, rows in (("fig4", 2 * 2 * 3), ("smoothing", 2 * 2 * 2), ("fig5", 2 * 2 * 3)):
            self.assertEqual(rows, len(pandas.read_csv(out / f"simulation-{name}.csv")), name)
            self.assertIn(f"(simulation-{name}.svg)", text)
            self.assertTrue((out / f"simulation-{name}.svg").is_file(), name)
        # Fig. 4 has a row for each network and a column for each transport. With a d2 of 60 ms only
        # one transport has runs.
        self.assertRegex(text, r"\| v-for-vendetta \| 20 \| 37 \| [^–|][^|]* \| [^–|][^|]* \|")
        self.assertRegex(text, r"\| v-for-vendetta \| 60 \| 112 \| – \| [^–|][^|]* \|")
        # A row for no smoothing and for 300 ms, whose packets wait 150 ms more, but less for TFRC
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| 0 |", "| 300 |"))]
        delays_s = [float(row[2].split()[0]) for row in rows]
        self.assertAlmostEqual(0.14, delays_s[1] - delays_s[0], delta=0.04)


class Testbed(unittest.TestCase):
    def test_runs_agree_with_the_simulation_of_the_same_packets(self):
        """120 s of each movie over every transport, the testbed's seeds 1 and 4 (4 has Cinderella Man's losses)."""
        jobs = [known for known in definition.testbed(definition.FULL)
                if known.parameters["seed"] in (1, 4) and known.parameters["rate_bps"] == 2_000_000]
        both = report.beside_testbed(report.rows_of([play(known) for known in jobs], "testbed"))
        self.assertEqual(len(jobs), len(both))
        self.assertEqual([], both[~both["agrees"]].to_dict("records"))
        self.assertTrue((both["packets"] == both["testbed_packets"]).all())
        # UDP reacts to nothing, so exactly the same number of packets is lost.
        udp = both[both["transport"].str.startswith("udp")]
        self.assertGreater(udp["lost"].sum(), 100)
        self.assertEqual(udp["testbed_lost"].tolist(), udp["lost"].tolist())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
