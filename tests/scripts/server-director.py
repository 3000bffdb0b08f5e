# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of examples/server-director.py, in virtual time."""

import contextlib
import http.server
import importlib.util
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import types
import unittest
import unittest.mock
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "examples/server-director.py"
spec = importlib.util.spec_from_file_location("director", PROGRAM)
director = importlib.util.module_from_spec(spec)
spec.loader.exec_module(director)


class Clock:
    def __init__(self, test):
        self.now_s = 1000.0
        real, director.time = director.time, types.SimpleNamespace(monotonic=lambda: self.now_s)
        test.addCleanup(setattr, director, "time", real)


class Server(director.Server):
    """A server with room for ten that counts how often it is asked, and may be gone."""

    def __init__(self, is_gone):
        super().__init__("http://192.0.2.1:8080")
        self.is_gone, self.asked = is_gone, 0

    def read(self, path):
        self.asked += 1
        if self.is_gone:
            raise TimeoutError(f"no answer in {director.ANSWER_S} s")
        return "vod_streams_limit 10\n"


class Choice(unittest.TestCase):
    def test_a_server_that_is_gone_costs_one_wait_in_five_seconds(self):
        clock = Clock(self)
        gone, there = Server(True), Server(False)
        servers = director.Servers([gone, there])
        for _ in range(8):
            self.assertIs(servers.take(), there)
        self.assertEqual((gone.asked, there.asked), (1, 8))

        clock.now_s += 4.9
        self.assertIs(servers.take(), there)
        self.assertEqual(gone.asked, 1)
        clock.now_s += 0.1
        self.assertIs(servers.take(), there)
        self.assertEqual(gone.asked, 2)

    def test_a_server_that_is_back_gets_receivers_again(self):
        clock = Clock(self)
        server = Server(True)
        servers = director.Servers([server])
        self.assertIsNone(servers.take())
        server.is_gone = False
        clock.now_s += 5
        for _ in range(3):
            self.assertIs(servers.take(), server)


class Metrics(http.server.BaseHTTPRequestHandler):
    """As those of a server with room for ten"""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"vod_streams_limit 10\n")

    def log_message(self, *_):
        pass


class Network(unittest.TestCase):
    def test_the_environment_s_proxy_is_not_asked_for_servers(self):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(http.server.HTTPServer(("127.0.0.1", 0), Metrics))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            nobody = stack.enter_context(socket.socket())  # bound, and does not listen: refuses
            nobody.bind(("127.0.0.1", 0))
            proxy = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            stack.enter_context(unittest.mock.patch.dict(os.environ, {"http_proxy": proxy}))
            os.environ.pop("no_proxy", None)
            self.assertEqual(director.Server(f"http://127.0.0.1:{server.server_port}").room(), 10)

    def test_it_listens_at_an_address_of_either_family(self):
        for address, host in (("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")):
            with contextlib.ExitStack() as stack:
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                try:
                    nobody = stack.enter_context(socket.socket(family))
                    nobody.bind((address, 0))
                except OSError:
                    continue  # this system has no IPv6
                control = f"http://{host}:{nobody.getsockname()[1]}"
                program = subprocess.Popen([sys.executable, PROGRAM, "--listen", address, "--port", "0", control],
                                           stdout=subprocess.PIPE, text=True)
                stack.callback(program.wait)
                stack.callback(program.kill)
                stack.enter_context(program.stdout)
                line = program.stdout.readline()
                found = re.fullmatch(rf"server-director: listening on (http://{re.escape(host)}:\d+)\n", line)
                self.assertTrue(found, line)
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(found[1] + "/call/film.ts")
                with refused.exception as error:
                    self.assertEqual(error.code, 503)

    def test_it_ends_by_a_signal_also_as_the_first_process_of_a_container(self):
        # There a signal without a handler does nothing.
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.ExitStack() as stack:
                program = subprocess.Popen([sys.executable, PROGRAM, "--port", "0", "http://127.0.0.1:9"],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                stack.callback(program.wait)
                stack.callback(program.kill)
                program.stdout.readline()
                program.send_signal(number)
                _, errors = program.communicate()
                self.assertEqual((program.returncode, errors), (0, ""))


if __name__ == "__main__":
    unittest.main()
