# SPDX-License-Identifier: LGPL-2.1-or-later
"""Moves a receiver from one link to another while a stream plays.

pipelines/handover-demo.sh starts this program. Owns the command line: plays the runs without a
result in the testbed, then writes tables and pictures of all runs.
"""

import argparse
import dataclasses
import os
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# In this order: own modules, the testbed, the modules that read the meters' logs, the package
# 'batch'.
sys.path += [str(HERE.parent), str(HERE.parent / "vod-benchmark"), str(ROOT)]

import moves  # noqa: E402
import outcome  # noqa: E402
import report  # noqa: E402
from batch import command, provenance, runner, store  # noqa: E402
from batch.arguments import names  # noqa: E402
from testbed import playing  # noqa: E402

PROGRAMS = ("gst/libgsttfrc.so", "lib/tfrc/libtfrc.so", "tools/vod-replay/vod-replay", "tools/meter/vod-receive",
            "tools/meter/wire-meter")
TRACE = ROOT / "traces" / "v-for-vendetta-like-600s.csv"
MOVE_S = 30


class Player:
    """Plays runs with the programs of a build directory, for runner.play_all."""

    def __init__(self, build_directory, backend, trace):
        build = pathlib.Path(build_directory)
        self.backend = backend
        self.trace = trace
        try:
            self.digest = store.digest_of([trace, *(build / name for name in PROGRAMS), *provenance.testbed_sources()])
        except OSError as error:
            raise runner.RunFailed(f"{error.filename}: {error.strerror}") from error
        self.origin = {"revision": provenance.revision()}

    def plan(self, run):
        identity = {"run": dataclasses.asdict(run), "spec": moves.build(run), "backend": self.backend,
                    "programs": self.digest}
        return runner.Plan(store.key_of(identity), run.label(), run.cost(), run)

    def play(self, plan, directory):
        run = plan.run
        done = playing.play(moves.build(run), directory, backend=self.backend, seed=run.seed, files=[self.trace],
                            pcap=moves.captures(run))
        return {"label": plan.label, "row": outcome.measure(run, directory) | {"backend": done.backend} | self.origin}

    def known(self, plan, result, directory):
        """A stored result, measured anew; None if it has to be played again."""
        try:
            return {**result, "row": result["row"] | outcome.measure(plan.run, directory)}
        except runner.RunFailed:
            return None


def in_words(result):
    row = result["row"]
    if row["leaving"]:
        return f"plays {row['playing_s']:.3f} s after it has spoken"
    if row["content"] == "movie":
        return f"{row['missing']} packets lost, {row['late']} late"
    return f"{row['dropped_5s']} packets dropped in 5 s"


def some_of(known):
    def parse(text):
        if not names(text) or set(names(text)) - set(known):
            raise argparse.ArgumentTypeError(f"'{text}' is not a list of {', '.join(known)}")
        return names(text)

    return parse


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="handover-demo.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--roam", action="store_true", help="move from WiFi to a mobile network, and to another address")
    parser.add_argument("--secure", action="store_true", help="protect the stream with a passphrase; the table counts refused packets")
    parser.add_argument("--content", type=some_of(moves.CONTENTS), default=list(moves.CONTENTS), metavar="A,B",
                        help="streams to play: movie, greedy (both)")
    parser.add_argument("--adaptation", type=some_of(moves.ADAPTATIONS), default=list(moves.ADAPTATIONS), metavar="A,B",
                        help="adaptations to play: none (plain TFRC), paper, direct (all)")
    parser.add_argument("--quick", action="store_true", help="play the movie alone, and move after 8 s instead of 30 s")
    parser.add_argument("--trace", type=pathlib.Path, default=TRACE, help="trace of the movie (%(default)s)")
    command.add_options(parser, what="runs", default=[1], seeds_help="starts of the stream, and places in the movie (1)")
    command.add_selection(parser, "run")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="directory of the results (handover-demo in the build directory)")
    parser.add_argument("--backend", choices=("auto", "netns", "guest"), default="guest",
                        help="back end of the testbed (guest, with which the numbers do not depend on this machine)")
    parser.add_argument("--again", action="store_true", help="play also the runs that have a result")
    options = parser.parse_args(arguments)
    options.build = pathlib.Path(os.environ.get("BUILD_DIR") or ROOT / "build")
    options.output = options.output or options.build / "handover-demo" / (
        ("roam" if options.roam else "handover") + ("-secure" if options.secure else ""))
    return options


def chosen_runs(options):
    move_s = 8 if options.quick else MOVE_S
    if options.roam:
        return moves.roaming(options.seeds, move_s, options.trace.name, options.secure)
    contents = ["movie"] if options.quick else options.content
    return moves.runs(contents, options.adaptation, options.seeds, move_s, options.trace.name, options.secure)


def main(arguments):
    options = parse_arguments(arguments)
    command.end_of_check()
    kept = store.Store(options.output)
    try:
        player = Player(options.build, options.backend, options.trace)
    except runner.RunFailed as error:
        sys.exit(f"handover-demo: {error}")
    plans = [player.plan(run) for run in chosen_runs(options)]
    if options.list:
        words = [word for word in arguments if word != "--list"]
        command.print_list([os.path.relpath(HERE.with_name("handover-demo.sh")), *words], len(plans))
        return 0
    plans = command.chosen(plans, options, program="handover-demo", name="this demo")
    if options.report_only:
        done = runner.Outcome(runner.stored_results(plans, kept, player.known), [])
    else:
        done = runner.play_all(plans, player.play, kept, in_words, known=None if options.again else player.known,
                               pool=command.pool(options))
    failures = command.tell_failures(done)
    played = [plan for plan in plans if plan.key in done.results]
    if options.job or not played:
        return 1 if failures or not played else 0
    rows = [done.results[plan.key]["row"] for plan in played]
    store.write_table(options.output / "runs.csv", rows)
    pictures = report.draw(options.output, [(plan.run, kept.raw(plan.key)) for plan in played])
    print("\n" + report.write(options.output, rows, pictures))
    written = [options.output / name for name in ("report.html", "report.md", "runs.csv")]
    print("Written: " + ", ".join(map(str, [*written, *pictures])))
    return 1 if failures or len(played) < len(plans) else 0


if __name__ == "__main__":
    command.run(main)
