#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends each request for a stream to the tfrc-server that has the most room (docs/many-servers.md).

    server-director.py http://10.0.0.1:8080=10.0.0.1 http://10.0.0.2:8080=10.0.0.2

An argument is the control interface of a server and, after '=', the host that receivers call there.
"""

import argparse
import concurrent.futures
import http.client
import http.server
import json
import re
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ANSWER_S = 2  # a server that has not answered by then counts as gone
# So long a receiver may take until its stream is in the metrics; until then the stream that it was
# sent for takes room.
UNDER_WAY_S = 5
RETRY_S = 5  # until a client should ask again, and a server that is gone is asked again
MAX_BODY_BYTES = 4096  # of a request, as the servers have it
# What can be wrong with an answer: it does not come, is cut short, is no HTTP, or says something else.
WRONG_ANSWER = (OSError, http.client.HTTPException, KeyError, TypeError, ValueError)
# Servers are asked themselves: http_proxy is for programs that leave this network, and podman gives it to each container.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """A server, its room, and the streams that are under way to it."""

    def __init__(self, text):
        self.control, _, self.media = text.partition("=")
        self.sent = []
        self.gone_until = 0

    def read(self, path):
        with DIRECT.open(self.control + path, timeout=ANSWER_S) as answer:
            return answer.read().decode()

    def room(self):
        """How many more streams it can play, or None if it does not answer. Then it is not asked for a while, as each wait
        for an answer is one of all clients."""
        if time.monotonic() < self.gone_until:
            return None
        try:
            metrics = self.read("/metrics")
            limit = float(re.search(r"^vod_streams_limit (\S+)", metrics, re.M)[1])
            busy = sum(map(float, re.findall(r'^vod_streams\{state="(?:playing|stopping)"\} (\S+)', metrics, re.M)))
        except WRONG_ANSWER:
            self.gone_until = time.monotonic() + RETRY_S
            return None
        self.sent = [when for when in self.sent if time.monotonic() - when < UNDER_WAY_S]
        return limit - busy - len(self.sent)


class Servers:
    def __init__(self, servers):
        self.servers = servers
        self.pool = concurrent.futures.ThreadPoolExecutor(len(servers))
        self.lock = threading.Lock()

    def take(self):
        """The server with the most room, of which one place is taken now; None if all are full or
        gone."""
        with self.lock:
            rooms = [(room, server) for server, room in zip(self.servers, self.pool.map(Server.room, self.servers)) if room is not None]
            room, server = max(rooms, key=lambda pair: pair[0], default=(0, None))
            if room < 1:
                return None
            server.sent.append(time.monotonic())
            return server


class Director(http.server.BaseHTTPRequestHandler):
    timeout = 10  # of a connection, in seconds

    def answer(self, status, body, **headers):
        text = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def full(self):
        self.answer(503, json.dumps({"error": "no server has room"}) + "\n", Retry_After=str(RETRY_S), Content_Type="application/json")

    def take_body(self):
        """Reads what the client sends, which is not needed here: some clients read an answer only when they have sent it all.
        Returns whether it is short enough."""
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,4}", length) or int(length) > MAX_BODY_BYTES:
            return False
        self.rfile.read(int(length))
        return True

    def do_POST(self):
        """POST /streams: the same request to the server in Location. 307 keeps method and body."""
        if not self.take_body():
            return self.answer(413, "the body is too long\n")
        if self.path != "/streams":
            return self.answer(404, "POST /streams, GET /call/MOVIE\n")
        server = self.server.servers.take()
        if server is None:
            return self.full()
        return self.answer(307, "", Location=server.control + "/streams")

    def do_GET(self):
        """GET /call/MOVIE: the address that a receiver calls, for tfrc-recv."""
        if not self.path.startswith("/call/"):
            return self.answer(404, "POST /streams, GET /call/MOVIE\n")
        server = self.server.servers.take()
        if server is None:
            return self.full()
        try:
            port = json.loads(server.read("/server"))["media-port"]
        except WRONG_ANSWER:
            return self.full()
        media = server.media or urllib.parse.urlsplit(server.control).hostname
        media = f"[{media}]" if ":" in media else media
        return self.answer(200, f"tfrc://{media}:{port}/{self.path[len('/call/'):]}\n", Content_Type="text/plain")

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    def __init__(self, address, port, servers):
        if ":" in address:
            self.address_family = socket.AF_INET6
        self.servers = Servers(servers)
        super().__init__((address, port), Director)

    def uri(self):
        address, port = self.server_address[:2]
        return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("servers", nargs="+", type=Server, metavar="CONTROL[=MEDIA-HOST]")
    parser.add_argument("--listen", default="127.0.0.1", help="%(default)s")
    parser.add_argument("--port", type=int, default=8000, help="%(default)s; 0 chooses one")
    options = parser.parse_args()
    # The first process of a container has no handlers but its own: without them it would be killed ten seconds later.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    with Listener(options.listen, options.port, options.servers) as director:
        print(f"server-director: listening on {director.uri()}", flush=True)
        director.serve_forever()


if __name__ == "__main__":
    main()
