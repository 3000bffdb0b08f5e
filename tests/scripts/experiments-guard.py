# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the guard experiment on short runs: experiments-guard.py PROGRAM SCRATCH_DIRECTORY.
BUILD_DIR is the build directory of the program, for experiments/run."""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, SCRATCH = map(pathlib.Path, sys.argv[1:])
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT)]

import pandas  # noqa: E402
from guard import definition  # noqa: E402
from vod import schedules  # noqa: E402

SEEDS = (1, 2, 3)
VENDETTA = schedules.modelled(ROOT / "traces" / "v-for-vendetta-like-600s.csv", SCRATCH)
PACKETS = 36477  # of the 600 s


def measures_text(schedule, **parameters):
    output = SCRATCH / "run"
    subprocess.run([PROGRAM, f"--output={output}", f"--schedule={schedule}",
                    *(f"--{name}={value}" for name, value in parameters.items())], check=True)
    return (output / "measures.json").read_text()


def run(row, sender="rfc", seed=1, schedule=VENDETTA, **more):
    """Plays a movie from the seed's place on."""
    parameters = {"seed": seed, "offset_s": definition.BETWEEN_PLACES_S * seed % definition.MOVIE_S,
                  **definition.ROWS[row], **definition.SENDERS[sender], **more}
    return json.loads(measures_text(schedule, **{name: str(value).lower() if isinstance(value, bool) else value
                                                 for name, value in parameters.items()}))


def schedule_of(name, due_us):
    path = SCRATCH / name
    path.write_text("\n".join((schedules.HEADER, *(f"{due},{schedules.PACKET_BYTES}" for due in due_us), "")))
    return path


class Simulation(unittest.TestCase):
    def test_each_packet_of_the_movie_is_sent_once(self):
        for seed in SEEDS:
            measures = run("fast link", seed=seed)
            self.assertAlmostEqual(PACKETS, measures["packets"], delta=3)  # those at the seam
            self.assertEqual(0, measures["unsent"])

    def test_a_start_has_ten_packets_in_its_first_round_trip_time_by_default_and_three_by_rfc_3390(self):
        """Ten packets are due at once. One leaves, and after R the others, a tenth or a third of R apart."""
        burst = schedule_of("burst.csv", [0] * 10 + [20_000_000])
        path = {"rate_bps": 100e6, "queue": 200, "rtt_ms": 100, "duration_s": 20, "queue_guard": "true", "burst_limit_ms": 10}
        longest_s = [json.loads(measures_text(burst, initial_window=window, **path))["wait_max_s"] for window in (10, 0)]
        self.assertAlmostEqual(0.1 + 8 * 0.01, longest_s[0], delta=0.012)
        self.assertGreater(longest_s[1], 0.25)

    def test_jitter_reorders_nothing(self):
        for row in ("jitter 0-50", "jitter 0-25 both ways", "feedback jitter 0-50"):
            measures = run(row, "defaults", duration_s=60)
            self.assertEqual((0, 0), (measures["lost"], measures["loss_event_rate"]))

    def test_random_loss_is_as_much_as_was_asked_for(self):
        for row, loss in (("loss 0.5 %", 0.005), ("loss 2 %", 0.02)):
            self.assertAlmostEqual(loss, run(row)["lost"], delta=0.2 * loss)

    def test_a_longer_path_makes_the_wait_of_a_start_longer(self):
        """All packets are due at once, so that the wait is some round-trip times."""
        burst = schedule_of("burst.csv", [0] * 100 + [20_000_000])
        short, long = (run("fast link", schedule=burst, rtt_ms=rtt_ms, offset_s=0, duration_s=15)
                       for rtt_ms in (50, 100))
        self.assertAlmostEqual(2, long["wait_max_s"] / short["wait_max_s"], delta=0.2)
        self.assertEqual(100, short["packets"])

    def test_the_round_trip_time_steps_when_it_should(self):
        """Packets 2 s apart, and a burst that is sent in round-trip times, before the step or after it."""
        for burst_s, step_s, longer in ((20, 30, False), (20, 10, True)):
            due_us = [2_000_000 * number for number in range(burst_s // 2)] + [1_000_000 * burst_s] * 50 + [50_000_000]
            burst = schedule_of("late-burst.csv", due_us)
            parameters = {"schedule": burst, "offset_s": 0, "duration_s": 40}
            before = run("fast link", **parameters)["settled_wait_max_s"]
            after = run("fast link", step_s=step_s, step_rtt_ms=500, **parameters)["settled_wait_max_s"]
            self.assertEqual(longer, after > 3 * before)

    def test_settled_leaves_out_what_was_due_in_the_start(self):
        burst = schedule_of("start.csv", [0] * 100 + [1_000_000 * second for second in range(11, 21)] + [30_000_000])
        measures = run("fast link", schedule=burst, offset_s=0, duration_s=25)
        self.assertGreater(measures["wait_max_s"], 0.05)
        self.assertEqual(0, measures["settled_wait_max_s"])

    def test_reno_takes_what_the_movie_leaves(self):
        measures = run("one Reno, 10 BDP", duration_s=120)
        self.assertGreater(measures["tcp_bps"], 8.5e6)
        self.assertLess(measures["tcp_bps"], 9.7e6)
        self.assertEqual(0, run("fast link", duration_s=15)["tcp_bps"])

    def test_parts_that_wait_long_are_parts(self):
        measures = run("one Reno, RTT 42")
        self.assertGreater(measures["late_500ms"], measures["late_1s"])
        self.assertGreater(measures["late_1s"], 0)
        self.assertLess(measures["late_500ms"], 1)
        self.assertGreater(measures["wait_max_s"], 1)

    def test_the_same_parameters_leave_the_same_bytes(self):
        first, again, other = (
            [line for line in measures_text(VENDETTA, loss=0.01, duration_s=20, seed=seed).splitlines()
             if '"cpu_s"' not in line] for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class Defaults(unittest.TestCase):
    def test_lose_less_than_rfc_5348_in_table_1s_queue(self):
        for row in ("Table 1, d2 20", "Table 1, d2 60"):
            for seed in SEEDS:
                rfc, defaults = (run(row, sender, seed)["lost"] for sender in definition.SENDERS)
                self.assertGreater(rfc, 0.005)
                self.assertLess(defaults, rfc / 2)


class Report(unittest.TestCase):
    def test_has_every_row_for_both_senders(self):
        subprocess.run([sys.executable, "-B", ROOT / "experiments", "guard", "--quick", "--output", SCRATCH],
                       check=True, stdout=subprocess.DEVNULL)
        out = SCRATCH / "guard"
        cells = pandas.read_csv(out / "cells.csv")
        self.assertEqual([(row, sender) for row in definition.ROWS for sender in definition.SENDERS],
                         list(zip(cells["row"], cells["sender"])))
        self.assertTrue((cells["seeds"] == 1).all())
        tcp = set(cells[cells["tcp_mbps"].notna()]["row"])
        self.assertEqual({row for row, settings in definition.ROWS.items() if "tcp" in settings}, tcp)
        report = (out / "report.md").read_text()
        for row in definition.ROWS:
            # of the rows' settings, of all and of settled
            self.assertEqual(5, report.count(f"| {row} |"), row)
        for name in ("runs.csv", "waits.svg"):
            self.assertTrue((out / name).is_file(), name)


unittest.main(argv=sys.argv[:1])
