# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of experiments/run with a script as the program of the jobs: BUILD_DIR/experiments/fake."""

import importlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
EXPERIMENTS = HERE.parent.parent / "experiments"
sys.dont_write_bytecode = True
sys.path.insert(0, str(EXPERIMENTS.parent))

import pandas  # noqa: E402
from batch import figures, jobs, report, runner, style, tables  # noqa: E402
from batch.arguments import seed_list, seed_text  # noqa: E402
from batch.jobs import Job  # noqa: E402
from batch.origins import compiler, ns3_version  # noqa: E402
from batch.processes import read_measures  # noqa: E402
from batch.provenance import revision  # noqa: E402
from experiments.common.sink_settings import TFRCSINK  # noqa: E402

# Notes that it was run. $FAIL: the seed that fails; $HANG: the seed that waits for ever.
FAKE = """#!/bin/sh
for word; do
  case $word in
    --*=*) word=${word#--}; eval "${word%%=*}='${word#*=}'" ;;
  esac
done
echo "$rate $seed" >>"$PLAYED"
[ "$seed" != "${FAIL:-}" ] || { echo one line; echo "no such link" >&2; exit 3; }
[ "$seed" != "${HANG:-}" ] || { echo $$ >"$RUNNING"; exec cat "$RUNNING"; }
echo "flow,bytes
1,$((rate * 100 + seed))" >"$output/flows.csv"
echo '{"simulated_s": 100, "events": 3000, "cpu_s": 0.5, "goodput_bps": '$((rate * 100 + seed))', "p": null}' \
  >"$output/measures.json"
"""

DEFINITION = """
import pathlib

from batch import tables
from batch.jobs import Job

TITLE = "A sample"
SEEDS = 3


def jobs(quick, seeds):
    trace = pathlib.Path(__file__).with_name("trace.csv")
    twice = [Job("fake", {"rate": rate, "seed": seed, "trace": trace}, cost=rate)
             for rate in ((1,) if quick else (1, 2)) for seed in seeds]
    return twice + twice[:1]


def report(results, out, quick):
    tables.write_report(out, TITLE, f"{len(results)} results")
"""

# The same with all that reports are made of
FULL_REPORT = """
from batch import figures
from batch.jobs import frame

from . import paper


def report(results, out, quick):
    cells = tables.over_seeds(frame(results), ["rate"], ["goodput_bps"])
    tables.write_csv(out / "cells.csv", cells)
    figure, axes = figures.panels()
    figures.line(axes[0], cells, "rate", "goodput_bps", label="ours")
    figures.paper(axes[0], *zip(*paper.GOODPUT.items()))
    figures.save(figure, out / "goodput.svg")
    flows = sum(result.table("flows")["bytes"].sum() for result in results)
    tables.write_report(out, TITLE, f"{flows} bytes",
                        tables.beside_paper(cells, ["rate"], "goodput_bps",
                                            {(rate,): bps for rate, bps in paper.GOODPUT.items()}))
"""


class Scratch(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)


