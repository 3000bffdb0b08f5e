# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces of real streams and the documentation of traces: stream-trace.py ROOT SCRATCH"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT, SCRATCH = map(pathlib.Path, sys.argv[1:3])
sys.path[:0] = [str(ROOT / "pipelines"), str(ROOT)]

from traceplot import events, picture  # noqa: E402

PAGE = (ROOT / "docs" / "trace.md").read_text(encoding="utf-8")
LIMIT_S = 60


def documented(table):
    """The names in the first column of a table of the page, and the columns behind."""
    rows = PAGE.split(f"<!-- {table} -->\n")[1].split(f"<!-- /{table} -->")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name: row[1:] for row in cells for name in re.findall(r"`([^`]+)`", row[0])}


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def stream(sink="", source="", **environment):
    """Sends 200 packets of padding over loopback, to the end of both pipelines."""
    port, movie = free_port(), SCRATCH / "movie.ts"
    movie.write_bytes(b"".join(bytes((0x47, 0x1F, 0xFF, 0x10 | n & 15)) + bytes(184) for n in range(1400)))
    environment = os.environ | environment
    receiver = subprocess.Popen(["gst-launch-1.0", "-q", *f"tfrcsrc name=src port={port} {source} ! fakesink".split()],
                                env=environment)
    try:
        sender = f"filesrc location={movie} blocksize=1316 ! tfrcsink name=sink sync=false host=127.0.0.1 port={port} {sink}"
        subprocess.run(["gst-launch-1.0", "-q", *sender.split()], env=environment, check=True, timeout=LIMIT_S)
        receiver.wait(LIMIT_S)
    finally:
        receiver.kill()
        receiver.wait()


class Page(unittest.TestCase):
    def test_has_every_event(self):
        source = (ROOT / "lib" / "tfrc" / "trace.c").read_text()
        names = set(re.findall(r'\[TFRC_TRACE_\w+\] = "([^"]+)"', source.split("reasons[]")[0]))
        self.assertGreater(len(names), 10)
        self.assertEqual(set(documented("events")), names | {"queue", "events_dropped"})

    def test_has_every_reason(self):
        names = re.findall(r'\[TFRC_TRACE_BY_\w+\] = "([^"]+)"', (ROOT / "lib/tfrc/trace.c").read_text())
        self.assertEqual(set(re.findall(r"`([^`]+)`", documented("fields")["reason"][1])), set(names))


class Stream(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = SCRATCH / "both.trace"
        stream(TFRC_TRACE=str(cls.file))

    def test_file_has_lines_of_json_alone(self):
        for line in self.file.read_text(encoding="utf-8").splitlines():
            self.assertIsInstance(json.loads(line), dict)

    def test_both_ends_have_a_trace_with_what_they_decide(self):
        sender, receiver = picture.pairs(events.read(self.file))[0]
        self.assertEqual((sender.name, sender.role, receiver.name, receiver.role), ("sink", "sender", "src", "receiver"))
        names = {event.name for event in sender.events}
        self.assertLessEqual({"feedback", "queue"}, names)
        self.assertIn("report", {event.name for event in receiver.events})

    def test_has_only_documented_events_and_fields(self):
        told, fields = documented("events"), documented("fields")
        for trace in events.read(self.file):
            for event in trace.events:
                self.assertIn(told[event.name][0], (trace.role, "both"))
                self.assertLessEqual(set(event.data), set(fields), event.name)

    def test_times_never_go_back(self):
        for trace in events.read(self.file):
            times = [event.time_s for event in trace.events]
            self.assertEqual(times, sorted(times))
            self.assertGreaterEqual(times[0], trace.start_s)

    def test_the_last_numbers_are_those_of_the_whole_stream(self):
        sender = picture.pairs(events.read(self.file))[0][0]
        self.assertEqual([count for _, count in sender.points("packets_dropped")][-1], 0)
        self.assertGreater([count for _, count in sender.points("bytes_sent")][-1], 0)
        self.assertTrue(all(rate > 0 for _, rate in sender.points("X_Bps")))

    def test_is_drawn(self):
        output = SCRATCH / "picture.png"
        subprocess.run([sys.executable, ROOT / "pipelines" / "trace-plot.py", self.file, "--output", output,
                        "--capacity", "1e6"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(output.read_bytes()[:4], b"\x89PNG")


class Location(unittest.TestCase):
    def test_property_goes_before_the_environment(self):
        one, other = SCRATCH / "property.trace", SCRATCH / "environment.trace"
        stream(sink=f"trace-location={one}", TFRC_TRACE=str(other))
        self.assertEqual([trace.role for trace in events.read(one)], ["sender"])
        self.assertEqual([trace.role for trace in events.read(other)], ["receiver"])

    def test_without_a_file_the_stream_goes_on_with_a_warning(self):
        stream(sink=f"trace-location={SCRATCH}/no/trace")
        self.assertFalse((SCRATCH / "no").exists())

    def test_no_uri_names_a_file_to_be_written(self):
        done = subprocess.run(["gst-launch-1.0", "fakesrc", "!", "tfrcsink",
                               f"uri=tfrc://127.0.0.1?trace-location={SCRATCH}/uri.trace"],
                              capture_output=True, text=True, timeout=LIMIT_S)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("which a URI must not have", done.stderr)
        self.assertFalse((SCRATCH / "uri.trace").exists())


class Reading(unittest.TestCase):
    def test_what_is_no_trace_is_named_with_its_line(self):
        file = SCRATCH / "wrong.trace"
        for text, where in (("", "no trace"), ("{}\n", ":1:"), ('{"time":1,"name":"x","data":{},"group_id":"a"}\n', ":1:")):
            file.write_text(text)
            with self.assertRaisesRegex(events.BadTrace, where):
                events.read(file)

    def test_counts_become_rates_over_a_second(self):
        self.assertEqual(picture.rates([(0, 0), (0.5, 100), (1, 200), (2, 800)]), [(0.5, 200), (1, 200), (2, 600)])


unittest.main(argv=sys.argv[:1])
