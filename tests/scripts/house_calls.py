# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which C sources use functions and variables of which others: nm tells what each object of a build
defines and what it needs. Includes do not show this, since two sources that share a header can call
each other although neither includes the other."""

import json
import os
import pathlib
import subprocess

SOURCES = ("lib/", "gst/")


def commands(root, build):
    """Sources below lib/ and gst/ of the build directory, each with its entry of
    compile_commands.json. A source that several targets compile has the entry of the first."""
    found = {}
    root = os.path.realpath(root)
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8")):
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        source = os.path.relpath(path, root)
        if source.startswith(SOURCES) and source.endswith(".c"):
            found.setdefault(source, entry)
    return found


def calls(entries):
    """source -> the sources that define what it needs. Sources without an object are not built and
    left out."""
    sources = {os.path.join(entry["directory"], entry["output"]): source for source, entry in entries.items()}
    objects = [path for path in sources if os.path.exists(path)]
    if not objects:
        return {}
    output = subprocess.run(["nm", "--extern-only", "--format=posix", "--print-file-name", *objects],
                            check=True, capture_output=True, text=True).stdout
    needs, defines = {sources[path]: set() for path in objects}, {}
    for line in output.splitlines():
        path, _, symbol = line.partition(": ")
        name, kind = symbol.split()[:2]
        if kind in "Uwv":
            needs[sources[path]].add(name)
        else:
            defines[name] = sources[path]
    return {source: {defines[name] for name in names if name in defines} - {source} for source, names in needs.items()}
