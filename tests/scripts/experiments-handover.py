# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the handover experiment on short runs: experiments-handover.py PROGRAM SCRATCH_DIRECTORY."""

import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, SCRATCH = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(ROOT / "traces"))

import tracefile  # noqa: E402
import transportstream  # noqa: E402

UP, DOWN = (25, 70), (70, 25)  # of the round-trip time, by one-way delays in ms
STARTS_S = (0, 0.2, 0.4, 0.6, 0.8)
ADAPTATIONS = ("none", "paper", "direct", "slow-start", "bound")
numbers = itertools.count()


def directory_of(case, adaptation, **parameters):
    """The directory of a run's files."""
    output = SCRATCH / f"run{next(numbers)}"
    parameters = {"delay1_ms": case[0], "delay2_ms": case[1], "adaptation": adaptation, "duration_s": 36} | parameters
    subprocess.run([PROGRAM, f"--output={output}", *(f"--{name}={value}" for name, value in parameters.items())],
                   check=True)
    return output


def run(case, adaptation, **parameters):
    return json.loads((directory_of(case, adaptation, **parameters) / "measures.json").read_text())


def run_all(wanted):
    """wanted: name -> (case, adaptation, parameters)"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {name: pool.submit(run, case, adaptation, **more)
                   for name, (case, adaptation, more) in wanted.items()}
        return {name: future.result() for name, future in futures.items()}


class PapersSetting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = run_all({(case, adaptation, start_s): (case, adaptation, {"start_s": start_s})
                            for case in (UP, DOWN) for adaptation in ADAPTATIONS for start_s in STARTS_S})

    def of(self, case, adaptation, measure):
        """The values of a measure, one for each start."""
        return [self.runs[case, adaptation, start_s][measure] for start_s in STARTS_S]

    def test_slow_start_on_the_new_link_loses_a_burst_in_both_directions(self):
        for case, rate_bps in ((UP, 3.5e6), (DOWN, 4.6e6)):
            self.assertTrue(all(30 <= dropped <= 150 for dropped in self.of(case, "slow-start", "dropped_5s")))
            self.assertTrue(all(rate < rate_bps for rate in self.of(case, "slow-start", "received_5s_bps")))

    def test_plain_tfrc_loses_a_burst_when_the_round_trip_time_falls(self):
        self.assertTrue(all(70 <= dropped <= 200 for dropped in self.of(DOWN, "none", "dropped_5s")))

    def test_plain_tfrc_sends_too_little_when_it_rises(self):
        self.assertTrue(all(3.4e6 <= rate <= 4.0e6 for rate in self.of(UP, "none", "received_5s_bps")))

    def test_as_in_the_paper_no_more_is_lost_than_there(self):
        self.assertLessEqual(max(self.of(DOWN, "paper", "dropped_5s")), 19)
        self.assertLess(statistics.median(self.of(DOWN, "paper", "dropped_5s")),
                        statistics.median(self.of(DOWN, "none", "dropped_5s")) / 3)

    def test_direct_loses_nothing(self):
        for case in (UP, DOWN):
            self.assertEqual(self.of(case, "direct", "dropped_1s"), [0] * len(STARTS_S))
            self.assertLessEqual(max(self.of(case, "direct", "dropped_5s")), 2)

    def test_direct_gets_what_a_sender_held_at_the_links_rate_gets(self):
        for rate, bound in zip(self.of(UP, "direct", "received_1s_bps"), self.of(UP, "bound", "received_1s_bps")):
            self.assertGreaterEqual(rate, 0.98 * bound)
        self.assertGreaterEqual(min(self.of(UP, "direct", "received_5s_bps")), 4.9e6)

    def test_a_sender_held_at_the_links_rate_loses_nothing(self):
        for case in (UP, DOWN):
            self.assertEqual(self.of(case, "bound", "dropped_5s"), [0] * len(STARTS_S))

    def test_all_adaptations_complete(self):
        for case, adaptation in itertools.product((UP, DOWN), ("paper", "direct")):
            self.assertEqual(self.of(case, adaptation, "handovers_completed"), [1] * len(STARTS_S))
            self.assertTrue(all(0 < held_s < 1 for held_s in self.of(case, adaptation, "held_s")))

    def test_what_is_under_way_on_the_old_link_arrives(self):
        for measures in self.runs.values():
            under_way = measures["sent"] - measures["arrived"] - measures["dropped"]
            # at most the packets that both links and their queues hold
            self.assertTrue(0 <= under_way <= 2 * (87 + 33), under_way)
        self.assertGreater(min(self.of(DOWN, "direct", "overtaken_1s")), 30)


class LeftOut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        to_and_fro = {"handovers": 10, "period_s": 6, "duration_s": 90}
        known = {"bandwidth_known": "true"}
        cls.runs = run_all({
            "plain, to and fro": (UP, "none", to_and_fro), "direct, to and fro": (UP, "direct", to_and_fro),
            "first notifications lost": (DOWN, "direct", {"lose_s": 0.1}),
            "all notifications lost": (UP, "direct", {"lose_s": 1000}), "plain": (UP, "none", {}),
            "known, faster": (UP, "direct", {"rate2_bps": 10e6} | known),
            "known, slower": (DOWN, "direct", {"rate2_bps": 2.5e6} | known),
            "unknown, slower": (DOWN, "direct", {"rate2_bps": 2.5e6}),
            "beside TCP": (DOWN, "direct", {"tcp": "true"}),
        })

    def test_ten_handovers_in_a_minute_cost_nothing(self):
        plain, direct = self.runs["plain, to and fro"], self.runs["direct, to and fro"]
        self.assertEqual(direct["handovers_completed"], 10)
        self.assertLessEqual(direct["dropped_rest"], 2)
        self.assertGreaterEqual(direct["received_rest_bps"], 4.9e6)
        self.assertGreater(plain["dropped_rest"], 20)
        self.assertLess(plain["received_rest_bps"], 4.7e6)

    def test_the_loss_of_all_urgent_feedback_costs_nothing(self):
        lost = self.runs["first notifications lost"]
        self.assertGreater(lost["notifications_lost"], 10)
        self.assertEqual((lost["handovers_completed"], lost["handovers_abandoned"]), (1, 0))
        self.assertLessEqual(lost["dropped_5s"], 2)

    def test_a_sender_that_never_hears_of_it_does_plain_tfrc(self):
        lost, plain = self.runs["all notifications lost"], self.runs["plain"]
        self.assertEqual((lost["handovers_completed"], lost["handovers_abandoned"]), (0, 1))
        self.assertEqual(lost["held_s"], 0)
        self.assertEqual(lost["dropped_5s"], 0)
        self.assertGreater(lost["received_5s_bps"], 0.85 * plain["received_5s_bps"])

    def test_a_known_bandwidth_is_used_at_once(self):
        self.assertGreater(self.runs["known, faster"]["received_5s_bps"], 9.5e6)
        self.assertEqual(self.runs["known, faster"]["dropped_5s"], 0)
        self.assertLessEqual(self.runs["known, slower"]["dropped_5s"], 5)
        self.assertGreater(self.runs["unknown, slower"]["dropped_5s"], 20)

    def test_tcp_has_the_link_until_the_stream_comes(self):
        self.assertGreater(self.runs["beside TCP"]["tcp_before_bps"], 4.8e6)
        self.assertLess(self.runs["beside TCP"]["tcp_rest_bps"], self.runs["beside TCP"]["tcp_before_bps"])


class Movie(unittest.TestCase):
    def test_goes_on_without_loss_or_delay(self):
        """A lively minute, with tfrcsink's defaults. When the round-trip time rises, plain TFRC is
        not late either, as the queue guard does not take the longer way for a queue."""
        schedule = SCRATCH / "movie.csv"
        trace = tracefile.read(ROOT / "traces" / "v-for-vendetta-like-600s.csv")
        rows = (f"{due_ns // 1000},{transportstream.PACKET_BYTES}" for due_ns in transportstream.packets_of(trace))
        schedule.write_text("\n".join(("due_us,bytes", *rows, "")))
        more = {"schedule": schedule, "offset_s": 120, "duration_s": 60, "packet_bytes": 1368, "queue_guard": "true",
                "burst_limit_ms": 10, "initial_window": 10}
        runs = run_all({(case, adaptation): (case, adaptation, more)
                        for case in (UP, DOWN) for adaptation in ("none", "direct")})
        for case in (UP, DOWN):
            measures = runs[case, "direct"]
            self.assertEqual((measures["dropped_rest"], measures["late_rest"]), (0, 0))
            self.assertEqual(measures["handovers_completed"], 1)
        self.assertEqual(runs[UP, "none"]["late_rest"], 0)


class Files(unittest.TestCase):
    def test_the_same_parameters_leave_the_same_bytes(self):
        found = [directory_of(DOWN, "direct", sample_s=0.1) for _ in range(2)]
        lines = [[line for line in (directory / "measures.json").read_text().splitlines() if '"cpu_s"' not in line]
                 for directory in found]
        self.assertEqual(*lines)
        self.assertEqual(*((directory / "series.csv").read_bytes() for directory in found))

    def test_the_series_has_all_phases_and_all_losses(self):
        directory = directory_of(DOWN, "direct", sample_s=0.01)
        with open(directory / "series.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        measures = json.loads((directory / "measures.json").read_text())
        phases = [int(phase) for phase, _ in itertools.groupby(row["phase"] for row in rows)]
        # Phase 1 lasts until the next packet, which may be less than the time between two rows.
        self.assertEqual([phase for phase in phases if phase != 1], [0, 2, 3, 4, 0])
        self.assertEqual(sum(int(row["dropped"]) for row in rows), measures["dropped"])


unittest.main(argv=sys.argv[:1])
