# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ratios, medians and limits of tests/bench/scale, from made-up rows: scale-report.py ROOT SCRATCH."""

import argparse
import contextlib
import io
import os
import pathlib
import sys
import types
import unittest
import unittest.mock

ROOT, SCRATCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path[:0] = [str(ROOT / "tests" / "bench"), str(ROOT)]

from batch import report, store  # noqa: E402
from scale import busy, cases, cli, gate, overload, picture, profile, record, tables  # noqa: E402


def row(element, number, cpu_us, streams=10, **others):
    return {"round": number, "element": element, "rtt_ms": 0, "streams": streams, "rate_bps": 640000, "cpu_us": cpu_us,
            "of_nominal": 1.0, "switches": 2.0, "threads": 11, "rss_kib": 50.0} | others


class Tables(unittest.TestCase):
    def test_a_ratio_is_of_two_measurements_in_the_same_round(self):
        ours = [row("tfrcsink", 1, 20.0), row("tfrcsink", 2, 90.0), row("tfrcsink", 3, 30.0)]
        theirs = [row("udpsink", 2, 30.0), row("udpsink", 1, 10.0)]
        self.assertEqual(tables.ratios(ours, theirs, "cpu_us"), [2.0, 3.0])

    def test_what_is_not_above_zero_has_no_ratio(self):
        ours = [row("tfrcsink", 1, 20.0, above_us=-1.0), row("tfrcsink", 2, 20.0, above_us=4.0)]
        theirs = [row("udpsink", 1, 10.0, above_us=2.0), row("udpsink", 2, 10.0, above_us=0.0)]
        self.assertEqual(tables.ratios(ours, theirs, "above_us"), [])

    def test_the_baseline_is_that_of_the_same_round_and_number_of_streams(self):
        rows = tables.with_baseline([
            row("fakesink", 1, 5.0), row("fakesink", 2, 7.0), row("fakesink", 1, 3.0, streams=100),
            row("udpsink", 2, 10.0), row("udpsink", 1, 10.0, streams=100), row("udpsink", 3, 10.0)])
        self.assertEqual([each["above_us"] for each in rows], [None, None, None, 3.0, 7.0, None])

    def test_the_report_has_ratios_values_and_remarks(self):
        rows = [row("tfrcsink", 1, 20.0), row("udpsink", 1, 10.0, of_nominal=0.5), row("fakesink", 1, 5.0)]
        text = report.markdown(tables.blocks(rows, ["a machine"]), "Title")
        compared = next(line for line in text.splitlines() if "tfrcsink / udpsink" in line)
        self.assertEqual([cell.strip() for cell in compared.strip("|").split("|")], [
            "10", "640 kbit/s", "tfrcsink / udpsink", "2.00", "3.00", "1.00", "1.00", "1.00", "–",
            "overloaded: 0.50 of the packets"])
        self.assertNotIn("/ fakesink", text)

    def test_a_sink_that_listens_is_compared_with_others_that_listen(self):
        groups = cases.cases_of([10], [640000], ("udpsink", "tfrcsink mode=listener", "srtsink mode=listener"), [50], [])[0]
        self.assertEqual([[case.name for case in tables.peers_of(ours, groups)] for ours in (groups[0], groups[2])], [
            ["udpsink", "tfrcsink mode=listener, RTT 50 ms", "srtsink mode=listener"], ["srtsink mode=listener"]])

    def test_a_csv_file_gives_the_same_rows(self):
        rows = [row("tfrcsink", 1, 20.0), row("fakesink", 1, 5.0, late_p99_us=1.5)]
        store.write_table(SCRATCH / "scale.csv", rows)
        again = tables.read(SCRATCH / "scale.csv")
        self.assertEqual(again[0], rows[0] | {"late_p99_us": None})
        self.assertEqual(tables.case_of(again[1]), cases.Case("fakesink", 10, 640000))

    def test_the_picture_needs_a_sink(self):
        self.assertFalse(picture.draw(SCRATCH / "none.png", [row("udpsrc", 1, 1.0)]))
        self.assertTrue(picture.draw(SCRATCH / "scale.png", [row("udpsink", 1, 1.0), row("udpsink", 1, 2.0, streams=100)]))
        self.assertTrue((SCRATCH / "scale.png").exists())


