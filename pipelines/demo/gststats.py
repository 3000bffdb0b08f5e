# SPDX-License-Identifier: LGPL-2.1-or-later
"""The statistics that tfrcsink and tfrcsrc post, as 'gst-launch-1.0 -m' prints them.

Owns the parsing of the element messages named tfrc-stats. The log may be complete or still growing.
"""

import re

_MESSAGE = re.compile(r"\(element\): tfrc-stats, (.*)")
_FIELD = re.compile(r'([\w-]+)=\((\w+)\)("(?:[^"\\]|\\.)*"|[^,;]*)')


def _value(kind, text):
    if kind == "boolean":
        return text == "true"
    if kind in ("double", "float"):
        return float(text)
    if kind == "string":
        return text.strip('"')
    return int(text)


def parse_line(line):
    """The fields of one printed message as a dictionary, or None if the line is something else."""
    message = _MESSAGE.search(line)
    if not message:
        return None
    return {name: _value(kind, text.strip()) for name, kind, text in _FIELD.findall(message.group(1))}


def read_log(path):
    """All statistics in a log, in the order in which they were posted."""
    with open(path, errors="replace") as log:
        return [stats for stats in map(parse_line, log) if stats]


class Tail:
    """Follows a log while a pipeline writes it; 'last' is its newest statistics, {} before the first."""

    def __init__(self, path):
        self._log = open(path, errors="replace")
        self._partial = ""
        self._before = None
        self.last = {}

    def update(self):
        lines = (self._partial + self._log.read()).split("\n")
        self._partial = lines.pop()
        for line in reversed(lines):
            stats = parse_line(line)
            if stats:
                self.last = stats
                break
        return self.last

    def rate(self, field):
        """How fast a count of bytes grew since the last call for the same field, bit/s."""
        before, self._before = self._before, self.last
        if not before or before["time"] == self.last["time"]:
            return 0
        return (self.last[field] - before[field]) * 8e9 / (self.last["time"] - before["time"])
