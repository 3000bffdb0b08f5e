# SPDX-License-Identifier: LGPL-2.1-or-later
"""What programs with many runs share: the options that choose runs, the message about failed runs,
and the end after an interruption."""

import contextlib
import os
import shlex
import signal
import sys

from .arguments import positive, seed_list
from .pool import Local

INTERRUPTED_STATUS = 130
LEFT_STATUS = 141  # of programs that SIGPIPE ends, as a shell tells it
CHECKED_STATUS = 3  # neither success, which help has, nor argparse's 2
INTERRUPTED = "Interrupted; what is done is kept, and the same command goes on from there."


def add_options(parser, *, seeds_help, what="jobs", **seeds):
    """Adds --seeds and --jobs. seeds: further arguments of --seeds, such as its default."""
    parser.add_argument("--seeds", type=seed_list, metavar="N|LIST|RANGE", help=seeds_help, **seeds)
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="N",
                        help=f"{what} at a time (%(default)s, the number of cores)")


def add_scheduler(parser):
    """Adds --scheduler, for programs whose runs other machines may play."""
    parser.add_argument("--scheduler", metavar="tcp://HOST:8786",
                        help="play the runs on the workers of this Dask scheduler, instead of --jobs at a time here")


def pool(options):
    """The place where the options let runs be played; a new one at each call."""
    if getattr(options, "scheduler", None):
        from .cluster import Dask  # here, as few runs need Dask

        return Dask(options.scheduler)
    return Local(options.jobs)


def add_selection(parser, what="job"):
    """Adds --list, --job and --report-only, of which a command line may have one. Returns their
    group, for further options of that kind."""
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--list", action="store_true", help=f"print a command for each {what}, and run none")
    add_job(only, f"run only the {what} with this number in the list, from 1, without report")
    only.add_argument("--report-only", action="store_true", help=f"make the report of the {what}s that have a result")
    return only


def add_job(parser, text):
    """Adds --job alone, for programs that list their runs in another way."""
    parser.add_argument("--job", type=positive, metavar="INDEX", help=text)


def print_lines(text):
    """Prints lines of which a reader such as head may take a part. Ends the program where the reader leaves."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python, which flushes again at the end
        sys.exit(LEFT_STATUS)


def print_list(words, count):
    """Prints the command of each job: words and the number of the job."""
    print_lines("".join(shlex.join([*words, "--job", str(index)]) + "\n" for index in range(1, count + 1)))


def chosen(items, options, *, program, name):
    """The items that --job leaves: one of them, or all. Ends the program with status 2 if there is
    no such item."""
    if not options.job:
        return items
    if options.job > len(items):
        print(f"{program}: --job {options.job}: {name} has jobs 1 to {len(items)}", file=sys.stderr)
        sys.exit(2)
    return items[options.job - 1:options.job]


def tell_failures(outcome):
    """Prints where the logs of failed runs are. Returns the number of failed runs."""
    for plan, place in outcome.failures:
        print(f"failed: {plan.label}: {place}", file=sys.stderr)
    return len(outcome.failures)


@contextlib.contextmanager
def stopped_by_signals(stop):
    """Within this context SIGINT and SIGTERM call stop() and raise KeyboardInterrupt in the main
    thread."""
    def interrupt(number, frame):
        stop()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_of_check():
    """Ends the program after its arguments if a script has started it to check only them
    (check_arguments in scripts/common.sh)."""
    if os.environ.get("CHECK_ARGUMENTS"):
        sys.exit(CHECKED_STATUS)


def run(main):
    """Ends the process with the status that main(arguments) returns, or with 130 and a message
    after an interruption."""
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(INTERRUPTED_STATUS)
