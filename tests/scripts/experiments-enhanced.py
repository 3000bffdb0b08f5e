# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of the experiment with enhanced TFRC on short runs: experiments-enhanced.py PROGRAM
SCRATCH_DIRECTORY. BUILD_DIR is the build directory of the program, for experiments/run."""

import json
import math
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, SCRATCH = map(pathlib.Path, sys.argv[1:])
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT)]

import pandas  # noqa: E402
from enhanced import estimates, paper, report, variants  # noqa: E402

SEEDS = (1, 2)
DURATION_S = 40
# Propagation, and a packet of 1000 bytes sent at 100, 5, 4, 10, 2 and 100 Mbit/s
EMPTY_PATH_S = 0.042 + 8e3 * (1 / 100e6 + 1 / 5e6 + 1 / 4e6 + 1 / 10e6 + 1 / 2e6 + 1 / 100e6)
UNDER_WAY = 60  # more packets are never in the network


def measures_text(**parameters):
    output = SCRATCH / "run"
    arguments = {"duration_s": DURATION_S, **parameters}
    subprocess.run([PROGRAM, f"--output={output}", *(f"--{name}={value}" for name, value in arguments.items())], check=True)
    return (output / "measures.json").read_text()


def run(variant=variants.CLASSIC, **parameters):
    """Plays a variant. A null becomes NaN."""
    found = json.loads(measures_text(**variants.VARIANTS[variant], **parameters))
    return {name: math.nan if value is None else value for name, value in found.items()}


class Network(unittest.TestCase):
    def test_an_empty_path_delays_by_its_links_and_loses_nothing(self):
        measures = run(offered_bps=0.5e6, cross="none")
        self.assertEqual((0, 0), (measures["queue_drops"], measures["link_errors"]))
        self.assertAlmostEqual(EMPTY_PATH_S, measures["delay_s"], delta=0.0005)
        self.assertLess(measures["jitter_s"], 0.0005)
        self.assertAlmostEqual(2 * 0.042, measures["rtt_s"], delta=0.012)
        self.assertGreater(measures["delivery_ratio"], 0.998)
        self.assertAlmostEqual(0.5e6, measures["throughput_bps"], delta=0.02e6)

    def test_cross_traffic_takes_its_rate_of_the_last_link(self):
        for cross, rest_bps in (("none", 2e6), ("cbr", 1.5e6)):
            measures = run(offered_bps=5e6, cross=cross)
            self.assertLess(measures["throughput_bps"], rest_bps * 1.01)
            self.assertGreater(measures["throughput_bps"], rest_bps * 0.9)
        self.assertAlmostEqual(0.5e6, measures["last_cross_bps"], delta=0.02e6)

    def test_tcp_shares_the_path(self):
        for tcp in ("reno", "cubic"):
            measures = run(offered_bps=5e6, tcp=tcp)
            self.assertGreater(measures["tcp_bps"], 0.2e6)
            self.assertGreater(measures["throughput_bps"], 0.2e6)
            self.assertLess(measures["tcp_bps"] + measures["throughput_bps"], 1.55e6)
        self.assertNotIn("tcp_bps", run())

    def test_packets_are_sent_and_then_delivered_or_lost(self):
        for parameters in ({"offered_bps": 3e6}, {"offered_bps": 3e6, "link_loss": 0.03}, {"offered_bps": 5e6, "tcp": "reno"}):
            measures = run(**parameters)
            missing = measures["sent"] - measures["delivered"] - measures["queue_drops"] - measures["link_errors"]
            self.assertGreaterEqual(missing, 0)
            self.assertLess(missing, UNDER_WAY)
            lost = measures["queue_drops"] + measures["link_errors"]
            self.assertAlmostEqual(lost / measures["sent"], measures["loss_ratio"])

    def test_the_last_link_loses_as_much_as_was_asked_for(self):
        for loss in (0.01, 0.03):
            measures = run(offered_bps=1e6, link_loss=loss)
            self.assertAlmostEqual(loss, measures["link_errors"] / measures["sent"], delta=0.4 * loss)
        self.assertEqual(0, run()["link_errors"])

    def test_the_wait_in_the_sender_counts_only_from_the_source(self):
        measures = run(offered_bps=5e6)
        self.assertLess(measures["delay_s"], 0.3)
        self.assertGreater(measures["delay_from_source_s"], 5)

    def test_the_same_parameters_leave_the_same_bytes(self):
        first, again, other = ([line for line in measures_text(link_loss=0.01, seed=seed).splitlines() if '"cpu_s"' not in line]
                               for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class Mechanisms(unittest.TestCase):
    def test_without_a_classifier_each_loss_is_congestion(self):
        measures = run(offered_bps=3e6, link_loss=0.01)
        self.assertEqual(1, measures["false_congestion"])
        self.assertAlmostEqual(measures["link_errors"], measures["judged_link_errors"], delta=3)
        measures = run(offered_bps=3e6)
        self.assertEqual(0, measures["false_link_error"])
        self.assertAlmostEqual(measures["queue_drops"], measures["judged_queue_drops"], delta=3)
        self.assertTrue(math.isnan(measures["false_congestion"]))

    def test_link_errors_of_an_empty_path_are_told(self):
        """TREND and SPIKE see that there is no queue; ZigZag needs delays that vary."""
        for seed in SEEDS:
            for variant in ("trend", "spike"):
                measures = run(variant, offered_bps=0.5e6, cross="none", link_loss=0.03, seed=seed)
                self.assertLess(measures["false_congestion"], 0.2, variant)

    def test_drops_of_a_full_queue_are_no_link_errors_for_spike(self):
        for seed in SEEDS:
            measures = run("spike", offered_bps=5e6, tcp="reno", seed=seed)
            self.assertGreater(measures["judged_queue_drops"], 20)
            self.assertLess(measures["false_link_error"], 0.05)

    def test_a_sender_that_ignores_link_errors_uses_more_of_a_lossy_link(self):
        for seed in SEEDS:
            classic, trend, spike = (run(variant, offered_bps=3e6, link_loss=0.03, seed=seed)["throughput_bps"]
                                     for variant in (variants.CLASSIC, "trend", "spike"))
            self.assertGreater(trend, 1.5 * classic)
            self.assertGreater(spike, 1.5 * classic)

    def test_each_variant_has_options_of_its_own_effect(self):
        """No option is ignored: each mechanism changes the run."""
        same = {}
        for name in variants.VARIANTS:
            measures = run(name, offered_bps=3e6, link_loss=0.01)
            found = measures["throughput_bps"], measures["delay_s"], measures["rtt_s"]
            same.setdefault((found, tuple(sorted(variants.VARIANTS[name].items()))), []).append(name)
        runs = [found for found, _ in same]
        self.assertEqual(len(runs), len(set(runs)), list(same.values()))


class Estimates(unittest.TestCase):
    def frame(self, classic, other):
        rows = [{"variant": name, "seed": seed, "measure": value} for name, values in (("classic", classic), ("other", other))
                for seed, value in enumerate(values)]
        return pandas.DataFrame(rows)

    def test_the_interval_is_students(self):
        cell = estimates.means(self.frame([1.0, 2.0, 3.0], []), ("variant",), ["measure"]).iloc[0]
        # t is 4.303 with two degrees of freedom, and the deviation 1.
        self.assertAlmostEqual(2, cell["measure"])
        self.assertAlmostEqual(2 + 4.3027 / math.sqrt(3), cell["measure_max"], places=3)
        self.assertAlmostEqual(2 - 4.3027 / math.sqrt(3), cell["measure_min"], places=3)

    def test_differences_are_paired_by_seed(self):
        found = estimates.difference(self.frame([1.0, 10.0, 100.0], [1.1, 11.0, 110.0]), "other", "classic", "measure")
        for value in found:
            self.assertAlmostEqual(10, value)

    def test_a_base_of_zero_has_no_difference(self):
        self.assertTrue(all(map(math.isnan, estimates.difference(self.frame([0.0], [1.0]), "other", "classic", "measure"))))


class Pictures(unittest.TestCase):
    def test_a_panel_of_larger_values_shows_them_all(self):
        alone = pandas.DataFrame([{"variant": variant, "link_loss": link_loss, "offered_bps": offered_bps,
                                   "loss_ratio": link_loss + 0.002}
                                  for variant in (variants.CLASSIC, variants.PAPER, variants.ENHANCED)
                                  for link_loss in (0, 0.01) for offered_bps in (1e6, 2e6)])
        with unittest.mock.patch.object(report.figures, "save") as save:
            report._draw(SCRATCH / "fig4.svg", alone, "loss_ratio")
        figure = save.call_args.args[0]
        self.assertEqual(2, len(figure.axes))
        for axis in figure.axes:
            least, most = axis.get_ylim()
            self.assertEqual(0, least)
            self.assertGreater(most, 1.2)


class Report(unittest.TestCase):
    def test_has_every_variant_and_every_claim(self):
        subprocess.run([sys.executable, "-B", ROOT / "experiments", "enhanced", "--quick", "--output", SCRATCH],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        out = SCRATCH / "enhanced"
        for name in ("alone", "tcp"):
            self.assertEqual(set(variants.VARIANTS), set(pandas.read_csv(out / f"{name}.csv")["variant"]), name)
        self.assertIn("codel", set(pandas.read_csv(out / "queues.csv")["queue"]))
        self.assertEqual({variants.CLASSIC, variants.PAPER, variants.ENHANCED},
                         set(pandas.read_csv(out / "movies.csv")["variant"]))
        text = (out / "report.md").read_text()
        for name in variants.VARIANTS:
            self.assertIn(f"| {name} |", text)
        for measure, percent in paper.CLAIMS.items():
            # of the paper's variant and of ours
            self.assertEqual(2, text.count(f"\n| {paper.NAMES[measure]} | {percent:+d} |"), measure)
        for name in ("fig3.svg", "fig4.svg", "fig5.svg", "fig6.svg", "fig7.svg"):
            self.assertTrue((out / name).is_file(), name)


unittest.main(argv=sys.argv[:1])
