# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process of one run on a worker of a cluster: reads the run from standard input, plays it, and
writes result, failure and files to standard output, all as pickle writes them."""

import ctypes
import os
import pathlib
import pickle
import signal
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # for the package 'batch'

from batch import command, runner  # noqa: E402

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def play(method, plan, directory):
    """(result, None) of the run, or (None, the reason of its failure)."""
    player = method.__self__
    try:
        # Programs of another revision would give a result that is stored as one of this revision.
        if player.key(plan.run) != plan.key:
            raise runner.RunFailed("this machine has other programs, libraries or files of the run than the machine "
                                   "that asked: build the same revision with the same compiler")
        with command.stopped_by_signals(getattr(player, "stop", lambda: None)):
            return method(plan, directory), None
    except runner.RunFailed as error:
        return None, str(error)


def main():
    # A run ends with its worker. Whoever plays it again must not meet it.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    question = pickle.load(sys.stdin.buffer)
    sys.path[:] = question["path"]
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a run prints is no part of the answer
    with tempfile.TemporaryDirectory(prefix="tfrc-run-") as scratch:
        directory = pathlib.Path(scratch) / "raw"
        directory.mkdir()
        result, reason = play(*pickle.loads(question["run"]), directory)
        files = {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}
        pickle.dump((result, reason, files), answer)
        answer.close()


if __name__ == "__main__":
    main()
