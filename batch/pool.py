# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where runs are played: on this machine, several at a time. cluster.py has the other place."""

import concurrent.futures


class Local:
    """Plays runs in threads of this process. A context: at its end no run is left, and those that
    have not begun are dropped."""

    def __init__(self, jobs=1):
        self._threads = concurrent.futures.ThreadPoolExecutor(max_workers=jobs)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._threads.shutdown(cancel_futures=True)

    def submit(self, play, plan, prepare):
        """A future of play(plan, directory). prepare(key): makes the directory for the files of the
        run. Runs begin in the order of the calls."""
        return self._threads.submit(lambda: play(plan, prepare(plan.key)))
