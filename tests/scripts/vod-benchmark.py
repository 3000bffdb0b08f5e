# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of pipelines/vod-benchmark that need no network: the runs of an experiment, their specs
for the testbed, resuming, and the report of the sample in vod-benchmark-sample."""

import concurrent.futures
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent.parent / name) for name in ("pipelines/vod-benchmark", "")]

import ccid3  # noqa: E402
import conditions  # noqa: E402
import experiments  # noqa: E402
import movies  # noqa: E402
import numpy as np  # noqa: E402
import pandas  # noqa: E402
import paper  # noqa: E402
import play  # noqa: E402
import scenario  # noqa: E402
import timeline  # noqa: E402
import transports  # noqa: E402
from batch import provenance, runner, store, style  # noqa: E402
from report import page, player, resultspage, sections, summary  # noqa: E402

ROOT = HERE.parent.parent
SAMPLE = HERE / "vod-benchmark-sample"


class Scratch(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)

    def trace(self, name="v-for-vendetta-like-600s.csv", sizes=(1000,) * 250):
        lines = [f"{n},{'IBBP'[n % 4]},{40 * n},{size}\n" for n, size in enumerate(sizes)]
        (self.scratch / name).write_text("# a comment\nframe,type,time_ms,bytes\n" + "".join(lines))
        return self.scratch


class Experiments(unittest.TestCase):
    def test_table_1_is_two_movies_two_delays_two_queues_and_every_transport_with_five_seeds_on_one_network(self):
        runs = list(experiments.runs("table1"))
        self.assertEqual(len(runs), 2 * 2 * 2 * 9)
        self.assertEqual({run.seeds for run in runs}, {(1, 2, 3, 4, 5)})
        self.assertEqual({run.parameters["transport"] for run in runs},
                         {name for name in transports.TRANSPORTS if not name.startswith("tfrc-") and not name.endswith("ms")})

    def test_figures_5_and_6_are_the_same_runs(self):
        self.assertEqual(list(experiments.runs("fig5")), list(experiments.runs("fig6")))

    def test_a_condition_sets_its_network_and_says_how_many_seeds_play_at_once(self):
        runs = list(experiments.runs("conditions", transport=["udp"]))
        self.assertEqual(list(dict.fromkeys(run.parameters["condition"] for run in runs)), list(conditions.POINTS))
        by_name = {run.parameters["condition"]: run for run in runs}
        reno, deep = by_name["reno"], by_name["cubic-deep"]
        self.assertEqual([reno.parameters[name] for name in ("rate_bps", "d2_ms", "queue", "tcp")], [2_000_000, 20, 20, 1])
        # Ten times 10 Mbit/s and 50 ms, in packets of 1344 bytes
        self.assertEqual([deep.parameters[name] for name in ("rate_bps", "d2_ms", "queue", "tcp")], [10_000_000, 25, 465, 1])
        self.assertEqual((reno.seeds, deep.seeds), ((1, 2, 3, 4, 5), (5,)))

    def test_a_condition_may_have_a_movie_and_a_duration_of_its_own(self):
        runs = list(experiments.runs("conditions", transport=["udp"], points=[("condition", "peaks")]))
        self.assertEqual([(run.parameters["movie"], run.parameters["duration_s"], run.seeds) for run in runs],
                         [("action-movie", 120, (1, 2, 3)), ("action-movie", 120, (4, 5))])

    def test_other_experiments_have_no_condition(self):
        self.assertTrue(all("condition" not in run.parameters for run in experiments.runs("table1")))
        self.assertEqual(list(experiments.runs("table1", points=[("condition", "reno")])), [])

    def test_every_experiment_has_five_seeds_or_more(self):
        self.assertGreaterEqual(min(experiment.seeds for experiment in experiments.EXPERIMENTS.values()), 5)

    def test_points_leave_only_runs_that_have_them(self):
        runs = list(experiments.runs("table1", points=[("movie", "cinderella-man"), ("queue", "20"), ("seed", "3")],
                                     transport=["udp"]))
        self.assertEqual([(run.parameters["d2_ms"], run.seeds) for run in runs], [(20, (3,)), (60, (3,))])

    def test_more_seeds_than_fit_on_one_network_make_more_runs(self):
        runs = list(experiments.runs("fig3", seeds=range(1, 8), transport=["udp"], points=[("queue", "20")]))
        self.assertEqual([run.seeds for run in runs], [(1, 2, 3, 4, 5), (6, 7)])

    def test_where_seeds_have_movies_of_their_own_each_has_a_network_of_its_own(self):
        for name, own in (("fig4", True), ("fig5", True), ("table1", False)):
            self.assertEqual({run.own_movie for run in experiments.runs(name)}, {own}, name)
        runs = list(experiments.runs("table1", own_movies=True, transport=["udp"], points=[("queue", "20")]))
        self.assertEqual([run.seeds for run in runs[:5]], [(1,), (2,), (3,), (4,), (5,)])
        self.assertEqual({run.seeds for run in experiments.runs("fig3", own_movies=False)}, {(1, 2, 3, 4, 5)})

    def test_every_experiment_has_a_section_of_the_report_and_what_the_paper_says_of_it(self):
        for name in experiments.EXPERIMENTS:
            self.assertIn(name, sections.SECTIONS)
            self.assertIn(name, paper.CLAIMS)

    def test_every_experiment_has_a_short_variant_that_costs_far_less(self):
        for name in experiments.EXPERIMENTS:
            full, short = (sum(run.cost() for run in experiments.runs(name, short=short)) for short in (False, True))
            self.assertLess(short, full / 12, name)


class Scenario(Scratch):
    def run_of(self, name, **changes):
        cell = dict(next(experiments.cells(experiments.axes_of(name)))) | {"movie": "v-for-vendetta"} | changes
        return experiments.Run(tuple((key, cell[key]) for key in experiments.PARAMETERS if key in cell), (1,))

    def spec_under(self, condition, seeds=(1,)):
        run = next(run for run in experiments.runs("conditions", points=[("condition", condition)]))
        self.trace("action-movie-like-600s.csv")
        spec, _, streams = scenario.build(experiments.Run(run.cell, seeds), self.trace())
        return spec, streams

    def test_only_the_way_forward_is_limited_and_both_ways_have_the_delay(self):
        spec, files, _ = scenario.build(self.run_of("table1"), self.trace())
        self.assertEqual(spec["links"]["bottleneck"]["forward"], {"rate": "2000kbit", "queue": 20, "delay": "20ms"})
        self.assertEqual(spec["links"]["bottleneck"]["backward"], {"delay": "20ms"})
        self.assertEqual([path.name for path in files], ["v-for-vendetta-like-600s.csv"])

    def test_jitter_is_added_to_the_delay_and_keeps_the_order(self):
        jitter = {"delay": "45ms", "jitter": "25ms", "ordered": True}
        link = self.spec_under("jitter-50")[0]["links"]["bottleneck"]
        self.assertEqual(link["forward"], {"rate": "5000kbit", "queue": 56} | jitter | {"delay": "85ms"})
        self.assertEqual(link["backward"], {"delay": "60ms"})
        link = self.spec_under("jitter-feedback")[0]["links"]["bottleneck"]
        self.assertEqual(link["forward"], {"rate": "5000kbit", "queue": 93, "delay": "100ms"})
        self.assertEqual(link["backward"], jitter | {"delay": "125ms"})

    def test_the_delay_of_every_seeds_link_steps_in_the_middle_of_its_movie(self):
        spec, streams = self.spec_under("step", (1, 2))
        self.assertEqual(spec["events"], [
            {"at": f"{stream.start_s + 30:.3f}s", "change": f"bottleneck{stream.lane}", "delay": "75ms"} for stream in streams])
        self.assertNotIn("events", self.spec_under("loss-1")[0])

    def test_loss_aqm_congestion_control_and_the_movies_rate_are_told_to_those_who_make_them(self):
        self.assertEqual(self.spec_under("loss-0.5")[0]["links"]["bottleneck"]["forward"]["loss"], 0.005)
        spec, _ = self.spec_under("codel")
        self.assertEqual(spec["links"]["bottleneck"]["forward"]["aqm"], "codel")
        self.assertIn(" -C cubic -P 1 ", spec["jobs"]["tcp-0"]["run"])
        self.assertIn(" -C reno -P 1 ", self.spec_under("reno-deep")[0]["jobs"]["tcp-0"]["run"])
        self.assertIn(" --bitrate 2200000", self.spec_under("alone-2.2")[0]["jobs"]["sender-0"]["run"])
        self.assertNotIn("--bitrate", self.spec_under("alone")[0]["jobs"]["sender-0"]["run"])
        self.assertIn(" --frames $TESTBED_OUT/frames-0.csv", spec["jobs"]["sender-0"]["run"])

    def test_the_testbed_takes_the_network_of_every_condition(self):
        sys.path.append(str(ROOT / "pipelines"))
        import testbed
        for name in conditions.POINTS:
            self.assertTrue(testbed.load(self.spec_under(name)[0]).jobs)

    def test_seeds_have_networks_of_their_own(self):
        run = experiments.Run(self.run_of("table1").cell, (1, 2))
        spec, _, streams = scenario.build(run, self.trace())
        self.assertEqual(list(spec["nodes"]), ["a1", "r1", "b1", "a2", "r2", "b2"])
        self.assertEqual({end[-1] for link in ("access1", "bottleneck1") for end in spec["links"][link]["ends"]}, {"1"})
        self.assertEqual([(stream.seed, stream.lane) for stream in streams], [(1, "1"), (2, "2")])

    def test_a_seed_plays_the_trace_or_a_movie_of_its_own(self):
        cell = self.run_of("fig4").cell
        played = [scenario.build(experiments.Run(cell, (seed,), own), self.trace())[1][0]
                  for seed, own in ((1, True), (2, True), (2, False))]
        self.assertEqual([path.name for path in played], ["v-for-vendetta-like-600s-1.csv", "v-for-vendetta-like-600s-2.csv",
                                                          "v-for-vendetta-like-600s.csv"])
        texts = [path.read_text() for path in played]
        self.assertEqual(len(set(texts)), 3)
        self.assertEqual(texts[0], (movies.MODEL / "v-for-vendetta-like-600s.csv").read_text())

    def test_five_seeds_of_a_fifth_play_the_whole_trace_once(self):
        self.assertEqual([scenario.offset_s("m", seed, 0, 600) for seed in range(1, 6)], [0, 120, 240, 360, 480])
        self.assertNotIn(scenario.offset_s("m", 6, 0, 600), [0, 120, 240, 360, 480])

    def test_all_movies_on_a_network_end_at_the_same_time_and_have_ports_of_their_own(self):
        run = self.run_of("fig4", movies=8)
        _, _, streams = scenario.build(run, self.trace())
        ends = {round(stream.start_s + scenario.duration_s(run, streams, stream), 3) for stream in streams}
        self.assertEqual(len(ends), 1)
        self.assertEqual([stream.port for stream in streams], list(range(5004, 5084, 10)))

    def test_tcp_flows_are_shared_among_four_processes(self):
        run = self.run_of("fig5", tcp=10, sack=0)
        spec, _, _ = scenario.build(run, self.trace())
        self.assertEqual(scenario.tcp_ports(run.parameters), {7001: 3, 7002: 3, 7003: 2, 7004: 2})
        self.assertIn("-C reno -P 3 ", spec["jobs"]["tcp-0"]["run"])
        self.assertEqual(spec["nodes"]["a"]["sysctl"]["net.ipv4.tcp_sack"], 0)

    def test_shaped_udp_fits_the_link_with_its_headers_and_srt_counts_them_itself(self):
        common = {"host": "h", "port": 1, "d2_ms": 60, "rate_bps": 10_000_000, "movies": 8, "peak_bps": 1905568.0}
        self.assertTrue(transports.fragments("udp-shaped-link", **common)[0].endswith("max-bitrate=1223958"))
        self.assertTrue(transports.fragments("udp-shaped-peak", **common)[0].endswith("max-bitrate=1905568"))
        self.assertIn("latency=480&maxbw=156250", transports.fragments("srt-limited", **common)[0])


class Movies(Scratch):
    def test_the_peak_second_counts_whole_transport_packets(self):
        # 25 frames of 1821 bytes and 19 of header: 10 packets each.
        movie = movies.load("v-for-vendetta", self.trace(sizes=[100] * 50 + [1821] * 25 + [100] * 50))
        self.assertEqual((movie.seconds, movie.peak_bps), (5.0, 25 * 10 * 188 * 8))
        # The others are a packet each.
        self.assertEqual(movie.mean_bps, (25 * 10 + 100) * 188 * 8 / 5)

    def test_a_line_that_is_none_is_named(self):
        (self.scratch / "bad-600s.csv").write_text("frame,type,time_ms,bytes\n0,I,0,900\n1,P,40,many\n")
        with self.assertRaisesRegex(movies.TraceError, r"bad-600s.csv:3: .*1,P,40,many"):
            movies.load("bad", self.scratch)

    def test_a_seed_without_a_movie_is_named(self):
        with self.assertRaisesRegex(movies.TraceError, "--variant 21: v-for-vendetta has 1 to 20"):
            movies.of_seed("v-for-vendetta", 21, self.scratch)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_generated_movie_is_made_again_when_the_model_is_newer(self):
        path = movies.of_seed("v-for-vendetta", 2, self.scratch).path
        whole = path.read_text()
        path.write_text("stale")
        self.assertEqual(movies.generated(path, "v-for-vendetta", "--variant", 2).read_text(), "stale")
        os.utime(path, (0, 0))
        self.assertEqual(movies.generated(path, "v-for-vendetta", "--variant", 2).read_text(), whole)

    def test_a_missing_trace_is_named(self):
        with self.assertRaisesRegex(movies.TraceError, r"no trace ghost\*-600s.csv in "):
            movies.find("ghost", self.scratch)


class AtOnce(contextlib.nullcontext):
    """A pool in which a run has ended before the next one begins"""

    def __enter__(self):
        return self

    def submit(self, play, plan, prepare):
        future = concurrent.futures.Future()
        future.set_result(play(plan, prepare(plan.key)))
        return future


class Resuming(Scratch):
    def setUp(self):
        super().setUp()
        self.store = store.Store(self.scratch)
        self.plans = [runner.Plan(store.key_of(name), name, cost, None) for name, cost in (("x", 1), ("y", 3))]
        self.played = []
        self.broken = set()
        self.out = io.StringIO()

    def play(self, plan, directory):
        self.played.append(plan.label)
        (directory / "log").write_text("what it did")
        if plan.label in self.broken:
            raise runner.RunFailed("a link was cut")
        return {"rows": [{"label": plan.label}]}

    def go(self, known=lambda plan, result, directory: result, clock=lambda: 0.0):
        return runner.play_all(self.plans, self.play, self.store, lambda result: "fine", known=known, out=self.out,
                               clock=clock)

    def test_what_is_done_is_not_played_again(self):
        first = self.go()
        second = self.go()
        self.assertEqual(self.played, ["y", "x"])
        self.assertEqual(first.results, second.results)

    def test_an_interrupted_benchmark_goes_on_where_it_was(self):
        self.store.save(self.plans[0].key, {"rows": []})
        self.go()
        self.assertEqual(self.played, ["y"])
        self.assertEqual(self.out.getvalue(), "[2/2] y: fine\n")

    def test_an_interruption_just_before_a_result_is_saved_loses_nothing(self):
        save = self.store.save

        def interrupted(*of_result):
            self.store.save = save
            raise KeyboardInterrupt

        self.store.save = interrupted
        with self.assertRaises(KeyboardInterrupt):
            self.go()
        kept = [plan.label for plan in self.plans if self.store.load(plan.key)]
        self.assertIn("y", kept)
        self.go()
        self.assertEqual(sorted(self.played), ["x", "y"])

    def test_a_result_cut_short_is_played_again(self):
        self.store.prepare(self.plans[0].key)
        (self.store.path(self.plans[0].key) / "result.json").write_text('{"rows": [')
        self.go()
        self.assertEqual(self.played, ["y", "x"])

    def test_failed_runs_are_kept_apart_and_tried_again(self):
        self.broken = {"y"}
        outcome = self.go()
        place = self.scratch / "failed" / self.plans[1].key
        self.assertEqual([(plan.label, kept) for plan, kept in outcome.failures], [("y", place)])
        self.assertEqual((place / "reason.txt").read_text(), "y\na link was cut\n")
        self.assertEqual((place / "raw" / "log").read_text(), "what it did")
        self.assertFalse(self.store.path(self.plans[1].key).exists())
        self.broken = set()
        self.assertEqual(self.go().failures, [])
        self.assertEqual(self.played, ["y", "x", "y"])
        self.assertFalse(place.exists())

    def test_what_a_result_is_worth_is_asked_and_what_is_made_of_it_is_kept(self):
        self.go()
        self.go(known=lambda plan, result, directory: result | {"log": (directory / "log").read_text()})
        self.assertEqual(self.store.load(self.plans[0].key)["log"], "what it did")
        self.go(known=lambda plan, result, directory: None)
        self.assertEqual(self.played, ["y", "x", "y", "x"])

    def test_progress_tells_the_time_left_from_what_the_runs_so_far_cost(self):
        times = iter([0.0, 300.0, 400.0])
        self.go(clock=lambda: next(times))
        self.assertEqual(self.out.getvalue(), "[1/2] y: fine · 2 min left\n[2/2] x: fine\n")

    def test_runs_that_have_ended_together_are_told_in_their_order(self):
        plans = [runner.Plan(store.key_of(name), name, 1, None) for name in "abcdefgh"]
        runner.play_all(plans, self.play, self.store, lambda result: "fine", pool=AtOnce(), out=self.out, clock=lambda: 0.0)
        self.assertEqual([line.split()[1] for line in self.out.getvalue().splitlines()], [f"{plan.label}:" for plan in plans])

    def test_the_key_of_a_run_follows_its_parameters(self):
        self.assertEqual(store.key_of({"a": 1, "b": [2]}), store.key_of({"b": [2], "a": 1}))
        self.assertNotEqual(store.key_of({"a": 1}), store.key_of({"a": 2}))

    def test_the_key_of_a_run_in_the_testbed_follows_the_testbeds_own_programs(self):
        build, testbed = self.scratch / "build", self.scratch / "root" / "pipelines" / "testbed"
        for name in {*play.PROGRAMS, *play.TFRC_PROGRAMS, *(name for names in ccid3.PROGRAMS.values() for name in names)}:
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).write_text(name)
        testbed.mkdir(parents=True)
        run = next(iter(experiments.runs("table1")))

        def keys(text):
            (testbed / "session.sh").write_text(text)
            with unittest.mock.patch.object(provenance, "ROOT", self.scratch / "root"):
                return (play.Player(build=build, traces=ROOT / "traces").key(run), ccid3.Judge(build).key(ccid3.runs()[0]))

        first, same, other = keys("tc 1"), keys("tc 1"), keys("tc 2")
        self.assertEqual(first, same)
        self.assertEqual([one == two for one, two in zip(first, other)], [False, False])


class Style(unittest.TestCase):
    def test_every_transport_has_a_look_that_no_other_has(self):
        looks = [style.TRANSPORTS[name] for name in transports.TRANSPORTS]
        self.assertEqual(len(set(looks)), len(looks))
        self.assertEqual(len({look.colour for look in looks}), len(looks))

    def test_transports_stand_in_one_order_and_unknown_ones_at_the_end(self):
        self.assertEqual(style.in_order(["tcp", "quic", "udp", "tfrc", "udp"]), ["tfrc", "udp", "tcp", "quic"])


class Report(Scratch):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.page = page.write(SAMPLE, pathlib.Path(directory.name))

    def test_cells_are_medians_and_ranges_over_seeds_and_the_loss_of_all(self):
        cells = summary.over_seeds(summary.load(SAMPLE / "table1.csv"), ["iplr", "iptd_mean"])
        tfrc = cells[cells["transport"] == "tfrc"].iloc[0]
        self.assertEqual((tfrc["iplr"], tfrc["iplr_min"], tfrc["iplr_max"]), (0.002, 0.001, 0.009))
        self.assertEqual((tfrc["iptd_mean"], tfrc["seeds"], tfrc["iplr_pooled"]), (0.06, 3, 0.004))

    def test_runs_are_means_over_their_movies_and_those_that_meet_the_targets_are_counted(self):
        runs = summary.of_runs(summary.load(SAMPLE / "fig4.csv"), ["iptd_mean", "iplr"])
        two = runs[(runs["transport"] == "tfrc") & (runs["movies"] == 2)].iloc[0]
        self.assertAlmostEqual(two["iptd_mean"], 0.3)
        self.assertEqual(two["movies_meeting"], 2)

    def test_of_several_movies_the_mean_counts_and_of_several_seeds_the_median(self):
        frame = summary.load(SAMPLE / "fig4.csv")
        frame = frame[(frame["transport"] == "tfrc") & (frame["movies"] == 2)]
        worse = frame.assign(seed=2, iptd_mean=frame["iptd_mean"] + 1, iplr=0)
        worst = frame.assign(seed=3, iptd_mean=frame["iptd_mean"] + 3)
        runs = summary.of_runs(pandas.concat([frame, worse, worst]), ("iptd_mean", "iplr", "missed_1"))
        cell = summary.over_seeds(runs, ("iptd_mean", "iplr", "movies_meeting")).iloc[0]
        self.assertEqual([round(cell[name], 9) for name in ("iptd_mean", "iptd_mean_min", "iptd_mean_max")], [1.3, 0.3, 3.3])
        self.assertEqual((cell["iplr"], cell["iplr_min"], cell["seeds"]), (0.00025, 0, 3))
        self.assertEqual((cell["movies_meeting"], cell["movies_meeting_max"]), (0, 2))

    def test_the_most_movies_end_before_the_first_number_that_misses_a_target(self):
        runs = summary.of_runs(summary.load(SAMPLE / "fig4.csv"), ["iptd_mean", "iplr"])
        most = {row["transport"]: (row["most"], row["one_by_one"]) for _, row in summary.most(runs).iterrows()}
        # Over UDP two movies lose too much, so three movies, which do not, do not count.
        self.assertEqual(most, {"tfrc": (3, 3), "udp": (0, 3)})

    def test_the_most_movies_are_those_of_each_seed_and_of_these_the_median_and_range(self):
        frame = pandas.DataFrame([
            {"movie": "m", "transport": "t", "d2_ms": 20, "queue": 37, "movies": movies, "tcp": 0, "sack": 1, "seed": seed,
             "iptd_mean": 0.1, "iplr": 0.0 if movies <= least else 0.01}
            for seed, least in ((1, 7), (2, 10), (3, 9)) for movies in (8, 9, 10)])
        row = summary.most(summary.of_runs(frame, ["iptd_mean", "iplr"])).iloc[0]
        self.assertEqual((row["most"], row["most_min"], row["most_max"], row["seeds"]), (9, 0, 10, 3))
        self.assertEqual(summary.most_in_words(row), "9 (< 8 – 10+)")

    def test_the_page_comes_from_the_tables_alone_and_sets_the_papers_number_beside_ours(self):
        written, text = self.page, self.page.read_text()
        for name in ("table1", "fig3", "fig4", "fig5", "fig6", "conditions"):
            self.assertTrue((written.parent / f"{name}.csv").is_file())
            self.assertEqual((written.parent / f"{name}.png").read_bytes()[1:4], b"PNG")
            self.assertIn(f"<code>pipelines/vod-benchmark.sh {name}</code>", text)
        self.assertIn("<td>TFRC</td><td>IPLR</td><td>8.59e-03</td><td>–</td><td>2.00e-03 (1.00e-03 – 9.00e-03)</td>"
                      "<td>4.00e-03</td>", text)
        self.assertIn("<td>UDP</td><td>IPLR</td><td>0.0228</td><td>0.0226</td>", text)
        self.assertIn("<td>TFRC</td><td>1</td><td>3+</td><td>3</td>", text)
        self.assertIn("<td>UDP</td><td>1</td><td>&lt; 2</td><td>3</td>", text)

    def test_the_ideal_queues_numbers_are_those_that_it_gives_for_the_traces_of_an_hour(self):
        for movie in ("cinderella-man", "v-for-vendetta"):
            trace = movies.generated(self.scratch / f"{movie}.csv", movie, "--duration", 3600)
            for queue in (20, 100):
                command = [sys.executable, ROOT / "traces" / "droptail.py", trace, "--queue", str(queue)]
                row = next(csv.DictReader(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()))
                for measure, value in paper.IDEAL_QUEUE[movie, "udp", 20, queue].items():
                    own = float(row["iplr" if measure == "iplr" else f"{measure}_s"])
                    self.assertAlmostEqual(own, value, delta=0.001 * value, msg=f"{movie}, {queue}: {measure}")

    def test_the_sentences_about_differences_have_the_numbers_of_the_committed_tables(self):
        frames = {name: summary.load(ROOT / "results" / "vod" / f"{name}.csv") for name in ("table1", "levers", "fig3")}
        reasons = {name: " ".join(texts) for name, texts in json.loads(page.REASONS.read_text()).items()}

        def losses(name, **cell):
            frame = frames[name]
            for column, value in cell.items():
                frame = frame[frame[column] == value]
            return frame.sort_values("seed")["iplr"]

        def told(value):
            mantissa, exponent = f"{value:.1e}".split("e")
            return f"{mantissa}e{int(exponent)}" if value else "0"

        tfrc = {"transport": "tfrc", "queue": 20}
        lossy = [value for value in losses("table1", movie="v-for-vendetta", d2_ms=60, **tfrc) if value]
        self.assertTrue(lossy)
        for value in lossy:
            self.assertIn(told(value), reasons["table1"])
        self.assertEqual(sum(losses("table1", movie="cinderella-man", **tfrc)), 0)
        self.assertIn("Of Cinderella Man's 36483 packets TFRC loses none", reasons["table1"])
        for transport in ("tfrc-rfc", "tfrc-guard"):
            for d2_ms in (20, 60):
                self.assertIn(told(losses("levers", transport=transport, d2_ms=d2_ms).median()), reasons["levers"])
        self.assertIn(told(losses("fig3", transport="tfrc", queue=10).median()), reasons["fig3"])
        repeating = frames["table1"][(frames["table1"]["queue"] == 100) & frames["table1"]["transport"].isin(("rist", "srt"))]
        others = frames["table1"][(frames["table1"]["queue"] == 100) & ~frames["table1"]["transport"].isin(("rist", "srt"))]
        self.assertEqual(others["lost"].sum(), 0)
        self.assertIn(f"With a queue of 100 nobody loses but RIST and SRT, at most {['no', 'one', 'two', 'three'][repeating['lost'].max()]} "
                      "packets", reasons["table1"])

    def test_the_sentences_about_tcp_have_the_numbers_of_the_committed_rows(self):
        frame = summary.load(ROOT / "results" / "vod" / "fig5.csv")
        reasons = {name: " ".join(texts) for name, texts in json.loads(page.REASONS.read_text()).items()}
        cells = {key: rows.sort_values("seed") for key, rows in frame.groupby(["sack", "tcp", "transport"])}

        def told(sack, transport, counts):
            found = [f"{cells[sack, count, transport]['iplr'].median():.1e}".replace("e-0", "e-") for count in counts]
            return ["0" if value == "0.0e+00" else value for value in found]

        def overlap(sack, count, measure):
            ours, theirs = (cells[sack, count, transport][measure] for transport in ("tfrc", "udp"))
            return ours.min() <= theirs.max() and theirs.min() <= ours.max()

        for sack, how in ((1, "{} with SACK beside 1, 5 and 10 TCP flows, and UDP's {}"), (0, "without SACK {}, and UDP's {}")):
            few = ["{}, {} and {}".format(*told(sack, transport, (1, 5, 10))) for transport in ("tfrc", "udp")]
            self.assertIn(how.format(*few), reasons["fig5"])
            self.assertIn("{} and {} {}".format(*told(sack, "tfrc", [20]), *told(sack, "udp", [20]), "with SACK" if sack else "without"),
                          reasons["fig5"])
            self.assertEqual([overlap(sack, count, "iplr") for count in (1, 5, 10, 20)], [False, False, False, True])
            delays = cells[sack, 20, "tfrc"]["iptd_mean"]
            self.assertIn(f"{delays.min():.0f} to {delays.max():.0f} s {'with SACK' if sack else 'without'}", reasons["fig5"])
        meeting = {(transport, count): sum((cells[sack, count, transport]["iplr"] <= paper.IPLR_TARGET).sum() for sack in (0, 1))
                   for transport in ("tfrc", "udp") for count in (1, 5, 10, 20)}
        self.assertEqual({key: count for key, count in meeting.items() if count}, {("tfrc", 1): 6, ("tfrc", 5): 5})

        apart = {(sack, count, measure) for sack in (0, 1) for count in (1, 5, 10, 20) for measure in ("tcp_iplr", "tcp_throughput_bps")
                 if not overlap(sack, count, measure)}
        self.assertEqual(apart, {(1, 1, "tcp_iplr"), (1, 20, "tcp_iplr"), (1, 20, "tcp_throughput_bps")})
        rates = [f"{edge() / 1e6:.2f}" for transport in ("tfrc", "udp") for cell in [cells[1, 20, transport]["tcp_throughput_bps"]]
                 for edge in (cell.min, cell.max)]
        losses = [f"{value:.1e}".replace("e-0", "e-") for transport in ("tfrc", "udp")
                  for value in sorted(cells[1, 20, transport]["tcp_iplr"])[::2]]
        self.assertEqual(losses[0], losses[1])
        self.assertIn("one gets {} to {} Mbit/s and loses {} beside TFRC, {} to {} Mbit/s and {} to {} beside UDP".format(
            *rates[:2], losses[0], *rates[2:], *losses[2:]), reasons["fig6"])
        single = [cells[1, 1, transport]["tcp_iplr"].median() for transport in ("tfrc", "udp")]
        self.assertIn(f"a single flow loses {100 * (single[0] / single[1] - 1):.0f} % more beside TFRC", reasons["fig6"])
        sums = [ours / theirs - 1 for sack in (0, 1) for count in (1, 5, 10, 20)
                for ours, theirs in zip(*(cells[sack, count, name]["tcp_all_throughput_bps"] for name in ("tfrc", "udp")))]
        self.assertLessEqual(max(map(abs, sums)), 0.03)

    def test_the_numbers_of_movies_are_those_up_to_which_all_that_were_tried_meet_the_targets(self):
        frame = summary.load(ROOT / "results" / "vod" / "fig4.csv")
        text = " ".join(json.loads(page.REASONS.read_text())["fig4"])
        most = {(row["queue"], row["transport"]): summary.most_in_words(row).replace("+", " or more")
                for _, row in summary.most(summary.of_runs(frame[frame["movie"] == "v-for-vendetta"], ("iptd_mean", "iplr"))).iterrows()}
        self.assertEqual(most[18, "udp"], "< 8")
        self.assertEqual(most[18, "tfrc"], most[18, "udp-shaped-peak"])
        self.assertEqual(most[37, "tfrc"], most[37, "srt"])
        for sentence in (
                f"with 18 packets of queue UDP misses the targets with 8 movies already, SRT carries {most[18, 'srt']}, TFRC and UDP that "
                f"knows the movie's peak second {most[18, 'tfrc']}, TFRC that knows it {most[18, 'tfrc-peak']}.",
                f"With 37 packets UDP carries {most[37, 'udp']}, TFRC and SRT {most[37, 'tfrc']}, UDP that knows the peak second "
                f"{most[37, 'udp-shaped-peak']}, and TFRC that knows it {most[37, 'tfrc-peak']}.",
                f"With 74, SRT carries {most[74, 'srt']}, TFRC {most[74, 'tfrc']}, UDP {most[74, 'udp']}, UDP that knows the peak "
                f"second {most[74, 'udp-shaped-peak']}, and TFRC that knows it {most[74, 'tfrc-peak']}.",
                f"it carries {most[18, 'tfrc-smooth']} movies with 18 packets, and {most[37, 'tfrc-smooth']} with 37 and 74"):
            self.assertIn(sentence, text)
        self.assertEqual(most[37, "tfrc-smooth"], most[74, "tfrc-smooth"])
        smoothed = frame[frame["transport"] == "tfrc-smooth"]
        self.assertEqual(smoothed["retransmissions"].sum(), 0)
        self.assertEqual({key for key, lost in smoothed.groupby(["queue", "movies"])["lost"].sum().items() if lost}, {(18, 14), (37, 15), (74, 15)})

    def test_the_shares_beside_reno_are_those_of_the_rows_beside_the_kernels_tfrc(self):
        frame = pandas.read_csv(ROOT / "results" / "vod" / "ccid3.csv")
        text = " ".join(json.loads(page.REASONS.read_text())["ccid3"])
        cells = frame.groupby(["flow", "tcp", "rate_bps"])

        def shares(flow, rate_bps):
            share = cells.get_group((flow, 1, rate_bps))["share"]
            self.assertEqual(len(share), 3)
            return f"{share.min():.2f} to {share.max():.2f}"

        self.assertIn(f"it takes {shares('tfrc', 5_000_000)} of 5 Mbit/s and {shares('tfrc', 15_000_000)} of 15 Mbit/s, CCID 3 "
                      f"{shares('ccid3', 5_000_000)} and {shares('ccid3', 15_000_000)} (three seeds)", text)
        for tcp in (0, 1):
            for rate_bps in (5_000_000, 15_000_000):
                ours, theirs = (cells.get_group((flow, tcp, rate_bps)) for flow in ("tfrc", "ccid3"))
                self.assertLess(ours["loss_ratio"].max(), theirs["loss_ratio"].min())
                self.assertGreater(ours["utilisation"].min(), theirs["utilisation"].max() - 1e-3)

    def test_the_sentences_about_differences_stand_beside_the_tables_that_they_are_of_alone(self):
        sentence = json.loads(page.REASONS.read_text())["fig3"][0].replace("'", "&#39;")
        # No picture is drawn, as that takes most of the time.
        with unittest.mock.patch.object(style, "save", lambda figure, path: pathlib.Path(path).touch()):
            self.assertIn(sentence, page.write(ROOT / "results" / "vod", self.scratch / "committed").read_text())
        text = self.page.read_text()
        self.assertNotIn(sentence, text)
        self.assertIn("The sentences about differences are of the tables in results/vod, and not of these.", text)

    def test_a_sender_that_was_not_played_is_no_sender_without_loss(self):
        row = dict.fromkeys(sections.judge.MEASURES, 0.5) | {
            "rate_bps": 5_000_000, "tcp": 0, "flow": "tfrc", "seed": 1, "loss_ratio": 0.001, "share": None}
        for flows in (["tfrc"], ["ccid3"]):
            drawn = []
            with unittest.mock.patch.object(sections.style, "save", lambda figure, path: drawn.append(figure)):
                sections.ccid3(pandas.DataFrame([row | {"flow": flow} for flow in flows]), self.scratch)
            loss = drawn[0].axes[1]
            self.assertEqual([text.get_text() for text in loss.texts], [])
            self.assertEqual([bar.get_height() for bar in loss.patches if not math.isnan(bar.get_height())], [0.001])

    def test_the_results_page_names_every_condition_in_which_a_player_misses_more_over_tfrc_than_over_udp(self):
        cells = player.cells_of(summary.load(ROOT / "results" / "vod" / "conditions.csv"))
        text = " ".join((ROOT / "docs" / "results.md").read_text().split())
        for measure, sentence in (("missed_0.5", "misses more packets over TFRC than over UDP"),
                                  ("missed_1", "With a buffer of 1 s more packets")):
            tfrc, udp = (cells[cells["transport"] == name].set_index("condition")[measure] for name in ("tfrc", "udp"))
            worse = [name for name in conditions.POINTS if name in tfrc and name in udp and tfrc[name] > udp[name]]
            self.assertTrue(worse)
            self.assertEqual(text.count(sentence), 1, sentence)
            named = text.split(sentence)[1].split("(`")[1].split(")")[0]
            self.assertEqual(re.findall("[^`]+", named)[::2], worse, sentence)

    def test_a_player_sees_what_is_lost_or_late_under_each_condition_in_its_order(self):
        text = self.page.read_text()
        self.assertLess(text.index("<h4>alone: "), text.index("<h4>red: "))
        self.assertIn("<td>TFRC</td><td>3</td><td>30 (5 – 40)</td><td>1 (0.5 – 2)</td><td>0.12 (0 – 0.2)</td><td>0</td>", text)
        self.assertIn("<td>SRT, latency 180 ms</td><td>1</td><td>100</td><td>0.001</td><td>0.001</td><td>0.001</td>"
                      "<td>9.00 (9.00 – 9.00)</td>", text)

    def test_the_tables_of_the_results_page_come_from_the_results(self):
        tables = resultspage.tables(SAMPLE)
        self.assertIn("| TFRC | 3 | 2.00e-03 (1.00e-03 – 9.00e-03) | 60 (50 – 100) |\n", tables["table1"])
        self.assertIn("| 3 | 1 (0.5 – 2); 0.12 (0 – 0.2) | – |\n", tables["player"])
        text = "before\n<!-- player -->\nold\n<!-- /player -->\nafter\n"
        text = resultspage.replaced(text, {"player": "new\n"})
        self.assertEqual(text, "before\n<!-- player -->\nnew\n<!-- /player -->\nafter\n")
        with self.assertRaisesRegex(resultspage.PageError, "not one place between <!-- table1 --> and <!-- /table1 -->"):
            resultspage.replaced(text, tables)

    def test_the_results_page_has_the_tables_of_the_committed_results(self):
        text = (ROOT / "docs" / "results.md").read_text()
        tables = resultspage.tables(ROOT / "results" / "vod")
        self.assertIn("table1", tables)
        self.assertEqual(resultspage.replaced(text, tables), text)

    def test_the_page_has_the_conditions_and_the_numbers_of_runs(self):
        text = (ROOT / "docs" / "vod-benchmark.md").read_text()
        missing = [name for name in conditions.POINTS if f"`{name}`" not in text and f"`{name.removeprefix('loss')}`" not in text]
        self.assertEqual(missing, [])
        runs = {name: len(list(experiments.runs(name))) for name in experiments.EXPERIMENTS}
        seeds = {name: experiment.seeds for name, experiment in experiments.EXPERIMENTS.items()}
        self.assertEqual((runs["levers"], runs["fig5"]), (runs["fig3"], runs["fig6"]))
        for row in (f"| `table1` | {runs['table1']}, of {seeds['table1']} seeds", f"| `levers`, `fig3` | {runs['levers']} each, of",
                    f"| `fig4` | {runs['fig4'] // seeds['fig4']} for each of {seeds['fig4']} seeds",
                    f"| `fig5`, `fig6` together | {runs['fig5'] // seeds['fig5']} for each of {seeds['fig5']} seeds",
                    f"| `conditions` | {runs['conditions']}, of", f"| `ccid3` | {len(ccid3.runs())}, of"):
            self.assertIn(row, text)

    def test_the_timeline_has_one_movie_over_tfrc_and_udp_from_the_same_place(self):
        tfrc, udp = timeline.runs()
        self.assertEqual(tfrc.seeds, udp.seeds)
        self.assertEqual(tfrc.parameters, udp.parameters | {"transport": "tfrc"})

    def test_the_timeline_has_the_mean_rate_of_each_window_without_what_never_left(self):
        times_s, rates_bps = timeline.rate(np.array([0, 0.1, math.nan, 0.25, 9]), duration_s=0.6, window_s=0.2)
        self.assertEqual([round(time_s, 9) for time_s in times_s], [0.1, 0.3, 0.5])
        self.assertEqual([round(rate_bps) for rate_bps in rates_bps], [2 * 52640, 52640, 0])

    def test_the_same_tables_give_the_same_report(self):
        second = page.write(SAMPLE, self.scratch / "second")
        for path in self.page.parent.iterdir():
            self.assertEqual(path.read_bytes(), (second.parent / path.name).read_bytes(), path.name)

    def test_without_tables_there_is_no_page(self):
        self.assertIsNone(page.write(self.scratch, self.scratch / "report"))

    def test_tables_hold_every_column_and_leave_out_what_is_not_known(self):
        store.write_table(self.scratch / "t.csv", [{"a": 1, "b": None}, {"a": 0.123456789, "c": "x,y"}])
        self.assertEqual((self.scratch / "t.csv").read_text(), 'a,b,c\n1,,\n0.123457,,"x,y"\n')


if __name__ == "__main__":
    unittest.main()
