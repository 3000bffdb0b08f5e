"""Replays the experiments of the VoD paper on real pipelines; pipelines/vod-benchmark.sh runs it.

Owns the command line and what a command does: plays its runs, writes one CSV for each experiment, makes the report.
"""

import argparse
import os
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
# With the runner and the store that other benchmarks use as well
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "batch"))

import ccid3  # noqa: E402
import conditions  # noqa: E402
import experiments  # noqa: E402
import movies  # noqa: E402
import play  # noqa: E402
import provenance  # noqa: E402
import runner  # noqa: E402
import store  # noqa: E402
import timeline  # noqa: E402
import transports  # noqa: E402
from arguments import names, positive, seed_list  # noqa: E402
from report import page, readme  # noqa: E402

PLAYED = tuple(experiments.EXPERIMENTS)
COMMANDS = PLAYED + ("ccid3", "all", "timeline", "report", "readme", "list")


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
                        help="an experiment (%s, ccid3), 'all' of them, 'timeline' (README.md's picture of TFRC and "
                             "UDP over time), 'report' (anew, of what is there), 'readme' (the tables of README.md), or "
                             "'list' (what an experiment's options would run)"
                             % ", ".join(PLAYED))
    parser.add_argument("experiment", nargs="?", choices=PLAYED, help="of 'list'")
    parser.add_argument("--short", action="store_true", help="few runs of a few seconds: whether it works")
    parser.add_argument("--seeds", type=seed_list, metavar="N|LIST|RANGE", help="instead of the experiment's own")
    parser.add_argument("--duration", type=positive, metavar="S", help="seconds of movie in a run")
    parser.add_argument("--transports", type=known_transports, metavar="A,B", help="only these")
    parser.add_argument("--point", type=point, action="append", default=[], metavar="KEY=VALUE",
                        help="only runs with this parameter, such as movie=cinderella-man, queue=20, seed=3; may be "
                             "repeated")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="N",
                        help="runs at a time (%(default)s, the number of cores)")
    parser.add_argument("--traces", type=pathlib.Path, metavar="DIR", help="with MOVIE*-600s.csv (traces/)")
    parser.add_argument("--movies", choices=("trace", "seed"),
                        help="what a seed plays: another part of the trace (trace), or another movie with its statistics "
                             "(seed: fig4, fig5 and fig6 without --traces)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="(build/vod-benchmark)")
    parser.add_argument("--from", type=pathlib.Path, dest="source", metavar="DIR",
                        help="of 'report' and 'readme': where the CSV files are (--output, results/vod)")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="auto", help="of the testbed (auto)")
    parser.add_argument("--again", action="store_true", help="play also what has been played")
    parser.add_argument("--discard-logs", action="store_true", help="keep the results of a run, not its logs")
    options = parser.parse_args(arguments)
    if (options.experiment is None) == (options.command == "list"):
        parser.error("'list', and only 'list', needs an experiment")
    if options.traces and options.movies == "seed":
        parser.error("--movies seed has movies of its own, and none of --traces")
    movies_of = "trace" if options.traces else options.movies
    options.own_movies = movies_of and movies_of == "seed"
    options.traces = options.traces or play.ROOT / "traces"
    build = pathlib.Path(os.environ.get("BUILD_DIR") or play.ROOT / "build")
    options.build = build
    options.output = options.output or build / "vod-benchmark"
    return options


def chosen_runs(name, options):
    """The runs of an experiment that the options leave."""
    overrides = {"transport": options.transports, "duration_s": options.duration and [options.duration]}
    return list(experiments.runs(name, short=options.short, seeds=options.seeds, points=options.point,
                                 own_movies=options.own_movies, **overrides))


def in_words(result):
    """The first thing to know of a run: loss and delay, in the mean over its movies."""
    rows = result["rows"]
    text = []
    for key, name, unit in (("iplr", "IPLR", ""), ("iptd_mean", "IPTD", " s"), ("tcp_throughput_bps", "TCP", " bit/s")):
        values = [row[key] for row in rows if row.get(key) is not None]
        if values:
            text.append(f"{name} {sum(values) / len(values):.3g}{unit}")
    return ", ".join(text)


