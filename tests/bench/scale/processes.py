# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that say when they are ready, are told to go, and end with a line of JSON."""

import json
import subprocess
import threading


class Failed(Exception):
    """A program ended too early, or took too long."""


class Program:
    """A context, at whose end the program has ended. limit_s: after this time the program is
    killed."""

    def __init__(self, words, log, limit_s, environment=None):
        self.name = next(word for word in words if "bench-scale" in word).rsplit("/", 1)[-1]
        self._log = log
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                         env=environment, text=True)
        self._timer = threading.Timer(limit_s, self._process.kill)
        self._timer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._timer.cancel()
        self._process.stdout.close()
        self._process.stdin.close()

    @property
    def pid(self):
        return self._process.pid

    def wait_for(self, word):
        """Reads up to the line that is this word."""
        for line in self._process.stdout:
            if line.strip() == word:
                return
        raise Failed(f"{self.name} ended before it was {word}: {self._log.name}")

    def go(self):
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def result(self):
        """The JSON of a program that ends by itself."""
        text = self._process.stdout.read().strip()
        if self._process.wait() != 0 or not text.startswith("{"):
            raise Failed(f"{self.name} ended with status {self._process.returncode}: {self._log.name}")
        return json.loads(text)

    def end(self):
        """Tells a program to end, by the end of its standard input, and returns its JSON."""
        self._process.stdin.close()
        return self.result()
