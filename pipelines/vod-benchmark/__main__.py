# SPDX-License-Identifier: LGPL-2.1-or-later
"""Replays the experiments of the VoD paper on real pipelines.

pipelines/vod-benchmark.sh starts this program.

Owns the command line and its commands: playing runs, writing a CSV file for each experiment, making
the report.
"""

import argparse
import os
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # for the package 'batch'

import ccid3  # noqa: E402
import conditions  # noqa: E402
import experiments  # noqa: E402
import movies  # noqa: E402
import play  # noqa: E402
import transports  # noqa: E402
from batch import command, provenance, runner, store  # noqa: E402
from batch.arguments import names, positive  # noqa: E402

# What draws or writes a report imports its modules when it is called: pandas and matplotlib take a second of
# processor time, which each job of a scheduler, each list and each refused option would spend.

PLAYED = tuple(experiments.EXPERIMENTS)
COMMANDS = PLAYED + ("ccid3", "all", "timeline", "report", "results", "list")


def known_transports(text):
    unknown = [name for name in names(text) if name not in transports.TRANSPORTS]
    if unknown or not names(text):
        raise argparse.ArgumentTypeError(f"no such transport: {', '.join(unknown)}; one of "
                                         f"{', '.join(transports.TRANSPORTS)}")
    return names(text)


def point(text):
    key, separator, value = text.partition("=")
    if not separator or key not in experiments.PARAMETERS + ("seed",):
        raise argparse.ArgumentTypeError(f"not KEY=VALUE with KEY one of {', '.join(experiments.PARAMETERS)}, seed: {text}")
    if key == "condition" and value not in conditions.POINTS:
        raise argparse.ArgumentTypeError(f"no such condition: {value}; one of {', '.join(conditions.POINTS)}")
    return key, value


def parse(arguments):
    parser = argparse.ArgumentParser(prog="vod-benchmark.sh", description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND",
                        help="an experiment (%s, ccid3), 'all' experiments, 'timeline' (README.md's picture of TFRC and UDP "
                             "over time), 'report' (the report from the CSV files), 'results' (the tables of docs/results.md), or "
                             "'list' (the runs that an experiment would play)"
                             % ", ".join(PLAYED))
    parser.add_argument("experiment", nargs="?", choices=PLAYED, help="the experiment that 'list' lists")
    parser.add_argument("--short", action="store_true", help="play few runs of a few seconds, to see whether the benchmark works")
    command.add_options(parser, what="runs", seeds_help="instead of the experiment's own")
    command.add_scheduler(parser)
    command.add_job(parser, "play only the run with this number in the experiment's list, from 1, without tables and "
                            "report")
    parser.add_argument("--duration", type=positive, metavar="S", help="seconds of movie in a run")
    parser.add_argument("--transports", type=known_transports, metavar="A,B", help="play only these transports")
    parser.add_argument("--point", type=point, action="append", default=[], metavar="KEY=VALUE",
                        help="play only runs with this parameter, such as movie=cinderella-man, queue=20, seed=3; may be "
                             "repeated")
    parser.add_argument("--traces", type=pathlib.Path, metavar="DIR", help="directory that has MOVIE*-600s.csv (traces/)")
    parser.add_argument("--movies", choices=("trace", "seed"),
                        help="trace: each seed plays another part of the same trace; seed: each seed plays another movie "
                             "with the same statistics (fig4, fig5 and fig6 do so unless --traces is given)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="directory of the results (build/vod-benchmark)")
    parser.add_argument("--from", type=pathlib.Path, dest="source", metavar="DIR",
                        help="directory of the CSV files for 'report' (--output) and 'results' (results/vod)")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="auto", help="back end of the testbed (auto)")
    parser.add_argument("--again", action="store_true", help="play also the runs that have a result")
    parser.add_argument("--discard-logs", action="store_true", help="keep the results of the runs, and delete their logs")
    options = parser.parse_args(arguments)
    if (options.experiment is None) == (options.command == "list"):
        parser.error("the command 'list', and no other command, needs an experiment")
    if options.job and options.command not in PLAYED:
        parser.error(f"--job needs one experiment: {', '.join(PLAYED)}")
    if options.traces and options.movies == "seed":
        parser.error("--movies seed makes its own movies: it cannot be used with --traces")
    movies_of = "trace" if options.traces else options.movies
    options.own_movies = movies_of and movies_of == "seed"
    options.traces = options.traces or ROOT / "traces"
    build = pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build")
    options.build = build
    options.output = options.output or build / "vod-benchmark"
    return options


def chosen_runs(name, options):
    """The runs of an experiment that the options leave."""
    overrides = {"transport": options.transports, "duration_s": options.duration and [options.duration]}
    return list(experiments.runs(name, short=options.short, seeds=options.seeds, points=options.point,
                                 own_movies=options.own_movies, **overrides))


