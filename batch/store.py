"""Where results live, so that an interrupted benchmark goes on where it was.

    DIRECTORY/runs/KEY/result.json   a finished run: what was asked for, and its rows
    DIRECTORY/runs/KEY/raw/          its logs, from which the rows can be computed anew
    DIRECTORY/failed/KEY/            what a failed run left; tried again the next time
    DIRECTORY/EXPERIMENT.csv         one tidy table for each experiment

KEY is a hash of everything a run depends on: parameters, seeds, network, jobs, trace, programs. Whatever of that
changes makes it another run, so no result is ever taken for that of another program.
"""

import csv
import hashlib
import json
import os
import pathlib
import shutil


def key_of(identity):
    """identity: anything JSON can write."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest_of(paths):
    """One hash over the contents of files, which must exist."""
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
        """An empty directory for the logs of a run, and no trace of an earlier try."""
        shutil.rmtree(self.path(key), ignore_errors=True)
        shutil.rmtree(self.failed(key), ignore_errors=True)
        self.raw(key).mkdir(parents=True)
        return self.raw(key)

    def load(self, key):
        """The result of a finished run, or None; a file cut short by a crash is none."""
        try:
            with open(self.path(key) / "result.json") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def save(self, key, result):
        """Whole or not at all."""
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
        """Puts what a run left aside; returns where."""
        place = self.failed(key)
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if self.path(key).exists():
            shutil.move(self.path(key), place)
        place.mkdir(exist_ok=True)
        (place / "reason.txt").write_text(f"{label}\n{reason}\n")
        return place


def write_table(path, rows):
    """A CSV with every column that any row has, in the order of their first appearance; None is an empty field."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)


def _text(value):
    # Six digits are more than any measure here repeats to; bool before int, which it is, too.
    if isinstance(value, bool):
        return int(value)
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else value
