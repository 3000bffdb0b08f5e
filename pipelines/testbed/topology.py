# SPDX-License-Identifier: LGPL-2.1-or-later
"""The contents of a spec as checked values: nodes, links, jobs and events.

Owns the format of specs (docs/testbed.md) and every message about a wrong spec. Each message names
the file and the key.
"""

import dataclasses
import pathlib
import re

from . import aqm, document, units
from .errors import TestbedError

DIRECTIONS = ("forward", "backward")
# Names become names of interfaces and parts of variables' names, and so have the limits of both.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
_JOB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SYSCTL = re.compile(r"net(\.[A-Za-z0-9_-]+)+")
_SHAPE = {
    "delay": ("delay_ns", units.delay_ns),
    "jitter": ("jitter_ns", units.delay_ns),
    "ordered": ("ordered", units.flag),
    "rate": ("rate_bps", units.rate_bps),
    "queue": ("queue_packets", units.count),
    "aqm": ("aqm", aqm.name),
    "ecn": ("ecn", units.flag),
    "loss": ("loss", units.ratio),
    "reorder": ("reorder", units.ratio),
    "duplicate": ("duplicate", units.ratio),
}


@dataclasses.dataclass(frozen=True)
class Shape:
    """One direction of a link: a queue (drop-tail, or with an aqm) that is emptied at the rate,
    then a line."""

    delay_ns: int = 0
    jitter_ns: int = 0
    ordered: bool = False
    rate_bps: int | None = None
    queue_packets: int | None = None
    aqm: str | None = None
    ecn: bool = False
    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0


@dataclasses.dataclass(frozen=True)
class Link:
    name: str
    ends: tuple
    shapes: dict  # direction -> Shape

    def other_end(self, node):
        return self.ends[1 - self.ends.index(node)]


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    node: str
    run: str
    background: bool
    at_ns: int


@dataclasses.dataclass(frozen=True)
class Event:
    """kind: change (link; shapes: the shapes after the change), fail or restore (link), or route
    (node, to, link)."""

    kind: str
    at_ns: int
    link: str
    shapes: dict = dataclasses.field(default_factory=dict)
    node: str | None = None
    to: str | None = None


@dataclasses.dataclass(frozen=True)
class Topology:
    nodes: dict  # name -> {sysctl: value}
    links: dict  # name -> Link
    jobs: dict  # name -> Job
    events: tuple  # in the order of time
    limit_ns: int | None
    files: tuple
    spec: dict


def load(source):
    """The Topology of a file (YAML or JSON) or of a dict with the values of such a file."""
    if isinstance(source, dict):
        return _Checker("spec").topology(document.of_dict(source), None)
    path = pathlib.Path(source)
    return _Checker(path.name).topology(document.of_file(path), path.parent)


