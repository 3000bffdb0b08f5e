# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two tfrc-servers behind examples/server-director.py: many-servers.py SERVER DIRECTOR FOLDER PROMETHEUS.YML

FOLDER has the movie long.ts.
"""

import contextlib
import json
import re
import socket
import subprocess
import sys
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
                         addresses[0], f"{addresses[1]}=::1")

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


if __name__ == "__main__":
    with open(sys.argv[4]) as file:
        main(*sys.argv[1:4], file.read())
