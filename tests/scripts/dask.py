# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of --scheduler with a scheduler and two workers, of which one is killed while it plays."""

import json
import os
import pathlib
import pickle
import select
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT), str(ROOT / "pipelines" / "vod-benchmark")]

from batch import processes, runner  # noqa: E402
from batch.jobs import Job  # noqa: E402

LIMIT_S = 240  # only ends a wait that would last for ever

# Seed 4 tells its process the first time, and waits for ever; seed 2 fails if there is a $FAIL.
FAKE = """#!/bin/sh
for word; do
  case $word in
    --*=*) word=${word#--}; eval "${word%%=*}='${word#*=}'" ;;
  esac
done
if [ "$seed" = 4 ] && [ -e "$SCRATCH/hang" ] && mkdir "$SCRATCH/hung" 2>/dev/null; then
  echo $$ >"$SCRATCH/hang"
  exec cat "$SCRATCH/hang"
fi
[ "$seed" != 2 ] || [ ! -e "$SCRATCH/fail" ] || { echo "no such link"; exit 3; }
mkdir "$output/flows"
echo "flow,bytes
1,$seed" >"$output/flows/one.csv"
echo '{"simulated_s": 100, "events": 3000, "cpu_s": 0.5, "goodput_bps": '$seed'}' >"$output/measures.json"
"""

DEFINITION = """
from batch import tables
from batch.jobs import Job, frame

TITLE = "A sample"
SEEDS = 6


def jobs(quick, seeds):
    return [Job("fake", {"seed": seed}, cost=seed) for seed in seeds]


def report(results, out, quick):
    tables.write_csv(out / "cells.csv", frame(results))
    tables.write_report(out, TITLE, f"{len(results)} results")
"""


def ancestors(number):
    """The numbers of a process's parents."""
    while number > 1:
        status = pathlib.Path(f"/proc/{number}/stat").read_text()
        number = int(status.rpartition(")")[2].split()[1])
        yield number


def readable(descriptor):
    return bool(select.select([descriptor], [], [], LIMIT_S)[0])


class Scratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.scratch = pathlib.Path(directory.name)
        cls.build = cls.scratch / "build"
        cls.programs = cls.build / "experiments"
        cls.programs.mkdir(parents=True)
        cls.program = cls.programs / "fake"
        cls.program.write_text(FAKE)
        cls.program.chmod(0o755)
        sample = cls.scratch / "definitions" / "sample"
        sample.mkdir(parents=True)
        (sample / "definition.py").write_text(DEFINITION)
        cls.environment = os.environ | {"BUILD_DIR": str(cls.build), "SCRATCH": str(cls.scratch)}


