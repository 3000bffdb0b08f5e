# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two tfrc-servers behind examples/server-director.py: many-servers.py SERVER DIRECTOR FOLDER PROMETHEUS.YML

FOLDER has the movie long.ts.
"""

import contextlib
import json
import re
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

LIMIT_S = 60  # only ends a wait that would last for ever


def started(stack, pattern, *command):
    """Starts a program that prints its address first; returns the process and the address."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(process.wait)
    stack.callback(process.kill)
    line = process.stdout.readline()
    found = re.search(pattern, line)
    assert found, line
    return process, found[0]


def asked(request):
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers


def post(uri, port):
    """Asks for a stream as curl -L does; returns status, answer, and the server that answered. An
    answer of 307 is followed with the same body."""
    body = json.dumps({"movie": "long.ts", "host": "127.0.0.1", "port": port}).encode()
    request = urllib.request.Request(uri + "/streams", data=body, headers={"Content-Type": "application/json"})
    status, text, headers = asked(request)
    if status != 307:
        return status, text, headers
    location = headers["Location"]
    request = urllib.request.Request(location, data=body, headers={"Content-Type": "application/json"})
    status, text, _ = asked(request)
    assert status == 201, (status, text)
    return location.removesuffix("/streams"), json.loads(text), headers


def until(what, check):
    end = time.monotonic() + LIMIT_S
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.1)


def no_server(stack):
    """Answers at a port, but not as a server does: with the banner of another protocol."""
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

    def answer():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

    threading.Thread(target=answer, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def post_in_pieces(uri):
    """A client that reads the answer when it has sent all of its body; returns the line of the status."""
    host, port = uri.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), LIMIT_S) as client:
        client.sendall(b"POST /streams HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n")
        for _ in range(3):
            select.select([client], [], [], 0.2)  # an answer that comes too early
            client.sendall(bytes(1000))
        return client.makefile("rb").readline()


def main(program, director, folder, prometheus):
    with contextlib.ExitStack() as stack:
        # Nobody reads what the streams send to these ports; a stream plays on for 30 s all the same.
        ports = []
        for _ in range(4):
            receiver = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            receiver.bind(("127.0.0.1", 0))
            ports.append(receiver.getsockname()[1])
        calls = []
        for _ in range(2):
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as free:
                free.bind(("::", 0))
                calls.append(free.getsockname()[1])
        servers = [started(stack, r"http://127\.0\.0\.1:\d+", program, "--port", "0", "--media-port", str(port), "--max-streams", "1",
                           "--absent-time", "600", folder) for port in calls]
        addresses = [address for _, address in servers]
        _, uri = started(stack, r"http://127\.0\.0\.1:\d+", sys.executable, director, "--port", "0",
                         no_server(stack), addresses[0], f"{addresses[1]}=::1")

        # Each server has room for one: two streams are on two servers, and a third one is nowhere.
        first, stream, _ = post(uri, ports[0])
        second, _, _ = post(uri, ports[1])
        assert {first, second} == set(addresses), (first, second)
        status, text, headers = post(uri, ports[2])
        assert (status, headers["Retry-After"]) == (503, "5") and "no server has room" in text, (status, text)

        # One Prometheus reads both.
        assert "job_name: tfrc-server" in prometheus
        for address in addresses:
            _, metrics, _ = asked(address + "/metrics")
            assert "vod_streams_limit 1\n" in metrics and 'vod_streams{state="playing"} 1\n' in metrics, metrics

        # A stream that has ended makes room where it was, for who calls as well.
        request = urllib.request.Request(f"{first}/streams/{stream['id']}", method="DELETE")
        assert asked(request)[0] in (200, 202)
        expected = {addresses[0]: f"tfrc://127.0.0.1:{calls[0]}/long.ts\n", addresses[1]: f"tfrc://[::1]:{calls[1]}/long.ts\n"}

        def call():
            status, text, _ = asked(uri + "/call/long.ts")
            return text if status == 200 else None

        assert until("room after the end of a stream", call) == expected[first]

        # A server that is gone gets nobody.
        gone = servers[addresses.index(first)][0]
        gone.kill()
        gone.wait()
        status, _, _ = post(uri, ports[3])
        assert status == 503, status
        assert asked(uri + "/elsewhere")[0] == 404
        assert post_in_pieces(uri).split()[1] == b"503"
        assert asked(urllib.request.Request(uri + "/streams", data=bytes(4097)))[0] == 413


if __name__ == "__main__":
    with open(sys.argv[4]) as file:
        main(*sys.argv[1:4], file.read())
