#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzzes the testbed's specs (pipelines/testbed). Whatever the text, the result is a plan, or a
TestbedError of one line that names the file. The seed determines the mutations, so that a finding
can be reproduced.

    fuzz_specs.py DIRECTORY_OF_THE_PACKAGE SEED COUNT | MINUTESm
"""

import pathlib
import random
import sys
import tempfile
import time

MAX_MESSAGE = 2000
WORDS = (
    "nodes", "links", "jobs", "events", "files", "limit", "sysctl", "ends", "forward", "backward", "delay", "jitter", "rate",
    "queue", "loss", "reorder", "duplicate", "node", "run", "at", "background", "change", "fail", "restore", "route", "to",
    "via", "direction", "a", "b", "r", "line", "0", "1", "-1", "1s", "20ms", "2mbit", "unlimited", "50%", ".inf", ".nan",
    "1e400", "9" * 40, "0x" + "f" * 40, "1:59", "null", "~", "true", "2001-01-01", "<<", "=", "''", '"', "'", "&x ", "*x",
    "!!int ", "!!set ", "!!python/name:os.system ", "!x ", "{", "}", "[", "]", ", ", ": ", "- ", "? ", "| ", ">", "#", "%",
    "@", "\\x00", "\\", "\n", "\n---\n", "\t", " ", "  ", "\u00e4", "\u0661s", "net.ipv4.ip_forward", "$(id)",
)


def mutate(randomness, seeds):
    text = randomness.choice(seeds)
    for _ in range(randomness.randint(1, 6)):
        at = randomness.randint(0, len(text))
        end = min(len(text), at + randomness.choice((0, 1, 1, 4, 16, 64)))
        kind = randomness.randrange(5)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + randomness.choice(WORDS) + text[end:]
        elif kind == 2:
            text = text[:at] + text[at:end] * randomness.choice((2, 3, 40)) + text[end:]
        elif kind == 3:
            other = randomness.choice(seeds)
            begin = randomness.randint(0, len(other))
            text = text[:at] + other[begin : begin + 64] + text[end:]
        else:
            text = text[:at] + chr(randomness.choice((0, 7, 10, 127, 0x85, 0xFEFF, randomness.randrange(256)))) + text[end:]
    return text


def check(testbed, plan, path):
    """Returns whether the text is a valid spec; any exception but TestbedError is a finding."""
    try:
        topology = testbed.load(path)
    except testbed.TestbedError as error:
        message = str(error)
        assert message and path.name in message and "\n" not in message and len(message) < MAX_MESSAGE, message
        return False
    plan.render(topology)
    for job in topology.jobs:
        plan.render_job(topology, job)
    return True


def main():
    package, seed, count = sys.argv[1:]
    sys.path.insert(0, package)
    import testbed
    from testbed import plan

    seeds = [path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(package, "testbed/examples").glob("*.yaml"))]
    seeds.append('{"nodes": {"a": {"sysctl": {"net.x": 1}}, "b": {}}, "links": {"line": {"ends": ["a", "b"]}}, "jobs": '
                 '{"one": {"node": "a", "run": "true", "at": 0}}, "events": [{"at": "1s", "fail": "line"}], "files": []}')
    randomness = random.Random(int(seed))
    until = time.monotonic() + 60 * float(count[:-1]) if count.endswith("m") else None
    executions = accepted = 0
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "it.yaml")
        while time.monotonic() < until if until else executions < int(count):
            text = mutate(randomness, seeds)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            try:
                accepted += check(testbed, plan, path)
            except BaseException:
                print(f"seed {seed}, execution {executions}: {text!r}", file=sys.stderr)
                raise
            executions += 1
    print(f"specs: {executions} executions, {accepted} accepted")


main()
