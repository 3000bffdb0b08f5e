# SPDX-License-Identifier: LGPL-2.1-or-later
"""rows.csv beside a report: a row for each job, with the revision that played it and its measures.

With it a committed report can be checked: a sample of its jobs is played, and compared in every
digit that is written.
"""

import csv
import math
import random

from . import store

NAME = "rows.csv"
_OF_THE_MACHINE = ("cpu_s",)


def _row(job, stored):
    measures = {name: None if isinstance(value, float) and math.isnan(value) else value
                for name, value in stored["measures"].items() if name not in _OF_THE_MACHINE}
    return {"job": store.key_of(job.identity()), "revision": stored["revision"], **measures}


def write(directory, jobs, stored):
    """Writes rows.csv of the jobs that have a result. stored: the results, None for a job without."""
    store.write_table(directory / NAME, [_row(job, found) for job, found in zip(jobs, stored) if found])


def read(directory):
    """Job's hash -> row, as texts; None if there is no rows.csv."""
    try:
        with open(directory / NAME, newline="") as file:
            return {row["job"]: row for row in csv.DictReader(file)}
    except FileNotFoundError:
        return None


def sample(jobs, rows, count, seed):
    """Some of the jobs that have a row and can be repeated, at random; the same ones for the same
    seed. Returns them with the number of the jobs that could have been chosen."""
    there = [job for job in jobs if job.exact and store.key_of(job.identity()) in rows]
    there.sort(key=lambda job: store.key_of(job.identity()))
    return random.Random(seed).sample(there, min(count, len(there))), len(there)


def strangers(jobs, rows):
    """The number of rows whose job is not among the jobs."""
    return len(rows.keys() - {store.key_of(job.identity()) for job in jobs})


def missing(jobs, rows):
    """The number of jobs that have no row: of which the report knows nothing."""
    return len({store.key_of(job.identity()) for job in jobs} - rows.keys())


def differences(job, stored, rows):
    """What a played job has otherwise than its row, as lines of text."""
    # As the row was written, so that both are rounded alike.
    written = {name: str(store.text_of(value)) for name, value in _row(job, stored).items()}
    row = rows[written["job"]]
    found = []
    for name in dict.fromkeys([*row, *written]):
        was, now = row.get(name, ""), written.get(name, "")
        if name != "revision" and was != now:
            found.append(f"{name}: {was or 'nothing'} in {NAME} ({row['revision']}), {now or 'nothing'} now")
    return found
