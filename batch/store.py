# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of results. An interrupted program finds them and goes on where it stopped.

    DIRECTORY/runs/KEY/result.json   the result of a finished run
    DIRECTORY/runs/KEY/raw/          the logs of the run, from which the result can be made again
    DIRECTORY/failed/KEY/            the logs of a failed run, which is played again the next time
    DIRECTORY/EXPERIMENT.csv         one tidy table for each experiment

KEY is a hash of everything on which a run depends: parameters, seeds, network, jobs, trace,
programs, and for a run in the testbed the testbed. A change of any of these gives another key. So a
result of an older program is never taken for a result of the present program. What the system has,
such as GStreamer or a guest's kernel, is not among them.
"""

import csv
import hashlib
import json
import os
import pathlib
import shutil


def key_of(identity):
    """The key of a run. identity: everything on which the run depends, as JSON can write it."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of(paths):
    """One hash over the contents of files. Raises OSError if a file cannot be read."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(hashlib.sha256(pathlib.Path(path).read_bytes()).digest())
    return whole.hexdigest()[:16]


class Store:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def path(self, key):
        return self.directory / "runs" / key

    def raw(self, key):
        return self.path(key) / "raw"

    def prepare(self, key):
        """Removes all files of an earlier try; returns an empty directory for the logs of a run."""
        shutil.rmtree(self.path(key), ignore_errors=True)
        shutil.rmtree(self.failed(key), ignore_errors=True)
        self.raw(key).mkdir(parents=True)
        return self.raw(key)

    def load(self, key):
        """The result of a finished run, or None. A file that a crash cut short does not count."""
        try:
            with open(self.path(key) / "result.json") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def save(self, key, result):
        """Stores a result; the file is written completely or not at all."""
        self.path(key).mkdir(parents=True, exist_ok=True)
        partial = self.path(key) / "result.json.partial"
        with open(partial, "w") as file:
            json.dump(result, file, indent=1)
        os.replace(partial, self.path(key) / "result.json")

    def discard_raw(self, key):
        shutil.rmtree(self.raw(key), ignore_errors=True)

    def failed(self, key):
        return self.directory / "failed" / key

    def fail(self, key, label, reason):
        """Moves the logs of a failed run to the directory of failures, which it returns, with the
        reason."""
        place = self.failed(key)
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if self.path(key).exists():
            shutil.move(self.path(key), place)
        place.mkdir(exist_ok=True)
        (place / "reason.txt").write_text(f"{label}\n{reason}\n")
        return place


def write_table(path, rows):
    """Writes a CSV file with all columns of all rows (dictionaries) in the order of their first
    appearance; None becomes an empty field."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: text_of(value) for name, value in row.items()} for row in rows)


def text_of(value):
    """A value as tables have it."""
    # No measure here is repeatable to six digits. bool comes before int, as a bool is an int, too.
    if isinstance(value, bool):
        return int(value)
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else value
