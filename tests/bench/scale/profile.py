# SPDX-License-Identifier: LGPL-2.1-or-later
"""The functions that take most of a process's CPU time, as perf finds them."""

import re
import shutil
import subprocess

from .processes import Failed

_FREQUENCY = 499  # samples a second of each CPU; no divisor of the clocks of kernels
MISSING = "perf is not installed: scripts/install-deps.sh profile"


def is_there():
    return shutil.which("perf") is not None


def record(pid, seconds, path):
    """Samples a process for some seconds. Raises processes.Failed."""
    done = subprocess.run(["perf", "record", "-q", "-F", str(_FREQUENCY), "-o", str(path), "-p", str(pid), "--",
                           "sleep", str(seconds)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        # A process that ends before perf has begun ends perf by SIGTERM.
        raise Failed(f"perf ended with status {done.returncode}; more --seconds may help. {done.stderr.strip()}")


def parse(text, count):
    """Rows of share in %, symbol, and the program or library, from the text of perf report."""
    found = re.findall(r"^\s*([\d.]+)%\s+\[([.k])\]\s+(.*?)\s{2,}(\S+)", text, re.M)
    return [[float(share), f"`{symbol}`", "kernel" if kind == "k" else place]
            for share, kind, symbol, place in found[:count]]


def most_expensive(path, count=10):
    """The first rows of parse(). Raises subprocess.CalledProcessError."""
    return parse(subprocess.run(["perf", "report", "-i", str(path), "--stdio", "--sort", "symbol,dso"],
                                check=True, capture_output=True, text=True).stdout, count)