class Cluster(Scratch):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        told = cls.scratch / "scheduler.json"
        scheduler = cls.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
        # They wait for the file, and the jobs wait for them.
        cls.workers = [cls.start("worker", "--scheduler-file", str(told), "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1",
                                 "--name", name, "--local-directory", str(cls.scratch / name)) for name in ("one", "two")]
        end = time.monotonic() + LIMIT_S
        while not told.exists() or not told.stat().st_size:
            assert scheduler.poll() is None and time.monotonic() < end, (cls.scratch / "scheduler.log").read_text()
            time.sleep(0.1)
        cls.address = json.loads(told.read_text())["address"]

    @classmethod
    def start(cls, what, *options):
        log = open(cls.scratch / f"{what}.log", "ab")
        cls.addClassCleanup(log.close)
        process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *options],
                                   env=cls.environment | {"PYTHONPATH": str(ROOT / "build" / "dask")}, cwd=cls.scratch,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        return process

    def command(self, output, *arguments):
        return [sys.executable, str(ROOT / "experiments"), "sample", "--definitions", str(self.scratch / "definitions"),
                "--output", str(self.scratch / output), *arguments]

    def go(self, output, *arguments, status=0):
        done = subprocess.run(self.command(output, *arguments), env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def written(self, output):
        place = self.scratch / output
        return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}

    def test_a_failure_on_a_worker_is_told_and_kept_as_here(self):
        (self.scratch / "fail").touch()
        self.addCleanup((self.scratch / "fail").unlink)
        for output, options in (("fails-here", ()), ("fails-there", ("--scheduler", self.address))):
            said = self.go(output, "--seeds", "2", *options, status=1)
            self.assertIn("fake seed=2: FAILED: exit status 3\n    no such link (", said)
        self.assertEqual(self.written("fails-there"), self.written("fails-here"))

    def test_a_worker_that_is_killed_loses_no_job_and_the_results_are_those_of_one_machine(self):
        self.go("here")
        os.mkfifo(self.scratch / "hang")
        process = subprocess.Popen(self.command("there", "--scheduler", self.address), env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.kill)
        told = os.open(self.scratch / "hang", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, told)
        self.assertTrue(readable(told), "the job that is to hang has not begun")
        job = int(os.read(told, 20))
        parents = set(ancestors(job))
        killed, = [worker for worker in self.workers if worker.pid in parents]
        # The job is in a program of its own, which has to end with the worker.
        waiting = os.pidfd_open(job)
        self.addCleanup(os.close, waiting)
        killed.kill()
        said, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, said)
        lines = [line for line in said.splitlines() if line.startswith("[")]
        self.assertEqual(len(lines), 6)
        self.assertRegex(lines[0], r"^\[1/6\] fake seed=\d: 100 s in 0.5 s of CPU · \d+ (s|min) left$")
        self.assertRegex(lines[5], r"^\[6/6\] fake seed=\d: 100 s in 0.5 s of CPU$")
        self.assertTrue(readable(waiting), "the job outlived its worker")
        here = self.written("here")
        self.assertEqual(len([name for name in here if name.endswith("one.csv")]), 6)
        self.assertEqual(self.written("there"), here)


class Alone(Scratch):
    """What needs no scheduler."""

    def elsewhere(self, play, plan):
        """What the process of a run on a worker answers: result, reason, files"""
        question = pickle.dumps({"path": sys.path, "run": pickle.dumps((play, plan))})
        done = subprocess.run([sys.executable, "-B", str(ROOT / "batch" / "elsewhere.py")], input=question, capture_output=True,
                              env=self.environment, check=True)
        return pickle.loads(done.stdout)

    def test_a_worker_with_another_program_refuses_the_job(self):
        work = processes.Processes(self.build, self.programs, self.scratch, "r1")
        job = Job("fake", {"seed": 1})
        plan = runner.Plan(work.key(job), "fake", 1, job)
        result, reason, files = self.elsewhere(work.play, plan)
        self.assertEqual((result["revision"], reason, sorted(files)), ("r1", None, ["flows/one.csv", "measures.json"]))
        self.addCleanup(self.program.write_text, FAKE)
        self.program.write_text(FAKE + "# another revision\n")
        result, reason, files = self.elsewhere(work.play, plan)
        self.assertEqual((result, files), (None, {}))
        self.assertIn("other programs, libraries or files of the run", reason)

    def test_runs_of_the_vod_benchmark_can_be_handed_on(self):
        import experiments
        import play

        for name in (*play.PROGRAMS, *play.TFRC_PROGRAMS):
            path = self.build / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
        player = play.Player(build=self.build, traces=ROOT / "traces", backend="guest", command="x")
        plan = player.plan(next(iter(experiments.runs("table1", short=True, seeds=[1], points=[], own_movies=False))))
        (self.build / play.PROGRAMS[0]).write_text("another revision")
        _, reason, _ = self.elsewhere(player.play, plan)
        self.assertIn("other programs, libraries or files of the run", reason)

    def test_without_a_scheduler_it_says_what_starts_one(self):
        done = subprocess.run([sys.executable, str(ROOT / "experiments"), "sample", "--definitions", str(self.scratch / "definitions"),
                               "--scheduler", "nonsense://127.0.0.1:1"], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no Dask scheduler at nonsense://127.0.0.1:1: start one with 'scripts/dask.sh scheduler'", done.stderr)


if __name__ == "__main__":
    unittest.main()