def in_words(result):
    """The line of progress of a run: loss and delay, means over its movies."""
    rows = result["rows"]
    text = []
    for key, name, unit in (("iplr", "IPLR", ""), ("iptd_mean", "IPTD", " s"), ("tcp_throughput_bps", "TCP", " bit/s")):
        values = [row[key] for row in rows if row.get(key) is not None]
        if values:
            text.append(f"{name} {sum(values) / len(values):.3g}{unit}")
    return ", ".join(text)


def play_experiments(wanted, options, command_line):
    """Plays the runs of the experiments and writes a CSV for each; returns the number of failed
    runs."""
    player = play.Player(build=options.build, traces=options.traces, backend=options.backend, command=command_line)
    kept = store.Store(options.output)
    planned = {name: [player.plan(run) for run in chosen_runs(name, options)] for name in wanted}
    for name, plans in planned.items():
        if not plans:
            sys.exit(f"vod-benchmark: the options leave no run of {name}")
        planned[name] = command.chosen(plans, options, program="vod-benchmark", name=name)
    outcome = runner.play_all([plan for plans in planned.values() for plan in plans], player.play, kept, in_words,
                              known=None if options.again else player.known, pool=command.pool(options))
    if options.discard_logs:
        for key in outcome.results:
            kept.discard_raw(key)
    if options.job:
        return command.tell_failures(outcome)
    for name, plans in planned.items():
        rows = [row for result in all_results(name, plans, outcome.results, player, kept, options)
                for row in result["rows"]]
        if rows:
            store.write_table(options.output / f"{name}.csv", rows)
    return command.tell_failures(outcome)


def all_results(name, plans, results, player, kept, options):
    """The results of the plans, and of the other runs of the experiment that have a result."""
    runs = experiments.runs(name, short=options.short, own_movies=options.own_movies,
                            duration_s=options.duration and [options.duration])
    for plan in {plan.key: plan for plan in [*map(player.plan, runs), *plans]}.values():
        if plan.key in results:
            yield results[plan.key]
        else:
            stored = kept.load(plan.key)
            result = stored and player.known(plan, stored, kept.raw(plan.key))
            if result:
                yield result


def play_judge(options, command_line):
    """Plays the runs beside the kernel's TFRC and writes their CSV file; returns the number of
    failed runs."""
    origin = {"revision": provenance.revision(), "command": command_line}
    _, failures = ccid3.judge(options.output, options.build, short=options.short, seeds=options.seeds,
                              pool=command.pool(options), backend=options.backend, origin=origin, again=options.again)
    return failures


def draw_timeline(options, command_line):
    """Plays the runs of the timeline and draws it; returns the number of failed runs."""
    import timeline

    player = play.Player(build=options.build, traces=options.traces, backend=options.backend, command=command_line)
    kept = store.Store(options.output)
    plans = [player.plan(run) for run in timeline.runs(options.seeds, options.duration)]

    def known(plan, result, directory):
        return player.known(plan, result, directory) if directory.is_dir() and not options.again else None

    outcome = runner.play_all(plans, player.play, kept, in_words, known=known, pool=command.pool(options))
    failures = command.tell_failures(outcome)
    if not outcome.failures:
        journeys = {plan.run.parameters["transport"]: timeline.journey_of(plan.run, kept.raw(plan.key), options.traces)
                    for plan in plans}
        path = options.output / "timeline.png"
        timeline.draw(path, journeys, plans[0].run.parameters)
        print(f"Picture: {path}")
    return failures


def write_results(options):
    """Puts the tables into docs/results.md."""
    from report import resultspage

    source = options.source or ROOT / "results" / "vod"
    tables = resultspage.tables(source)
    if not tables:
        sys.exit(f"vod-benchmark: no results in {source}")
    path = ROOT / "docs" / "results.md"
    try:
        path.write_text(resultspage.replaced(path.read_text(), tables))
    except resultspage.PageError as error:
        sys.exit(f"vod-benchmark: {path}: {error}")
    print(f"{path}: {', '.join(tables)}")


def write_report(options):
    """Makes the report from the CSV files."""
    from report import page

    source = options.source or options.output
    written = page.write(source, options.output)
    if written is None:
        sys.exit(f"vod-benchmark: no results in {source}")
    print(f"Report: {written}")


def main(arguments):
    options = parse(arguments)
    command.end_of_check()
    command_line = shlex.join(["pipelines/vod-benchmark.sh", *arguments])
    if options.command == "list":
        for run in chosen_runs(options.experiment, options):
            print(run.label())
        return 0
    if options.command == "results":
        write_results(options)
        return 0
    failures = 0
    try:
        if options.command == "timeline":
            return 1 if draw_timeline(options, command_line) else 0
        if options.command in PLAYED:
            failures += play_experiments([options.command], options, command_line)
        elif options.command == "all":
            failures += play_experiments(PLAYED, options, command_line)
        if options.command in ("ccid3", "all"):
            failures += play_judge(options, command_line)
    except (movies.TraceError, runner.RunFailed) as error:
        sys.exit(f"vod-benchmark: {error}")
    if options.job:
        return 1 if failures else 0
    write_report(options)
    return 1 if failures else 0


if __name__ == "__main__":
    command.run(main)
