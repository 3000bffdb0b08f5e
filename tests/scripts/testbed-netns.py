# SPDX-License-Identifier: LGPL-2.1-or-later
"""The testbed's back end 'netns' on this host, as root: run by testbed-netns.sh with the directory of the package and a
scratch directory. Without links, which need netem; the commands for links are those that testbed.sh runs in a guest."""

import csv
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
SCRATCH = pathlib.Path(sys.argv.pop(1))

import testbed  # noqa: E402
from testbed import netns, runner  # noqa: E402


def namespaces():
    """The namespaces of this process's runs."""
    listing = subprocess.check_output(["ip", "netns"], text=True)
    return [line for line in listing.splitlines() if line.startswith(f"testbed-{os.getpid()}-")]


class Netns(unittest.TestCase):
    def setUp(self):
        # Without links, a kernel without netem is enough, which the check would refuse.
        runner.CHECKS["netns"] = netns.check = lambda: None
        self.output = SCRATCH / self.id()

    def run_jobs(self, jobs, **arguments):
        spec = {"nodes": {"a": {"sysctl": {"net.ipv4.tcp_sack": 0}}, "b": {}}, "jobs": jobs, "limit": arguments.pop("limit", "60s")}
        result = testbed.run(spec, self.output, backend="netns", **arguments)
        self.assertEqual(namespaces(), [])
        return result

    def job(self, name):
        with open(self.output / "jobs.csv", newline="") as file:
            return {row["job"]: row for row in csv.DictReader(file)}[name]

    def test_the_namespaces_are_seen_while_they_are_there(self):
        self.run_jobs({"one": {"node": "a", "run": "ip netns identify"}})
        self.assertIn(f"testbed-{os.getpid()}-", (self.output / "jobs" / "one.out").read_text())

    def test_jobs_run_on_their_nodes(self):
        (SCRATCH / "data").write_text("of the run\n")
        show = "cat data; echo $TESTBED_NODE $TESTBED_SEED $ADDRESS_b; sysctl -n net.ipv4.tcp_sack; ip -o address show to $ADDRESS_a"
        result = self.run_jobs({"one": {"node": "a", "run": show}}, seed=5, files=[SCRATCH / "data"])
        self.assertEqual((result.exit_status, result.backend), (0, "netns"))
        lines = (self.output / "jobs" / "one.out").read_text().splitlines()
        self.assertEqual(lines[:3], ["of the run", "a 5 10.77.0.2", "0"])
        self.assertIn("lo", lines[3])
        self.assertEqual(self.job("one")["node"], "a")

    def test_the_status_is_that_of_the_first_job_that_fails(self):
        jobs = {
            "late": {"node": "a", "at": "300ms", "run": "exit 4"},
            "first": {"node": "b", "run": "exit 3"},
            "server": {"node": "b", "background": True, "run": "trap 'exit 5' INT; while :; do sleep 0.02; done"},
        }
        self.assertEqual(self.run_jobs(jobs).exit_status, 3)
        self.assertEqual([self.job(name)["exit_status"] for name in ("late", "first", "server")], ["4", "3", "5"])

    def test_the_limit_ends_what_runs_in_the_network(self):
        result = self.run_jobs({"one": {"node": "a", "run": "setsid sleep 1000 & sleep 1000"}}, limit="200ms")
        self.assertEqual(result.exit_status, 124)
        self.assertEqual(self.job("one")["exit_status"], "143")

    def test_the_limit_in_real_time_takes_the_network_along(self):
        result = self.run_jobs({"one": {"node": "a", "run": "trap '' TERM; sleep 1000"}}, limit_s=1)
        self.assertEqual(result.exit_status, 124)
        self.assertFalse((self.output / "links.csv").exists())

    def test_what_cannot_be_set_up_is_told(self):
        spec = {"nodes": {"a": {"sysctl": {"net.ipv4.no_such": 1}}}, "jobs": {"one": {"node": "a", "run": "true"}}}
        with self.assertRaisesRegex(testbed.TestbedError, "could not be set up:\n.*no_such"):
            testbed.run(spec, self.output, backend="netns")
        self.assertEqual(namespaces(), [])


if __name__ == "__main__":
    unittest.main()
