# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clients that fill or hold tfrc-server and the metrics port that tfrc-send and tfrc-recv have."""
import contextlib
import itertools
import json
import os
import random
import re
import socket
import threading
import time

import movie
from modes import Unavailable
from movie import Program, wait_until
from network import ADDRESSES, inside, udp_socket
from table import Effect, attack

BUILD = os.environ["ATTACKS_BUILD"]
SERVERS = {
    "tfrc-server": ["tools/server/tfrc-server", "--listen", ADDRESSES["sender"], "--port", "0", "--media-port", "0",
                    movie.scratch()],
    "tfrc-recv": ["tools/stream/tfrc-recv", f"tfrc://{ADDRESSES['sender']}:0?timeout=0", "/dev/null", "--metrics-port", "0",
                  "--metrics-address", ADDRESSES["sender"], "--quiet"]}
CLIENTS = 16
SECONDS = 5
MOST_MIB = 8
MOST_S = 1.0
BOUND = f"{MOST_MIB} MiB; answers within {MOST_S:.0f} s"


class Server:
    """One of the two, and what it costs."""

    def __init__(self, program, *arguments):
        self.program = Program("sender", [os.path.join(BUILD, program), *arguments])
        wait_until(30, lambda: self._port() or not self.program.is_running(), program)
        self.address = ADDRESSES["sender"], int(self._port()[1])
        self.answer()
        self._before = self._mib()
        self.most = 0.0     # MiB more than before
        self.slowest = 0.0  # answer, in seconds

    def _port(self):
        return re.search(r"http://[0-9.]+:(\d+)", self.program.text())

    def _mib(self):
        with open(f"/proc/{self.program.popen.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024

    def connect(self):
        with inside("intruder"):
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        client.settimeout(20)
        client.connect(self.address)
        return client

    def answer(self):
        """Reads the metrics. Returns the time that this took, and the bytes."""
        start, answer = time.monotonic(), b""
        with self.connect() as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: 10.98.1.2\r\nConnection: close\r\n\r\n")
            while part := client.recv(65536):
                answer += part
        assert answer.startswith(b"HTTP/1.1 200 "), answer[:80]
        return time.monotonic() - start, len(answer)

    def measure(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.slowest = max(self.slowest, self.answer()[0])
            self.most = max(self.most, self._mib() - self._before)
            time.sleep(0.1)

    def effect(self):
        time.sleep(1)
        left = self._mib() - self._before
        return Effect(f"{self.most:.0f} MiB, {left:.0f} left; answers within {self.slowest * 1000:.0f} ms",
                      max(self.most, left) <= MOST_MIB and self.slowest <= MOST_S)


def endless(head, part):
    """A client that sends the head and then the same part without end, again if its connection is closed."""
    def run(server, ends):
        while not ends.is_set():
            with contextlib.suppress(OSError), server.connect() as client:
                client.sendall(head)
                while not ends.is_set():
                    client.sendall(part)
    return run


def attacked(kind, clients, run):
    """Clients attack both servers at the same time."""
    @attack(f"HTTP: {kind}", "a client", BOUND, 15)
    def measure(_):
        missing = [program for program, *_ in SERVERS.values() if not os.access(os.path.join(BUILD, program), os.X_OK)]
        if missing:
            raise Unavailable(f"not built: {', '.join(missing)}")
        ends = threading.Event()

        def end():
            ends.set()
            for thread in threads:
                thread.join()

        with contextlib.ExitStack() as stack:
            servers = [Server(*command) for command in SERVERS.values()]
            threads = [threading.Thread(target=run, args=(server, ends)) for server in servers for _ in range(clients)]
            for server in servers:
                stack.callback(server.program.kill)
            stack.callback(end)
            for thread in threads:
                thread.start()
            for server in servers:
                server.measure(SECONDS)
            end()
            effects = [server.effect() for server in servers]
        return Effect("; ".join(f"{name}: {effect.text}" for name, effect in zip(SERVERS, effects)),
                      all(effect.ok for effect in effects))
    return measure


def silent(server, ends):
    """Holds 300 connections and says little on each."""
    with contextlib.ExitStack() as stack:
        for number in range(300):
            client = stack.enter_context(server.connect())
            client.sendall(b"POST /streams HTTP/1.1\r\nHost: x\r\n"[:number])
        ends.wait()


def ranges(server, ends):
    """Asks for the same bytes 2000 times in one request, and reads little of the answer."""
    request = b"GET /metrics HTTP/1.1\r\nHost: x\r\nRange: bytes=" + b",".join([b"0-"] * 2000) + b"\r\n\r\n"
    while not ends.is_set():
        with contextlib.suppress(OSError), server.connect() as client:
            client.sendall(request)
            client.recv(1)
            ends.wait(0.1)


def strange(server, ends):
    """Sends requests that no program has sent before: libsoup keeps what it does not know."""
    for number in itertools.count():
        if ends.is_set():
            return
        name = f"{random.getrandbits(64):x}{number}".encode() + bytes(15000).replace(b"\0", b"x")
        for request in (name + b" / HTTP/1.1\r\n", b"GET /" + name + b" HTTP/1.1\r\nTransfer-Encoding: gzip\r\n",
                        b"GET / HTTP/1.1\r\n" + name + b": 1\r\n"):
            with contextlib.suppress(OSError), server.connect() as client:
                client.sendall(request + b"Host: x\r\n\r\n")
                while client.recv(65536):
                    pass


def status_of(server, method, headers, body=b""):
    with server.connect() as client:
        client.sendall(f"{method} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return int(client.recv(65536).split()[1])


@attack("HTTP: a page of another server", "a web page in a client's browser", "403 or 415; no stream", 5)
def page(port):
    program, *arguments = SERVERS["tfrc-server"]
    path = os.path.join(BUILD, program)
    if not os.access(path, os.X_OK):
        raise Unavailable(f"not built: {program}")
    movie_to = json.dumps({"movie": "movie.ts", "host": ADDRESSES["receiver"], "port": port}).encode()
    server = Server(program, *arguments)
    try:
        with udp_socket("receiver", port, 2) as victim:
            codes = [status_of(server, method, headers, body) for method, headers, body in (
                ("POST /streams", "Content-Type: text/plain\r\n", movie_to),
                ("POST /streams", "Origin: http://page.example\r\nContent-Type: text/plain\r\n", movie_to),
                ("POST /streams", "Origin: http://page.example\r\nContent-Type: application/json\r\n", movie_to),
                ("OPTIONS /streams", "Origin: http://page.example\r\nAccess-Control-Request-Method: POST\r\n", b""),
                ("DELETE /streams/1", "Origin: http://page.example\r\n", b""))]
            came = False
            with contextlib.suppress(socket.timeout):
                came = bool(victim.recv(2048))
        # a request that nobody's page makes
        started = status_of(server, "POST /streams", "Content-Type: application/json\r\n", movie_to)
    finally:
        server.program.kill()
    return Effect(f"{', '.join(map(str, codes))}; {'a stream' if came else 'no stream'}; {started} without a page",
                  set(codes) <= {403, 415} and not came and started == 201)


HEAD = b"POST /streams HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
attacked("bodies of 1 GB", CLIENTS, endless(HEAD + b"Content-Length: 1000000000\r\n\r\n", bytes(65536)))
attacked("chunks without end", CLIENTS, endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
                                               b"8000\r\n" + bytes(32768) + b"\r\n"))
attacked("headers without end", CLIENTS, endless(HEAD, b"a:\r\n" * 1000))
attacked("unknown methods, paths and headers", 4, strange)
attacked("silent connections", 1, silent)
attacked("requests for parts that overlap", CLIENTS, ranges)