class Record(unittest.TestCase):
    """Made-up records. Columns: CPU of tfrcsink in three rounds, beside udpsink's 10 us."""

    def rows(self, *ours, **others):
        return [made for number, cpu_us in enumerate(ours, 1)
                for made in (row("tfrcsink", number, cpu_us, **others), row("udpsink", number, 10.0))]

    def test_a_figure_is_told_when_its_median_is_worse_by_more_than_a_tenth(self):
        recorded = self.rows(5.0, 5.0, 5.0)
        self.assertEqual(record.regressions(recorded, self.rows(5.5, 5.5, 5.5)), ([], 4))
        worse, _ = record.regressions(recorded, self.rows(5.4, 5.6, 5.7))
        self.assertEqual([(each.figure.text, each.before, each.now, each.is_sure) for each in worse],
                         [("10 x 640 kbit/s, tfrcsink / udpsink: CPU", [0.5] * 3, [0.54, 0.5599999999999999, 0.5700000000000001], True)])
        self.assertEqual(record.regressions(recorded, self.rows(1.0, 1.0, 1.0))[0], [])

    def test_ranges_that_overlap_are_told_but_do_not_fail(self):
        blocks, is_good = record.blocks(self.rows(5.0, 5.0, 6.0), self.rows(5.9, 6.5, 7.0))
        self.assertIn("within the rounds' ranges", report.markdown(blocks))
        self.assertTrue(is_good)
        blocks, is_good = record.blocks(self.rows(5.0, 5.0, 6.0), self.rows(6.1, 6.5, 7.0))
        self.assertIn("| 10 x 640 kbit/s, tfrcsink / udpsink: CPU | 0.50 (0.50 – 0.60) | 0.65 (0.61 – 0.70) | +30 %  | worse",
                      report.markdown(blocks))
        self.assertFalse(is_good)

    def test_a_slower_machine_is_no_regression_as_peers_are_slower_too(self):
        slower = [each | {"cpu_us": 3 * each["cpu_us"]} for each in self.rows(5.0, 5.0)]
        self.assertEqual(record.regressions(self.rows(5.0, 5.0), slower), ([], 4))

    def test_switches_threads_and_memory_are_compared_as_they_are(self):
        worse, _ = record.regressions(self.rows(5.0), self.rows(5.0, switches=2.3, threads=13, rss_kib=56.0))
        self.assertEqual([each.figure.column for each in worse], ["switches", "threads", "rss_kib"])

    def test_what_did_not_keep_up_is_not_compared(self):
        self.assertEqual(record.regressions(self.rows(5.0), self.rows(9.0, of_nominal=0.9)), ([], 0))
        self.assertFalse(record.blocks(self.rows(5.0), self.rows(9.0, of_nominal=0.9))[1])

    def test_a_machine_is_its_processor_its_kernel_and_its_gstreamer(self):
        self.assertEqual(record.name_of("AMD EPYC", 2, "6.18.44-x", "GStreamer 1.22.0"), "amd-epyc-2cpu-linux-6.18-gst-1.22")
        self.assertEqual(record.name_of("Intel(R) Xeon(R) @ 2.1 GHz", 8, "none", ""),
                         "intel-r-xeon-r-2.1-ghz-8cpu-linux-unknown-gst-unknown")

    def test_a_record_is_the_run_that_was_kept_last(self):
        for cpu_us in (5.0, 4.0):
            store.write_table(SCRATCH / "scale.csv", self.rows(cpu_us))
            (SCRATCH / "conditions.txt").write_text("a machine\n")
            place = record.keep(SCRATCH, "machine", SCRATCH / "records")
        self.assertEqual(tables.read(place / "scale.csv")[0]["cpu_us"], 4.0)
        self.assertEqual((place / "conditions.txt").read_text(), "a machine\n")

    def compared(self, cpu_us):
        """The exit status of --report-only --compare, and what is printed."""
        out = SCRATCH / "run"
        store.write_table(out / "scale.csv", self.rows(cpu_us))
        (out / "conditions.txt").write_text("the run\n")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), \
                unittest.mock.patch.object(record, "DIRECTORY", SCRATCH / "committed"):
            status = cli.main(["--report-only", "--compare", "--out", str(out)])
        return status, printed.getvalue()

    def test_the_command_fails_without_a_record_and_for_a_regression(self):
        status, text = self.compared(5.0)
        self.assertEqual(status, 1)
        self.assertIn("--record makes one", text)
        store.write_table(SCRATCH / "run" / "scale.csv", self.rows(5.0))
        record.keep(SCRATCH / "run", record.machine(cli._gstreamer()), SCRATCH / "committed")
        self.assertEqual(self.compared(5.2)[0], 0)
        status, text = self.compared(6.0)
        self.assertEqual(status, 1)
        self.assertIn("1 of 4 figures", text)

    def test_busy_runs_are_no_records(self):
        for words in (["--record", "--spinners", "1"], ["--compare", "--gate"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                cli.main(words)


class Gate(unittest.TestCase):
    def run_gate(self, **changes):
        ours = {"switches": 0.5, "threads": 103, "threads_pool": 2, "streams": 100, "allocations": 3.0, "missing": 0.0,
                "errors": 0} | changes
        bench = types.SimpleNamespace(
            measure=lambda case, counts_allocations: {"allocations": 3.0} if case.element == "fakesink" else ours)
        limits = types.SimpleNamespace(max_switches=0.6, max_threads=4, max_allocations=0.01)
        with contextlib.redirect_stdout(io.StringIO()):
            return gate.run(bench, 100, 640000, 50, limits)

    def test_each_limit_is_held(self):
        self.assertTrue(self.run_gate())
        for change in ({"switches": 0.61}, {"threads": 107}, {"allocations": 3.02}, {"missing": 0.51}, {"errors": 1}):
            self.assertFalse(self.run_gate(**change), change)

    def test_threads_of_the_pool_do_not_count(self):
        self.assertTrue(self.run_gate(threads=131, threads_pool=30))


SECOND_NS = 1_000_000_000


def arrivals(stream, begin_ns, end_ns, late_ns=0, spacing_ns=10_000_000):
    """Packets that come at a steady pace."""
    return [overload.Arrival(time_ns, time_ns - late_ns, stream, time_ns // spacing_ns)
            for time_ns in range(begin_ns, end_ns, spacing_ns)]


class Overload(unittest.TestCase):
    def test_fairness_is_jains_index(self):
        self.assertEqual(overload.jain([7, 7, 7, 7]), 1)
        self.assertEqual(overload.jain([8, 0, 0, 0]), 0.25)
        self.assertEqual(overload.jain([0, 0]), 0)

    def test_streams_are_back_when_packets_are_on_time_for_half_a_second(self):
        late = overload.GOOD_LATE_NS + 1
        begin, end = 10 * SECOND_NS, 14 * SECOND_NS
        back = begin + 1_200_000_000
        self.assertEqual(overload.recovery_s(arrivals(0, begin, end), begin, end), 0)
        self.assertEqual(overload.recovery_s(arrivals(0, begin, back, late) + arrivals(0, back, end), begin, end), 1.2)
        self.assertEqual(overload.recovery_s(  # on time for too short a while before
            arrivals(0, begin, begin + SECOND_NS) + arrivals(0, begin + 400_000_000, back, late) + arrivals(0, back, end),
            begin, end), 1.2)
        self.assertIsNone(overload.recovery_s(arrivals(0, begin, end, late), begin, end))
        self.assertIsNone(overload.recovery_s([], begin, end))

    def test_a_row_says_how_alike_the_streams_suffer(self):
        case = cases.Case("tfrcsink", 2, 200 * 1316 * 8, 50)
        begin, end = 10 * SECOND_NS, 13 * SECOND_NS
        found = overload.analyse(
            arrivals(0, begin - SECOND_NS, end) + arrivals(1, begin - SECOND_NS, end, late_ns=2_000_000, spacing_ns=30_000_000),
            case, begin, end)
        self.assertEqual((found["kept"], found["least"], found["most"]), (334 / 1000, 84 / 167, 250 / 167))
        self.assertEqual(found["jain"], 334 ** 2 / (2 * (250 ** 2 + 84 ** 2)))
        self.assertEqual((found["late_calm_ms"], found["late_end_ms"], found["missing"]), (2, 0, 0))

    def test_the_report_has_a_row_for_each_measurement(self):
        row = {"element": "tfrcsink", "rtt_ms": 50, "streams": 300, "rate_bps": 640000} | dict.fromkeys(overload._COLUMNS, 0.5)
        text = report.markdown(overload.blocks([row, row | {"recovery_s": None}]), "Title")
        self.assertEqual(text.count("| 300 "), 2)
        self.assertEqual(report.markdown(overload.blocks([]), "Title").count("Overload"), 0)
        self.assertIn("not back", overload.summary(row | {"recovery_s": None}))


class Busy(unittest.TestCase):
    def setUp(self):
        program = SCRATCH / "bench-scale-spinner"
        program.write_text("#!/bin/sh\nexec sleep 1000\n")
        program.chmod(0o755)
        self.bench = types.SimpleNamespace(programs=SCRATCH)

    def test_busy_processes_end_with_the_measurements_also_after_an_error(self):
        with self.assertRaises(ZeroDivisionError), busy.BusyProcesses(self.bench, 2) as processes:
            running = list(processes._processes)
            self.assertEqual([each.poll() for each in running], [None, None])
            raise ZeroDivisionError
        self.assertEqual([each.returncode for each in running], [-9, -9])

    def test_the_report_says_what_was_busy(self):
        with unittest.mock.patch.dict(os.environ, {"TFRC_REALTIME": "0"}):
            self.assertEqual(list(busy.conditions(2)), ["Busy meanwhile: 2 processes of ordinary priority.",
                                                        "The I/O loops have no real-time priority (TFRC_REALTIME=0)."])
        with unittest.mock.patch.dict(os.environ, {"TFRC_REALTIME": "1"}):
            self.assertEqual(list(busy.conditions(0)), [])


class CommandLine(unittest.TestCase):
    def test_rates_have_units(self):
        options = cli.parser().parse_args(["--rate", "640k,2M,1.5M,64000"])
        self.assertEqual(options.rate, [640000, 2000000, 1500000, 64000])

    def test_mistakes_are_refused(self):
        for words in (["--rate", "2G"], ["--rate", "1"], ["--streams", "0"], ["--peers", "tfrcsink"], ["--peers", "nosink"],
                      ["--rtt", "-1"], ["--rtt", "x"], ["--rtt", "151"], ["--rounds", "0"],
                      ["--spinners", "-1"], ["--spinners", "65"], ["--spinners", "x"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                cli.parser().parse_args(words)
        with self.assertRaises(argparse.ArgumentTypeError):
            cli._rate("k")

    def test_each_case_is_measured_beside_its_peers(self):
        groups = cases.cases_of([1, 10], [640000], ("udpsink",), [0, 50], [100])
        self.assertEqual([[case.name for case in group] for group in groups], [
            ["tfrcsink", "tfrcsink, RTT 50 ms", "udpsink", "fakesink"]] * 2 + [["tfrcsrc", "udpsrc"]])


class Profile(unittest.TestCase):
    def test_functions_are_read_from_the_report_of_perf(self):
        text = ("# Overhead  Symbol  Shared Object\n"
                "    11.25%  [k] finish_task_switch.isra.0  [kernel.kallsyms]\n"
                "     5.00%  [.] g_slice_alloc  libglib-2.0.so.0.7400.6\n")
        self.assertEqual(profile.parse(text, 10), [
            [11.25, "`finish_task_switch.isra.0`", "kernel"], [5.0, "`g_slice_alloc`", "libglib-2.0.so.0.7400.6"]])
        self.assertEqual(len(profile.parse(text, 1)), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
