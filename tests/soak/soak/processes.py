# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs of the soak test, the network between them, and what a process uses."""

import json
import os
import pathlib
import queue
import resource
import signal
import subprocess
import threading

SENDER, RELAY = "10.97.0.2", "10.97.0.1"
_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Failed(Exception):
    """A program ended too early, or does not answer."""


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, env={**os.environ, "PATH": _PATH})


class Network:
    """A context: a namespace for the senders and one for the relay and the receivers, and a link
    between them."""

    def __init__(self):
        self.near, self.far = (f"tfrc-soak-{os.getpid()}-{end}" for end in ("near", "far"))

    def __enter__(self):
        for name in (self.near, self.far):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", "link0", "netns", self.near, "type", "veth", "peer", "name", "link0", "netns", self.far)
        for name, address in ((self.near, SENDER), (self.far, RELAY)):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "link0")
            ip("-n", name, "link", "set", "link0", "up")
        return self

    def __exit__(self, *_):
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True,
                           env={**os.environ, "PATH": _PATH})

    def set_interface(self, up):
        """The senders' interface, which loses its routes but not its address."""
        ip("-n", self.near, "link", "set", "link0", "up" if up else "down")


class Program:
    """A program in a namespace that answers each line of its standard input that asks for something."""

    # Answers take milliseconds. A machine whose cores are taken by others may need seconds.
    LIMIT_S = 60

    def __init__(self, namespace, words, log):
        self._log = log
        self._name = pathlib.Path(words[0]).name
        self._process = subprocess.Popen(["ip", "netns", "exec", namespace, *map(str, words)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=log, text=True,
                                         env={**os.environ, "PATH": _PATH})
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        answer = self._answer()
        if answer != "ready":
            raise self._failed(f"says '{answer}' at its start")

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.strip())
        self._lines.put(None)

    def _answer(self):
        try:
            line = self._lines.get(timeout=self.LIMIT_S)
        except queue.Empty:
            raise self._failed(f"has not answered for {self.LIMIT_S} s") from None
        if line is None:
            raise self._failed(f"has ended with status {self._process.wait()}")
        return line

    def _failed(self, how):
        said = f"see {self._log.name}" if self._log.name != os.devnull else "--log FILE keeps what it says"
        return Failed(f"{self._name} {how}; {said}")

    def say(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, line):
        self.say(line)
        return self._answer()

    def report(self):
        return json.loads(self.ask("report"))

    def usage(self):
        """Resident bytes, descriptors and threads."""
        here = pathlib.Path(f"/proc/{self._process.pid}")
        resident = int((here / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
        return {"resident": resident, "descriptors": len(os.listdir(here / "fd")), "threads": len(os.listdir(here / "task"))}

    def leave_no_descriptors(self):
        """The process cannot open anything any more."""
        used = {int(name) for name in os.listdir(f"/proc/{self._process.pid}/fd")}
        lowest = next(number for number in range(len(used) + 1) if number not in used)
        self._limit = resource.prlimit(self._process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self._process.pid, resource.RLIMIT_NOFILE, (lowest, self._limit[1]))

    def leave_descriptors(self):
        resource.prlimit(self._process.pid, resource.RLIMIT_NOFILE, self._limit)

    def start_another(self):
        """Whether one more stream starts, and the error."""
        return json.loads(self.ask("another"))

    def stop(self):
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def kill(self):
        self._process.kill()
        self._process.wait()

    def end(self, limit_s=30):
        """Returns whether the program ended by itself, with status 0."""
        self._process.stdin.close()
        try:
            return self._process.wait(timeout=limit_s) == 0
        except subprocess.TimeoutExpired:
            self.kill()
            return False