class _Checker:
    def __init__(self, name):
        self.name = name

    def error(self, key, what):
        return TestbedError(f"{self.name}: {key}: {what}" if key else f"{self.name}: {what}")

    def keys(self, key, value, allowed, required=()):
        """value, if it is a mapping with these keys alone; an empty mapping for None."""
        value = {} if value is None else value
        if not isinstance(value, dict):
            raise self.error(key, f"{value!r} is not a mapping")
        for name in value:
            if name not in allowed:
                raise self.error(key, f"unknown key {name!r}; known are {', '.join(allowed)}")
        for name in required:
            if name not in value:
                raise self.error(key, f"{name!r} is missing")
        return value

    def quantity(self, key, parse, value):
        try:
            return parse(value)
        except ValueError as error:
            raise self.error(key, error) from error

    def names(self, key, value, pattern, what):
        if not isinstance(value, dict) or not value:
            raise self.error(key, f"there must be at least one {what}")
        for name in value:
            if not isinstance(name, str) or not pattern.fullmatch(name):
                raise self.error(key, f"{name!r} cannot be the name of a {what}: it must match {pattern.pattern}")
        return value

    def one_of(self, key, value, known, what):
        if not isinstance(value, str) or value not in known:
            raise self.error(key, f"there is no {what} {value!r}")
        return value

    def topology(self, spec, directory):
        spec = self.keys("", spec, ("limit", "nodes", "links", "jobs", "events", "files"), ("nodes", "jobs"))
        limit_ns = self.quantity("limit", units.time_ns, spec["limit"]) if "limit" in spec else None
        if limit_ns == 0:
            raise self.error("limit", "must be more than nothing")
        nodes = {
            name: self.node(f"nodes.{name}", value)
            for name, value in self.names("nodes", spec["nodes"], _NAME, "node").items()
        }
        links = {}
        if spec.get("links"):
            for name, value in self.names("links", spec["links"], _NAME, "link").items():
                links[name] = self.link(name, value, nodes)
        jobs = {
            name: self.job(f"jobs.{name}", value, nodes)
            for name, value in self.names("jobs", spec["jobs"], _JOB_NAME, "job").items()
        }
        if all(job.background for job in jobs.values()):
            raise self.error("jobs", "all are in the background, so nothing would end the run")
        return Topology(
            nodes, links, jobs, self.events(spec.get("events"), nodes, links), limit_ns,
            self.files(spec.get("files"), directory), spec)

    def node(self, key, value):
        sysctl = self.keys(key, value, ("sysctl",)).get("sysctl")
        sysctl = self.keys(f"{key}.sysctl", sysctl, sysctl or ())
        for name, setting in sysctl.items():
            if not isinstance(name, str) or not _SYSCTL.fullmatch(name):
                raise self.error(f"{key}.sysctl", f"{name!r} is not a setting of the network (net.…)")
            if isinstance(setting, bool) or not isinstance(setting, (int, str)) or "\n" in str(setting):
                raise self.error(f"{key}.sysctl.{name}", f"{setting!r} is neither a number nor a line of text")
        return {name: str(setting) for name, setting in sysctl.items()}

    def link(self, name, value, nodes):
        key = f"links.{name}"
        if name in ("lo", "all", "default"):
            raise self.error(key, "the system uses this name itself")
        value = self.keys(key, value, ("ends", *DIRECTIONS, *_SHAPE), ("ends",))
        ends = value["ends"]
        if not isinstance(ends, list) or len(ends) != 2:
            raise self.error(f"{key}.ends", f"{ends!r} is not a list of two nodes")
        for end in ends:
            self.one_of(f"{key}.ends", end, nodes, "node")
        if ends[0] == ends[1]:
            raise self.error(f"{key}.ends", "both are the same node")
        common = {name: value[name] for name in value if name in _SHAPE}
        shapes = {}
        for direction in DIRECTIONS:
            own = self.keys(f"{key}.{direction}", value.get(direction), tuple(_SHAPE))
            where = f"{key}.{direction}" if own else key
            shapes[direction] = self.shape(where, Shape(), {**common, **own})
        return Link(name, tuple(ends), shapes)

    def shape(self, key, base, value):
        changes = {}
        for name, setting in value.items():
            field, parse = _SHAPE[name]
            changes[field] = self.quantity(f"{key}.{name}", parse, setting)
        if changes.get("rate_bps", 0) is None and "queue" not in value:
            changes["queue_packets"] = None
        shape = dataclasses.replace(base, **changes)
        if shape.rate_bps and not shape.queue_packets:
            raise self.error(key, "a rate needs a queue: how many packets may wait")
        if shape.queue_packets and not shape.rate_bps:
            raise self.error(key, "a queue needs a rate: without one nothing waits")
        if shape.aqm:
            if not shape.rate_bps:
                raise self.error(key, "an aqm needs a rate: without one nothing waits")
            self.quantity(key, aqm.check_queue, shape)
        if shape.ecn and not shape.aqm:
            raise self.error(key, "ecn needs an aqm: a drop-tail queue marks nothing")
        if shape.jitter_ns > shape.delay_ns:
            raise self.error(key, "the jitter is more than the delay")
        if shape.reorder and not shape.delay_ns:
            raise self.error(key, "reorder needs a delay: what is reordered goes without it")
        if shape.reorder and shape.ordered:
            raise self.error(key, "a line that is ordered cannot reorder")
        return shape

    def job(self, key, value, nodes):
        value = self.keys(key, value, ("node", "run", "background", "at"), ("node", "run"))
        self.one_of(f"{key}.node", value["node"], nodes, "node")
        if not isinstance(value["run"], str) or not value["run"].strip():
            raise self.error(f"{key}.run", f"{value['run']!r} is not a command")
        background = value.get("background", False)
        if not isinstance(background, bool):
            raise self.error(f"{key}.background", f"{background!r} is neither true nor false")
        at_ns = self.quantity(f"{key}.at", units.time_ns, value.get("at", 0))
        return Job(key.split(".", 1)[1], value["node"], value["run"], background, at_ns)

    def files(self, value, directory):
        value = [] if value is None else value
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise self.error("files", f"{value!r} is not a list of files")
        return tuple((directory or pathlib.Path()) / name for name in value)

    def events(self, value, nodes, links):
        value = [] if value is None else value
        if not isinstance(value, list):
            raise self.error("events", f"{value!r} is not a list")
        timed = []
        for index, event in enumerate(value):
            key = f"events[{index}]"
            if not isinstance(event, dict):
                raise self.error(key, f"{event!r} is not a mapping")
            if "at" not in event:
                raise self.error(key, "'at' is missing")
            timed.append((self.quantity(f"{key}.at", units.time_ns, event["at"]), key, event))
        timed.sort(key=lambda item: item[0])
        state = {name: dict(link.shapes) for name, link in links.items()}
        return tuple(self.event(key, event, at_ns, nodes, links, state) for at_ns, key, event in timed)

    def event(self, key, value, at_ns, nodes, links, state):
        """The Event of a mapping. state: the shapes of the links at that time; the event may change
        them."""
        kinds = [kind for kind in ("change", "fail", "restore", "route") if kind in value]
        if len(kinds) != 1:
            raise self.error(key, "an event has one of change, fail, restore and route")
        kind = kinds[0]
        if kind == "route":
            return self.route(key, self.keys(key, value, ("at", "route")), at_ns, nodes, links)
        allowed = ("at", kind, "direction", *_SHAPE) if kind == "change" else ("at", kind)
        self.keys(key, value, allowed)
        link = self.one_of(f"{key}.{kind}", value[kind], links, "link")
        if kind == "change":
            changes = {name: value[name] for name in value if name in _SHAPE}
            if not changes:
                raise self.error(key, "there is nothing to change")
            direction = value.get("direction")
            if direction is not None and direction not in DIRECTIONS:
                raise self.error(f"{key}.direction", f"{direction!r} is neither forward nor backward")
            for one in [direction] if direction else DIRECTIONS:
                shape = self.shape(key, state[link][one], changes)
                if shape.aqm != state[link][one].aqm:
                    raise self.error(key, "the aqm of a link cannot change")
                state[link][one] = shape
        return Event(kind, at_ns, link, dict(state[link]))

    def route(self, key, value, at_ns, nodes, links):
        key = f"{key}.route"
        value = self.keys(key, value["route"], ("node", "to", "via"), ("node", "to", "via"))
        node = self.one_of(f"{key}.node", value["node"], nodes, "node")
        to = self.one_of(f"{key}.to", value["to"], nodes, "node")
        via = self.one_of(f"{key}.via", value["via"], links, "link")
        if node == to:
            raise self.error(key, "a node needs no route to itself")
        if node not in links[via].ends:
            raise self.error(f"{key}.via", f"link {via!r} does not end at node {node!r}")
        return Event("route", at_ns, via, node=node, to=to)