def play_experiments(wanted, options, command):
    """Plays the runs of the experiments and writes a CSV for each; returns the number of failed runs."""
    player = play.Player(build=options.build, traces=options.traces, backend=options.backend, command=command)
    kept = store.Store(options.output)
    planned = {name: [player.plan(run) for run in chosen_runs(name, options)] for name in wanted}
    for name, plans in planned.items():
        if not plans:
            sys.exit(f"vod-benchmark: no run of {name} is left by the options")
    outcome = runner.play_all([plan for plans in planned.values() for plan in plans], player.play, kept, in_words,
                              known=None if options.again else player.known, jobs=options.jobs)
    if options.discard_logs:
        for key in outcome.results:
            kept.discard_raw(key)
    for name, plans in planned.items():
        rows = [row for result in all_results(name, plans, outcome.results, player, kept, options)
                for row in result["rows"]]
        if rows:
            store.write_table(options.output / f"{name}.csv", rows)
    for plan, place in outcome.failures:
        print(f"failed: {plan.label}: {place}", file=sys.stderr)
    return len(outcome.failures)


def all_results(name, plans, results, player, kept, options):
    """The results of the plans, and of what else belongs to the experiment and has been played before."""
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


def play_judge(options, command):
    """The same for the runs beside the kernel's TFRC."""
    origin = {"revision": provenance.revision(play.ROOT), "command": command}
    _, failures = ccid3.judge(options.output, options.build, short=options.short, seeds=options.seeds,
                              jobs=options.jobs, backend=options.backend, origin=origin, again=options.again)
    return failures


def draw_timeline(options, command):
    """Plays the runs of the timeline and draws it; returns the number of failed runs."""
    player = play.Player(build=options.build, traces=options.traces, backend=options.backend, command=command)
    kept = store.Store(options.output)
    plans = [player.plan(run) for run in timeline.runs(options.seeds, options.duration)]

    def known(plan, result, directory):
        return player.known(plan, result, directory) if directory.is_dir() and not options.again else None

    outcome = runner.play_all(plans, player.play, kept, in_words, known=known, jobs=options.jobs)
    for plan, place in outcome.failures:
        print(f"failed: {plan.label}: {place}", file=sys.stderr)
    if not outcome.failures:
        journeys = {plan.run.parameters["transport"]: timeline.journey_of(plan.run, kept.raw(plan.key), options.traces)
                    for plan in plans}
        path = options.output / "timeline.png"
        timeline.draw(path, journeys, plans[0].run.parameters)
        print(f"Picture: {path}")
    return len(outcome.failures)


def write_readme(options):
    """Puts the tables into README.md."""
    source = options.source or play.ROOT / "results" / "vod"
    tables = readme.tables(source)
    if not tables:
        sys.exit(f"vod-benchmark: no results in {source}")
    path = play.ROOT / "README.md"
    try:
        path.write_text(readme.replaced(path.read_text(), tables))
    except readme.ReadmeError as error:
        sys.exit(f"vod-benchmark: {path}: {error}")
    print(f"{path}: {', '.join(tables)}")


def main(arguments):
    options = parse(arguments)
    command = shlex.join(["pipelines/vod-benchmark.sh", *arguments])
    if options.command == "list":
        for run in chosen_runs(options.experiment, options):
            print(run.label())
        return 0
    if options.command == "readme":
        write_readme(options)
        return 0
    if options.command == "timeline":
        return 1 if draw_timeline(options, command) else 0
    failures = 0
    try:
        if options.command in PLAYED:
            failures += play_experiments([options.command], options, command)
        elif options.command == "all":
            failures += play_experiments(PLAYED, options, command)
        if options.command in ("ccid3", "all"):
            failures += play_judge(options, command)
    except (movies.TraceError, runner.RunFailed) as error:
        sys.exit(f"vod-benchmark: {error}")
    source = options.source or options.output
    written = page.write(source, options.output)
    if written is None:
        sys.exit(f"vod-benchmark: no results in {source}")
    print(f"Report: {written}")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
