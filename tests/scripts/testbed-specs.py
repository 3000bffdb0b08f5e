# SPDX-License-Identifier: LGPL-2.1-or-later
"""The meaning of testbed specs, and the refusal of wrong specs. testbed-specs.sh runs this program
with the directory of the package."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))

import testbed  # noqa: E402
from testbed import plan, routing, runner, units  # noqa: E402

GOOD = """
nodes: {a: {}, b: {}}
links:
  line: {ends: [a, b], delay: 10ms, rate: 2mbit, queue: 20}
jobs:
  one: {node: a, run: "true"}
events:
  - {at: 1s, fail: line}
"""
MESH = """
nodes: {a: {}, r: {}, s: {}, b: {}}
links:
  first: {ends: [a, r]}
  second: {ends: [r, b], backward: {delay: 7ms}, delay: 5ms}
  long: {ends: [a, s]}
  longer: {ends: [s, r]}
  twin: {ends: [r, b]}
jobs: {one: {node: a, run: "true"}}
"""


def load(text):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "it.yaml")
        path.write_text(text)
        return testbed.load(path)


class Units(unittest.TestCase):
    def test_exact(self):
        self.assertEqual(units.time_ns("20ms"), 20_000_000)
        self.assertEqual(units.time_ns("1.5us"), 1500)
        self.assertEqual(units.time_ns("0.1s"), 100_000_000)
        self.assertEqual(units.time_ns(0), 0)
        self.assertEqual(units.rate_bps("2.5mbit"), 2_500_000)
        self.assertIsNone(units.rate_bps("unlimited"))
        self.assertEqual(units.ratio("1%"), 0.01)
        self.assertEqual(units.ratio(1), 1.0)


class Refused(unittest.TestCase):
    """Each change to the good spec, and the one line that names the error."""

    def check(self, old, new, message):
        self.assertIn(old, GOOD)
        with self.assertRaises(testbed.TestbedError) as raised:
            load(GOOD.replace(old, new, 1))
        self.assertEqual(str(raised.exception), "it.yaml: " + message)

    def test_the_good_one_is_good(self):
        load(GOOD)

    def test_a_long_value_is_shortened_in_its_middle(self):
        with self.assertRaises(testbed.TestbedError) as raised:
            load(GOOD.replace("a: {}", "a: b" + 10000 * "a", 1))
        message = str(raised.exception)
        self.assertEqual(len(message), 1500)
        self.assertTrue(message.startswith("it.yaml: nodes.a: 'baaa"))
        self.assertIn("aaa [...] aaa", message)
        self.assertTrue(message.endswith("aaa' is not a mapping"))

    def test_quantities(self):
        self.check("2mbit", "'2mbits'", "links.line.rate: '2mbits' is not a rate")
        self.check("2mbit", "2000000", "links.line.rate: 2000000 is not a rate: it needs a unit, as 2mbit has")
        self.check("2mbit", "7bit", "links.line.rate: '7bit' is less than a byte per second")
        self.check("10ms", "10", "links.line.delay: 10 is not a time: it needs a unit, as 20ms has")
        self.check("10ms", "-1ms", "links.line.delay: '-1ms' is not a time")
        self.check("10ms", "true", "links.line.delay: True is not a time")
        self.check("10ms", "0.00001us", "links.line.delay: '0.00001us' is too fine")
        self.check("10ms", "1h", "links.line.delay: '1h' is more than 200 s")
        self.check("queue: 20", "queue: 0", "links.line.queue: 0 is not a whole number of at least 1")
        self.check("10ms", "10ms, loss: 1.5", "links.line.loss: 1.5 is not between 0 and 1")
        self.check("10ms", "10ms, loss: much", "links.line.loss: 'much' is not a ratio, such as 0.01 or 1%")

    def test_links(self):
        self.check(", queue: 20", "", "links.line: a rate needs a queue: how many packets may wait")
        self.check("rate: 2mbit, ", "", "links.line: a queue needs a rate: without one nothing waits")
        self.check("10ms", "10ms, jitter: 11ms", "links.line: the jitter is more than the delay")
        self.check("delay: 10ms", "reorder: 0.1", "links.line: reorder needs a delay: what is reordered goes without it")
        self.check("10ms", "10ms, ordered: maybe", "links.line.ordered: 'maybe' is neither true nor false")
        self.check("10ms", "10ms, ordered: true, reorder: 1%", "links.line: a line that is ordered cannot reorder")
        self.check("queue: 20", "queue: 20, aqm: pie", "links.line.aqm: 'pie' is none of fq_codel, codel, red, none")
        self.check("queue: 20", "queue: 20, aqm: 7", "links.line.aqm: 7 is none of fq_codel, codel, red, none")
        self.check("rate: 2mbit, queue: 20", "aqm: codel", "links.line: an aqm needs a rate: without one nothing waits")
        self.check("queue: 20", "queue: 1001, aqm: red", "links.line: red takes a queue of at most 1000 packets")
        self.check("queue: 20", "queue: 20, ecn: true", "links.line: ecn needs an aqm: a drop-tail queue marks nothing")
        self.check("queue: 20", "queue: 20, aqm: red, ecn: 1", "links.line.ecn: 1 is neither true nor false")
        self.check("[a, b]", "[a, c]", "links.line.ends: there is no node 'c'")
        self.check("[a, b]", "[a, a]", "links.line.ends: both are the same node")
        self.check("[a, b]", "a", "links.line.ends: 'a' is not a list of two nodes")
        self.check("ends: [a, b], ", "", "links.line: 'ends' is missing")
        self.check("  line:", "  lo:", "links.lo: the system uses this name itself")
        self.check(
            "  line:", "  two-words:",
            "links: 'two-words' cannot be the name of a link: it must match [A-Za-z][A-Za-z0-9_]{0,14}")
        self.check("10ms", "10ms, forward: {speed: 1}", "links.line.forward: unknown key 'speed'; known are delay, jitter, "
                   "ordered, rate, queue, aqm, ecn, loss, reorder, duplicate")
        self.check("10ms", "10ms, backward: {queue: 1.5}",
                   "links.line.backward.queue: 1.5 is not a whole number of at least 1")

    def test_nodes_and_jobs(self):
        self.check("b: {}", "b: {sysctl: {kernel.panic: 1}}",
                   "nodes.b.sysctl: 'kernel.panic' is not a setting of the network (net.…)")
        self.check("node: a", "node: z", "jobs.one.node: there is no node 'z'")
        self.check("node: a, ", "", "jobs.one: 'node' is missing")
        self.check('run: "true"', "run: true", "jobs.one.run: True is not a command")
        self.check("node: a", "node: a, background: maybe", "jobs.one.background: 'maybe' is neither true nor false")
        self.check("node: a", "node: a, background: true",
                   "jobs: all are in the background, so nothing would end the run")
        self.check("node: a", "node: a, at: soon", "jobs.one.at: 'soon' is not a time")
        self.check("jobs:\n  one: {node: a, run: \"true\"}", "jobs:", "jobs: there must be at least one job")
        self.check("nodes:", "limit: 0s\nnodes:", "limit: must be more than nothing")

    def test_events(self):
        self.check("fail: line", "fail: lane", "events[0].fail: there is no link 'lane'")
        self.check("at: 1s, ", "", "events[0]: 'at' is missing")
        self.check("fail: line", "stop: line", "events[0]: an event has one of change, fail, restore and route")
        self.check("fail: line", "fail: line, rate: 1mbit", "events[0]: unknown key 'rate'; known are at, fail")
        self.check("fail: line", "change: line", "events[0]: there is nothing to change")
        self.check("fail: line", "change: line, jitter: 20ms", "events[0]: the jitter is more than the delay")
        self.check("fail: line", "change: line, aqm: codel", "events[0]: the aqm of a link cannot change")
        self.check("fail: line", "change: line, ordered: true, reorder: 1%",
                   "events[0]: a line that is ordered cannot reorder")
        self.check("fail: line", "change: line, direction: up, loss: 0",
                   "events[0].direction: 'up' is neither forward nor backward")
        self.check("fail: line", "route: {node: a, to: a, via: line}", "events[0].route: a node needs no route to itself")
        self.check("fail: line", "route: {node: a, to: b}", "events[0].route: 'via' is missing")

    def test_not_even_a_spec(self):
        self.check(GOOD, "just words", "'just words' is not a mapping")
        self.check("nodes:", "nodez:", "unknown key 'nodez'; known are limit, nodes, links, jobs, events, files")

    def test_quantities_have_bounds(self):
        self.check("2mbit", "1001gbit", "links.line.rate: '1001gbit' is more than 1000 gbit")
        self.check("queue: 20", "queue: 1000000001", "links.line.queue: 1000000001 is more than 1000000000")
        self.check("at: 1s", "at: 8761h", "events[0].at: '8761h' is more than a year")
        self.check("10ms", "9" * 21 + "ms", f"links.line.delay: '{'9' * 21}ms' is not a time")

    def test_files_that_cannot_be_read(self):
        with self.assertRaisesRegex(testbed.TestbedError, r"^/nowhere/x\.yaml: No such file or directory$"):
            testbed.load("/nowhere/x.yaml")
        with self.assertRaisesRegex(testbed.TestbedError, r"it\.yaml:3: 'a' is there twice$"):
            load("nodes:\n  a: {}\n  a: {}\n")
        with self.assertRaisesRegex(testbed.TestbedError, r"it\.yaml:2: "):
            load("nodes: {a: {}\njobs: }")


class Hostile(unittest.TestCase):
    """Texts that YAML allows and no spec needs. Each is refused with one line that names the place,
    and without unbounded memory or recursion."""

    def refused(self, text, message):
        with self.assertRaises(testbed.TestbedError) as raised:
            load(text)
        self.assertIn("it.yaml" + message, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))

    def test_nesting(self):
        for text in ("[" * 100_000, "{a: " * 50_000, "- " * 100_000, "? " * 10_000):
            self.refused(text, ":1: nested deeper than 16 levels")
        self.refused("".join(" " * level + "a:\n" for level in range(600)), ":16: nested deeper than 16 levels")

    def test_aliases(self):
        laughs = "a0: &a0 [ha, ha]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 64))
        self.refused(laughs, ":2: an alias is not allowed")
        self.refused("a: &a [*a]", ":1: an alias is not allowed")
        self.refused("a: *b", ":1: an alias is not allowed")

    def test_tags(self):
        for tag in ("python/object/apply:os.system", "python/name:os.system", "set", "omap", "binary", "timestamp"):
            self.refused(f"a: !!{tag} [id]", f":1: a value cannot be of the kind 'tag:yaml.org,2002:{tag}'")
        self.refused("a: !mine 1", ":1: a value cannot be of the kind '!mine'")
        self.refused("a: 2001-01-01", ":1: a value cannot be of the kind 'tag:yaml.org,2002:timestamp'")
        self.refused("a: 1\n<<: {b: 2}", ":2: a value cannot be of the kind 'tag:yaml.org,2002:merge'")
        self.refused("!!map a", ":1: not a mapping")
        self.refused("!!seq {}", ":1: not a list")
        self.refused("a: !!str {}", ":1: expected a scalar node")

    def test_numbers(self):
        for number in ("9" * 5000, "0x" + "f" * 5000, ":".join(["59"] * 2000), "1" * 40 + ".5"):
            self.refused(f"a: {number}", ":1: a number with more than 32 characters")
        for value in ("!!int a", "!!int ''", "!!float a", "!!float ''", "!!bool 7"):
            self.refused(f"a: {value}", ":1: ")

    def test_keys(self):
        self.refused("nodes: {[a]: {}}", ":1: a key is not a name")
        self.refused("nodes:\n  {a: b}: {}", ":2: a key is not a name")
        self.refused("nodes: {1: {}}\njobs: {}", ": nodes: 1 cannot be the name of a node")
        self.refused("nodes: {a: {}}\njobs: {null: {}}", ": jobs: None cannot be the name of a job")
        self.refused("nodes: {a: {}}\njobs: {true: {}, 1: {}}", ":2: 1 is there twice")

    def test_text(self):
        self.refused("\0", ": unacceptable character #x0000")
        self.refused("a: 1\n---\nb: 2", ":2: but found another document")
        self.refused("#" * (256 * 1024 + 1), ": longer than 256 KiB")

    def test_dictionaries(self):
        circle = {}
        circle["nodes"] = circle
        for spec, message in ((circle, "nested deeper than 16 levels"), ({"nodes": {1, 2}}, "cannot be written as JSON: "),
                              ({"limit": 10**5000}, "cannot be written as JSON: ")):
            with self.assertRaisesRegex(testbed.TestbedError, "^spec: " + message):
                testbed.load(spec)


class Arguments(unittest.TestCase):
    def refused(self, message, **arguments):
        with tempfile.TemporaryDirectory() as output, self.assertRaises(testbed.TestbedError) as raised:
            runner.run({"nodes": {"a": {}}, "jobs": {"one": {"node": "a", "run": "true"}}}, output, **arguments)
        self.assertEqual(str(raised.exception), message)

    def test_refused_before_anything_runs(self):
        self.refused("there is no back end 'ns3'; there are auto, netns, guest", backend="ns3")
        self.refused("-1 is not a seed: a whole number of at least 0", seed=-1)
        self.refused("/nowhere/trace: no such file", files=["/nowhere/trace"])
        self.refused("cannot capture 'a:line': it must be NODE:LINK, where the link ends at the node", pcap=["a:line"])


class Meaning(unittest.TestCase):
    def test_directions_inherit_from_their_link(self):
        second = load(MESH).links["second"]
        self.assertEqual(second.shapes["forward"].delay_ns, 5_000_000)
        self.assertEqual(second.shapes["backward"].delay_ns, 7_000_000)

    def test_routes_take_the_fewest_links(self):
        routes = routing.routes(load(MESH))
        self.assertEqual(routes["a", "b"], "first")
        self.assertEqual(routes["b", "a"], "second")
        self.assertEqual(routes["s", "b"], "longer")

    def test_nodes_without_a_way_have_no_route(self):
        topology = load('nodes: {a: {}, b: {}}\njobs: {one: {node: a, run: "true"}}')
        self.assertEqual(routing.routes(topology), {})

    def test_changes_add_up_in_the_order_of_time(self):
        events = load(GOOD + "  - {at: 3s, change: line, rate: 1mbit}\n  - {at: 2s, change: line, loss: 1%}\n").events
        self.assertEqual([event.at_ns for event in events], [10**9, 2 * 10**9, 3 * 10**9])
        self.assertEqual(events[2].shapes["forward"].loss, 0.01)
        self.assertEqual(events[2].shapes["forward"].rate_bps, 1_000_000)
        self.assertEqual(events[1].shapes["forward"].rate_bps, 2_000_000)

    def test_a_change_leaves_a_failed_link_failed(self):
        script = plan.render(load(GOOD + "  - {at: 2s, change: line, delay: 1ms}\n  - {at: 3s, restore: line}\n"))
        events = script[script.index("event_0") :].split("event_")
        self.assertEqual([text.count("loss 100%") for text in events[1:]], [2, 2, 0])

    def test_the_queue_counts_packets_and_the_rate_counts_ip(self):
        self.assertIn("netem rate 2000000bit -14 limit 21\n", plan.render(load(GOOD)))

    def test_an_aqm_stays_behind_its_bucket_when_the_rate_changes(self):
        text = GOOD.replace("queue: 20", "queue: 60, aqm: red").replace("fail: line", "change: line, rate: 1mbit")
        script = plan.render(load(text))
        for verb, rate in (("add", 2_000_000), ("change", 1_000_000)):
            self.assertIn(f"qdisc {verb} dev w0fq root handle 1: stab overhead -14 tbf rate {rate}bit burst 1514 limit 1514\n"
                          f"qdisc {verb} dev w0fq parent 1:1 handle 10: red limit 90000 min 22500 max 67500 avpkt 1500 "
                          f"burst 25 bandwidth {rate}bit adaptive\n", script)

    def test_an_aqm_marks_if_the_spec_says_so(self):
        for aqm, marks, drops in (("codel", " ecn\n", " noecn\n"), ("fq_codel", " ecn\n", " noecn\n"),
                                  ("red", "adaptive ecn\n", "adaptive\n")):
            for ecn, end in (("", drops), (", ecn: true", marks), (", ecn: false", drops)):
                script = plan.render(load(GOOD.replace("queue: 20", f"queue: 60, aqm: {aqm}{ecn}")))
                line = next(line for line in script.splitlines(keepends=True) if f"handle 10: {aqm} " in line)
                self.assertTrue(line.endswith(end), line)

    def test_there_is_no_queue_without_a_rate(self):
        script = plan.render(load(MESH))
        self.assertNotIn("tbf", script)
        self.assertNotIn("fq", script)

    def test_a_job_knows_the_addresses_and_its_nodes_interfaces(self):
        job = plan.render_job(load(MESH), "one")
        self.assertIn("export ADDRESS_b=10.77.0.4\n", job)
        self.assertIn("export INTERFACE_long=long\n", job)
        self.assertNotIn("INTERFACE_second", job)

    def test_json_is_taken_as_well(self):
        load('{"nodes": {"a": {}}, "jobs": {"one": {"node": "a", "run": "true"}}}')


if __name__ == "__main__":
    unittest.main()
