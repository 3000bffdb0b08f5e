# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays runs in a pool: skips runs that have a result, keeps failed runs apart, and prints progress
with the time left.

The runner knows nothing about networks: a plan names a run, and a function plays the run. Nor does
it know on which machine: pool.py and cluster.py do.
"""

import concurrent.futures
import dataclasses
import sys
import time

from .pool import Local

SIGNAL_CHECK_S = 0.5


class RunFailed(Exception):
    """A run gave no result; the text is the reason, for the user."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """One run. key: the key of its result in the store. label: the run's name for the user. cost:
    the expected duration, in any unit. run: the value that the function which plays the run
    needs."""

    key: str
    label: str
    cost: float
    run: object


def _duration(seconds):
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


class Progress:
    """Prints one line for each run that ends. The time left follows from the time and the cost of
    the runs so far."""

    def __init__(self, plans, done_before, out=None, clock=time.monotonic):
        self.total = len(plans) + done_before
        self.ended = done_before
        self.cost_left = sum(plan.cost for plan in plans)
        self.cost_done = 0.0
        self.clock = clock
        self.started = clock()
        self.out = out or sys.stdout

    def tell(self, plan, text):
        self.ended += 1
        self.cost_left -= plan.cost
        self.cost_done += plan.cost
        line = f"[{self.ended}/{self.total}] {plan.label}: {text}"
        if self.ended < self.total:
            elapsed = self.clock() - self.started
            line += f" · {_duration(elapsed * self.cost_left / self.cost_done)} left"
        print(line, file=self.out, flush=True)


@dataclasses.dataclass
class Outcome:
    """results: key -> result, of all plans that have a result. failures: pairs of a plan and the
    directory of its logs."""

    results: dict
    failures: list


def stored_results(plans, store, known):
    """key -> result, for each plan that has a result in the store. known: see play_all."""
    results = {}
    for plan in plans:
        stored = store.load(plan.key)
        result = None if stored is None else known(plan, stored, store.raw(plan.key))
        if result is not None:
            results[plan.key] = result
            if result != stored:
                store.save(plan.key, result)
    return results


def _as_completed(futures):
    """Like concurrent.futures.as_completed, but in the order of the futures where several have
    ended, and wakes up regularly. Python handles a signal that comes just before the main thread
    waits only when the thread wakes up."""
    waiting = set(futures)
    while waiting:
        done, waiting = concurrent.futures.wait(waiting, timeout=SIGNAL_CHECK_S,
                                                return_when=concurrent.futures.FIRST_COMPLETED)
        yield from (future for future in futures if future in done)


def play_all(plans, play, store, summary, *, known=None, pool=None, out=None, clock=time.monotonic):
    """Plays every plan without a result in the store, and returns an Outcome. Plans with the same
    key are played once.

    play(plan, directory): returns a result, which JSON can write, or raises RunFailed; the
    directory is for logs.
    summary(result): the result in a few words, for the line of progress.
    known(plan, result, directory): returns the stored result, a newer form of it, or None if the
    run has to be played again. Without known every plan is played again.
    pool: where runs are played, a pool.Local or cluster.Dask that nothing has used yet; by default
    this machine, one at a time."""
    plans = list({plan.key: plan for plan in plans}.values())
    results = stored_results(plans, store, known) if known else {}
    # Long runs come first, so that no single run is left at the end.
    waiting = sorted((plan for plan in plans if plan.key not in results), key=lambda plan: -plan.cost)
    if not waiting:
        return Outcome(results, [])
    progress = Progress(waiting, len(results), out, clock)
    failures = []
    futures = {}
    saved = set()
    try:
        with pool or Local() as place:
            for plan in waiting:
                futures[place.submit(play, plan, store.prepare)] = plan
            for future in _as_completed(futures):
                plan = futures[future]
                try:
                    results[plan.key] = future.result()
                except RunFailed as error:
                    kept = store.fail(plan.key, plan.label, str(error))
                    failures.append((plan, kept))
                    progress.tell(plan, f"FAILED: {error} ({kept})")
                else:
                    store.save(plan.key, results[plan.key])
                    saved.add(future)
                    progress.tell(plan, summary(results[plan.key]))
    except BaseException:
        # An interruption may come between the end of a run and its saving, or in the middle of that.
        for future, plan in futures.items():
            if future not in saved and future.done() and not future.cancelled() and not future.exception():
                store.save(plan.key, future.result())
        raise
    return Outcome(results, failures)