class Runner(Scratch):
    def setUp(self):
        super().setUp()
        self.program = self.scratch / "build" / "experiments" / "fake"
        self.sample = self.scratch / "definitions" / "sample"
        for place in (self.program.parent, self.sample):
            place.mkdir(parents=True)
        self.write_program(FAKE)
        (self.sample / "definition.py").write_text(DEFINITION)
        (self.sample / "paper.py").write_text("GOODPUT = {1: 204}\n")
        (self.sample / "trace.csv").write_text("due_us,bytes\n")
        self.output = self.scratch / "build" / "results" / "sample"
        self.environment = os.environ | {"BUILD_DIR": str(self.scratch / "build"),
                                         "PLAYED": str(self.scratch / "played")}

    def make_full_report(self):
        (self.sample / "definition.py").write_text(DEFINITION + FULL_REPORT)

    def write_program(self, text):
        self.program.write_text(text)
        self.program.chmod(0o755)

    def command(self, *arguments):
        definitions = ["--definitions", str(self.scratch / "definitions")]
        return [sys.executable, str(EXPERIMENTS), "sample", *definitions, *arguments]

    def go(self, *arguments, status=0, **environment):
        """Runs experiments/run and returns its output."""
        done = subprocess.run(self.command("--jobs", "1", *arguments), env=self.environment | environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def played(self):
        """The jobs that have been run since the last call, as 'rate seed'."""
        path = self.scratch / "played"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def written(self, directory=None):
        return {path.name: path.read_bytes() for path in (directory or self.output).iterdir() if path.is_file()}

    def test_every_job_is_run_once_the_long_ones_first(self):
        self.go()
        self.assertEqual(self.played(), ["2 1", "2 2", "2 3", "1 1", "1 2", "1 3"])

    def test_what_is_done_is_not_run_again_and_the_report_is_the_same_in_every_byte(self):
        self.make_full_report()
        self.go()
        first = self.written()
        self.played()
        self.go()
        self.assertEqual(self.played(), [])
        self.assertEqual(self.written(), first)
        self.assertEqual(set(first), {"report.md", "rows.csv", "cells.csv", "goodput.svg"})

    def test_more_seeds_run_only_what_is_new(self):
        self.go("--seeds", "2", "--quick")
        self.go("--seeds", "2,4", "--quick")
        self.assertEqual(self.played(), ["1 1", "1 2", "1 4"])

    def test_quick_is_one_seed(self):
        self.go("--quick")
        self.assertEqual(self.played(), ["1 1"])

    def test_another_program_and_another_input_file_make_other_jobs(self):
        self.go("--quick")
        self.write_program(FAKE + "# changed\n")
        self.go("--quick")
        (self.sample / "trace.csv").write_text("due_us,bytes\n0,1316\n")
        self.go("--quick")
        self.assertEqual(self.played(), ["1 1"] * 3)

    def test_progress_counts_what_was_done_before_and_tells_the_time_left(self):
        self.go("--seeds", "1", "--quick")
        lines = self.go("--seeds", "2", "--quick").splitlines()
        self.assertEqual(lines[0], "[2/2] fake seed=2: 100 s in 0.5 s of CPU")
        lines = self.go("--seeds", "2").splitlines()
        self.assertRegex(lines[0], r"^\[3/4\] fake rate=2 seed=1: 100 s in 0.5 s of CPU · \d+ (s|min) left$")

    def test_a_failed_job_is_told_with_the_end_of_its_output_and_kept_apart_and_the_others_go_on(self):
        said = self.go("--quick", "--seeds", "3", status=1, FAIL="2")
        self.assertIn("fake seed=2: FAILED: exit status 3\n    one line\n    no such link (", said)
        self.assertEqual(self.played(), ["1 1", "1 2", "1 3"])
        kept, = (self.output / "failed").iterdir()
        self.assertEqual((kept / "raw" / "output.txt").read_text(), "one line\nno such link\n")
        self.assertIn("experiments: 1 of 3 jobs of sample have no result", said)
        self.assertIn("**1 of 3 jobs have no result.**", (self.output / "report.md").read_text())

    def test_a_failed_job_is_tried_again(self):
        self.go("--quick", "--seeds", "3", status=1, FAIL="2")
        self.played()
        self.go("--quick", "--seeds", "3")
        self.assertEqual(self.played(), ["1 2"])
        self.assertEqual(list((self.output / "failed").iterdir()), [])
        self.assertNotIn("no result", (self.output / "report.md").read_text())

    def test_a_program_that_leaves_no_measures_has_failed(self):
        self.write_program("#!/bin/sh\n")
        self.assertIn("fake: FAILED: no measures.json: ", self.go("--quick", status=1))

    def test_without_the_program_it_says_what_is_missing(self):
        self.program.unlink()
        self.assertIn(f"{self.program} is missing: build it first", self.go("--report-only", status=1))

    def test_listed_commands_run_by_themselves_in_any_order_leave_what_one_run_leaves(self):
        self.go("--seeds", "2")
        expected = self.written()
        self.played()
        elsewhere = ["--output", str(self.scratch / "elsewhere")]
        listed = self.go("--seeds", "2", "--list", *elsewhere)
        self.assertEqual(listed, self.go("--seeds", "2", "--list", *elsewhere))
        commands = listed.splitlines()
        self.assertEqual(len(commands), 4)
        for command in reversed(commands):
            subprocess.run(command, shell=True, check=True, env=self.environment, stdout=subprocess.DEVNULL)
        self.assertEqual(self.played(), ["2 2", "2 1", "1 2", "1 1"])
        self.go("--seeds", "2", "--report-only", *elsewhere)
        self.assertEqual(self.played(), [])
        self.assertEqual(self.written(self.scratch / "elsewhere" / "sample"), expected)

    def test_one_job_is_that_of_the_list_and_makes_no_report(self):
        self.go("--job", "5")
        self.assertEqual(self.played(), ["2 2"])
        self.assertFalse((self.output / "report.md").exists())
        self.assertIn("--job 7: sample has jobs 1 to 6", self.go("--job", "7", status=2))

    def test_a_listed_command_names_all_that_the_job_depends_on(self):
        words = shlex.split(self.go("--seeds", "3-3", "--quick", "--list").splitlines()[0])
        self.assertEqual(words[0], os.path.relpath(EXPERIMENTS / "run"))
        self.assertEqual(words[1:], ["sample", "--quick", "--seeds", "3-3", "--definitions",
                                     str(self.scratch / "definitions"), "--job", "1"])

    def test_a_list_of_which_the_reader_takes_a_part_ends_without_a_word(self):
        for option in ("--list", "--parameters"):
            reader, writer = os.pipe()
            os.close(reader)
            ended = subprocess.run(self.command(option), stdout=writer, stderr=subprocess.PIPE, text=True,
                                   env=self.environment, check=False)
            os.close(writer)
            self.assertNotIn("Traceback", ended.stderr)
            self.assertEqual(ended.returncode, 141)

    def test_a_report_of_a_part_says_so(self):
        self.go("--job", "1")
        said = self.go("--report-only", status=1)
        self.assertIn("5 of 6 jobs of sample have no result", said)
        self.assertIn("5 of 6 jobs have no result", (self.output / "report.md").read_text())

    def test_a_definition_that_needs_all_jobs_is_no_end_for_a_part_but_a_mistake_for_the_whole(self):
        (self.sample / "definition.py").write_text(DEFINITION + "    raise KeyError('rate 2')\n")
        self.go("--job", "1")
        self.assertIn("no tables of a part of sample: KeyError: 'rate 2'", self.go("--report-only", status=1))
        self.assertIn("5 of 6 jobs have no result", (self.output / "report.md").read_text())
        self.assertIn("Traceback", self.go(status=1))

    def test_the_definition_in_the_documentation_works(self):
        documentation = (EXPERIMENTS.parent / "docs" / "experiments.md").read_text()
        (self.sample / "definition.py").write_text(documentation.split("```python\n")[1].split("```")[0])
        self.program.rename(self.program.with_name("smoke"))
        self.go()
        self.assertEqual((self.output / "cells.csv").read_text(), "delay_s,seeds,goodput_bps,goodput_bps_min,"
                         "goodput_bps_max\n0.01,3,2,1,3\n0.1,3,2,1,3\n")

    def test_the_report_can_be_apart_from_the_results(self):
        self.go("--quick", "--report", str(self.scratch / "committed"))
        self.assertEqual(set(self.written(self.scratch / "committed" / "sample")), {"report.md", "rows.csv"})
        self.assertEqual([path.name for path in self.output.iterdir()], ["runs"])

    def test_the_report_has_medians_ranges_the_papers_numbers_and_the_speed(self):
        self.make_full_report()
        self.go()
        text = (self.output / "report.md").read_text()
        self.assertIn("# A sample\n\n912 bytes\n", text)
        self.assertIn("| rate | goodput_bps | paper | ours / paper |\n| --- | --- | --- | --- |\n"
                      "| 1 | 102 (101 – 103) | 204 | 0.5 |\n| 2 | 202 (201 – 203) | – | – |\n", text)
        self.assertIn("By `experiments/run sample --seeds 3`; `experiments/run sample --seeds 3 --parameters` prints", text)
        self.assertIn("| fake | 6 | 600 | 3.0 | 200 | 6000 |", text)
        self.assertEqual((self.output / "cells.csv").read_text(),
                         "rate,seeds,goodput_bps,goodput_bps_min,goodput_bps_max\n1,3,102,101,103\n2,3,202,201,203\n")

    def test_parameters_are_those_of_every_job_and_need_no_program(self):
        self.program.unlink()
        found = [json.loads(line) for line in self.go("--seeds", "2,5", "--quick", "--parameters").splitlines()]
        self.assertEqual(found, [{"program": "fake", "parameters": {"rate": 1, "seed": seed, "trace": "trace.csv"}}
                                 for seed in (2, 5)])
        self.assertFalse(self.output.exists())

    def test_the_report_counts_the_jobs_of_each_revision(self):
        self.go("--seeds", "2", "--quick")
        for number, path in enumerate(sorted(self.output.glob("runs/*/result.json"))):
            path.write_text(json.dumps(json.loads(path.read_text()) | {"revision": f"r{number}"}))
        self.go("--seeds", "3", "--quick")
        text = (self.output / "report.md").read_text()
        self.assertIn("| `r0` | 1 |\n", text)
        self.assertIn("| `r1` | 1 |\n", text)
        self.assertRegex(text, r"\| revision \| jobs \|\n\| --- \| --- \|\n(\| `\S+` \| 1 \|\n){3}\n")

    def commit(self):
        self.go("--report", str(self.scratch / "committed"))
        self.played()
        return self.scratch / "committed" / "sample" / "rows.csv"

    def check(self, *arguments, status=0):
        return self.go("--check", "--report", str(self.scratch / "committed"), "--output", str(self.scratch / "again"), *arguments,
                       status=status)

    def test_rows_have_the_revision_and_each_measure_that_a_machine_does_not_change(self):
        lines = self.commit().read_text().splitlines()
        self.assertEqual(lines[0], "job,revision,simulated_s,events,goodput_bps,p")
        self.assertEqual(len(lines), 7)
        self.assertRegex(lines[1], r"^[0-9a-f]{16},\S+,100,3000,101,$")

    def test_a_check_plays_a_sample_that_its_seed_repeats(self):
        self.commit()
        said = self.check("--check-rows", "2", "--check-seed", "7")
        self.assertIn("The sample is that of --check-seed 7.\n", said)
        self.assertIn("sample: 2 of 2 rows hold, of 6\n1 of 1 reports hold.\n", said)
        first = self.played()
        self.assertEqual(len(first), 2)
        self.check("--check-rows", "2", "--check-seed", "7", "--output", str(self.scratch / "once-more"))
        self.assertEqual(self.played(), first)
        self.assertRegex(self.check("--check-rows", "9"), r"--check-seed \d+\.\n(.*\n)*sample: 6 of 6 rows hold, of 6\n")

    def test_a_check_names_what_differs_from_the_committed_row_and_its_revision(self):
        path = self.commit()
        lines = path.read_text().splitlines()
        lines[2] = re.sub(r",\S+,100,3000,102,$", ",r1,100,3000,103,", lines[2])
        path.write_text("\n".join(lines) + "\n")
        said = self.check("--check-rows", "6", status=1)
        self.assertIn("sample: fake rate=1 seed=2: differs\n    goodput_bps: 103 in rows.csv (r1), 102 now\n", said)
        self.assertIn("sample: 5 of 6 rows hold, of 6\n0 of 1 reports hold.\n", said)

    def test_a_check_fails_for_rows_of_jobs_that_are_no_more_and_without_rows(self):
        path = self.commit()
        self.assertIn("3 of 6 rows are of jobs that the experiment no longer has", self.check("--quick", "--seeds", "3", status=1))
        path.unlink()
        self.assertIn("committed/sample has no rows.csv: 'experiments/run sample --report", self.check(status=1))

    def test_a_check_fails_for_jobs_that_have_no_row(self):
        path = self.commit()
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))
        said = self.check("--check-rows", "6", status=1)
        self.assertIn("sample: 4 of 4 rows hold, of 4\n", said)
        self.assertIn("sample: 2 of 6 jobs have no row in rows.csv\n", said)
        self.assertIn("0 of 1 reports hold.\n", said)

    def test_a_report_of_which_nothing_can_be_compared_does_not_count_as_one_that_holds(self):
        definition = self.sample / "definition.py"
        definition.write_text(definition.read_text().replace("cost=rate)", "cost=rate, exact=False)"))
        self.commit()
        said = self.check()
        self.assertIn("sample: nothing is compared: 6 rows of the testbed\n", said)
        self.assertIn("0 of 0 reports hold, 1 is not compared.\n", said)

    def test_a_check_leaves_out_what_is_not_exact(self):
        definition = self.sample / "definition.py"
        definition.write_text(definition.read_text().replace("cost=rate)", "cost=rate, exact=rate == 1)"))
        self.commit()
        self.assertIn("sample: 3 of 3 rows hold, of 3; 3 rows of the testbed are not compared", self.check())
        self.assertEqual(sorted(self.played()), ["1 1", "1 2", "1 3"])

    def test_an_interruption_ends_what_runs_and_keeps_what_is_done(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                fifo = self.scratch / f"running-{number}"
                os.mkfifo(fifo)
                seeds = f"{number},{number + 100}"  # no job of the other signal's
                process = subprocess.Popen(self.command("--jobs", "1", "--quick", "--seeds", seeds),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           env=self.environment | {"HANG": str(number + 100), "RUNNING": str(fifo)})
                with open(fifo) as file:
                    job = int(file.readline())
                process.send_signal(number)
                said, errors = process.communicate()
                self.assertEqual(process.returncode, 130)
                self.assertEqual(errors,
                                 "Interrupted; what is done is kept, and the same command goes on from there.\n")
                self.assertNotIn("FAILED", said)
                self.assertRaises(ProcessLookupError, os.kill, job, 0)
                self.played()
                self.go("--quick", "--seeds", seeds)
                self.assertEqual(self.played(), [f"1 {number + 100}"])


class Parts(Scratch):
    def test_parameters_are_written_as_programs_read_them(self):
        job = Job("x", {"a": 1, "b": 0.25, "c": True, "d": [1, 2.5], "e": "tfrc", "f": None,
                        "g": pathlib.Path("/t.csv")})
        self.assertEqual(job.arguments(), ["--a=1", "--b=0.25", "--c=true", "--d=1,2.5", "--e=tfrc", "--g=/t.csv"])
        self.assertEqual(job.files(), [pathlib.Path("/t.csv")])
        self.assertEqual(job.identity()["parameters"]["g"], "t.csv")

    def refused(self, text, message):
        path = self.scratch / "measures.json"
        path.write_text(text)
        with self.assertRaisesRegex(runner.RunFailed, message):
            read_measures(path)

    def test_measures_that_are_no_numbers_are_named(self):
        self.refused('{"simulated_s": 1, "cpu_s": "2", "ok": true}', "^measures.json has no number for cpu_s, ok$")
        self.refused('{"simulated_s": 1}', "^measures.json has no number for cpu_s$")
        self.refused('[1]', "^measures.json is not one object$")
        self.refused('{"simulated_s": 1', "^no measures.json: ")

    def test_frames_have_the_columns_asked_for(self):
        result = jobs.Result("x", {"rate": 1, "seed": 2}, {"cpu_s": 3, "p": float("nan")}, self.scratch)
        self.assertEqual(list(jobs.frame([result])), ["rate", "seed", "cpu_s", "p"])
        self.assertEqual(list(jobs.frame([result], ["seed"], ["p"])), ["seed", "p"])

    def test_cells_keep_their_order_and_undefined_measures_do_not_count(self):
        frame = pandas.DataFrame({"who": ["b", "b", "a"], "p": [0.5, float("nan"), float("nan")]})
        cells = tables.over_seeds(frame, ["who"], ["p"])
        self.assertEqual(list(cells["who"]), ["b", "a"])
        self.assertEqual(list(cells["seeds"]), [2, 1])
        tables.write_csv(self.scratch / "t.csv", cells)
        self.assertEqual((self.scratch / "t.csv").read_text(), "who,seeds,p,p_min,p_max\nb,2,0.5,0.5,0.5\na,1,,,\n")

    def test_the_gap_of_two_means_is_that_of_each_run(self):
        """Means of theta^ of 2, 4 and 8, and of 1/theta^ of 0.75, 1.25 and 0.1875: gaps of 0.25, 1 and 0.0625."""
        sys.path.insert(0, str(EXPERIMENTS))
        from limits import bounds

        ones = dict.fromkeys((*bounds.MEASURES, *(name for pair in bounds.RATIOS.values() for name in pair)), 1.0)
        every = pandas.DataFrame([
            ones | {"rto_policy": "tcp", "delay_ms": bounds.PAPERS_DELAY_MS, "history_length": length, "background": 5,
                    "mean_predictor": mean, "mean_inverse_predictor": inverse, "covariance": covariance}
            for length in bounds.HISTORY_LENGTHS
            for mean, inverse, covariance in ((2, 0.75, 0.1), (4, 1.25, 0.3), (8, 0.1875, 0.2))])
        table = next(block for block in bounds.report(every, self.scratch) if "predicted |" in block)
        self.assertEqual(table.splitlines()[2], "| 8 | 5 | 1 | 4 | 0.2 | 0.25 | 1 |")

    def test_the_cells_that_are_worse_are_those_of_every_variant_that_was_played(self):
        sys.path.insert(0, str(EXPERIMENTS))
        definition = importlib.import_module("link-errors.definition")
        cell = {"part": "greedy", "tcp": "reno", "rtt_ms": 20, "load": 0, "length": "codel", "tcp_bps": 5e6}
        cells = pandas.DataFrame([cell | {"variant": variant, "packet_loss_rate": 0.04 if variant == "spike" else 0.01}
                                  for variant in definition.GREEDY])
        table = definition._worse(cells)
        self.assertIn("| greedy | spike | 1 | Reno, 20 ms, codel (4.00) | none |", table)
        self.assertIn("| greedy | empty-queue | 1 | none | none |", table)
        self.assertNotIn("| movies |", table)

    def test_what_is_missed_of_a_whole_movie_is_a_part_of_all_its_packets(self):
        """Four parts of 100 packets of which none is missed, and a busy one of 600 of which half is."""
        sys.path.insert(0, str(EXPERIMENTS))
        definition = importlib.import_module("vod-conditions.definition")
        of_packets = [f"missed_{buffer_s}" for buffer_s in ("0.5", "1", "2")]
        of_frames = [f"{kind}_missed_1" for kind in ("frames", "I", "P", "B")]
        whole = definition._whole_trace(pandas.DataFrame([
            {"condition": "peaks", "transport": "udp", "seed": seed, "packets": 600 if seed == 5 else 100}
            | dict.fromkeys([*of_packets, *of_frames], 0.5 if seed == 5 else 0.0) for seed in definition.WHOLE_TRACE_SEEDS]))
        # All parts have as many frames.
        self.assertEqual(whole.splitlines()[2], "| UDP | 30.00 | 30.00 | 30.00 | 10.00 | 10.00 | 10.00 | 10.00 |")

    def test_a_schedule_and_the_classes_beside_it_are_made_again_by_another_program_alone(self):
        sys.path.insert(0, str(EXPERIMENTS))
        from vod import schedules

        replay, classify = (self.scratch / name for name in ("tools/vod-replay/vod-replay", "experiments/movie-classes"))
        trace, played = self.scratch / "trace.csv", self.scratch / "played"
        trace.write_text("frame,type,time_ms,bytes\n")
        for program in (replay, classify):
            program.parent.mkdir(parents=True)

        def write_programs(due_ns, kind):
            replay.write_text(f"""#!/bin/sh
            echo replay >>{played}
            while [ $# -gt 0 ]; do
              case $1 in --log) printf 'due_ns,hash\\n1000000,0\\n{due_ns},0\\n' >"$2" ;; --frames) : >"$2" ;; esac
              shift
            done
            """)
            classify.write_text(f"#!/bin/sh\necho classify >>{played}\necho {kind}\n")
            for program in (replay, classify):
                program.chmod(0o755)

        def made():
            """What the files have, and the programs that were run for them."""
            played.write_text("")
            with mock.patch.multiple(schedules, BUILD=self.scratch):
                schedule = schedules.schedule(trace, 0, 2, self.scratch)
                classes = schedules.classes(schedule, trace, 0, 2)
            return schedule.read_text().split()[-1], classes.read_text().strip(), played.read_text().split()

        write_programs(3000000, "old")
        self.assertEqual(made(), ("2000,1316", "old", ["replay", "replay", "classify"]))
        self.assertEqual(made(), ("2000,1316", "old", []))
        write_programs(3000000, "new")
        self.assertEqual(made(), ("2000,1316", "new", ["replay", "classify"]))
        write_programs(5000000, "new")
        self.assertEqual(made(), ("4000,1316", "new", ["replay", "replay", "classify"]))
        classify.unlink()
        self.assertEqual(made(), ("4000,1316", "new", []))

    def test_a_report_is_the_same_in_markdown_and_in_one_file_of_html(self):
        picture = self.scratch / "loss.png"
        picture.write_bytes(b"PNG")
        blocks = [report.Heading("Loss & delay", anchor="loss"), "In `runs.csv`, **bold** and [elsewhere](a.md).",
                  report.Table(["queue", "loss"], [[20, 0.00123], ["a|b", None]]), report.Items(["one", "two"]),
                  report.Picture(picture, "loss")]
        self.assertEqual(report.markdown(blocks, "A <title>"), "# A <title>\n\n## Loss & delay\n\n"
                         "In `runs.csv`, **bold** and [elsewhere](a.md).\n\n| queue | loss |\n| --- | --- |\n"
                         "| 20 | 1.23e-03 |\n| a\\|b | – |\n\n- one\n- two\n\n![loss](loss.png)")
        page = report.html("A <title>", blocks)
        for part in ("<h1>A &lt;title&gt;</h1>", '<h2 id="loss">Loss &amp; delay</h2>', "<tr><td>20</td><td>1.23e-03</td></tr>",
                     '<p>In <code>runs.csv</code>, <b>bold</b> and <a href="a.md">elsewhere</a>.</p>', "<li>two</li>",
                     '<img alt="loss" src="data:image/png;base64,UE5H">'):
            self.assertIn(part, page)

    def test_the_same_numbers_make_the_same_picture_with_no_date_in_it(self):
        for suffix in ("svg", "png"):
            for name in ("first", "second"):
                figure, axes = figures.panels()
                axes[0].plot([1, 2], [3, 4], label="ours")
                style.legend(figure)
                figures.save(figure, self.scratch / f"{name}.{suffix}")
            written = (self.scratch / f"first.{suffix}").read_bytes()
            self.assertEqual(written, (self.scratch / f"second.{suffix}").read_bytes(), suffix)
            for word in (b"date", b"Matplotlib v"):
                self.assertNotIn(word, written)

    def test_a_picture_is_no_wider_than_a_page_shows_it_whatever_the_legend_has(self):
        figure, axes = figures.row_panels(["one queue", "another queue"], 6)
        cells = pandas.DataFrame({"loss": [0.0, 0.01], "loss_min": [0.0, 0.001], "loss_max": [0.0, 0.02]})
        for index, name in enumerate(list(style.TRANSPORTS)[:6]):
            for axis in axes:
                figures.points(axis, cells, "loss", [0, 1], style.transport(name), (index, 6),
                               label=f"the transport called {name}")
        style.legend(figure)
        figures.save(figure, self.scratch / "wide.svg")
        width_pt = float(re.search(r'<svg [^>]*width="([0-9.]+)pt"', (self.scratch / "wide.svg").read_text())[1])
        self.assertLess(width_pt * 96 / 72, 830)

    def test_points_of_a_row_stay_within_it_in_their_order(self):
        places = [figures.in_rows([2], (index, 3))[0] for index in range(3)]
        self.assertEqual(places, sorted(places))
        self.assertTrue(all(1.5 < place < 2.5 for place in places))
        self.assertAlmostEqual(places[1], 2)

    def test_columns_of_a_table_that_is_read_as_it_is_have_one_width(self):
        self.assertEqual(report.markdown([report.Table(["a", "b"], [["long", 1]], align=True)]),
                         "| a    | b |\n| ---- | - |\n| long | 1 |")

    def test_seeds_are_written_as_they_are_read(self):
        for seeds in ([1], [4], [1, 2, 3], [2, 3], [7, 3]):
            self.assertEqual(seed_list(seed_text(seeds)), seeds)

    def test_the_version_of_ns3_is_that_of_the_libraries(self):
        for name in ("libns3-core.so.37", "libns3.37-core.so", "libns3.37-core-optimized.so"):
            self.assertEqual(ns3_version([pathlib.Path("/lib/libc.so.6"), pathlib.Path("/lib") / name]), "3.37")

    def test_the_compiler_is_that_of_the_sources_whether_or_not_meson_compiles_several_as_one(self):
        for source in ("simulation.cc", "simulation-unity0.cpp"):
            with tempfile.TemporaryDirectory() as build:
                (pathlib.Path(build) / "compile_commands.json").write_text(json.dumps(
                    [{"file": "library.c", "command": "false -c library.c"}, {"file": source, "command": f"echo c++-12 -c {source}"}]))
                self.assertEqual(compiler(pathlib.Path(build)), "c++-12 --version")

    def test_the_simulated_defaults_are_those_of_tfrcsink(self):
        cache = json.loads((EXPERIMENTS.parent / "docs/plugins/gst_plugins_cache.json").read_text())
        properties = next(iter(cache.values()))["elements"]["tfrcsink"]["properties"]
        element = {option: json.loads(properties[name]["default"]) for option, name in (
            ("queue_guard", "queue-guard"), ("burst_limit_ms", "burst-limit"), ("initial_window", "initial-window"))}
        self.assertEqual(TFRCSINK, element)
        header = (EXPERIMENTS / "common/sink_settings.h").read_text()
        values = re.search(r"kTfrcsink\{ (.*) \}", header)[1].split(", ")
        self.assertEqual([json.loads(value) for value in values], list(element.values()))

    def test_reports_that_were_written_make_no_other_revision(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("source", "results/report.md"):
                (pathlib.Path(root) / name).parent.mkdir(exist_ok=True)
                (pathlib.Path(root) / name).write_text("before")
            git = ["git", "-C", root, "-c", "user.name=test", "-c", "user.email=test@localhost"]
            for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
                subprocess.run([*git, *arguments], check=True)
            commit = revision(root)
            (pathlib.Path(root) / "results/report.md").write_text("after")
            self.assertEqual(revision(root), commit)
            (pathlib.Path(root) / "source").write_text("after")
            self.assertEqual(revision(root), f"{commit}-dirty")


if __name__ == "__main__":
    unittest.main()
