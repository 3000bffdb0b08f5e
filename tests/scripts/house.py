# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the rules of structure that CONTRIBUTING.md gives.

- Direction: a file may include or import files of its own layer and of the layers that LAYERS names
  for it.
- Circles: units do not include each other in a circle, and the C sources of lib/ and gst/ do not
  call each other in a circle. x.c, x.h and x-private.h are one unit.
- Size: no unit has more than LONGEST lines.
- Fields: at most MOST_USERS C sources of lib/ and gst/ use the fields of one object.

Each list of exceptions may only shrink: an entry that is not needed any more is an error, too.
house-selftest.py shows that each check finds what it is there for.
"""

import argparse
import ast
import os
import pathlib
import re
import sys

import house_calls
import house_structs
from house_exceptions import CALL_CIRCLES, CIRCLES, CROWDED, LONG_UNITS, UPWARDS

# ---- the tables ------------------------------------------------------------------------------------------------------

_CORE = ("lib/include",)
_BASE = ("gst/common", *_CORE)
# What a flow may know of gst/io: addresses and queues, but no socket, no loop and no lock
_PURE_IO = tuple(f"gst/io/{unit}" for unit in ("address", "addressfilter", "datagrams", "deadlinequeue", "demux"))
_SANS_IO = ("gst/security", *_PURE_IO, *_BASE)
_STRANGERS = ("gst/queue", *_SANS_IO)
_KEYS = ("gst/strangers", *_STRANGERS)
_FLOW = ("gst/keys", *_KEYS)
_PORT = ("gst/flow", "gst/io", *_FLOW)
_STREAM = ("gst/port", *_PORT)
_ELEMENT = ("gst/stream", "gst/session", *_STREAM)
_SIMULATION = ("experiments/common", "batch", *_CORE)

# Layer: the layers on which its files may depend. A layer is a directory or one unit; a file belongs
# to the longest that holds the file.
LAYERS = {
    "lib/include": (),
    "lib/tfrc": ("lib/include",),
    "gst/common": _CORE,
    "gst/io/address": _BASE,
    "gst/io/addressfilter": ("gst/io/address", *_BASE),
    "gst/io/datagrams": ("gst/io/address", *_BASE),
    "gst/io/deadlinequeue": (),
    "gst/io/demux": ("gst/io/address", *_BASE),
    "gst/io": (*_PURE_IO, *_BASE),
    "gst/security": ("gst/common",),
    "gst/queue": _SANS_IO,
    "gst/strangers": _STRANGERS,
    "gst/keys": _KEYS,
    "gst/flow": _FLOW,
    "gst/port": _PORT,
    "gst/stream": _STREAM,
    "gst/session": _STREAM,
    "gst/tfrcsink": _ELEMENT,
    "gst/tfrcsrc": _ELEMENT,
    "gst/rtptfrcbwe": _ELEMENT,
    "gst": ("gst/tfrcsink", "gst/tfrcsrc", "gst/rtptfrcbwe", *_ELEMENT),  # the plugin
    # Programs to copy from: they know the elements only by name.
    "examples": (),
    "tools/dccp-flow": (),
    "tools/http": (),
    "tools/stats": (),
    "tools/secret": (),
    "tools/remux": (),
    "tools/meter": ("tools/stats",),
    # The server cuts movies where tfrcsink's readers say that a decoder can begin.
    "tools/server": ("tools/http", "tools/stats", "tools/secret", "tools/remux", "gst/tfrcsink", "gst/queue", "gst/common"),
    "tools/stream": ("tools/http", "tools/stats", "tools/secret", "tools/remux"),
    "tools/vod-replay": ("tools/meter", "tools/stats"),
    "traces": (),
    "batch": (),
    "pipelines/adaptive": (),
    "pipelines/rtp-receiver": (),
    "pipelines/webrtc": ("batch",),
    "pipelines": ("pipelines/traceplot",),  # pipelines/trace-plot.py
    "pipelines/traceplot": ("batch",),
    "pipelines/demo": ("pipelines/traceplot", "batch"),
    "pipelines/ecn": ("pipelines/testbed", "batch"),
    "pipelines/testbed": ("batch",),
    # The kernel's CCID 3 is compared with tfrcsink, whose statistics the demo reads.
    "pipelines/vod-benchmark": ("pipelines/demo", "pipelines/testbed", "batch"),
    "pipelines/handover": ("pipelines/vod-benchmark", "pipelines/testbed", "batch"),
    "experiments/simlink": _CORE,
    # Some experiments play real pipelines on the testbed and read the logs that the benchmark's
    # meters write.
    "experiments/common": ("pipelines/vod-benchmark", "pipelines/demo", "pipelines/testbed", "batch", *_CORE),
    # The same movies, seeds and measures as the benchmark's, in simulation.
    "experiments/vod": ("pipelines/vod-benchmark", "traces", "gst/queue", "gst/tfrcsink", *_SIMULATION),
    "experiments/vod-conditions": ("experiments/vod", *_SIMULATION),
    "experiments/guard": ("experiments/vod", "experiments/simlink", *_SIMULATION),
    "experiments/handover": ("experiments/vod", *_SIMULATION),
    "experiments/enhanced": ("experiments/vod", "pipelines/vod-benchmark", *_SIMULATION),
    "experiments/enhanced-testbed": ("experiments/enhanced", *_SIMULATION),
    "experiments/handover-starts": ("experiments/handover", *_SIMULATION),
    "experiments/fairness": ("experiments/vod", *_SIMULATION),
    "experiments/fairness-testbed": ("experiments/fairness", *_SIMULATION),
    "experiments/fairness-testbed-crowds": ("experiments/fairness", *_SIMULATION),
    "experiments/fairness-models": ("experiments/fairness", *_SIMULATION),
    "experiments/link-errors": ("experiments/fairness", "experiments/vod", *_SIMULATION),
    "experiments/fairness-testbed-models": ("experiments/fairness", *_SIMULATION),
    "experiments/fairness-testbed-sack": ("experiments/fairness", *_SIMULATION),
    "experiments/limits": _SIMULATION,
    "experiments/limits-long": ("experiments/limits", *_SIMULATION),
    "experiments/multihop": _SIMULATION,
    "experiments/multihop-testbed": ("experiments/multihop", *_SIMULATION),
    "experiments/multihop-rto": ("experiments/multihop", *_SIMULATION),
    "experiments/smoke": _SIMULATION,
    "experiments": ("batch",),
    "scripts": (),
    "scripts/site": (),
    "tests": ("lib/include", "lib/tfrc", "gst", "gst/common", "gst/io", "gst/security", "gst/tfrcsink", "gst/tfrcsrc", "gst/rtptfrcbwe", *_ELEMENT, "tools/vod-replay",
              "tools/server", "tools/http", "tools/meter", "tools/stats", "tools/secret", "tools/remux", "tools/stream", "experiments/common", "experiments/simlink", "experiments/enhanced", "experiments/limits",
              "experiments/guard", "experiments/multihop", "experiments/vod", "pipelines/testbed", "pipelines/vod-benchmark",
              "pipelines/handover", "pipelines/demo", "pipelines/traceplot", "scripts/site", "traces", "batch"),
}

# Directories that compilers search after the directory of the file itself, by the first part of its
# path
INCLUDE_ROOTS = {
    "lib": ("lib/include", "lib"),
    "gst": ("", "lib/include"),
    "tools": ("tools/vod-replay", "", "lib/include"),
    "experiments": ("experiments", "experiments/simlink", "lib/include"),
    "tests": ("", "lib/include", "lib", "tools/vod-replay", "tools/stream", "tools/server", "experiments/simlink", "tests/check/libs"),
}

# Structs that make and end like an object, but are values: whoever has one may read and write it.
VALUES = {
    "GstTfrcAddress",  # an address of the kernel's and its length
    "GstTfrcClockMap",  # the readings of two clocks at one time
    "GstTfrcPolled",  # datagrams on their way from a flow to the port, which both fill and empty
    "GstTfrcProperty",  # a row of a table
}

# System headers of a layer that may not include any; other layers include what they like.
SYSTEM_HEADERS = {
    "lib/tfrc": {"inttypes.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h"},
}

# Python packages that are neither ours nor Python's
LIBRARIES = {"numpy", "pandas", "matplotlib", "jinja2", "markupsafe", "yaml"}
LIBRARIES_OF = {"batch": LIBRARIES - {"yaml"} | {"distributed"}, "traces": set(), "pipelines/testbed": {"yaml"}, "examples": {"gi"},
                 "pipelines/adaptive": {"gi"}, "pipelines/rtp-receiver": {"gi"}, "pipelines/webrtc": {"gi"}, "scripts": {"gdb", "gi"}}

LONGEST = 700
MOST_USERS = 2

# ---- the files -------------------------------------------------------------------------------------------------------

C_SUFFIXES = (".c", ".cc", ".cpp", ".h")
SUFFIXES = (*C_SUFFIXES, ".py", ".sh")
SCRIPTS = {"experiments/run", ".ci/run", ".ci/long"}
LEFT_OUT = {"results", "__pycache__", "venv"}


def sources(root):
    """Paths of the sources below a directory, relative to it, with '/'."""
    found = []
    for directory, names, files in os.walk(root):
        names[:] = [name for name in names if name not in LEFT_OUT and not name.startswith("build")
                    and (name == ".ci" or not name.startswith("."))]
        for name in files:
            path = pathlib.Path(directory, name).relative_to(root).as_posix()
            if path.endswith(SUFFIXES) or path in SCRIPTS:
                found.append(path)
    return sorted(found)


def layer_of(path, layers):
    """The longest layer that holds the path, or None."""
    held = [layer for layer in layers if path.startswith(layer + "/") or unit_of(path) == layer]
    return max(held, key=len, default=None)


def text_of(root, path):
    return pathlib.Path(root, path).read_text(encoding="utf-8", errors="replace")


# ---- C and C++ -------------------------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def includes(root, path, files):
    """For each #include: (line number, name as written, the file or None for a header of the
    system)."""
    text = text_of(root, path)
    own = os.path.dirname(path)
    for match in _INCLUDE.finditer(text):
        places = ([own] if match[1] == '"' else []) + list(INCLUDE_ROOTS.get(path.split("/")[0], ()))
        candidates = (os.path.normpath(os.path.join(place, match[2])) for place in places)
        target = next((candidate for candidate in candidates if candidate in files), None)
        yield text.count("\n", 0, match.start()) + 1, match[2], target


# ---- Python ----------------------------------------------------------------------------------------------------------


def _module(place, name, files):
    """The file of the module 'name' (with dots) in a directory, or None."""
    base = os.path.normpath(os.path.join(place, *name.split(".")))
    return next((path for path in (base + ".py", base + "/__init__.py") if path in files), None)


def _package_directories(directory):
    """The directory and those above it, as the paths that Python may search."""
    while True:
        yield directory
        if not directory:
            return
        directory = os.path.dirname(directory)


class Importer:
    """Finds the files that Python files import. Programs add directories to sys.path, so that a
    name may be that of a file anywhere. A file in the directory of the importing file or above
    comes first, then a file in a layer that the table allows. In a package, whose files import each
    other with dots, the directory itself is not searched."""

    def __init__(self, root, files, layers):
        self.files = files
        self.layers = layers
        self.packages = {os.path.dirname(path) for path in files
                         if path.endswith(".py") and re.search(r"^\s*from \.", text_of(root, path), re.M)}
        self.directories = sorted({os.path.dirname(path) for path in files if path.endswith(".py")}
                                  | {os.path.dirname(os.path.dirname(path)) for path in files if path.endswith(".py")})

    def _find(self, path, name):
        directory = os.path.dirname(path)
        for place in _package_directories(directory):
            if place in self.packages:
                continue
            found = _module(place, name, self.files)
            if found and (place != "" or found.count("/")):
                return found
        if name.split(".")[0] in sys.stdlib_module_names:
            return None
        layer = layer_of(path, self.layers)
        candidates = [found for place in self.directories
                      if place != directory and (found := _module(place, name, self.files))]
        allowed = {layer, *self.layers.get(layer, ())}
        candidates.sort(key=lambda found: layer_of(found, self.layers) not in allowed)
        return candidates[0] if candidates else None

    def imports(self, root, path):
        """For each import: (line number, name, the file or None if the module is not the
        project's)."""
        for node in ast.walk(ast.parse(text_of(root, path), path)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node.lineno, alias.name, self._find(path, alias.name)
            elif isinstance(node, ast.ImportFrom):
                yield from self._imports_from(path, node)

    def _imports_from(self, path, node):
        if node.level:
            place = os.path.dirname(path)
            for _ in range(node.level - 1):
                place = os.path.dirname(place)
            prefix = os.path.join(place, *(node.module or "").split("."))
            package = _module(prefix, "__init__", self.files) or _module(place, node.module or "__init__", self.files)
        else:
            package = self._find(path, node.module)
            prefix = os.path.dirname(package) if package and package.endswith("/__init__.py") else None
            if package is None and node.module.split(".")[0] not in sys.stdlib_module_names:
                # A directory without __init__.py is a package, too.
                submodule = self._find(path, f"{node.module}.{node.names[0].name}")
                prefix = os.path.dirname(submodule) if submodule else None
        for alias in node.names:
            name = "." * node.level + (f"{node.module}." if node.module else "") + alias.name
            submodule = _module(prefix, alias.name, self.files) if prefix is not None else None
            yield node.lineno, name, submodule or package


# ---- the checks ------------------------------------------------------------------------------------------------------


def dependencies(root, files, layers):
    """C, C++ or Python file -> its list of (line number, name, file or None)."""
    known = set(files)
    importer = Importer(root, known, layers)
    found = {}
    for path in files:
        if path.endswith(C_SUFFIXES):
            found[path] = list(includes(root, path, known))
        elif path.endswith(".py"):
            found[path] = list(importer.imports(root, path))
    return found


def wrong_directions(found, layers, upwards):
    for path, uses in found.items():
        layer = layer_of(path, layers)
        if layer is None:
            yield f"{path}: no layer of the table holds this file"
            continue
        for line, name, target in uses:
            where = f"{path}:{line}: {layer}"
            if target is None:
                yield from _wrong_outside(path, where, layer, name)
                continue
            other = layer_of(target, layers)
            if other not in (layer, *layers[layer]) and (path, target) not in upwards:
                yield f"{where} may not depend on {other or target} ({name})"
    used = {(path, target) for path, uses in found.items() for _, _, target in uses}
    for path, target in sorted(upwards - used):
        yield f"{path} does not use {target}: take the pair from the list UPWARDS in tests/scripts/house_exceptions.py"


def _wrong_outside(path, where, layer, name):
    """Checks a dependency that is not of this project."""
    if not path.endswith(".py"):
        if layer in SYSTEM_HEADERS and name not in SYSTEM_HEADERS[layer]:
            yield f"{where} may not include <{name}>"
        return
    package = name.split(".")[0]
    if package not in sys.stdlib_module_names and package not in LIBRARIES_OF.get(layer, LIBRARIES) and package:
        if not path.startswith("tests/"):
            yield f"{where} may not import {package}"


def unit_of(path):
    """The unit of a file: x.c, x.h and x-private.h are one unit."""
    base, suffix = os.path.splitext(path)
    return base.removesuffix("-private") if suffix in C_SUFFIXES else path


def circles_of(graph):
    """Every set of nodes that reach each other, by Tarjan's algorithm. The graph is a dictionary of
    sets."""
    order, low, stack, result = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in order:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == order[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                result.append(set(members))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return result


def _wrong_circles(graph, known, words, name):
    circles = circles_of(graph)
    yield from (f"{words}: " + ", ".join(sorted(circle)) for circle in circles if circle not in known)
    yield from ("no longer a circle: " + ", ".join(sorted(circle)) + f": take the entry from the list {name} in tests/scripts/house_exceptions.py"
                for circle in known if circle not in circles)


def include_circles(found, known):
    graph = {}
    for path, uses in found.items():
        targets = graph.setdefault(unit_of(path), set())
        targets |= {unit_of(target) for _, _, target in uses if target and unit_of(target) != unit_of(path)}
    return _wrong_circles(graph, known, "a circle of dependencies", "CIRCLES")


def call_circles(root, entries, known):
    """Circles among the sources of a build directory by what their objects need of each other."""
    graph = house_calls.calls(entries)
    if not any(graph.values()):
        return ["the build directory has no objects that call each other"]
    # What is not built tells nothing.
    built = [circle for circle in known if all(source in graph or not os.path.exists(os.path.join(root, source)) for source in circle)]
    return _wrong_circles(graph, built, "sources call each other in a circle", "CALL_CIRCLES")


def lengths(root, files, long):
    lines = {}
    for path in files:
        unit = unit_of(path)
        lines[unit] = lines.get(unit, 0) + text_of(root, path).count("\n")
    for unit, count in sorted(lines.items()):
        if count > LONGEST and unit not in long:
            yield f"{unit}: {count} lines, of at most {LONGEST}"
    for unit in sorted(long):
        if lines.get(unit, 0) <= LONGEST:
            yield f"{unit} is not longer than {LONGEST} lines: take it from the list LONG_UNITS in tests/scripts/house_exceptions.py"


def crowded(root, entries, build, known, values):
    """Objects whose fields more than MOST_USERS sources use."""
    files = sources(root)
    found = dependencies(root, [path for path in files if path.startswith(house_calls.SOURCES)], {})

    def closure(source):
        reached, waiting = {source}, [source]
        while waiting:
            targets = {target for _, _, target in found.get(waiting.pop(), ()) if target} - reached
            reached |= targets
            waiting += targets
        return reached

    facts = house_structs.uses(root, entries, closure, os.path.join(build, "house-structs.json"))
    errors = [error for fact in facts.values() for error in fact["errors"]]
    users = house_structs.users_of_objects(facts)
    if errors or not users:
        yield from errors or ["no source uses the fields of an object"]
        return
    yield from _wrong_users(users, known, values)


def _wrong_users(users, known, values):
    listed = "CROWDED in tests/scripts/house_exceptions.py"
    for name, (path, by) in sorted(users.items()):
        if name in values:
            continue
        if len(by) > MOST_USERS and by - known.get(name, set()):
            yield f"{path}: {len(by)} sources use the fields of {name}, at most {MOST_USERS} may: " + ", ".join(sorted(by))
    for name, by in sorted(known.items()):
        now = users.get(name, (None, set()))[1]
        if len(now) <= MOST_USERS:
            yield f"{name}: at most {MOST_USERS} sources use the fields: take it from the list {listed}"
        elif by - now:
            yield f"{name}: no longer used by " + ", ".join(sorted(by - now)) + f": take them from the list {listed}"
    for name in sorted(values - set(users)):
        yield f"{name} is not used as an object is: take it from the list VALUES in tests/scripts/house.py"


def check(root, layers, upwards=frozenset(), circles=(), long=frozenset()):
    """All errors below a directory, as lines of text, and the number of dependencies."""
    files = sources(root)
    found = dependencies(root, files, layers)
    wrong = [*wrong_directions(found, layers, upwards), *include_circles(found, circles), *lengths(root, files, long)]
    return wrong, sum(target is not None for uses in found.values() for _, _, target in uses)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", help="a build directory; without one, neither calls nor fields are checked")
    parser.add_argument("--fields", action="store_true", help="check who uses which fields, which needs libclang, and nothing else")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    entries = house_calls.commands(root, options.build) if options.build else {}
    if options.fields:
        wrong, count = [*crowded(root, entries, options.build, CROWDED, VALUES)], len(entries)
        print("\n".join([*wrong, f"fields in {count} sources, {len(wrong)} errors"]))
    else:
        wrong, count = check(root, LAYERS, UPWARDS, CIRCLES, LONG_UNITS)
        if options.build:
            wrong += call_circles(root, entries, CALL_CIRCLES)
        print("\n".join([*wrong, f"{count} dependencies between files, {len(wrong)} errors"]))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
