# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two network namespaces and a veth pair between them, or the loopback interface where there are
no namespaces."""

import os
import shutil
import subprocess

_SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True, env={**os.environ, "PATH": _SEARCH})


class Network:
    """A context. sender, receiver: words in front of a command that is to run there. address: the
    receiver's, as the sender names it."""

    def __init__(self):
        self._names = [f"tfrc-scale-{os.getpid()}-{end}" for end in "ab"]
        self._made = []
        self.why_not = ""  # the reason for the loopback interface
        self.sender, self.receiver = [], []
        self.address, self.sender_address = "127.0.0.1", "127.0.0.1"

    def __enter__(self):
        try:
            self._make()
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            self.why_not = (getattr(error, "stderr", "") or str(error)).strip()
        return self

    def _make(self):
        if os.geteuid() != 0:
            raise PermissionError("only root can make network namespaces")
        if not shutil.which("ip", path=_SEARCH):
            raise FileNotFoundError("ip is not installed")
        for name in self._names:
            _ip("netns", "add", name)
            self._made.append(name)
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("netns", "exec", name, "true")
        first, second = self._names
        _ip("link", "add", "veth0", "netns", first, "type", "veth", "peer", "name", "veth0", "netns", second)
        for name, address in zip(self._names, ("10.0.1.1", "10.0.1.2")):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", "veth0")
            _ip("-n", name, "link", "set", "veth0", "up")
        self.sender, self.receiver = (["ip", "netns", "exec", name] for name in self._names)
        self.sender_address, self.address = "10.0.1.1", "10.0.1.2"

    def __exit__(self, *_):
        while self._made:
            subprocess.run(["ip", "netns", "delete", self._made.pop()], check=False, capture_output=True,
                           env={**os.environ, "PATH": _SEARCH})

    @property
    def description(self):
        if self.why_not:
            return f"all processes share the loopback interface ({self.why_not})"
        return "sender and receiver are in network namespaces of their own, with a veth pair between them"
