# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads traces: lines of JSON, see docs/trace.md.

A file may have traces of several elements and of several runs. The times of all of them are on one
scale, seconds of the wall clock, so that the two ends of a stream can be drawn together.
"""

import dataclasses
import json


class BadTrace(Exception):
    """A file is not a trace; the text says where and why."""


@dataclasses.dataclass(frozen=True)
class Event:
    """time_s: of the wall clock. name: without the prefix "tfrc:". data: name -> number, word or
    None."""

    time_s: float
    name: str
    data: dict


@dataclasses.dataclass
class Trace:
    """One run of one element. role: "sender" or "receiver"."""

    name: str
    role: str
    start_s: float
    events: list

    def points(self, field, names=None, scale=1):
        """(time, value) of each event that has a number in this field, or of those of these names."""
        return [(event.time_s, event.data[field] * scale) for event in self.events
                if event.data.get(field) is not None and (names is None or event.name in names)]

    def times(self, *names):
        """The times of the events of these names."""
        return [event.time_s for event in self.events if event.name in names]


def _begin(head):
    common = head["trace"]["common_fields"]
    return Trace(common["group_id"], head["trace"]["vantage_point"]["type"], common["reference_time"] / 1e3, [])


def read(path):
    """The traces of a file, in the order in which they begin. Raises BadTrace."""
    traces, current = [], {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                found = json.loads(line)
                if "qlog_version" in found:
                    trace = _begin(found)
                    traces.append(trace)
                    current[trace.name] = trace
                    continue
                trace = current[found["group_id"]]
                trace.events.append(Event(trace.start_s + found["time"] / 1e3, found["name"].removeprefix("tfrc:"), found["data"]))
            except (ValueError, KeyError, TypeError) as error:
                raise BadTrace(f"{path}:{number}: not a line of a trace: {error!r}") from error
    if not traces:
        raise BadTrace(f"{path}: no trace")
    return traces
