# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the jobs of experiments, several at a time, and writes their reports.

experiments/run starts this program.

Owns the command line and the contents of an experiment's directories.
"""

import argparse
import collections
import dataclasses
import importlib
import os
import pathlib
import random
import shlex
import sys

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for the package 'batch'

from batch import ROOT, command, origins, processes, provenance, rows, runner, store  # noqa: E402
from batch.arguments import positive, seed_text  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build" / "experiments")
DIRECTORIES = {"output": BUILD / "results", "definitions": HERE}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="experiments/run", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="an experiment; without a name the program lists all experiments")
    parser.add_argument("--quick", action="store_true", help="run few and short jobs, to see whether the experiment works")
    command.add_options(parser, seeds_help="instead of the experiment's own number; with --quick that is 1")
    command.add_scheduler(parser)
    parser.add_argument("--output", type=pathlib.Path, default=DIRECTORIES["output"], metavar="DIR",
                        help="directory of the results, which are in DIR/NAME (BUILD/results)")
    parser.add_argument("--report", type=pathlib.Path, metavar="DIR",
                        help="directory of tables, figures and report, which are in DIR/NAME (--output)")
    only = command.add_selection(parser)
    only.add_argument("--check", action="store_true", help="play a random sample of the jobs of a committed report and compare with "
                                                           "its rows.csv in --report (results/); without a name, of all that have one")
    only.add_argument("--parameters", action="store_true", help="print every parameter of each job, a line of JSON for each, "
                                                                "and run none")
    parser.add_argument("--check-rows", type=positive, default=5, metavar="N", help="rows of each report that --check plays (%(default)s)")
    parser.add_argument("--check-seed", type=positive, metavar="N", help="seed of the sample, to play the same one again (random)")
    parser.add_argument("--definitions", type=pathlib.Path, default=DIRECTORIES["definitions"], metavar="DIR",
                        help="directory that has NAME/definition.py (experiments/)")
    options = parser.parse_args(arguments)
    there = sorted(path.parent.name for path in options.definitions.glob("*/definition.py"))
    if options.check:
        options.report = options.report or ROOT / "results"
        options.names = options.names or [name for name in there if rows.read(options.report / name)]
        if not options.names:
            parser.error(f"no report in {options.report} has a {rows.NAME}")
    if not options.names:
        parser.error(f"which experiment? One or more of {', '.join(there)}")
    for name in options.names:
        if name not in there:
            parser.error(f"no experiment '{name}'; one of {', '.join(there)}")
    if options.job and len(options.names) > 1:
        parser.error("--job is of one experiment")
    return options


@dataclasses.dataclass
class Experiment:
    """A definition with the jobs that the options make of it."""

    name: str
    definition: object
    seeds: list
    jobs: list
    output: pathlib.Path
    report: pathlib.Path


def load(name, options):
    definition = importlib.import_module(f"{name}.definition")
    seeds = options.seeds or list(range(1, (1 if options.quick else definition.SEEDS) + 1))
    # The list has each job once, so that no two processes of a cluster write the same result.
    jobs = list({store.key_of(job.identity() | {"files": [str(path) for path in job.files()]}): job
                 for job in definition.jobs(options.quick, seeds)}.values())
    return Experiment(name, definition, seeds, jobs, options.output / name, (options.report or options.output) / name)


def words_of(experiment, options):
    """The words of a command that makes the same jobs, without directories."""
    quick = ["--quick"] if options.quick else []
    return ["experiments/run", experiment.name, *quick, "--seeds", seed_text(experiment.seeds)]


def list_jobs(experiment, options):
    words = [os.path.relpath(HERE / "run"), *words_of(experiment, options)[1:]]
    for name, default in DIRECTORIES.items():
        if getattr(options, name) != default:
            words += [f"--{name}", str(getattr(options, name))]
    command.print_list(words, len(experiment.jobs))


def labels(jobs):
    """A label for each job: the program, and the parameters in which the jobs differ."""
    texts = [{name: str(value) for name, value in job.identity()["parameters"].items()} for job in jobs]
    varying = {name for text in texts for name in text if len({other.get(name) for other in texts}) > 1}
    return [" ".join([job.program, *(f"{name}={value}" for name, value in text.items() if name in varying)])
            for job, text in zip(jobs, texts)]


def play(experiments, options, work):
    """Runs the jobs that have no result yet; returns the number of failed jobs."""
    failures = 0
    for experiment in experiments:
        labelled = command.chosen(list(zip(experiment.jobs, labels(experiment.jobs))), options, program="experiments",
                                  name=experiment.name)
        plans = [runner.Plan(work.key(job), label, job.cost, job) for job, label in labelled]
        done = runner.play_all(plans, work.play, store.Store(experiment.output), processes.in_words,
                               known=lambda plan, stored, directory: stored, pool=command.pool(options))
        failures += command.tell_failures(done)
    return failures


def report(experiment, options, work):
    """Writes the report of the jobs that have a result; returns the number of jobs without a
    result."""
    kept = store.Store(experiment.output)
    keys = [work.key(job) for job in experiment.jobs]
    stored = [kept.load(key) for key in keys]
    results = [processes.result_of(job, found, kept.raw(key))
               for job, key, found in zip(experiment.jobs, keys, stored) if found]
    missing = len(keys) - len(results)
    if missing:
        print(f"experiments: {missing} of {len(keys)} jobs of {experiment.name} have no result", file=sys.stderr)
    if not results:
        return missing
    told = shlex.join(words_of(experiment, options))
    experiment.report.mkdir(parents=True, exist_ok=True)
    (experiment.report / "report.md").unlink(missing_ok=True)
    try:
        experiment.definition.report(results, experiment.report, options.quick)
    except Exception as error:
        # Some reports need all jobs. An error in a report of all jobs is a mistake in the
        # definition.
        if not missing:
            raise
        print(f"experiments: no tables of a part of {experiment.name}: {type(error).__name__}: {error}", file=sys.stderr)
    rows.write(experiment.report, experiment.jobs, stored)
    counts = collections.Counter(found["revision"] for found in stored if found)
    origins.finish_report(experiment.report / "report.md", command=told, results=results, missing=missing, counts=counts,
                          tools=origins.tools(work, experiment.jobs))
    print(f"Report: {experiment.report / 'report.md'}")
    return missing


def check(experiment, options, work):
    """Plays a sample of the jobs of a committed report. Returns whether the report holds, and None if
    nothing of it can be compared."""
    name = experiment.name
    committed = rows.read(experiment.report)
    if committed is None:
        print(f"experiments: {experiment.report} has no {rows.NAME}: 'experiments/run {name} --report {options.report}' plays all "
              "jobs and writes it", file=sys.stderr)
        return False
    chosen, among = rows.sample(experiment.jobs, committed, options.check_rows, f"{options.check_seed} {name}")
    plans = [runner.Plan(work.key(job), label, job.cost, job)
             for job, label in zip(experiment.jobs, labels(experiment.jobs)) if job in chosen]
    done = runner.play_all(plans, work.play, store.Store(experiment.output), processes.in_words,
                           known=lambda plan, stored, directory: stored, pool=command.pool(options))
    wrong = command.tell_failures(done)
    for plan in plans:
        found = rows.differences(plan.run, done.results[plan.key], committed) if plan.key in done.results else []
        if found:
            print("\n    ".join([f"{name}: {plan.label}: differs", *found]))
        wrong += bool(found)
    strangers = rows.strangers(experiment.jobs, committed)
    if strangers:
        print(f"{name}: {strangers} of {len(committed)} rows are of jobs that the experiment no longer has")
    missing = rows.missing(experiment.jobs, committed)
    if missing:
        print(f"{name}: {missing} of {len(experiment.jobs)} jobs have no row in {rows.NAME}")
    drawn = len(committed) - strangers - among
    if plans:
        print(f"{name}: {len(plans) - wrong} of {len(plans)} rows hold, of {among}"
              + (f"; {drawn} rows of the testbed are not compared" if drawn else ""))
    else:
        print(f"{name}: nothing is compared: {drawn} rows of the testbed")
    if wrong or strangers or missing:
        return False
    return True if plans else None


def check_all(experiments, options, work):
    """Checks the committed reports; returns the exit status."""
    options.check_seed = options.check_seed or random.randrange(1, 10**6)
    print(f"The sample is that of --check-seed {options.check_seed}.", flush=True)
    found = [check(experiment, options, work) for experiment in experiments]
    compared = [holds for holds in found if holds is not None]
    idle = len(found) - len(compared)
    print(f"{sum(compared)} of {len(compared)} reports hold"
          + (f", {idle} {'is' if idle == 1 else 'are'} not compared" if idle else "") + ".")
    return 0 if all(compared) else 1


def main(arguments):
    options = parse(arguments)
    command.end_of_check()
    sys.path.insert(0, str(options.definitions.resolve()))
    experiments = [load(name, options) for name in options.names]
    if options.list:
        for experiment in experiments:
            list_jobs(experiment, options)
        return 0
    if options.parameters:
        for experiment in experiments:
            command.print_lines(origins.parameters(experiment.jobs))
        return 0
    work = processes.Processes(BUILD, BUILD / "experiments", options.definitions, provenance.revision())
    try:
        if options.check:
            with command.stopped_by_signals(work.stop):
                return check_all(experiments, options, work)
        with command.stopped_by_signals(work.stop):
            failures = 0 if options.report_only else play(experiments, options, work)
            missing = 0 if options.job else sum(report(experiment, options, work) for experiment in experiments)
    except runner.RunFailed as error:
        sys.exit(f"experiments: {error}")
    return 1 if failures or missing else 0


if __name__ == "__main__":
    command.run(main)
