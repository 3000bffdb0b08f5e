# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays runs, several at a time: skips runs that have a result, keeps failed runs apart, and prints
progress with the time left.

The runner knows nothing about networks: a plan names a run, and a function plays the run.
"""

import concurrent.futures
import dataclasses
import sys
import threading
import time

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
        self.lock = threading.Lock()

    def tell(self, plan, text):
        with self.lock:
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
    """Like concurrent.futures.as_completed, but wakes up regularly. Python handles a signal that
    comes just before the main thread waits only when the thread wakes up."""
    waiting = set(futures)
    while waiting:
        done, waiting = concurrent.futures.wait(waiting, timeout=SIGNAL_CHECK_S,
                                                return_when=concurrent.futures.FIRST_COMPLETED)
        yield from done


def play_all(plans, play, store, summary, *, known=None, jobs=1, out=None, clock=time.monotonic):
    """Plays every plan without a result in the store, and returns an Outcome. Plans with the same
    key are played once.

    play(plan, directory): returns a result, which JSON can write, or raises RunFailed; the
    directory is for logs.
    summary(result): the result in a few words, for the line of progress.
    known(plan, result, directory): returns the stored result, a newer form of it, or None if the
    run has to be played again. Without known every plan is played again.
    jobs: the number of runs at a time."""
    plans = list({plan.key: plan for plan in plans}.values())
    results = stored_results(plans, store, known) if known else {}
    # Long runs come first, so that no single run is left at the end.
    waiting = sorted((plan for plan in plans if plan.key not in results), key=lambda plan: -plan.cost)
    progress = Progress(waiting, len(results), out, clock)
    failures = []

    def one(plan):
        directory = store.prepare(plan.key)
        try:
            result = play(plan, directory)
        except RunFailed as error:
            place = store.fail(plan.key, plan.label, str(error))
            progress.tell(plan, f"FAILED: {error} ({place})")
            return plan, None, place
        store.save(plan.key, result)
        progress.tell(plan, summary(result))
        return plan, result, None

    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(one, plan) for plan in waiting]
        try:
            for future in _as_completed(futures):
                plan, result, place = future.result()
                if result is None:
                    failures.append((plan, place))
                else:
                    results[plan.key] = result
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return Outcome(results, failures)
